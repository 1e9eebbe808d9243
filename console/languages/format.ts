import { decimalsOf } from "./currency.ts";
import { localeOf } from "./languages.ts";
import { longDateIn } from "./long-date.ts";
import { relativeIn } from "./relative-time.ts";
import { language } from "./words.ts";

// A formatter takes longer to make than to use, and a week shows hundreds of times.
const formatters = new Map<string, object>();

function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return made(
    `d${language.value}${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(localeOf(language.value), options),
  );
}

function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return made(
    `n${language.value}${JSON.stringify(options)}`,
    () => new Intl.NumberFormat(language.value, options),
  );
}

function made<Formatter extends object>(key: string, make: () => Formatter): Formatter {
  const known = formatters.get(key);
  if (known) return known as Formatter;
  const formatter = make();
  formatters.set(key, formatter);
  return formatter;
}

/** A date or local date-time as the server writes it (`2026-11-16`, `2026-11-16T07:00`), read as if the clock were UTC. */
export function wallClock(text: string): Date {
  const [date = "", time = "00:00"] = text.split(/[T ]/);
  return new Date(`${date}T${time.slice(0, 5)}:00Z`);
}

/** What a clock on the wall shows, `07:00` in all three languages: as the server says it, also in a repeated hour. */
export const timeOf = (local: string) =>
  local.slice("2026-11-16 ".length, "2026-11-16 07:00".length) || "00:00";
/** "9 Nov"; of another year than this one, with the year. */
export const shortDate = (date: string) => (date.startsWith(thisYear()) ? dayMonth(date) : fullDate(date));
/** For an axis, where the year is said elsewhere. */
export const dayMonth = (date: string) =>
  dates({ day: "numeric", month: "short", timeZone: "UTC" }).format(wallClock(date));
export const fullDate = (date: string) =>
  dates({ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(wallClock(date));
export const longDate = (date: string) => longDateIn(language.value, date, thisYear());
const thisYear = () => String(new Date().getFullYear());
export const weekdayOf = (date: string, width: "short" | "long" | "narrow" = "short") =>
  dates({ weekday: width, timeZone: "UTC" }).format(wallClock(date));
export const shortMonth = (date: string) =>
  dates({ month: "short", timeZone: "UTC" }).format(wallClock(date));
export const monthOf = (date: string) =>
  dates({ month: "long", year: "numeric", timeZone: "UTC" }).format(wallClock(date));

/** An instant as the clocks of a time zone show it. */
export const instantIn = (instant: string, timeZone: string) =>
  dates({
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
  }).format(new Date(instant));
export const instantTimeIn = (instant: string, timeZone: string) =>
  dates({ hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone }).format(new Date(instant));

/** The local date-time of an instant in a time zone, as `2026-11-16T07:00`. */
export function localIn(instant: string | number, timeZone: string): string {
  const text = made(
    `s${timeZone}`,
    () => new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }),
  ).format(new Date(instant));
  return text.replace(" ", "T");
}

/** Below a thousand a number reads the same in all three languages. */
export const count = (value: number) =>
  Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : numbers({}).format(value);
export const percent = (share: number) =>
  numbers({ style: "percent", maximumFractionDigits: 0 }).format(share);
export const money = (cents: number, currency: string) =>
  numbers({ style: "currency", currency }).format(cents / 10 ** decimalsOf(currency));

/** For a scale: "R$ 12 mil". */
export const shortMoney = (cents: number, currency: string) =>
  numbers({ style: "currency", currency, notation: "compact", maximumFractionDigits: 1 }).format(
    cents / 10 ** decimalsOf(currency),
  );

/** "2 minutes ago", "in 3 days". */
export function relative(instant: string, now: number): string {
  const seconds = Math.round((Date.parse(instant) - now) / 1_000);
  const near = [
    ["second", 60],
    ["minute", 60],
    ["hour", 24],
  ] as const;
  let value = seconds;
  for (const [unit, size] of near) {
    if (Math.abs(value) < size) return relativeIn(language.value, Math.round(value), unit);
    value /= size;
  }
  const format = made(
    `r${language.value}`,
    () => new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }),
  );
  const far = [
    ["day", 30],
    ["month", 12],
  ] as const;
  for (const [unit, size] of far) {
    if (Math.abs(value) < size) return format.format(Math.round(value), unit);
    value /= size;
  }
  return format.format(Math.round(value), "year");
}

/** "A, B and C". */
export const listOf = (items: readonly string[]) =>
  made(
    `l${language.value}`,
    () => new Intl.ListFormat(localeOf(language.value), { type: "conjunction" }),
  ).format(items);

/** "16–22 November 2026". */
export const dateRange = (first: string, last: string) =>
  dates({ day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }).formatRange(
    wallClock(first),
    wallClock(last),
  );
/** "GMT-3": the offset of a time zone at an instant, which reads the same in all languages. */
export const zoneName = (instant: string, timeZone: string) =>
  dates({ timeZone, timeZoneName: "shortOffset" })
    .formatToParts(new Date(instant))
    .find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
