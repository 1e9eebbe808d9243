import { addDays } from "../languages/days.ts";

/** How a series ends: never, with a last day, or after a number of times. */
export type RepeatEnd =
  | { readonly kind: "never" }
  | { readonly kind: "on"; readonly date: string }
  | { readonly kind: "after"; readonly times: number };

/** What can be chosen about how a series repeats. Every choice has a value, so that going back and forth loses none. */
export interface Repeat {
  readonly every: "once" | "day" | "week" | "month";
  readonly interval: number;
  /** Monday is 0. */
  readonly weekdays: readonly number[];
  readonly monthBy: "day" | "weekday";
  /** -1 is the last day of the month. */
  readonly monthDay: number;
  /** Which of the month's weekdays: the first is 1, the last -1. */
  readonly ordinals: readonly number[];
  readonly monthWeekday: number;
  readonly end: RepeatEnd;
  /** On which weekday a week begins: it matters for every second week. */
  readonly weekStart: number;
}

export const ORDINALS = [1, 2, 3, 4, -1] as const;
export const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6] as const;
export const WEEKDAY_CODES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** Weekly on the day of a date, without end. */
export function newRepeat(date: string, weekStart: number): Repeat {
  return {
    every: "week",
    interval: 1,
    weekdays: [weekdayNumber(date)],
    monthBy: "day",
    monthDay: dayOf(date),
    ordinals: [Math.min(4, Math.ceil(dayOf(date) / 7))],
    monthWeekday: weekdayNumber(date),
    end: { kind: "never" },
    weekStart,
  };
}

/**
 * The choices that a rule stands for, or undefined for one that they cannot express. `start` is the first slot;
 * `toLocal` tells an instant on the location's clock.
 */
export function readRule(
  rule: string | undefined,
  start: string,
  toLocal: (instant: string) => string,
): Repeat | undefined {
  const date = start.slice(0, 10);
  const initial = newRepeat(date, 0);
  if (rule === undefined) return { ...initial, every: "once" };
  const parts = new Map(
    rule
      .toUpperCase()
      .split(";")
      .map((part) => part.split("=", 2) as [string, string]),
  );
  const take = (name: string) => {
    const value = parts.get(name);
    parts.delete(name);
    return value;
  };
  const frequency = take("FREQ");
  const interval = Number(take("INTERVAL") ?? "1");
  const weekStart = WEEKDAY_CODES.indexOf(take("WKST") ?? "MO");
  const end = readEnd(take("COUNT"), take("UNTIL"), start, toLocal);
  const byDay = take("BYDAY")?.split(",");
  const byMonthDay = take("BYMONTHDAY");
  // Whatever is left is more than the choices have.
  if (parts.size > 0 || !end) return undefined;
  const common = { ...initial, interval, weekStart, end };
  if (frequency === "DAILY" && byMonthDay === undefined) {
    if (!byDay) return { ...common, every: "day" };
    const weekdays = readWeekdays(byDay);
    return weekdays && interval === 1 ? { ...common, every: "week", weekdays } : undefined;
  }
  if (frequency === "WEEKLY" && byMonthDay === undefined) {
    const weekdays = byDay ? readWeekdays(byDay) : initial.weekdays;
    return weekdays && { ...common, every: "week", weekdays };
  }
  if (frequency !== "MONTHLY") return undefined;
  if (byDay) return byMonthDay === undefined ? readMonthWeekday(common, byDay) : undefined;
  const monthDay = Number(byMonthDay ?? dayOf(date));
  if (!Number.isInteger(monthDay) || monthDay < -1) return undefined;
  return { ...common, every: "month", monthBy: "day", monthDay };
}

export function readEnd(
  count: string | undefined,
  until: string | undefined,
  start: string,
  toLocal: (instant: string) => string,
): RepeatEnd | undefined {
  if (count !== undefined) return { kind: "after", times: Number(count) };
  if (until === undefined) return { kind: "never" };
  const [, year, month, day, time] = /^(\d{4})(\d\d)(\d\d)(?:T(\d{6})Z)?$/.exec(until) ?? [];
  if (year === undefined) return undefined;
  const date = `${year}-${month}-${day}`;
  if (time === undefined) return { kind: "on", date };
  const clock = `${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}`;
  const local = toLocal(`${date}T${clock}Z`);
  // An end before the day's slot leaves the day before as the last one.
  const isWhole = local.slice(11, 16) >= start.slice(11, 16);
  return { kind: "on", date: isWhole ? local.slice(0, 10) : addDays(local.slice(0, 10), -1) };
}

function readWeekdays(codes: readonly string[]): number[] | undefined {
  const weekdays = codes.map((code) => WEEKDAY_CODES.indexOf(code));
  return weekdays.includes(-1) ? undefined : [...new Set(weekdays)].sort((a, b) => a - b);
}

