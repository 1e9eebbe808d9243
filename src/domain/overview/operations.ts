import { daysAfter, parseInstant } from "../../core/dates.ts";
import { Effort } from "../../core/effort.ts";
import { invalid } from "../../core/errors.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { CalendarReader } from "../calendar/operations.ts";
import { listLocations } from "../locations/queries.ts";
import { dateIn } from "../recurrence/zones.ts";
import { countAttendance } from "./queries.ts";
import { WeekHours } from "./rules.ts";
import type { DaysQuery, HourOfWeek, TimetableUseQuery, WeekOfVisits } from "./schema.ts";

/** For how many days after its own the record of a session is open. */
const OPEN_DAYS = 8;

/** Who came and who did not, by weeks. */
export async function readAttendance(
  db: Database,
  organizationId: string,
  { from, until }: DaysQuery,
  { now, weekStart }: { readonly now: number; readonly weekStart: "monday" | "sunday" },
): Promise<WeekOfVisits[]> {
  const locations = await listLocations(db, organizationId);
  const closed = locations.map(({ id, timezone }) => ({
    locationId: id,
    day: daysAfter(dateIn(timezone, now), -OPEN_DAYS),
  }));
  const days = { from, until, weekStart: weekStart === "sunday" ? 7 : 1 };
  return countAttendance(db, organizationId, days, closed);
}

/** What a chain of a hundred studios has in a quarter, and some seconds of work. */
export const MOST_SESSIONS = 200_000;

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
