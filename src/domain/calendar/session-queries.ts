import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import type { Session } from "./schema.ts";

/** What operations on schedules and sessions lock and write. */

/** A schedule that is locked, with its place and type as far as they decide whether it has slots. */
export interface LockedSchedule {
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
  readonly continuesId?: string;
  readonly timezone: string;
  /** Whether the location is open and the service type is offered: only then are there slots. */
  readonly isOffered: boolean;
  /** Whether its type claims its resources. */
  readonly holdsResource: boolean;
}

const scheduleColumns = `
  s.id, s.service_type_id as "serviceTypeId", s.location_id as "locationId", s.resource_ids as "resourceIds", s.start,
  s.duration_minutes as "durationMinutes", s.capacity, s.rrule, s.exdates, s.rdates, s.counted_slot as "countedSlot",
  s.continues_id as "continuesId", l.timezone, l.status = 'active' and t.status = 'active' as "isOffered",
  t.holds_resource as "holdsResource"`;

const scheduleTables = `
  schedules s
  join locations l on l.organization_id = $1 and l.id = s.location_id
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id`;

const lockScheduleStatement = (mode: "share" | "no key update") =>
  pooled(
    `lock_schedule_${mode.replaceAll(" ", "_")}`,
    `select ${scheduleColumns} from ${scheduleTables}
     where s.organization_id = $1 and s.id = $2 for ${mode} of s`,
  );

const shareScheduleStatement = lockScheduleStatement("share");
const changeScheduleStatement = lockScheduleStatement("no key update");

/** The schedule, which nobody can change now; with `share` others may still act on its slots. */
export async function lockSchedule(
  tx: Database,
  organizationId: string,
  id: string,
  mode: "share" | "change",
): Promise<LockedSchedule | undefined> {
  const statement = mode === "share" ? shareScheduleStatement : changeScheduleStatement;
  const [schedule] = await tx.query<LockedSchedule>(statement, [organizationId, id]);
  return schedule;
}

/** A stored session whose row is locked. */
export interface LockedSessionRow {
  readonly id: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly resourceIds: string[];
  readonly start: string;
  readonly startAt: string;
  readonly durationMinutes: number;
  readonly capacity: number;
  readonly bookedCount: number;
  readonly status: Session["status"];
  /** The audit entry of the cancellation, if it was made here. */
  readonly cancelledBy?: string;
  readonly cancelledUnnamed: number;
  readonly timezone: string;
  /** Whether the location is open and the service type is offered. */
  readonly isOffered: boolean;
  readonly holdsResource: boolean;
}

const sessionColumns = `
  s.id, s.schedule_id as "scheduleId", s.original_start as "originalStart", s.service_type_id as "serviceTypeId",
  s.location_id as "locationId", s.resource_ids as "resourceIds", s.start, s.start_at as "startAt",
  s.duration_minutes as "durationMinutes", s.capacity, s.booked_count as "bookedCount", s.status,
  s.cancelled_by as "cancelledBy", s.cancelled_unnamed as "cancelledUnnamed", l.timezone,
  l.status = 'active' and t.status = 'active' as "isOffered", t.holds_resource as "holdsResource"`;

const sessionTables = `
  sessions s
  join locations l on l.organization_id = $1 and l.id = s.location_id
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id`;

const lockSessionsStatement = pooled(
  "lock_sessions",
  `select ${sessionColumns} from ${sessionTables}
   where s.organization_id = $1 and s.id = any ($2::uuid[]) order by s.id for no key update of s`,
);

