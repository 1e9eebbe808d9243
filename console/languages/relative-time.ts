import type { Language } from "./languages.ts";

type Unit = "second" | "minute" | "hour";
/** Each unit for one and for more. */
type Names = Record<Unit, readonly [string, string]>;
interface Words extends Names {
  readonly now: string;
  readonly ahead: (text: string) => string;
  readonly ago: (text: string) => string;
}

// Words instead of the browser's formatter, the first of which takes a slow phone a sixth of a second to make.
const WORDS: Record<Language, Words> = {
  en: {
    second: ["second", "seconds"],
    minute: ["minute", "minutes"],
    hour: ["hour", "hours"],
    now: "now",
    ahead: (text) => `in ${text}`,
    ago: (text) => `${text} ago`,
  },
  "pt-BR": {
    second: ["segundo", "segundos"],
    minute: ["minuto", "minutos"],
    hour: ["hora", "horas"],
    now: "agora",
    ahead: (text) => `em ${text}`,
    ago: (text) => `há ${text}`,
  },
  es: {
    second: ["segundo", "segundos"],
    minute: ["minuto", "minutos"],
    hour: ["hora", "horas"],
    now: "ahora",
    ahead: (text) => `dentro de ${text}`,
    ago: (text) => `hace ${text}`,
  },
};

/** "in 12 minutes", "3 hours ago"; a whole number of a unit, which is 0 for seconds alone. */
export function relativeIn(language: Language, value: number, unit: Unit): string {
  const words = WORDS[language];
  if (value === 0) return words.now;
  const number = Math.abs(value);
  const text = `${number} ${words[unit][number === 1 ? 0 : 1]}`;
  return value > 0 ? words.ahead(text) : words.ago(text);
}
