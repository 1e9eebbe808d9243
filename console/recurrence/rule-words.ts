import { type Language, localeOf } from "../languages/languages.ts";
import { readEnd, WEEKDAY_CODES, weekdayNumber } from "./repeat.ts";
import { capital, describeEnd, joined, nth, PT_DAYS, plural, weekdayName } from "./repeat-words.ts";

type Unit = "day" | "week" | "month" | "year";

/** What a rule says beyond its end. Everything that a schedule's rule can have is here. */
interface Pattern {
  readonly unit: Unit;
  readonly interval: number;
  /** Monday is 0; an ordinal of 0 means every one of its month or year. */
  readonly weekdays: readonly { readonly weekday: number; readonly ordinal: number }[];
  /** -1 is the last day of the month. */
  readonly monthDays: readonly number[];
  /** January is 1. */
  readonly months: readonly number[];
  readonly positions: readonly number[];
  readonly times: readonly string[];
  /** The day of the year that is meant where the rule names none. */
  readonly date: string;
}

/** More times than these are not listed. */
const MOST_TIMES = 12;

/**
 * Any rule of a schedule in a sentence: "Every year on the last Monday in May at 07:00 until 31 May 2030". Undefined for what is
 * no rule. `start` is the first slot; `toLocal` tells an instant on the location's clock.
 */
export function describeRule(
  rule: string,
  {
    start,
    year,
    language,
    toLocal,
  }: {
    readonly start: string;
    readonly year: string;
    readonly language: Language;
    readonly toLocal: (instant: string) => string;
  },
): string | undefined {
  const parts = new Map(
    rule
      .toUpperCase()
      .split(";")
      .map((part) => part.split("=", 2) as [string, string]),
  );
  const pattern = readPattern(parts, start);
  const end = readEnd(parts.get("COUNT"), parts.get("UNTIL"), start, toLocal);
  if (!pattern || !end) return undefined;
  const speak = SENTENCES[language];
  const { unit, weekdays, monthDays, months, positions, times } = pattern;
  const every = weekdays.filter(({ ordinal }) => ordinal === 0).map(({ weekday }) => weekday);
  const counted = weekdays.filter(({ ordinal }) => ordinal !== 0);
  const names = months.map((month) => monthName(month, language));
  // Of a rule that names months, the first Monday is that of each of them.
  const within = names.length > 0 ? speak.ofMonths(names) : speak.ofUnit[unit === "year" ? "year" : "month"];
  const isOfMonths = counted.length > 0 && every.length === 0 && monthDays.length === 0;
  const ofWeekdays = [
    ...(every.length > 0 ? [speak.weekdays(every)] : []),
    ...(counted.length > 0 ? [speak.counted(counted, within)] : []),
  ];
  // Both a day and a weekday mean the day where it is that weekday.
  const which =
    monthDays.length === 0
      ? joined(ofWeekdays, speak.and)
      : `${speak.monthDays(monthDays)}${weekdays.length > 0 ? speak.ifWeekday(weekdays.map(({ weekday }) => weekday)) : ""}`;
  const isDated = unit === "year" && which === "" && months.length === 0;
  const words = [
    speak.unit(unit, pattern.interval),
    isDated ? speak.onDate(pattern.date) : which,
    names.length > 0 && !isOfMonths ? speak.months(names) : "",
    times.length > MOST_TIMES
      ? speak.manyTimes(times.length, times[0] ?? "", times.at(-1) ?? "")
      : speak.times(times),
  ];
  const sentence = words.filter((text) => text !== "").join(" ");
  const only = positions.length > 0 ? speak.positions(positions, unit) : "";
  return capital(`${sentence}${only}${describeEnd(end, year, language)}`);
}

function readPattern(parts: ReadonlyMap<string, string>, start: string): Pattern | undefined {
  const units: Record<string, Unit> = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" };
  const unit = units[parts.get("FREQ") ?? ""];
  const interval = Number(parts.get("INTERVAL") ?? "1");
  const numbers = (name: string) => {
    const texts = parts.get(name)?.split(",") ?? [];
    return [...new Set(texts.map(Number))].sort((a, b) => Number(a < 0) - Number(b < 0) || a - b);
  };
  const lists = ["BYMONTHDAY", "BYMONTH", "BYSETPOS", "BYHOUR", "BYMINUTE"].map(numbers);
  const [monthDays = [], months = [], positions = [], hours = [], minutes = []] = lists;
  const byDay = (parts.get("BYDAY")?.split(",") ?? []).map((code) =>
    /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(code),
  );
  const weekdays = byDay.map((entry) => ({
    weekday: WEEKDAY_CODES.indexOf(entry?.[2] ?? ""),
    ordinal: Number(entry?.[1] ?? 0),
  }));
  const isUnreadable = [...lists.flat(), interval, ...weekdays.map(({ ordinal }) => ordinal)].some(
    Number.isNaN,
  );
  if (unit === undefined || isUnreadable || weekdays.some(({ weekday }) => weekday < 0)) return undefined;
  const date = start.slice(0, 10);
  const isBare = weekdays.length === 0 && monthDays.length === 0;
  return {
    unit,
    interval,
    // What is not named is as the first slot has it.
    weekdays: isBare && unit === "week" ? [{ weekday: weekdayNumber(date), ordinal: 0 }] : weekdays,
    monthDays:
      isBare && (unit === "month" || (unit === "year" && months.length > 0))
        ? [Number(date.slice(8, 10))]
        : monthDays,
    months,
    positions,
    times: timesOf(
      hours.length > 0 ? hours : [Number(start.slice(11, 13))],
      minutes.length > 0 ? minutes : [Number(start.slice(14, 16))],
    ),
    date,
  };
}

