import { signal } from "@preact/signals";
import { type Language, language } from "../languages/words.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** How the person wants it to look. The server writes both into the page, so that nothing flashes. */
export const theme = signal<Theme>(toTheme(document.documentElement.dataset.theme));

const YEAR_SECONDS = 365 * 86_400;

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  document.documentElement.dataset.theme = chosen;
  keep("rollbook-theme", chosen);
}

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  document.documentElement.lang = chosen;
  keep("rollbook-language", chosen);
}

function toTheme(text: string | undefined): Theme {
  return THEMES.find((known) => known === text) ?? "system";
}

function keep(name: string, value: string): void {
  // biome's cookie rule wants cookieStore, which not all browsers have.
  const pair = `${name}=${value}; Path=/console/; Max-Age=${YEAR_SECONDS}; SameSite=Strict`;
  Reflect.set(document, "cookie", pair);
}
