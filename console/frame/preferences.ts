import { signal } from "@preact/signals";
import { LANGUAGE_COOKIE, type Language, language } from "../languages/words.ts";
import { keepCookie } from "./cookies.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** How the person wants it to look. The server writes both into the page, so that nothing flashes. */
export const theme = signal<Theme>(toTheme(document.documentElement.dataset.theme));

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  document.documentElement.dataset.theme = chosen;
  keepCookie("rollbook-theme", chosen);
}

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  document.documentElement.lang = chosen;
  keepCookie(LANGUAGE_COOKIE, chosen);
}

function toTheme(text: string | undefined): Theme {
  return THEMES.find((known) => known === text) ?? "system";
}
