import type { Language } from "./languages.ts";

// Names instead of the browser's formatter, the first of which takes a slow phone a sixth of a second to make.
export const NAMES: Record<Language, { weekdays: string; months: string; of: string }> = {
  en: {
    weekdays: "Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
    months: "January February March April May June July August September October November December",
    of: " ",
  },
  "pt-BR": {
    weekdays: "domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado",
    months: "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    of: " de ",
  },
  es: {
    weekdays: "domingo lunes martes miércoles jueves viernes sábado",
    months: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    of: " de ",
  },
};

/** "Monday 16 November", of a date such as `2026-11-16`; of another year than the one given, "Monday 16 November 2026". */
export function longDateIn(language: Language, date: string, year = date.slice(0, 4)): string {
  const { weekdays, months, of } = NAMES[language];
  const day = new Date(`${date.slice(0, "2026-11-16".length)}T00:00:00Z`);
  const weekday = weekdays.split(" ")[day.getUTCDay()];
  const comma = language === "en" ? "" : ",";
  const ofYear = date.startsWith(year) ? "" : `${of}${date.slice(0, 4)}`;
  return `${weekday}${comma} ${day.getUTCDate()}${of}${months.split(" ")[day.getUTCMonth()]}${ofYear}`;
}
