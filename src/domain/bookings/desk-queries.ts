import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import type { Page, PageRequest } from "../../db/pages.ts";
import { pooled } from "../../db/statements.ts";
import type { Session } from "../calendar/schema.ts";
import type { LockedSchedule } from "../calendar/session-queries.ts";
import { owesSinceColumn } from "../money/queries.ts";
import { contractEntitlementTable, entitlementsJson } from "../plans/entitlements.ts";
import type { CoveringContract } from "./coverage.ts";
import { bookingColumns, type StoredBooking, toShownBooking } from "./queries.ts";
import type { NearestVisits, Visit } from "./schema.ts";
import type { StoredWaiting } from "./waiting-queries.ts";

/** What the front desk looks at: rosters, the day, what is left to do. */

/** A session that is stored, as it is shown, with what its record needs. */
export interface DeskSession extends Omit<Session, "endAt" | "startAt"> {
  readonly id: string;
  readonly start: string;
  readonly startAt: string;
  readonly durationMinutes: number;
  readonly timezone: string;
  readonly serviceTypeName: string;
  readonly locationName: string;
}

const sessionColumns = `
  s.id, s.schedule_id as "scheduleId", s.original_start as "originalStart", s.service_type_id as "serviceTypeId",
  s.location_id as "locationId", s.resource_ids as "resourceIds", s.start, s.start_at as "startAt",
  s.duration_minutes as "durationMinutes", s.capacity, s.booked_count as "bookedCount", s.status, l.timezone,
  l.name as "locationName", t.name as "serviceTypeName"`;

const sessionTables = `sessions s
  join locations l on l.organization_id = $1 and l.id = s.location_id
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id`;

const sessionStatement = pooled(
  "find_desk_session",
  `select ${sessionColumns} from ${sessionTables} where s.organization_id = $1 and s.id = $2`,
);

export async function findDeskSession(
  db: Database,
  organizationId: string,
  id: string,
): Promise<DeskSession | undefined> {
  const [session] = await db.query<DeskSession>(sessionStatement, [organizationId, id]);
  return session;
}

const slotSessionStatement = pooled(
  "find_desk_session_of_slot",
  `select ${sessionColumns} from ${sessionTables}
   where s.organization_id = $1 and s.schedule_id = $2 and s.original_start = any ($3::timestamp[])`,
);

/** The session that stands for a slot, which has one or two names. */
export async function findSlotSession(
  db: Database,
  organizationId: string,
  scheduleId: string,
  walls: readonly string[],
): Promise<DeskSession | undefined> {
  const [session] = await db.query<DeskSession>(slotSessionStatement, [organizationId, scheduleId, walls]);
  return session;
}

const sessionNamesStatement = pooled(
  "find_session_names",
  `select id, name, timezone from locations where organization_id = $1 and id = any ($2::uuid[])
   union all
   select id, name, null from service_types where organization_id = $1 and id = any ($3::uuid[])`,
);

/** What the places and kinds of some sessions are called, by their ids. */
export async function findSessionNames(
  db: Database,
  organizationId: string,
  sessions: readonly Pick<Session, "locationId" | "serviceTypeId">[],
): Promise<{
  readonly locations: ReadonlyMap<string, { readonly name: string; readonly timezone: string }>;
  readonly serviceTypes: ReadonlyMap<string, string>;
}> {
  const idsOf = (member: "locationId" | "serviceTypeId") => [
    ...new Set(sessions.map((session) => session[member])),
  ];
  const rows = await db.query<{ id: string; name: string; timezone?: string }>(sessionNamesStatement, [
    organizationId,
    idsOf("locationId"),
    idsOf("serviceTypeId"),
  ]);
  const locations = new Map<string, { readonly name: string; readonly timezone: string }>();
  const serviceTypes = new Map<string, string>();
  for (const { id, name, timezone } of rows) {
    if (timezone === undefined) serviceTypes.set(id, name);
    else locations.set(id, { name, timezone });
  }
  return { locations, serviceTypes };
}

/** A schedule as far as its slots are shown. */
export interface DeskSchedule extends Omit<LockedSchedule, "continuesId" | "isOffered" | "holdsResource"> {
  readonly serviceTypeName: string;
  readonly locationName: string;
}

const schedulesSelect = `
  select s.id, s.service_type_id as "serviceTypeId", s.location_id as "locationId", s.resource_ids as "resourceIds",
    s.start, s.duration_minutes as "durationMinutes", s.capacity, s.rrule, s.exdates, s.rdates,
    s.counted_slot as "countedSlot", l.timezone, l.name as "locationName", t.name as "serviceTypeName"
  from schedules s
  join locations l on l.organization_id = $1 and l.id = s.location_id and l.status = 'active'
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id and t.status = 'active'
  where s.organization_id = $1`;

