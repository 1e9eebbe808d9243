/**
 * The one home of day arithmetic, and the one strict reading of calendar dates, date-times and wall clocks. Everything is
 * integer arithmetic on days and milliseconds: `Date` accepts far more than RFC 3339 does, and rolls 30 February over into March.
 */

export const MS_PER_MINUTE = 60_000;
export const MS_PER_HOUR = 60 * MS_PER_MINUTE;
export const MS_PER_DAY = 24 * MS_PER_HOUR;

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,30}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/**
 * The instant an RFC 3339 date-time names, in milliseconds since 1970, or undefined if it names none.
 * A fraction finer than a millisecond is rounded up: all instants we compare with are whole milliseconds, so
 * `from ≤ startAt` and `startAt < to` then hold exactly for the finer value too.
 */
export function parseInstant(text: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = "",
    sign,
    offsetHour = "0",
    offsetMinute = "0",
  ] = match;
  const days = realDay(Number(year), Number(month), Number(day));
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const offsetMinutes = (sign === "-" ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const millis = Number(fraction.slice(0, 3).padEnd(3, "0")) + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0);
  const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes;
  return days * MS_PER_DAY + minutes * MS_PER_MINUTE + Number(second) * 1000 + millis;
}

/** Whether the text is a real calendar date from year 1 on, written YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  const match = DATE.exec(text);
  return match !== null && realDay(Number(match[1]), Number(match[2]), Number(match[3])) !== undefined;
}

/** The calendar date of a wall clock that is counted in milliseconds as if it were UTC. */
export function calendarDateOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}

/**
 * A wall clock such as `2026-01-05T07:00` in milliseconds, counted as if it were UTC; undefined unless it is
 * written exactly so and the date is real.
 */
export function parseWallClock(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)$/.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute] = match.map(Number);
  const days = realDay(year, month, day);
  if (days === undefined || hour === undefined || minute === undefined || hour > 23 || minute > 59)
    return undefined;
  return days * MS_PER_DAY + (hour * 60 + minute) * MS_PER_MINUTE;
}

/** The text that `parseWallClock` reads. */
export function formatWallClock(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 16);
}

/** The date of a wall clock: `2026-01-05` of `2026-01-05T07:00`. */
export function dateOfWallClock(text: string): string {
  return text.slice(0, "2026-01-05".length);
}

/** Days since 1 January 1970 in the Gregorian calendar; months count from 1. Exact for any year. */
export function dayNumber(year: number, month: number, day: number): number {
  // Counted in years that begin in March, so that a leap day is the last of its year.
  const marchYear = month > 2 ? year : year - 1;
  const cycle = Math.floor(marchYear / 400);
  const yearOfCycle = marchYear - cycle * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100);
  return cycle * 146_097 + yearOfCycle * 365 + leapDays + dayOfYear - 719_468;
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Months count from 1. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Monday is 0; day 0, 1 January 1970, was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** The reverse of `dayNumber`. */
export function dateOf(dayNumber: number): { year: number; month: number; day: number } {
  const shifted = dayNumber + 719_468;
  const cycle = Math.floor(shifted / 146_097);
  const dayOfCycle = shifted - cycle * 146_097;
  const leapDays =
    Math.floor(dayOfCycle / 1_460) - Math.floor(dayOfCycle / 36_524) + Math.floor(dayOfCycle / 146_096);
  const yearOfCycle = Math.floor((dayOfCycle - leapDays) / 365);
  const dayOfYear =
    dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** The day number of a date from year 1 on, or undefined if there is no such date. */
export function realDay(year = 0, month = 0, day = 0): number | undefined {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return dayNumber(year, month, day);
}

/** Dates are texts from here on: `2026-11-15`. */

export function daysAfter(date: string, days: number): string {
  return calendarDateOf(Date.parse(date) + days * MS_PER_DAY);
}

export function daysBefore(date: string, days: number): string {
  return daysAfter(date, -days);
}

export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / MS_PER_DAY;
}

/** The same day of a later month, or the last one of that month if it is shorter. */
export function monthsAfter(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const count = year * 12 + month - 1 + months;
  const [laterYear, laterMonth] = [Math.floor(count / 12), (count % 12) + 1];
  const last = daysInMonth(laterYear, laterMonth);
  return calendarDateOf(dayNumber(laterYear, laterMonth, Math.min(day, last)) * MS_PER_DAY);
}

/** The last date that can be written. */
export const LAST_DATE = "9999-12-31";

/** The date so many days later, or undefined if it cannot be written. */
export function afterDays(date: string, days: number): string | undefined {
  return days > daysBetween(date, LAST_DATE) ? undefined : daysAfter(date, days);
}
