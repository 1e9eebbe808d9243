/**
 * The one strict reading of calendar dates and date-times. Everything is integer arithmetic on days and
 * milliseconds: `Date` accepts far more than RFC 3339 does, and rolls 30 February over into March.
 */

export const MS_PER_DAY = 86_400_000;

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
  const days = daysOf(Number(year), Number(month), Number(day));
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const offsetMinutes = (sign === "-" ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const millis = Number(fraction.slice(0, 3).padEnd(3, "0")) + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0);
  const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes;
  return days * MS_PER_DAY + minutes * 60_000 + Number(second) * 1000 + millis;
}

/** Whether the text is a real calendar date from year 1 on, written YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  const match = DATE.exec(text);
  return match !== null && daysOf(Number(match[1]), Number(match[2]), Number(match[3])) !== undefined;
}

/** The calendar date of a wall clock that is counted in milliseconds as if it were UTC. */
export function calendarDateOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}

function daysOf(year: number, month: number, day: number): number | undefined {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  // Date.UTC reads years below 100 as 19xx; a whole number of 400-year cycles later the calendar is the same.
  return Date.UTC(year + 400, month - 1, day) / MS_PER_DAY - 146_097;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