const scheduleStatement = pooled("find_desk_schedule", `${schedulesSelect} and s.id = $2`);

/** The schedule, if it has slots now. */
export async function findDeskSchedule(
  db: Database,
  organizationId: string,
  id: string,
): Promise<DeskSchedule | undefined> {
  const [schedule] = await db.query<DeskSchedule>(scheduleStatement, [organizationId, id]);
  return schedule;
}

/** A booking with the names of its client and of what it draws on. */
export type NamedBooking = StoredBooking & { readonly clientName: string; readonly planName?: string };

/** The same with the day since which its client owes something that is overdue. */
export type RosterBooking = NamedBooking & { readonly owesSince?: string; readonly clientNotes?: string };

const rosterStatement = pooled(
  "list_roster",
  `select ${bookingColumns}, c.contact_name as "clientName", r.plan_name as "planName", l.timezone,
     ${owesSinceColumn("b.client_id", "$3::date")}, case when $4 then c.notes end as "clientNotes"
   from bookings b
   join clients c on c.organization_id = $1 and c.id = b.client_id
   join sessions s on s.organization_id = $1 and s.id = b.session_id
   join locations l on l.organization_id = $1 and l.id = s.location_id
   left join contracts r on r.organization_id = $1 and r.id = b.contract_id
   where b.organization_id = $1 and b.session_id = any ($2::uuid[])
   order by b.state in ('cancelled', 'late_cancelled'), lower(c.contact_name), b.id`,
);

/** All bookings of sessions, as they read now. */
export async function listRoster(
  db: Database,
  organizationId: string,
  sessionIds: readonly string[],
  { now, today, isTeacher }: { readonly now: number; readonly today: string; readonly isTeacher: boolean },
): Promise<RosterBooking[]> {
  const rows = await db.query<RosterBooking & { timezone: string }>(rosterStatement, [
    organizationId,
    sessionIds,
    today,
    isTeacher,
  ]);
  // What somebody owes is nothing of a teacher's.
  return rows.map(({ owesSince, ...row }) =>
    toShownBooking({ ...row, ...(owesSince !== undefined && !isTeacher && { owesSince }) }, now),
  );
}

const linesStatement = pooled(
  "list_lines",
  `select w.id, w.client_id as "clientId", w.session_id as "sessionId", w.joined_at as "joinedAt",
     c.contact_name as "clientName"
   from waiting w
   join clients c on c.organization_id = $1 and c.id = w.client_id
   join sessions s on s.organization_id = $1 and s.id = w.session_id
   where w.organization_id = $1 and w.session_id = any ($2::uuid[]) and w.left_at is null and s.start_at > $3
   order by w.joined_at, w.id`,
);

/** Somebody in line, by name. */
export type NamedWaiting = Omit<StoredWaiting, "leftAt"> & { readonly clientName: string };

/** Who waits for sessions that have not begun, the first in line first. */
export function listNamedLines(
  db: Database,
  organizationId: string,
  sessionIds: readonly string[],
  at: string,
): Promise<NamedWaiting[]> {
  return db.query(linesStatement, [organizationId, sessionIds, at]);
}

/** How many entries each list of what is to do shows. */
export const MOST_TO_DO = 200;

interface Counted {
  readonly total: number;
}

/** The end of a statement on `found`: bookings with their session, client and plan, of one location or all. */
const openBookings = `
  joined as (
    select b.*, s.start_at, s.duration_minutes, s.service_type_id, s.location_id, s.status
    from found b join sessions s on s.organization_id = $1 and s.id = b.session_id
    where $3::uuid is null or s.location_id = $3
  )
  select ${bookingColumns}, c.contact_name as "clientName", c.contact_email as "clientEmail",
    c.contact_phone as "clientPhone", r.plan_name as "planName", b.start_at as "startAt",
    b.duration_minutes as "durationMinutes", b.service_type_id as "serviceTypeId", t.name as "serviceTypeName",
    b.location_id as "locationId", l.name as "locationName", l.timezone, b.status as "sessionStatus",
    (select a.reason from audit a where a.organization_id = $1 and a.id = b.ended_by) as reason,
    (select count(*) from joined) as total
  from joined b
  join clients c on c.organization_id = $1 and c.id = b.client_id
  join locations l on l.organization_id = $1 and l.id = b.location_id
  join service_types t on t.organization_id = $1 and t.id = b.service_type_id
  left join contracts r on r.organization_id = $1 and r.id = b.contract_id
  order by b.start_at, b.id limit $2`;