/** The sessions with these ids, in the order of the ids. */
export function lockSessions(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<LockedSessionRow[]> {
  return tx.query<LockedSessionRow>(lockSessionsStatement, [organizationId, ids]);
}

// The schedule first, as everybody locks them. What is joined cannot have changed since the statement began: whoever changes
// the catalog has the organization for himself.
const lockWithScheduleStatement = pooled(
  "lock_session_with_schedule",
  `with held as materialized (
     select id from schedules where organization_id = $1
       and id = (select schedule_id from sessions where organization_id = $1 and id = $2)
     for share
   )
   select ${sessionColumns}, (select id from held) as "heldScheduleId" from ${sessionTables}
   where s.organization_id = $1 and s.id = $2 and (select count(*) from held) >= 0 for no key update of s`,
);

/**
 * A session, with the schedule that it belonged to when that was locked, if it did to any. Nobody can change either now, unless
 * the session went to another schedule meanwhile.
 */
export async function lockSessionWithSchedule(
  tx: Database,
  organizationId: string,
  sessionId: string,
): Promise<(LockedSessionRow & { readonly heldScheduleId?: string }) | undefined> {
  const [session] = await tx.query<LockedSessionRow & { readonly heldScheduleId?: string }>(
    lockWithScheduleStatement,
    [organizationId, sessionId],
  );
  return session;
}

const slotStatement = pooled(
  "find_sessions_of_slots",
  `select id, original_start as "originalStart" from sessions
   where organization_id = $1 and schedule_id = $2 and original_start = any ($3::timestamp[])`,
);

/** The sessions that stand for these slots of a schedule. */
export function findSessionsOfSlots(
  tx: Database,
  organizationId: string,
  scheduleId: string,
  walls: readonly string[],
): Promise<{ readonly id: string; readonly originalStart: string }[]> {
  return tx.query(slotStatement, [organizationId, scheduleId, walls]);
}

/** What a session says, as it is to be. */
export interface SessionContent {
  readonly id: string;
  readonly scheduleId?: string | undefined;
  readonly originalStart?: string | undefined;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly resourceIds: readonly string[];
  readonly start: string;
  readonly startAt: number;
  readonly durationMinutes: number;
  readonly capacity: number;
}

const insertStatement = pooled(
  "insert_session",
  `insert into sessions (organization_id, id, schedule_id, original_start, service_type_id, location_id, resource_ids,
     start, start_at, duration_minutes, capacity, booked_count, status)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 'scheduled')
   on conflict (organization_id, schedule_id, original_start) do nothing
   returning id`,
);

/** Stores a session that takes place and has no seat taken. False if its slot has one already. */
export async function insertSession(
  tx: Database,
  organizationId: string,
  session: SessionContent,
): Promise<boolean> {
  const stored = await tx.query(insertStatement, [
    organizationId,
    session.id,
    session.scheduleId ?? null,
    session.originalStart ?? null,
    session.serviceTypeId,
    session.locationId,
    session.resourceIds,
    session.start,
    instantText(session.startAt),
    session.durationMinutes,
    session.capacity,
  ]);
  return stored.length > 0;
}

const lockOfScheduleStatement = pooled(
  "lock_sessions_of_schedule",
  `select ${sessionColumns} from ${sessionTables}
   where s.organization_id = $1 and s.schedule_id = $2 and s.original_start >= $3 order by s.id for no key update of s`,
);

/** The sessions that stand for slots of a schedule from a local date-time on. */
export function lockSessionsOf(
  tx: Database,
  organizationId: string,
  scheduleId: string,
  from: string,
): Promise<LockedSessionRow[]> {
  return tx.query<LockedSessionRow>(lockOfScheduleStatement, [organizationId, scheduleId, from]);
}

/** Stored sessions of one place, type or schedule. */
export type SessionSelection =
  | { readonly locationId: string }
  | { readonly serviceTypeId: string }
  | { readonly scheduleId: string }
  | { readonly sessionIds: readonly string[] };

const lockComingStatement = pooled(
  "lock_coming_sessions",
  `select ${sessionColumns} from ${sessionTables}
   where s.organization_id = $1 and s.status = 'scheduled' and s.start_at > $2
     and ($3::uuid is null or s.location_id = $3) and ($4::uuid is null or s.service_type_id = $4)
     and ($5::uuid is null or s.schedule_id = $5) and ($6::uuid[] is null or s.id = any ($6))
     and ($7::date is null or s.start >= $7) and ($8::date is null or s.start < $8::date + 1)
   order by s.id for no key update of s`,
);

/** Those that take place and have not begun, on some days on their own clocks if days are given. */
export function lockComingSessions(
  tx: Database,
  organizationId: string,
  now: number,
  which: SessionSelection,
  days: { readonly firstDay?: string; readonly lastDay?: string } = {},
): Promise<LockedSessionRow[]> {
  return tx.query<LockedSessionRow>(lockComingStatement, [
    organizationId,
    instantText(now),
    "locationId" in which ? which.locationId : null,
    "serviceTypeId" in which ? which.serviceTypeId : null,
    "scheduleId" in which ? which.scheduleId : null,
    "sessionIds" in which ? which.sessionIds : null,
    days.firstDay ?? null,
    days.lastDay ?? null,
  ]);
}

const cancelStatement = pooled(
  "cancel_sessions",
  `update sessions s set status = 'cancelled', booked_count = 0, cancelled_by = $2, cancelled_unnamed = c.unnamed
   from unnest($3::uuid[], $4::integer[]) as c (id, unnamed)
   where s.organization_id = $1 and s.id = c.id`,
);

/** Cancels sessions that nobody is booked in any more, and stores how many seats without a name they had. */
export async function writeCancelled(
  tx: Database,
  organizationId: string,
  auditId: string,
  sessions: readonly { readonly id: string; readonly unnamed: number }[],
): Promise<void> {
  await tx.query(cancelStatement, [
    organizationId,
    auditId,
    sessions.map(({ id }) => id),
    sessions.map(({ unnamed }) => unnamed),
  ]);
}

const reinstateStatement = pooled(
  "reinstate_session",
  `update sessions set status = 'scheduled', booked_count = $3, cancelled_by = null, cancelled_unnamed = 0
   where organization_id = $1 and id = $2`,
);

export async function writeReinstated(
  tx: Database,
  organizationId: string,
  id: string,
  bookedCount: number,
): Promise<void> {
  await tx.query(reinstateStatement, [organizationId, id, bookedCount]);
}

const seatsStatement = pooled(
  "write_booked_count",
  "update sessions set booked_count = $3 where organization_id = $1 and id = $2",
);

export async function writeBookedCount(
  tx: Database,
  organizationId: string,
  id: string,
  bookedCount: number,
): Promise<void> {
  await tx.query(seatsStatement, [organizationId, id, bookedCount]);
}

const contentShape = `
  as r (id uuid, "scheduleId" uuid, "originalStart" timestamp, "serviceTypeId" uuid, "locationId" uuid,
    "resourceIds" text[], start timestamp, "startAt" timestamptz, "durationMinutes" integer, capacity integer)`;

const writeStatement = pooled(
  "write_sessions",
  `update sessions s set schedule_id = r."scheduleId", original_start = r."originalStart",
     service_type_id = r."serviceTypeId", location_id = r."locationId", resource_ids = r."resourceIds",
     start = r.start, start_at = r."startAt", duration_minutes = r."durationMinutes", capacity = r.capacity
   from jsonb_to_recordset($2::jsonb) ${contentShape}
   where s.organization_id = $1 and s.id = r.id`,
);

export async function writeSessions(
  tx: Database,
  organizationId: string,
  sessions: readonly SessionContent[],
): Promise<void> {
  if (sessions.length > 0) await tx.query(writeStatement, [organizationId, rowsOf(sessions)]);
}

const untieStatement = pooled(
  "untie_sessions",
  `update sessions set schedule_id = null, original_start = null
   where organization_id = $1 and id = any ($2::uuid[])`,
);

/** Lets sessions stand for no slot, so that the names of theirs can be given to others. */
export async function untieSessions(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await tx.query(untieStatement, [organizationId, ids]);
}

const insertCancelledStatement = pooled(
  "insert_cancelled_sessions",
  `insert into sessions (organization_id, id, schedule_id, original_start, service_type_id, location_id, resource_ids,
     start, start_at, duration_minutes, capacity, booked_count, status, cancelled_by)
   select $1, r.id, r."scheduleId", r."originalStart", r."serviceTypeId", r."locationId", r."resourceIds", r.start,
     r."startAt", r."durationMinutes", r.capacity, 0, 'cancelled', $3
   from jsonb_to_recordset($2::jsonb) ${contentShape}`,
);

/** Stores slots as sessions that do not take place. */
export async function insertCancelled(
  tx: Database,
  organizationId: string,
  sessions: readonly SessionContent[],
  auditId: string,
): Promise<void> {
  for (let from = 0; from < sessions.length; from += INSERTED_AT_ONCE) {
    const some = sessions.slice(from, from + INSERTED_AT_ONCE);
    await tx.query(insertCancelledStatement, [organizationId, rowsOf(some), auditId]);
  }
}

/** Their text is written in one turn of the event loop. */
const INSERTED_AT_ONCE = 1_000;

function rowsOf(sessions: readonly SessionContent[]): string {
  return JSON.stringify(
    sessions.map(({ startAt, ...session }) => ({ ...session, startAt: instantText(startAt) })),
  );
}

const schedulesAtStatement = pooled(
  "share_schedules_at",
  `select ${scheduleColumns} from ${scheduleTables}
   where s.organization_id = $1 and s.location_id = $2 and s.first_slot < $4::date + 1
     and (s.last_slot is null or s.last_slot >= $3)
   order by s.id for share of s`,
);

/** The schedules of a location that may have slots on these days. */
export function shareSchedulesAt(
  tx: Database,
  organizationId: string,
  locationId: string,
  { firstDay, lastDay }: { readonly firstDay: string; readonly lastDay: string },
): Promise<LockedSchedule[]> {
  return tx.query<LockedSchedule>(schedulesAtStatement, [organizationId, locationId, firstDay, lastDay]);
}

const takenOnStatement = pooled(
  "list_taken_slots_on",
  `select schedule_id as "scheduleId", original_start as "originalStart" from sessions
   where organization_id = $1 and schedule_id = any ($2::uuid[]) and original_start >= $3 and original_start < $4::date + 1`,
);

/** The slots of schedules on these days that stored sessions stand for. */
export function listTakenOn(
  tx: Database,
  organizationId: string,
  scheduleIds: readonly string[],
  { firstDay, lastDay }: { readonly firstDay: string; readonly lastDay: string },
): Promise<{ readonly scheduleId: string; readonly originalStart: string }[]> {
  return tx.query(takenOnStatement, [organizationId, scheduleIds, firstDay, lastDay]);
}