function timesOf(hours: readonly number[], minutes: readonly number[]): string[] {
  const two = (value: number) => String(value).padStart(2, "0");
  return hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`));
}

function monthName(month: number, language: Language): string {
  const name = new Intl.DateTimeFormat(localeOf(language), { month: "long", timeZone: "UTC" });
  return name.format(new Date(Date.UTC(2026, month - 1, 1)));
}

function dayAndMonth(date: string, language: Language): string {
  return new Intl.DateTimeFormat(localeOf(language), {
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  }).format(new Date(`${date}T00:00:00Z`));
}

interface Sentences {
  readonly and: string;
  readonly unit: (unit: Unit, interval: number) => string;
  readonly weekdays: (weekdays: readonly number[]) => string;
  readonly counted: (weekdays: Pattern["weekdays"], within: string) => string;
  readonly ofUnit: Readonly<Record<"month" | "year", string>>;
  readonly ofMonths: (names: readonly string[]) => string;
  readonly monthDays: (days: readonly number[]) => string;
  readonly ifWeekday: (weekdays: readonly number[]) => string;
  readonly months: (names: readonly string[]) => string;
  readonly onDate: (date: string) => string;
  readonly times: (times: readonly string[]) => string;
  readonly manyTimes: (number: number, first: string, last: string) => string;
  readonly positions: (positions: readonly number[], unit: Unit) => string;
}

const isWorkingWeek = (weekdays: readonly number[]) =>
  weekdays.length === 5 && weekdays.every((weekday) => weekday < 5);

const SENTENCES: Readonly<Record<Language, Sentences>> = {
  en: {
    and: "and",
    unit: (unit, interval) => (interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`),
    weekdays: (weekdays) =>
      isWorkingWeek(weekdays)
        ? "on Monday to Friday"
        : `on ${joined(
            weekdays.map((day) => weekdayName(day, "en")),
            "and",
          )}`,
    counted: (weekdays, within) =>
      `on ${joined(
        weekdays.map(({ weekday, ordinal }) => `the ${enOrdinal(ordinal)} ${weekdayName(weekday, "en")}`),
        "and",
      )} ${within}`,
    ofUnit: { month: "of the month", year: "of the year" },
    ofMonths: (names) => `of ${joined(names, "and")}`,
    monthDays: (days) =>
      `on ${joined(
        days.map((day) => (day > 0 ? `the ${nth(day)}` : `the ${enOrdinal(day)} day of the month`)),
        "and",
      )}`,
    ifWeekday: (weekdays) =>
      `, if it is a ${joined(
        weekdays.map((day) => weekdayName(day, "en")),
        "or",
      )},`,
    months: (names) => `in ${joined(names, "and")}`,
    onDate: (date) => `on ${dayAndMonth(date, "en")}`,
    times: (times) => `at ${joined(times, "and")}`,
    manyTimes: (number, first, last) => `${number} times a day, from ${first} to ${last}`,
    positions: (positions, unit) =>
      `, only the ${joined(positions.map(enOrdinal), "and")} of these in each ${unit}`,
  },
  "pt-BR": {
    and: "e",
    unit: (unit, interval) => {
      const names = {
        day: ["todos os dias", "dias"],
        week: ["toda semana", "semanas"],
        month: ["todo mês", "meses"],
        year: ["todo ano", "anos"],
      } as const;
      return interval === 1 ? names[unit][0] : `a cada ${interval} ${names[unit][1]}`;
    },
    weekdays: (weekdays) =>
      isWorkingWeek(weekdays)
        ? "de segunda a sexta"
        : joined(
            weekdays.map((day) => `${day < 5 ? "na" : "no"} ${PT_DAYS[day]}`),
            "e",
          ),
    counted: (weekdays, within) =>
      `${joined(
        weekdays.map(({ weekday, ordinal }) => {
          const isFeminine = weekday < 5;
          return `${isFeminine ? "na" : "no"} ${ptOrdinal(ordinal, isFeminine)} ${PT_DAYS[weekday]}`;
        }),
        "e",
      )} ${within}`,
    ofUnit: { month: "do mês", year: "do ano" },
    ofMonths: (names) => `de ${joined(names, "e")}`,
    monthDays: (days) => {
      const counted = days.filter((day) => day > 0);
      const fromEnd = days.filter((day) => day < 0).map((day) => `no ${ptOrdinal(day, false)} dia do mês`);
      const named =
        counted.length > 0
          ? [`${counted.length > 1 ? "nos dias" : "no dia"} ${joined(counted.map(String), "e")}`]
          : [];
      return joined([...named, ...fromEnd], "e");
    },
    ifWeekday: (weekdays) =>
      `, quando cai ${joined(
        weekdays.map((day) => `${day < 5 ? "na" : "no"} ${PT_DAYS[day]}`),
        "ou",
      )},`,
    months: (names) => `em ${joined(names, "e")}`,
    onDate: (date) => `em ${dayAndMonth(date, "pt-BR")}`,
    times: (times) =>
      joined(
        times.map((time) => `${time.startsWith("01") ? "à" : "às"} ${time}`),
        "e",
      ),
    manyTimes: (number, first, last) => `${number} vezes por dia, das ${first} às ${last}`,
    positions: (positions, unit) =>
      `, só ${joined(
        positions.map((position) => `a ${ptOrdinal(position, true)}`),
        "e",
      )} dessas vezes em cada ${{ day: "dia", week: "semana", month: "mês", year: "ano" }[unit]}`,
  },
  es: {
    and: "y",
    unit: (unit, interval) => {
      const names = {
        day: ["todos los días", "días"],
        week: ["cada semana", "semanas"],
        month: ["cada mes", "meses"],
        year: ["cada año", "años"],
      } as const;
      return interval === 1 ? names[unit][0] : `cada ${interval} ${names[unit][1]}`;
    },
    weekdays: (weekdays) =>
      isWorkingWeek(weekdays)
        ? "de lunes a viernes"
        : `los ${joined(
            weekdays.map((day) => plural(weekdayName(day, "es"))),
            "y",
          )}`,
    counted: (weekdays, within) =>
      `${joined(
        weekdays.map(
          ({ weekday, ordinal }) => `el ${esOrdinal(ordinal, "masculine")} ${weekdayName(weekday, "es")}`,
        ),
        "y",
      )} ${within}`,
    ofUnit: { month: "del mes", year: "del año" },
    ofMonths: (names) => `de ${joined(names, "y")}`,
    monthDays: (days) => {
      const counted = days.filter((day) => day > 0);
      const fromEnd = days
        .filter((day) => day < 0)
        .map((day) => `el ${esOrdinal(day, "masculine")} día del mes`);
      const named =
        counted.length > 0
          ? [`${counted.length > 1 ? "los días" : "el día"} ${joined(counted.map(String), "y")}`]
          : [];
      return joined([...named, ...fromEnd], "y");
    },
    ifWeekday: (weekdays) =>
      `, si cae en ${joined(
        weekdays.map((day) => weekdayName(day, "es")),
        "o",
      )},`,
    months: (names) => `en ${joined(names, "y")}`,
    onDate: (date) => `el ${dayAndMonth(date, "es")}`,
    times: (times) =>
      joined(
        times.map((time) => `${time.startsWith("01") ? "a la" : "a las"} ${time}`),
        "y",
      ),
    manyTimes: (number, first, last) => `${number} veces al día, de ${first} a ${last}`,
    positions: (positions, unit) =>
      `, solo ${joined(
        positions.map((position) => `la ${esOrdinal(position, "feminine")}`),
        "y",
      )} de esas veces en cada ${{ day: "día", week: "semana", month: "mes", year: "año" }[unit]}`,
  },
};

