import { addDays, isDate } from "./days.ts";
import type { Language } from "./languages.ts";
import { NAMES } from "./long-date.ts";

// What people write into a field for a date or a time, and how it is written back: with the day first and 24 hours, as all
// three languages have it here (see `localeOf`).

export interface DateLimits {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** While somebody types 2027, the year is 20 for a moment. */
const CENTURIES = [19, 20];
/** Of "85", what lies further ahead than this is of the last century. */
const YEARS_AHEAD = 20;

/** "18/11/2026" for `2026-11-18`. */
export function writeDate(date: string): string {
  return date.split("-").reverse().join("/");
}

/**
 * The date that a text stands for, as `2026-11-18`: "18/11/2026", "18/11", "18.11.26", "1811", "18 nov", "18 de novembro de
 * 2026" or what the server writes. Without a year it is the one nearest to today that lies within the limits. `isWhole` is
 * said when nobody types any more.
 */
export function readDate(
  text: string,
  {
    today,
    language,
    isWhole = true,
    min,
    max,
  }: DateLimits & { readonly today: string; readonly language: Language; readonly isWhole?: boolean },
): string | undefined {
  const typed = text.trim().toLowerCase();
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(typed);
  if (iso) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  // The month of "18/1" may become that of "18/12".
  if (!isWhole && /^\d{1,2}[\s./-]+[01]$/.test(typed)) return undefined;
  const [day, month, year] = partsOf(typed, language) ?? [];
  if (day === undefined || month === undefined) return undefined;
  const thisYear = Number(today.slice(0, 4));
  if (year === undefined) return nearest(day, month, { today, min, max });
  if (year.length === 4) return dateOf(Number(year), month, day);
  if (year.length !== 2 || (!isWhole && CENTURIES.includes(Number(year)))) return undefined;
  const ofThisCentury = Math.floor(thisYear / 100) * 100 + Number(year);
  return dateOf(ofThisCentury > thisYear + YEARS_AHEAD ? ofThisCentury - 100 : ofThisCentury, month, day);
}

function partsOf(typed: string, language: Language): [number, number, string | undefined] | undefined {
  const digits = /^(\d{2})(\d{2})(\d{2}|\d{4})?$/.exec(typed);
  if (digits) return [Number(digits[1]), Number(digits[2]), digits[3]];
  const numbers = /^(\d{1,2})[\s./-]+(\d{1,2})(?:[\s./-]+(\d{1,4}))?$/.exec(typed);
  if (numbers) return [Number(numbers[1]), Number(numbers[2]), numbers[3]];
  const named =
    /^(\d{1,2})(?:st|nd|rd|th|º)?[\s./-]+(?:de\s+)?(\p{L}{3,})\.?(?:[\s./,-]+(?:de\s+)?(\d{1,4}))?$/u.exec(
      typed,
    );
  const month = named && monthOf(named[2] ?? "", language);
  return named && month ? [Number(named[1]), month, named[3]] : undefined;
}

function monthOf(name: string, language: Language): number | undefined {
  const months = fold(NAMES[language].months).toLowerCase().split(" ");
  const place = months.findIndex((month) => month.startsWith(fold(name)));
  return place < 0 ? undefined : place + 1;
}

function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "");
}

/** Of this year, the last and the next. */
function nearest(
  day: number,
  month: number,
  { today, min, max }: DateLimits & { readonly today: string },
): string | undefined {
  const year = Number(today.slice(0, 4));
  const dates = [year, year + 1, year - 1, year + 2, year - 2, year + 3, year - 3, year + 4, year - 4]
    .map((each) => dateOf(each, month, day))
    .filter((date) => date !== undefined);
  const within = dates.filter((date) => (!min || date >= min) && (!max || date <= max));
  const distance = (date: string) => Math.abs(Date.parse(date) - Date.parse(today));
  return [...(within.length > 0 ? within : dates)].sort((one, other) => distance(one) - distance(other))[0];
}

function dateOf(year: number, month: number, day: number): string | undefined {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  // Date.parse takes 30 February for 2 March.
  return isDate(date) && new Date(`${date}T00:00:00Z`).getUTCDate() === day ? date : undefined;
}

export type DatePart = "day" | "month" | "year";

/** A date one day, month or year further; the 31st of a month that has none is its last day. */
export function stepDate(date: string, part: DatePart, by: number): string {
  if (part === "day") return addDays(date, by);
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const months = year * 12 + month - 1 + by * (part === "year" ? 12 : 1);
  const [toYear, toMonth] = [Math.floor(months / 12), (months % 12) + 1];
  const last = new Date(Date.UTC(toYear, toMonth, 0)).getUTCDate();
  return dateOf(toYear, toMonth, Math.min(day, last)) ?? date;
}

/** The time that a text stands for, as `07:30`: "7h30", "7:30", "7.30", "730", "7h", "7" or "7:30 pm". */
export function readTime(text: string, isWhole = true): string | undefined {
  // "1" may become "18".
  if (!isWhole && text.trim().length < 2) return undefined;
  const typed = /^(\d{1,2})(?:\s*(?:[:.h]|\s)\s*(\d{2})?|(\d{2}))?\s*(?:h|hs|hrs)?\s*([ap])?\.?m?\.?$/i.exec(
    text.trim(),
  );
  if (!typed) return undefined;
  const [, hours, apart, together, half] = typed;
  const minute = Number(apart ?? together ?? 0);
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  }
  if (hour > 23 || minute > 59) return undefined;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** A time an hour or five minutes further, on the same clock. */
export function stepTime(time: string, part: "hour" | "minute", by: number): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const next = part === "hour" ? hour * 60 + minute + 60 * by : hour * 60 + toFive(minute, by);
  const minutes = (next + 1_440) % 1_440;
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** From 07:32 up to 07:35, and down to 07:30. */
function toFive(minute: number, by: number): number {
  return by > 0 ? Math.floor(minute / 5) * 5 + 5 : Math.ceil(minute / 5) * 5 - 5;
}