const toTellStatement = pooled(
  "list_to_tell",
  `with found as (select * from bookings where organization_id = $1 and to_tell), ${openBookings}`,
);

const uncoveredStatement = pooled(
  "list_uncovered",
  `with found as (
     select * from bookings where organization_id = $1 and entitlement_id is null and state <> 'cancelled'
       and state <> 'late_cancelled' and not courtesy
   ), ${openBookings}`,
);

/** When and where the session of an entry is. */
export interface ListedSession {
  readonly startAt: string;
  readonly durationMinutes: number;
  readonly serviceTypeId: string;
  readonly serviceTypeName: string;
  readonly locationId: string;
  readonly locationName: string;
  readonly timezone: string;
}

export type OpenBookingRow = NamedBooking &
  ListedSession & {
    readonly sessionStatus: "scheduled" | "cancelled";
    readonly clientEmail?: string;
    readonly clientPhone?: string;
    readonly reason?: string;
  };

/** Bookings whose clients are to be told something, or that draw on nothing; all, or those at a location. */
export async function listOpenBookings(
  db: Database,
  organizationId: string,
  which: "toTell" | "uncovered",
  locationId: string | undefined,
  now: number,
): Promise<{ readonly data: OpenBookingRow[]; readonly total: number }> {
  const statement = which === "toTell" ? toTellStatement : uncoveredStatement;
  const rows = await db.query<OpenBookingRow & Counted>(statement, [
    organizationId,
    MOST_TO_DO,
    locationId ?? null,
  ]);
  const data = rows.map(({ total, ...row }) => ({ ...toShownBooking(row, now), timezone: row.timezone }));
  return { data, total: rows[0]?.total ?? 0 };
}

const unmarkedStatement = pooled(
  "list_unmarked",
  `select s.id as "sessionId", s.start, s.start_at as "startAt", s.service_type_id as "serviceTypeId",
     t.name as "serviceTypeName", s.location_id as "locationId", l.name as "locationName", l.timezone,
     s.duration_minutes as "durationMinutes", count(*) as bookings
   from sessions s
   join locations l on l.organization_id = $1 and l.id = s.location_id
   join service_types t on t.organization_id = $1 and t.id = s.service_type_id
   join bookings b on b.organization_id = $1 and b.session_id = s.id and b.state = 'booked'
   where s.organization_id = $1 and s.start_at > $2::timestamptz - interval '10 days' and s.start_at < $2
     and s.start_at + s.duration_minutes * interval '1 minute' <= $2 and ($3::uuid is null or s.location_id = $3)
   group by s.organization_id, s.id, l.name, l.timezone, t.name order by s.start_at, s.id`,
);

export interface UnmarkedSession extends ListedSession {
  readonly sessionId: string;
  readonly start: string;
  readonly bookings: number;
}

/** Sessions of the last days that are over and have people who were not marked. */
export function listUnmarked(
  db: Database,
  organizationId: string,
  locationId: string | undefined,
  at: string,
): Promise<UnmarkedSession[]> {
  return db.query<UnmarkedSession>(unmarkedStatement, [organizationId, at, locationId ?? null]);
}

const endingStatement = pooled(
  "list_ending_contracts",
  `with found as (
     select * from contracts c where organization_id = $1 and status in ('active', 'paused')
       and end_date between coalesce($2::date, '-infinity') and $3::date
       and ($5::uuid is null or all_locations or exists (
         select from contract_locations l
         where l.organization_id = $1 and l.contract_id = c.id and l.location_id = $5
       ))
   )
   select r.id as "contractId", r.client_id as "clientId", c.contact_name as "clientName", r.plan_name as "planName",
     r.end_date as "endDate", (select count(*) from found) as total
   from found r join clients c on c.organization_id = $1 and c.id = r.client_id
   order by r.end_date, r.id limit $4`,
);

export interface EndingContract {
  readonly contractId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly planName: string;
  readonly endDate: string;
}

/** Contracts that are not over and end within these days, both included; all, or those that hold at a location. */
export async function listEnding(
  db: Database,
  organizationId: string,
  { from, to }: { readonly from?: string; readonly to: string },
  locationId: string | undefined,
): Promise<{ data: EndingContract[]; total: number }> {
  const rows = await db.query<EndingContract & Counted>(endingStatement, [
    organizationId,
    from ?? null,
    to,
    MOST_TO_DO,
    locationId ?? null,
  ]);
  return { data: rows.map(({ total, ...row }) => row), total: rows[0]?.total ?? 0 };
}

