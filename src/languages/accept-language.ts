import type { Language } from "./dictionary.ts";

/** Each language that we have, by the first part of its tag: `pt-PT` is better answered in pt-BR than in English. */
const BY_PRIMARY: ReadonlyMap<string, Language> = new Map([
  ["en", "en"],
  ["pt", "pt-BR"],
  ["es", "es"],
]);

const RANGE = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/;
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The language that `Accept-Language` asks for (RFC 4647, 3.4, lookup): the range of the highest weight for which there
 * is a language, the first of several. English if there is none. What is malformed is passed over.
 *
 *     chooseLanguage("de, en;q=0.1, es-AR;q=0.5")   // es
 */
export function chooseLanguage(header: string | undefined): Language {
  let chosen: Language = "en";
  let highest = 0;
  if (header === undefined) return chosen;
  for (const item of header.toLowerCase().split(",")) {
    const [range = "", weight, ...more] = item.split(";").map((part) => part.trim());
    const quality = weight === undefined ? 1 : Number(WEIGHT.exec(weight)?.[1] ?? 0);
    if (quality <= highest || more.length > 0 || !RANGE.test(range)) continue;
    const language = BY_PRIMARY.get(range.split("-", 1)[0] ?? "");
    if (language === undefined) continue;
    chosen = language;
    highest = quality;
  }
  return chosen;
}
