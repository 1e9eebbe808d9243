import { instantText } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { pooled } from "../db/statements.ts";
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
}

const scheduleColumns = `
  s.id, s.service_type_id as "serviceTypeId", s.location_id as "locationId", s.resource_ids as "resourceIds", s.start,
  s.duration_minutes as "durationMinutes", s.capacity, s.rrule, s.exdates, s.rdates, s.counted_slot as "countedSlot",
  s.continues_id as "continuesId", l.timezone, l.status = 'active' and t.status = 'active' as "isOffered"`;

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
export interface LockedSession {
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
  readonly holdsResource: boolean;
}

const sessionColumns = `
  s.id, s.schedule_id as "scheduleId", s.original_start as "originalStart", s.service_type_id as "serviceTypeId",
  s.location_id as "locationId", s.resource_ids as "resourceIds", s.start, s.start_at as "startAt",
  s.duration_minutes as "durationMinutes", s.capacity, s.booked_count as "bookedCount", s.status,
  s.cancelled_by as "cancelledBy", s.cancelled_unnamed as "cancelledUnnamed", l.timezone,
  t.holds_resource as "holdsResource"`;

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
): Promise<LockedSession[]> {
  return tx.query<LockedSession>(lockSessionsStatement, [organizationId, ids]);
}

const scheduleOfStatement = pooled(
  "find_schedule_of_session",
  `select schedule_id as "scheduleId" from sessions where organization_id = $1 and id = $2`,
);

/** The schedule that a stored session belongs to, if it does to any; undefined if there is no such session. */
export async function findScheduleOf(
  tx: Database,
  organizationId: string,
  sessionId: string,
): Promise<{ readonly scheduleId?: string } | undefined> {
  const [found] = await tx.query<{ scheduleId?: string }>(scheduleOfStatement, [organizationId, sessionId]);
  return found;
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

/** A session as it is stored. */
export interface NewSession {
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
  session: NewSession,
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