const namesStatement = pooled(
  "list_contract_names",
  `select c.id, c.plan_name as "planName", c.end_date as "endDate",
     ${entitlementsJson(contractEntitlementTable, "c")} as entitlements
   from contracts c where c.organization_id = $1 and c.client_id = $2`,
);

/** What people call a contract that may cover a visit. */
export type NamedContract = Pick<CoveringContract, "id" | "endDate" | "entitlements"> & {
  readonly planName: string;
};

export async function listContractNames(
  db: Database,
  organizationId: string,
  clientId: string,
): Promise<ReadonlyMap<string, NamedContract>> {
  const rows = await db.query<NamedContract>(namesStatement, [organizationId, clientId]);
  return new Map(rows.map((row) => [row.id, row]));
}

const visitsSelect = `
  select ${bookingColumns}, s.start_at as "startAt", s.service_type_id as "serviceTypeId",
    s.location_id as "locationId", t.name as "serviceTypeName", l.name as "locationName",
    s.start as "localStart", l.timezone, k.plan_name as "planName"
  from bookings b
  join sessions s on s.organization_id = $1 and s.id = b.session_id
  join locations l on l.organization_id = $1 and l.id = s.location_id
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id
  left join contracts k on k.organization_id = $1 and k.id = b.contract_id
  where b.organization_id = $1 and b.client_id = $2`;
const VISIT_ORDER = "order by s.start_at desc, b.id desc limit $3";

const visitsStatement = pooled("list_visits", `${visitsSelect} ${VISIT_ORDER} offset $4`);

// A visit that was moved to another time since takes its place in the list along.
const visitsAfterStatement = pooled(
  "list_visits_after",
  `${visitsSelect} and (s.start_at, b.id) < (
     select o.start_at, c.id from bookings c join sessions o on o.organization_id = $1 and o.id = c.session_id
     where c.organization_id = $1 and c.client_id = $2 and c.id = $4
   ) ${VISIT_ORDER}`,
);

const countVisitsStatement = pooled(
  "count_visits",
  `select (select count(*) from bookings where organization_id = $1 and client_id = $2) as total,
     exists (select from clients where organization_id = $1 and id = $2) as "isKnown"`,
);

/** The bookings of a client, the latest session first; undefined if there is no such client. */
export async function listVisits(
  db: Database,
  organizationId: string,
  clientId: string,
  { limit, offset, cursor }: PageRequest,
  now: number,
): Promise<Page<Visit> | undefined> {
  const [count] = await db.query<{ total: number; isKnown: boolean }>(countVisitsStatement, [
    organizationId,
    clientId,
  ]);
  if (!count?.isKnown) return undefined;
  // One more than the page has says whether there is another.
  const found = await db.query<Visit & StoredBooking>(
    cursor === undefined ? visitsStatement : visitsAfterStatement,
    [organizationId, clientId, limit + 1, cursor ?? offset],
  );
  const data = found.slice(0, limit).map((row) => ({ ...toShownBooking(row, now), timezone: row.timezone }));
  const last = found.length > limit ? data.at(-1) : undefined;
  return { data, limit, offset, total: count.total, ...(last && { nextCursor: last.id }) };
}

const nearestStatement = pooled(
  "list_nearest_visits",
  `(${visitsSelect} and b.state = 'booked' and s.start_at + s.duration_minutes * interval '1 minute' > $3
    order by s.start_at, b.id limit 1)
   union all
   (${visitsSelect} and b.state = 'attended' order by s.start_at desc, b.id desc limit 1)`,
);

/** The booking of a client that is next, and the last one to which they came; undefined if there is no such client. */
export async function findNearestVisits(
  db: Database,
  organizationId: string,
  clientId: string,
  now: number,
): Promise<NearestVisits | undefined> {
  const [[count], rows] = await Promise.all([
    db.query<{ isKnown: boolean }>(countVisitsStatement, [organizationId, clientId]),
    db.query<Visit & StoredBooking>(nearestStatement, [organizationId, clientId, instantText(now)]),
  ]);
  if (!count?.isKnown) return undefined;
  const shown = rows.map((row) => ({ ...toShownBooking(row, now), timezone: row.timezone }));
  const [next, last] = [
    shown.find(({ state }) => state !== "attended"),
    shown.find(({ state }) => state === "attended"),
  ];
  return { ...(next && { next }), ...(last && { last }) };
}