function readMonthWeekday(common: Repeat, codes: readonly string[]): Repeat | undefined {
  const entries = codes.map((code) => /^([+-]?\d)([A-Z]{2})$/.exec(code));
  const weekdays = new Set(entries.map((entry) => WEEKDAY_CODES.indexOf(entry?.[2] ?? "")));
  const ordinals = entries.map((entry) => Number(entry?.[1] ?? 0));
  const [monthWeekday = -1] = weekdays;
  const isKnown = ordinals.every((ordinal) => ORDINALS.some((known) => known === ordinal));
  if (weekdays.size !== 1 || monthWeekday < 0 || !isKnown) return undefined;
  return { ...common, every: "month", monthBy: "weekday", monthWeekday, ordinals: inOrder(ordinals) };
}

/** The last one after the others. */
export function inOrder(ordinals: readonly number[]): number[] {
  return [...new Set(ordinals)].sort((a, b) => (a < 0 ? 9 : a) - (b < 0 ? 9 : b));
}

/** The rule of the choices; undefined for what takes place once. */
export function writeRule(repeat: Repeat): string | undefined {
  const { every, interval, end } = repeat;
  if (every === "once") return undefined;
  const parts = [`FREQ=${{ day: "DAILY", week: "WEEKLY", month: "MONTHLY" }[every]}`];
  if (interval > 1) parts.push(`INTERVAL=${interval}`);
  if (every === "week")
    parts.push(`BYDAY=${[...repeat.weekdays].sort((a, b) => a - b).map((day) => WEEKDAY_CODES[day])}`);
  if (every === "month")
    parts.push(
      repeat.monthBy === "day"
        ? `BYMONTHDAY=${repeat.monthDay}`
        : `BYDAY=${inOrder(repeat.ordinals).map((ordinal) => `${ordinal}${WEEKDAY_CODES[repeat.monthWeekday]}`)}`,
    );
  if (every === "week" && interval > 1 && repeat.weekStart !== 0)
    parts.push(`WKST=${WEEKDAY_CODES[repeat.weekStart]}`);
  if (end.kind === "after") parts.push(`COUNT=${end.times}`);
  if (end.kind === "on") parts.push(`UNTIL=${end.date.replaceAll("-", "")}`);
  return parts.join(";");
}

/** Whether the choices are complete enough to be a rule. */
export function isComplete({ every, interval, weekdays, monthBy, ordinals, end }: Repeat): boolean {
  return (
    (every === "once" || (Number.isInteger(interval) && interval > 0)) &&
    (every !== "week" || weekdays.length > 0) &&
    (every !== "month" || monthBy === "day" || ordinals.length > 0) &&
    (end.kind !== "on" || end.date !== "") &&
    (end.kind !== "after" || (Number.isInteger(end.times) && end.times > 0))
  );
}

/** The first date on or after one that fits the choices: a series must begin with one of its own dates. */
export function firstDate(repeat: Repeat, date: string): string | undefined {
  for (let days = 0, day = date; days < MOST_DAYS; days += 1, day = addDays(date, days))
    if (fits(repeat, day)) return day;
  return undefined;
}

/** The 30th is missing in February; every choice occurs within this many days. */
const MOST_DAYS = 62;

function fits(repeat: Repeat, date: string): boolean {
  const { every, weekdays, monthBy, monthDay, monthWeekday, ordinals } = repeat;
  if (every === "once" || every === "day") return true;
  if (every === "week") return weekdays.includes(weekdayNumber(date));
  const fromEnd = dayOf(date) - lastDayOf(date) - 1;
  if (monthBy === "day") return monthDay === dayOf(date) || monthDay === fromEnd;
  const isOrdinal = (ordinal: number) =>
    ordinal > 0 ? ordinal === Math.ceil(dayOf(date) / 7) : fromEnd >= -7;
  return weekdayNumber(date) === monthWeekday && ordinals.some(isOrdinal);
}

/** How many dates of a series that begins on `start` lie before `date`. */
export function countBefore(repeat: Repeat, start: string, date: string): number {
  let found = 0;
  for (let day = start; day < date; day = addDays(day, 1))
    if (fits(repeat, day) && isInTurn(repeat, start, day)) found += 1;
  return found;
}

/** Whether a date lies in a day, week or month that is not left out by the interval. */
function isInTurn({ every, interval, weekStart }: Repeat, start: string, date: string): boolean {
  if (every === "month") return (monthNumber(date) - monthNumber(start)) % interval === 0;
  if (every === "day") return (dayNumber(date) - dayNumber(start)) % interval === 0;
  const week = (day: string) => Math.floor((dayNumber(day) + 3 - weekStart) / 7);
  return (week(date) - week(start)) % interval === 0;
}

/** Monday is 0. */
export function weekdayNumber(date: string): number {
  return (((dayNumber(date) + 3) % 7) + 7) % 7;
}

function dayNumber(date: string): number {
  return Math.round(Date.parse(`${date}T00:00:00Z`) / 86_400_000);
}

function monthNumber(date: string): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
}

function dayOf(date: string): number {
  return Number(date.slice(8, 10));
}

function lastDayOf(date: string): number {
  return new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0)).getUTCDate();
}
