import { MS_PER_DAY } from "../core/dates.ts";
import { type Database, pooled, read, type Statement } from "../db/database.ts";
import { WALL_SLACK_MS } from "./agenda.ts";
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
  readonly firstSlot: string;
  readonly lastSlot?: string;
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

/** What a window's sessions are made of, all of one snapshot. */
export interface CalendarRows {
  /** The organization's catalog version at that snapshot. */
  readonly version: number;
  readonly schedules: ScheduleRow[];
  readonly sessions: SessionRow[];
}

export interface CalendarWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly locationId?: string | undefined;
  readonly serviceTypeId?: string | undefined;
}

const versionText = `
  select sum(c.catalog_version)::bigint as version from organization_counters c where c.organization_id = $1`;

// A session counts by its own start or by that of its slot.
const sessionsText = `
  select s.id, s.schedule_id as "scheduleId", s.original_start as "originalStart",
    s.service_type_id as "serviceTypeId", s.location_id as "locationId", s.resource_ids as "resourceIds",
    s.start_at as "startAt", s.duration_minutes as "durationMinutes", s.capacity, s.booked_count as "bookedCount",
    s.status
  from sessions s
  where s.organization_id = $1
    and ((s.start_at >= $2 and s.start_at < $3)
      or (s.schedule_id is not null and s.original_start >= $4 and s.original_start < $5))`;

const schedulesText = `
  select s.id, s.service_type_id as "serviceTypeId", s.location_id as "locationId", s.resource_ids as "resourceIds",
    s.duration_minutes as "durationMinutes", s.capacity, s.start, s.rrule, s.exdates, s.rdates,
    s.first_slot as "firstSlot", s.last_slot as "lastSlot", s.counted_slot as "countedSlot", l.timezone
  from schedules s
  join locations l on l.organization_id = $1 and l.id = s.location_id and l.status = 'active'
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id and t.status = 'active'
  where s.organization_id = $1`;

/** A long window may bring many rows: it must not hold up the short reads behind it. */
function byLength(name: string, text: string): (window: CalendarWindow) => Statement {
  const [short, long] = [read(name, text), pooled(name, text)];
  return ({ fromMs, toMs }) => (toMs - fromMs > LONG_MS ? long : short);
}
const LONG_MS = 32 * MS_PER_DAY;

const sessionsStatement = byLength(
  "read_sessions",
  `select v.version, r.* from (${versionText}) v left join (${sessionsText}) r on true`,
);

/** The stored sessions that lie in the window or stand for a slot that may. */
export async function readSessions(
  db: Database,
  organizationId: string,
  window: CalendarWindow,
): Promise<Omit<CalendarRows, "schedules">> {
  const rows = await db.query<Versioned<SessionRow>>(
    sessionsStatement(window),
    windowValues(organizationId, window),
  );
  return { version: versionOf(rows), sessions: rows.filter(isRecord) };
}

// One statement for both, so that they are of one snapshot: a session that is stored meanwhile is either seen
// and takes its slot's place, or neither.
const both = (schedules: string) => `
  select v.version, r.* from (${versionText}) v left join (
    select true as "isSchedule", s.id, s."serviceTypeId", s."locationId", s."resourceIds", s."durationMinutes",
      s.capacity, s.start, s.rrule, s.exdates, s.rdates, s."firstSlot", s."lastSlot", s."countedSlot", s.timezone,
      null::uuid as "scheduleId", null::timestamp as "originalStart", null::timestamptz as "startAt",
      null::integer as "bookedCount", null as status
    from (${schedules}) s
    union all
    select false, s.id, s."serviceTypeId", s."locationId", s."resourceIds", s."durationMinutes",
      s.capacity, null, null, null, null, null, null, null, null,
      s."scheduleId", s."originalStart", s."startAt", s."bookedCount", s.status
    from (${sessionsText}) s
  ) r on true`;

const windowStatement = byLength(
  "read_calendar",
  both(`${schedulesText} and s.first_slot < $5 and (s.last_slot is null or s.last_slot >= $4)
    and ($6::uuid is null or s.location_id = $6) and ($7::uuid is null or s.service_type_id = $7)`),
);

/** The schedules that may have slots in the window, and its stored sessions. */
export async function readCalendar(
  db: Database,
  organizationId: string,
  window: CalendarWindow,
): Promise<CalendarRows> {
  const { locationId = null, serviceTypeId = null } = window;
  const values = [...windowValues(organizationId, window), locationId, serviceTypeId];
  return toCalendar(await db.query(windowStatement(window), values));
}

const wholeStatement = byLength("read_whole_calendar", both(`${schedulesText} limit $6`));

/** All of the organization's schedules, up to a limit, and the window's stored sessions. */
export async function readWholeCalendar(
  db: Database,
  organizationId: string,
  window: CalendarWindow,
  limit: number,
): Promise<CalendarRows> {
  return toCalendar(await db.query(wholeStatement(window), [...windowValues(organizationId, window), limit]));
}

/** The version stands in every row, and in one without a record if there is none. */
type Versioned<Row> = Row & { readonly version: number };
type AnyRow = Versioned<ScheduleRow | SessionRow> & { readonly isSchedule: boolean };

function toCalendar(rows: AnyRow[]): CalendarRows {
  const schedules: ScheduleRow[] = [];
  const sessions: SessionRow[] = [];
  for (const row of rows) {
    if (row.isSchedule) schedules.push(row as AnyRow & ScheduleRow);
    else if (isRecord(row)) sessions.push(row as AnyRow & SessionRow);
  }
  return { version: versionOf(rows), schedules, sessions };
}

function versionOf(rows: readonly Versioned<object>[]): number {
  return rows[0]?.version ?? Number.NaN;
}

function isRecord(row: { readonly id?: string }): boolean {
  return row.id !== undefined;
}

function windowValues(organizationId: string, { fromMs, toMs }: CalendarWindow): unknown[] {
  return [
    organizationId,
    timestamp(fromMs),
    timestamp(toMs),
    timestamp(fromMs - WALL_SLACK_MS),
    timestamp(toMs + WALL_SLACK_MS),
  ];
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
