import { type Language, localeOf } from "../languages/languages.ts";
import { inOrder, type Repeat, type RepeatEnd } from "./repeat.ts";

/** When a series takes place, in a sentence: "Every Monday and Wednesday at 07:00 until 18 December". */
export function describeRepeat(
  repeat: Repeat,
  { start, year, language }: { readonly start: string; readonly year: string; readonly language: Language },
): string {
  const speak = SENTENCES[language];
  const once = dateIn(start.slice(0, 10), year, language);
  const pattern = repeat.every === "once" ? speak.once(once) : speak.pattern(repeat);
  const end = repeat.every === "once" ? "" : describeEnd(repeat.end, year, language);
  return capital(`${pattern} ${speak.at(start.slice(11, 16))}${end}`);
}

/** " until 18 December" or ", 24 times", to stand after a sentence. */
export function describeEnd(end: RepeatEnd, year: string, language: Language): string {
  if (end.kind === "never") return "";
  const speak = SENTENCES[language];
  return end.kind === "on" ? speak.until(dateIn(end.date, year, language)) : speak.times(end.times);
}

function dateIn(day: string, year: string, language: Language): string {
  return new Intl.DateTimeFormat(localeOf(language), {
    day: "numeric",
    month: "long",
    ...(day.slice(0, 4) !== year && { year: "numeric" }),
    timeZone: "UTC",
  }).format(new Date(`${day}T00:00:00Z`));
}

/** Weekdays and which of a month, for the choices of the builder. */
export function weekdayName(weekday: number, language: Language, width: "long" | "short" = "long"): string {
  const name = new Intl.DateTimeFormat(localeOf(language), { weekday: width, timeZone: "UTC" });
  // 5 January 2026 is a Monday.
  return name.format(new Date(Date.UTC(2026, 0, 5 + weekday)));
}

export function ordinalName(ordinal: number, language: Language): string {
  return SENTENCES[language].ordinals[ordinal] ?? String(ordinal);
}

interface Sentences {
  readonly once: (date: string) => string;
  readonly pattern: (repeat: Repeat) => string;
  readonly at: (time: string) => string;
  readonly until: (date: string) => string;
  readonly times: (times: number) => string;
  readonly ordinals: Readonly<Record<number, string>>;
}

