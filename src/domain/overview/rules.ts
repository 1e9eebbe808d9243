import {
  calendarDateOf,
  daysBetween,
  isCalendarDate,
  MS_PER_DAY,
  MS_PER_MINUTE,
  parseInstant,
} from "../../core/dates.ts";
import type { Fault } from "../../core/errors.ts";
import {
  type DaysQuery,
  type GivenClass,
  type HourOfWeek,
  type MemberChanges,
  MOST_DAYS,
  MOST_TIMETABLE_DAYS,
  type TeacherClasses,
  type TimetableUseQuery,
} from "./schema.ts";

/** The faults of two days together. */
export function checkSpanOfDays({ from, until }: Partial<DaysQuery>, maxDays = MOST_DAYS): Fault[] {
  if (!isDay(from) || !isDay(until)) return [];
  if (until < from) return [{ location: "query.until", code: "window_reversed" }];
  return daysBetween(from, until) > maxDays
    ? [{ location: "query.until", code: "window_too_long", params: { maxDays } }]
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

/** A session as it was given, as far as reports show it. */
interface GivenSession {
  readonly id?: string | undefined;
  readonly resourceIds?: readonly string[] | undefined;
  readonly localStart?: string | undefined;
  readonly serviceTypeName?: string | undefined;
  readonly locationName?: string | undefined;
  readonly startAt: string;
  readonly endAt: string;
  readonly capacity: number;
  readonly bookedCount: number;
}

/** A line for each teacher of a session; one without a teacher if it has none, unless one teacher's are asked for. */
export function toGivenClasses(
  session: GivenSession,
  teachers: ReadonlyMap<string, string>,
  attended: ReadonlyMap<string, number> | undefined,
  only: string | undefined,
): GivenClass[] {
  const {
    id,
    localStart = "",
    serviceTypeName,
    locationName,
    startAt,
    endAt,
    capacity,
    bookedCount,
  } = session;
  const given = {
    day: localStart.slice(0, 10),
    localStart,
    minutes: Math.round((Date.parse(endAt) - Date.parse(startAt)) / MS_PER_MINUTE),
    ...(serviceTypeName !== undefined && { serviceTypeName }),
    ...(locationName !== undefined && { locationName }),
    capacity,
    booked: bookedCount,
    attended: (id === undefined ? undefined : attended?.get(id)) ?? 0,
    ...(id !== undefined && { sessionId: id }),
  };
  const present = [...new Set(session.resourceIds ?? [])].filter((one) => teachers.has(one));
  if (present.length === 0) return only === undefined ? [given] : [];
  return present
    .filter((one) => only === undefined || one === only)
    .map((resourceId) => ({ ...given, resourceId, name: teachers.get(resourceId) ?? "" }));
}

/** Adds up classes by teacher; those that nobody was named for are one more. */
export function sumByTeacher(classes: Iterable<GivenClass>): TeacherClasses[] {
  const sums = new Map<string | undefined, TeacherClasses>();
  for (const { resourceId, name, minutes, booked, attended } of classes) {
    const known = sums.get(resourceId);
    const sum = known ?? {
      ...(resourceId !== undefined && { resourceId }),
      ...(name !== undefined && { name }),
      ...{ classes: 0, withoutVisit: 0, minutes: 0, booked: 0, attended: 0 },
    };
    if (!known) sums.set(resourceId, sum);
    sum.classes++;
    if (attended === 0) sum.withoutVisit++;
    sum.minutes += minutes;
    sum.booked += booked;
    sum.attended += attended;
  }
  // Nobody stands last.
  const order = ({ name }: TeacherClasses) => (name === undefined ? "\uffff" : name.toLowerCase());
  return [...sums.values()].sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** The months of these days, each with what changed in it. */
export function toMonthsOfChanges(
  months: readonly Month[],
  counted: readonly MemberChanges["data"][number][],
): MemberChanges["data"] {
  const known = new Map(counted.map((month) => [month.month, month]));
  return months.map(
    ({ month }) => known.get(month) ?? { month, gained: 0, returned: 0, cancelled: 0, expired: 0 },
  );
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
