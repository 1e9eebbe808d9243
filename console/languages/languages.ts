// Apart from `words`, so that what puts rules into words can be used without a page.

export const LANGUAGES = ["en", "pt-BR", "es"] as const;
export type Language = (typeof LANGUAGES)[number];

/** How dates and lists are written: English with the day first, like the other two languages and the clock of 24 hours. */
export function localeOf(language: Language): string {
  return language === "en" ? "en-GB" : language;
}
