import { type Database, pooled, read } from "../db/database.ts";
import type { Session } from "./schema.ts";

/** A schedule that may have slots in the window; its location is open and its service type is offered. */
export interface ScheduleRow {
  readonly id: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly resourceIds: string[];
  readonly start: string;
  readonly durationMinutes: number;
  readonly capacity: number;
  readonly rrule?: string;
  readonly exdates: string[];
  readonly rdates: string[];
  readonly countedSlot?: string;
  readonly timezone: string;
}

/** A stored session that lies in the window, or stands for a slot that may. */
export interface SessionRow {
  readonly id: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly resourceIds: string[];
  readonly startAt: string;
  readonly durationMinutes: number;
  readonly capacity: number;
  readonly bookedCount: number;
  readonly status: Session["status"];
}

export interface CalendarRows {
  readonly schedules: ScheduleRow[];
  readonly sessions: SessionRow[];
}

export interface CalendarWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly locationId?: string | undefined;
  readonly serviceTypeId?: string | undefined;
}

// One statement for both, so that they are of one snapshot: a session that is stored meanwhile is either seen
// and takes its slot's place, or neither. A session counts by its own start or by that of its slot.
const text = `
  select true as "isSchedule", s.id, null::uuid as "scheduleId", null::timestamp as "originalStart",
    s.service_type_id as "serviceTypeId", s.location_id as "locationId", s.resource_ids as "resourceIds",
    null::timestamptz as "startAt", s.duration_minutes as "durationMinutes", s.capacity,
    null::integer as "bookedCount", null as status,
    s.start, s.rrule, s.exdates, s.rdates, s.counted_slot as "countedSlot", l.timezone
  from schedules s
  join locations l on l.organization_id = $1 and l.id = s.location_id and l.status = 'active'
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id and t.status = 'active'
  where s.organization_id = $1 and s.first_slot < $5 and (s.last_slot is null or s.last_slot >= $4)
    and ($6::uuid is null or s.location_id = $6) and ($7::uuid is null or s.service_type_id = $7)
  union all
  select false, s.id, s.schedule_id, s.original_start, s.service_type_id, s.location_id, s.resource_ids,
    s.start_at, s.duration_minutes, s.capacity, s.booked_count, s.status,
    null, null, null, null, null, null
  from sessions s
  where s.organization_id = $1
    and ((s.start_at >= $2 and s.start_at < $3)
      or (s.schedule_id is not null and s.original_start >= $4 and s.original_start < $5))`;

const shortStatement = read("read_calendar", text);
/** A long window may bring many rows: it must not hold up the short reads behind it. */
const longStatement = pooled("read_calendar", text);
const LONG_MS = 32 * 86_400_000;

/** No zone is further than this from UTC, and a slot in a gap adds at most a day (Apia skipped one). */
const WALL_SLACK_MS = 3 * 86_400_000;

/** Everything the window's sessions are made of. */
export async function readCalendar(
  db: Database,
  organizationId: string,
  window: CalendarWindow,
): Promise<CalendarRows> {
  const statement = window.toMs - window.fromMs > LONG_MS ? longStatement : shortStatement;
  const rows = await db.query<(ScheduleRow | SessionRow) & { isSchedule: boolean }>(statement, [
    organizationId,
    timestamp(window.fromMs),
    timestamp(window.toMs),
    timestamp(window.fromMs - WALL_SLACK_MS),
    timestamp(window.toMs + WALL_SLACK_MS),
    window.locationId ?? null,
    window.serviceTypeId ?? null,
  ]);
  const schedules: ScheduleRow[] = [];
  const sessions: SessionRow[] = [];
  for (const row of rows) {
    if (row.isSchedule) schedules.push(row as ScheduleRow);
    else sessions.push(row as SessionRow);
  }
  return { schedules, sessions };
}

const EARLIEST_MS = Date.UTC(-4000, 0, 1);
const LATEST_MS = Date.UTC(20_000, 0, 1);

/** As PostgreSQL reads it, whatever the year: it takes neither a sign nor a year 0. */
function timestamp(ms: number): string {
  const date = new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS));
  const year = date.getUTCFullYear();
  const rest = date.toISOString().slice(-20);
  return year > 0
    ? `${String(year).padStart(4, "0")}${rest}`
    : `${String(1 - year).padStart(4, "0")}${rest} BC`;
}
