import { calendarDateOf, daysBetween, isCalendarDate, MS_PER_DAY, parseInstant } from "../../core/dates.ts";
import type { Fault } from "../../core/errors.ts";
import {
  type DaysQuery,
  type HourOfWeek,
  MOST_DAYS,
  MOST_TIMETABLE_DAYS,
  type TimetableUseQuery,
} from "./schema.ts";

/** The faults of two days together. */
export function checkSpanOfDays({ from, until }: Partial<DaysQuery>): Fault[] {
  if (!isDay(from) || !isDay(until)) return [];
  if (until < from) return [{ location: "query.until", code: "window_reversed" }];
  return daysBetween(from, until) > MOST_DAYS
    ? [{ location: "query.until", code: "window_too_long", params: { maxDays: MOST_DAYS } }]
    : [];
}

function isDay(text: unknown): text is string {
  return typeof text === "string" && isCalendarDate(text);
}

/** The faults of a window together. */
export function checkTimetableWindow({ from, to }: Partial<TimetableUseQuery>): Fault[] {
  const [fromMs, toMs] = [from, to].map((text) =>
    typeof text === "string" ? parseInstant(text) : undefined,
  );
  if (fromMs === undefined || toMs === undefined) return [];
  if (toMs <= fromMs) return [{ location: "query.to", code: "window_reversed" }];
  return toMs - fromMs > MOST_TIMETABLE_DAYS * MS_PER_DAY
    ? [{ location: "query.to", code: "window_too_long", params: { maxDays: MOST_TIMETABLE_DAYS } }]
    : [];
}

/** A month, as far as two days reach into it. */
export interface Month {
  readonly month: string;
  readonly firstDay: string;
  readonly lastDay: string;
}

/** The months from one day to another, the first and the last cut there. */
export function monthsBetween(from: string, until: string): Month[] {
  const months: Month[] = [];
  for (let firstDay = from; firstDay <= until; ) {
    const [year, month] = firstDay.split("-").map(Number) as [number, number];
    // The day before the first of the next month.
    const end = calendarDateOf(Date.UTC(year, month, 1) - MS_PER_DAY);
    months.push({ month: firstDay.slice(0, 7), firstDay, lastDay: end < until ? end : until });
    firstDay = calendarDateOf(Date.UTC(year, month, 1));
  }
  return months;
}

/** A session, as far as it says how full the timetable is. */
interface TimedSession {
  readonly localStart?: string | undefined;
  readonly capacity: number;
  readonly bookedCount: number;
  readonly status: string;
}

/** Adds up sessions by the weekday and hour at which they begin on their own clocks. */
export class WeekHours {
  readonly #hours = new Map<number, { sessions: number; capacity: number; booked: number }>();

  add({ localStart, capacity, bookedCount, status }: TimedSession): void {
    if (status !== "scheduled" || localStart === undefined) return;
    // Monday is 0; the first of January 1970 was a Thursday.
    const weekday = (Math.floor(Date.parse(localStart.slice(0, 10)) / MS_PER_DAY) + 3) % 7;
    const place = weekday * 24 + Number(localStart.slice(11, 13));
    const hour = this.#hours.get(place) ?? { sessions: 0, capacity: 0, booked: 0 };
    hour.sessions++;
    hour.capacity += capacity;
    hour.booked += bookedCount;
    this.#hours.set(place, hour);
  }

  /** Those with sessions, Monday morning first. */
  list(): HourOfWeek[] {
    return [...this.#hours]
      .sort(([one], [other]) => one - other)
      .map(([place, hour]) => ({ weekday: Math.floor(place / 24) + 1, hour: place % 24, ...hour }));
  }
}
