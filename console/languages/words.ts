import { signal } from "@preact/signals";
import { LANGUAGES, type Language } from "./languages.ts";

export { LANGUAGES, type Language };

/** The language that the pages speak; the server wrote it into the page. */
export const language = signal<Language>(toLanguage(document.documentElement.lang));

export function toLanguage(text: string): Language {
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
  const byLanguage: Record<Language, Messages> = { en, "pt-BR": ptBR, es };
  return () => byLanguage[language.value];
}

/** The form of a word that belongs to a number: `plural(2, "seat", "seats")`. The three languages have two forms each. */
export function plural(count: number, one: string, other: string): string {
  return new Intl.PluralRules(language.value).select(count) === "one" ? one : other;
}
