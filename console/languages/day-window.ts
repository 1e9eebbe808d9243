import { addDays } from "./days.ts";

/** The instants at which whole days begin and end on the clocks of a time zone, as a read takes them. */
export interface DayWindow {
  readonly from: string;
  readonly to: string;
}

const HOUR_MS = 3_600_000;

/** From the beginning of a date there, so many days. */
export function dayWindow(date: string, days: number, timeZone: string): DayWindow {
  const instant = (day: string) => new Date(dayStart(day, timeZone)).toISOString();
  return { from: instant(date), to: instant(addDays(date, days)) };
}

/**
 * The first instant of a date on the clocks of a time zone. Where a change of the clocks leaves midnight out, the day begins
 * with the change; where midnight comes twice, with the first.
 */
export function dayStart(date: string, timeZone: string): number {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // No zone is further from UTC than 14 hours, and none changes its clocks twice in two days.
  const [before, after] = [-24, 24].map((hours) => offsetAt(midnight + hours * HOUR_MS, timeZone));
  const starts = [before ?? 0, after ?? 0]
    .map((offset) => midnight - offset)
    .filter((instant) => instant + offsetAt(instant, timeZone) === midnight);
  return starts.length > 0 ? Math.min(...starts) : midnight - (before ?? 0);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks are ahead of UTC, in milliseconds. */
function offsetAt(instant: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
    formats.set(timeZone, format);
  }
  return Date.parse(`${format.format(new Date(instant)).replace(" ", "T")}Z`) - instant;
}