const SENTENCES: Readonly<Record<Language, Sentences>> = {
  en: {
    once: (date) => `once on ${date}`,
    pattern: (repeat) => {
      const { every, interval, weekdays } = repeat;
      const list = (items: readonly string[]) => joined(items, "and");
      if (every === "day" || isDaily(repeat)) return interval === 1 ? "every day" : `every ${interval} days`;
      if (every === "week") {
        if (interval === 1 && isWorkingWeek(weekdays)) return "every Monday to Friday";
        const names = list(weekdays.map((day) => weekdayName(day, "en")));
        return interval === 1 ? `every ${names}` : `every ${interval} weeks on ${names}`;
      }
      const months = interval === 1 ? "every month" : `every ${interval} months`;
      if (repeat.monthBy === "day")
        return `${months} on ${repeat.monthDay < 0 ? "the last day" : `the ${nth(repeat.monthDay)}`}`;
      const which = list(inOrder(repeat.ordinals).map((ordinal) => EN_ORDINALS[ordinal] ?? ""));
      return `${months} on the ${which} ${weekdayName(repeat.monthWeekday, "en")}`;
    },
    at: (time) => `at ${time}`,
    until: (date) => ` until ${date}`,
    times: (times) => `, ${times === 1 ? "once" : `${times} times`}`,
    ordinals: { 1: "first", 2: "second", 3: "third", 4: "fourth", [-1]: "last" },
  },
  "pt-BR": {
    once: (date) => `uma vez, em ${date},`,
    pattern: (repeat) => {
      const { every, interval, weekdays } = repeat;
      const list = (items: readonly string[]) => joined(items, "e");
      if (every === "day" || isDaily(repeat))
        return interval === 1 ? "todos os dias" : `a cada ${interval} dias`;
      if (every === "week") {
        const days = [...weekdays].sort((a, b) => a - b);
        if (interval > 1)
          return `a cada ${interval} semanas, ${list(days.map((day) => `${day < 5 ? "na" : "no"} ${PT_DAYS[day]}`))}`;
        if (isWorkingWeek(days)) return "de segunda a sexta";
        // "Toda segunda, quarta e sexta", but "toda sexta e todo sábado".
        const named = days.map((day, place) =>
          place === 0 || (day >= 5 && (days[place - 1] ?? 0) < 5)
            ? `${day < 5 ? "toda" : "todo"} ${PT_DAYS[day]}`
            : (PT_DAYS[day] ?? ""),
        );
        return list(named);
      }
      const months = interval === 1 ? "todo mês" : `a cada ${interval} meses`;
      if (repeat.monthBy === "day")
        return `${months} no ${repeat.monthDay < 0 ? "último dia" : `dia ${repeat.monthDay}`}`;
      const isFeminine = repeat.monthWeekday < 5;
      const which = inOrder(repeat.ordinals).map((ordinal) => {
        const name = PT_ORDINALS[ordinal] ?? "";
        return isFeminine ? `na ${name.replace(/o$/, "a")}` : `no ${name}`;
      });
      return `${months} ${list(which)} ${PT_DAYS[repeat.monthWeekday]}`;
    },
    at: (time) => `${time.startsWith("01") ? "à" : "às"} ${time}`,
    until: (date) => ` até ${date}`,
    times: (times) => `, ${times === 1 ? "uma vez" : `${times} vezes`}`,
    ordinals: { 1: "1º", 2: "2º", 3: "3º", 4: "4º", [-1]: "último" },
  },
  es: {
    once: (date) => `una vez, el ${date},`,
    pattern: (repeat) => {
      const { every, interval, weekdays } = repeat;
      const list = (items: readonly string[]) => joined(items, "y");
      if (every === "day" || isDaily(repeat))
        return interval === 1 ? "todos los días" : `cada ${interval} días`;
      if (every === "week") {
        const days = [...weekdays].sort((a, b) => a - b);
        const names = list(days.map((day) => plural(weekdayName(day, "es"))));
        if (interval > 1) return `cada ${interval} semanas, los ${names}`;
        return isWorkingWeek(days) ? "de lunes a viernes" : `todos los ${names}`;
      }
      const months = interval === 1 ? "cada mes" : `cada ${interval} meses`;
      if (repeat.monthBy === "day")
        return `${months}, el ${repeat.monthDay < 0 ? "último día" : `día ${repeat.monthDay}`}`;
      const which = inOrder(repeat.ordinals).map((ordinal) => `el ${ES_ORDINALS[ordinal]}`);
      return `${months}, ${list(which)} ${weekdayName(repeat.monthWeekday, "es")}`;
    },
    at: (time) => `${time.startsWith("01") ? "a la" : "a las"} ${time}`,
    until: (date) => ` hasta el ${date}`,
    times: (times) => `, ${times === 1 ? "una vez" : `${times} veces`}`,
    ordinals: { 1: "primer", 2: "segundo", 3: "tercer", 4: "cuarto", [-1]: "último" },
  },
};

const EN_ORDINALS: Readonly<Record<number, string>> = SENTENCES.en.ordinals;
const ES_ORDINALS: Readonly<Record<number, string>> = SENTENCES.es.ordinals;
const PT_ORDINALS: Readonly<Record<number, string>> = {
  1: "primeiro",
  2: "segundo",
  3: "terceiro",
  4: "quarto",
  [-1]: "último",
};
export const PT_DAYS = ["segunda", "terça", "quarta", "quinta", "sexta", "sábado", "domingo"];

function isDaily({ every, interval, weekdays }: Repeat): boolean {
  return every === "week" && interval === 1 && weekdays.length === 7;
}

function isWorkingWeek(weekdays: readonly number[]): boolean {
  return weekdays.length === 5 && weekdays.every((day) => day < 5);
}

export function nth(day: number): string {
  const suffixes: Record<string, string> = { one: "st", two: "nd", few: "rd", other: "th" };
  return `${day}${suffixes[new Intl.PluralRules("en", { type: "ordinal" }).select(day)]}`;
}

/** "lunes" stays, "sábado" becomes "sábados". */
export function plural(weekday: string): string {
  return weekday.endsWith("s") ? weekday : `${weekday}s`;
}

export function joined(items: readonly string[], and: string): string {
  return items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} ${and} ${items.at(-1)}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
