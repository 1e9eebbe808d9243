import { signal } from "@preact/signals";
import { isolate } from "./given-text.ts";
import { LANGUAGES, type Language } from "./languages.ts";

export { LANGUAGES, type Language };

/** The language that the pages speak; the server wrote it into the page. */
export const language = signal<Language>(toLanguage(document.documentElement.lang));

/** Has the language that the person has chosen. */
export const LANGUAGE_COOKIE = "rollbook-language";

/** Whether the person has chosen it here; otherwise it is the browser's own, as its requests say by themselves. */
export function isLanguageChosen(): boolean {
  return document.cookie.includes(`${LANGUAGE_COOKIE}=`);
}

function toLanguage(text: string): Language {
  return LANGUAGES.find((known) => known.toLowerCase() === text.toLowerCase()) ?? "en";
}

/**
 * The texts of a screen in three languages. English gives the form: a text that is missing, or has other parameters,
 * in another language does not compile.
 *
 *     const words = dictionary({ seats: (left: number) => `${left} left` }, { seats: … }, { seats: … });
 *     const t = words();  // in a component, which is drawn again when the language changes
 */
export function dictionary<Messages extends object>(
  en: Messages,
  ptBR: NoInfer<Messages>,
  es: NoInfer<Messages>,
): () => Messages {
  const byLanguage = { en: isolating(en), "pt-BR": isolating(ptBR), es: isolating(es) };
  return () => byLanguage[language.value];
}

/** The same texts, in which no name that is filled in changes the direction of what stands around it. */
function isolating<Messages extends object>(messages: Messages): Messages {
  const isolated = Object.entries(messages).map(([name, message]): [string, unknown] => {
    if (Array.isArray(message)) return [name, message];
    if (typeof message === "object") return [name, isolating(message as object)];
    if (typeof message !== "function") return [name, message];
    return [name, (...filled: unknown[]) => message(...filled.map(isolate))];
  });
  return Object.fromEntries(isolated) as Messages;
}

const pluralRules = new Map<Language, Intl.PluralRules>();

/** The form of a word that belongs to a number: `plural(2, "seat", "seats")`. The three languages have two forms each. */
export function plural(count: number, one: string, other: string): string {
  let rules = pluralRules.get(language.value);
  if (!rules) {
    rules = new Intl.PluralRules(language.value);
    pluralRules.set(language.value, rules);
  }
  return rules.select(count) === "one" ? one : other;
}
