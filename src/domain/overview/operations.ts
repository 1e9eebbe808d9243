import { daysAfter, MS_PER_DAY, parseInstant } from "../../core/dates.ts";
import { Effort } from "../../core/effort.ts";
import { invalid } from "../../core/errors.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { CalendarReader } from "../calendar/operations.ts";
import type { NamedSession } from "../calendar/session-records.ts";
import { listLocations } from "../locations/queries.ts";
import { dateIn } from "../recurrence/zones.ts";
import { listResources } from "../resources/queries.ts";
import { countMemberChanges, type ReportDays } from "./member-changes-queries.ts";
import { type ClosedRecords, countAttendance, countAttended, countVisits } from "./queries.ts";
import { monthsBetween, toGivenClasses, toMonthsOfChanges, WeekHours } from "./rules.ts";
import type {
  ClassesQuery,
  DaysQuery,
  GivenClass,
  HourOfWeek,
  MemberChanges,
  TimetableUseQuery,
  VisitsOf,
  VisitsQuery,
  WeekOfVisits,
} from "./schema.ts";

/** For how many days after its own the record of a session is open. */
const OPEN_DAYS = 8;

/** Who came and who did not, by weeks. */
export async function readAttendance(
  db: Database,
  organizationId: string,
  { from, until }: DaysQuery,
  { now, weekStart }: { readonly now: number; readonly weekStart: "monday" | "sunday" },
): Promise<WeekOfVisits[]> {
  const days = { from, until, weekStart: weekStart === "sunday" ? 7 : 1 };
  return countAttendance(db, organizationId, days, await closedRecords(db, organizationId, now));
}

/** Who came and who did not, by service type, hour or teacher. */
export async function readVisits(
  db: Database,
  organizationId: string,
  query: VisitsQuery,
  now: number,
): Promise<VisitsOf[]> {
  return countVisits(db, organizationId, query, await closedRecords(db, organizationId, now));
}

async function closedRecords(db: Database, organizationId: string, now: number): Promise<ClosedRecords[]> {
  const locations = await listLocations(db, organizationId);
  return locations.map(({ id, timezone }) => ({
    locationId: id,
    day: daysAfter(dateIn(timezone, now), -OPEN_DAYS),
  }));
}

/** The days of a report, and today in the organization's timezone. */
export function reportDays(
  { from, until }: DaysQuery,
  { timezone, clock }: { readonly timezone: string; readonly clock: { now(): number } },
): ReportDays {
  return { from, until, today: dateIn(timezone, clock.now()) };
}

/** Members gained and lost in each month, and why they were lost. */
export async function readMemberChangeSums(
  db: Database,
  organizationId: string,
  days: ReportDays,
): Promise<MemberChanges> {
  const { months, reasons } = await countMemberChanges(db, organizationId, days);
  const data = toMonthsOfChanges(monthsBetween(days.from, days.until), months);
  return { data, total: data.length, reasons };
}

/** What a chain of a hundred studios has in a quarter, and some seconds of work. */
export const MOST_SESSIONS = 100_000;

/** What a studio of thirty rooms gives in a quarter. */
export const MOST_CLASSES = 50_000;

/** Reads the classes that were given: with those of the slots to which nobody came, which are stored nowhere. */
export class GivenClassReader {
  readonly #calendar: CalendarReader;
  readonly #db: SharedDatabase;

  constructor(db: SharedDatabase) {
    this.#calendar = new CalendarReader(db);
    this.#db = db;
  }

  /** A line for each class and teacher, in the order in which they began. */
  async read(
    reader: Parameters<CalendarReader["read"]>[0],
    { from, until, resourceId, locationId }: ClassesQuery,
    now: number,
  ): Promise<GivenClass[]> {
    const { organizationId } = reader;
    const db = this.#db.for(organizationId);
    const window = {
      // Wherever on earth the days are.
      fromMs: Date.parse(from) - MS_PER_DAY,
      toMs: Math.min(Date.parse(until) + 2 * MS_PER_DAY, now + 1),
      ...{ locationId, resourceId, serviceTypeId: undefined, scheduleId: undefined },
    };
    if (window.toMs <= window.fromMs) return [];
    const { content } = await listResources(db, organizationId);
    const people = new Map(
      content.data.flatMap(({ id, kind, name }) => (kind === "person" ? [[id, name]] : [])),
    );
    const { batches } = await this.#calendar.readRecords(reader, window, { hasNames: true });
    const effort = new Effort(MOST_CLASSES, () =>
      invalid([{ location: "query.until", code: "timetable_too_full", params: { max: MOST_CLASSES } }]),
    );
    const classes: GivenClass[] = [];
    for await (const sessions of batches as AsyncIterable<readonly NamedSession[]>) {
      effort.spend(sessions.length);
      const given = sessions.filter(({ localStart = "", status }) => {
        const day = localStart.slice(0, 10);
        return status === "scheduled" && day >= from && day <= until;
      });
      const stored = given.flatMap(({ id }) => (id === undefined ? [] : [id]));
      const attended = stored.length > 0 ? await countAttended(db, organizationId, stored) : undefined;
      for (const session of given) classes.push(...toGivenClasses(session, people, attended, resourceId));
      if (effort.isDue) await effort.pause();
    }
    return classes;
  }
}

/** Adds up how full the timetable is. Slots that nobody has acted on count with their seats, all of them free. */
export class TimetableReader {
  readonly #calendar: CalendarReader;

  constructor(db: SharedDatabase) {
    this.#calendar = new CalendarReader(db);
  }

  async read(reader: Parameters<CalendarReader["read"]>[0], query: TimetableUseQuery): Promise<HourOfWeek[]> {
    const window = {
      fromMs: parseInstant(query.from) ?? Number.NaN,
      toMs: parseInstant(query.to) ?? Number.NaN,
      locationId: query.locationId,
      serviceTypeId: query.serviceTypeId,
      scheduleId: undefined,
      resourceId: undefined,
    };
    const hours = new WeekHours();
    const { batches } = await this.#calendar.readRecords(reader, window, { hasNames: true });
    const effort = new Effort(MOST_SESSIONS, () =>
      invalid([{ location: "query.to", code: "timetable_too_full", params: { max: MOST_SESSIONS } }]),
    );
    for await (const sessions of batches) {
      effort.spend(sessions.length);
      for (const session of sessions) hours.add(session);
    }
    return hours.list();
  }
}