function enOrdinal(ordinal: number): string {
  const words: Record<number, string> = { 1: "first", 2: "second", 3: "third", 4: "fourth", [-1]: "last" };
  return words[ordinal] ?? (ordinal > 0 ? nth(ordinal) : `${nth(-ordinal)} to last`);
}

function ptOrdinal(ordinal: number, isFeminine: boolean): string {
  const words: Record<number, string> = {
    1: "primeiro",
    2: "segundo",
    3: "terceiro",
    4: "quarto",
    [-1]: "último",
    [-2]: "penúltimo",
  };
  const word = words[ordinal];
  if (word !== undefined) return isFeminine ? word.replace(/o$/, "a") : word;
  const number = `${Math.abs(ordinal)}${isFeminine ? "ª" : "º"}`;
  return ordinal > 0 ? number : `${number} a contar do fim`;
}

/** "Primer" and "tercer" stand before what is masculine. */
function esOrdinal(ordinal: number, gender: "masculine" | "feminine"): string {
  const words: Record<number, readonly [string, string]> = {
    1: ["primer", "primera"],
    2: ["segundo", "segunda"],
    3: ["tercer", "tercera"],
    4: ["cuarto", "cuarta"],
    [-1]: ["último", "última"],
    [-2]: ["penúltimo", "penúltima"],
  };
  const isFeminine = gender === "feminine";
  const word = words[ordinal]?.[Number(isFeminine)];
  if (word !== undefined) return word;
  const number = `${Math.abs(ordinal)}.${isFeminine ? "ª" : "º"}`;
  return ordinal > 0 ? number : `${number} por el final`;
}
