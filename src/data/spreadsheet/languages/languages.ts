import type { Language } from "../../../languages/dictionary.ts";
import { english } from "./english.ts";
import type { Words } from "./language.ts";
import { portuguese } from "./portuguese.ts";
import { spanish } from "./spanish.ts";

export const LANGUAGES: Readonly<Record<Language, Words>> = { "pt-BR": portuguese, es: spanish, en: english };

/** The language of a locale such as `pt_BR.UTF-8` or `es-AR`; English for any other. */
export function languageOf(locale: string): Language {
  const [primary = ""] = locale.toLowerCase().split(/[-_.@]/);
  return primary === "pt" ? "pt-BR" : primary === "es" ? "es" : "en";
}
