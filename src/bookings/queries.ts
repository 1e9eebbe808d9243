import { pausesJson } from "../contracts/pauses.ts";
import { instantText } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { pooled } from "../db/statements.ts";
import { contractEntitlementTable, entitlementsJson } from "../plans/entitlements.ts";
import type { CoveringContract, HeldDays } from "./coverage.ts";
import { recordClosesAt, shownState } from "./rules.ts";
import type { Booking, BookingState, Waiting } from "./schema.ts";

/** What operations on bookings read and write. Whoever writes a booking or a place in the line has locked the session. */

/** What a client is to a booking. */
export interface Visitor {
  readonly status: "active" | "archived";
  readonly isErased: boolean;
}

const visitorStatement = pooled(
  "lock_visitor",
  `select c.status,
     exists (select from erasures e where e.organization_id = c.organization_id and e.client_id = c.id) as "isErased"
   from clients c where c.organization_id = $1 and c.id = $2 for share of c`,
);

/** The client, whom nobody can archive or erase now. */
export async function lockVisitor(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Visitor | undefined> {
  const [visitor] = await tx.query<Visitor>(visitorStatement, [organizationId, id]);
  return visitor;
}

const takeSeatStatement = pooled(
  "take_seat",
  `update sessions set booked_count = booked_count + 1
   where organization_id = $1 and id = $2 and status = 'scheduled' and booked_count < capacity
   returning booked_count as "bookedCount"`,
);

/** Takes a seat and returns how many are taken then; undefined if none was free. This decides every race for a seat. */
export async function takeSeat(
  tx: Database,
  organizationId: string,
  sessionId: string,
): Promise<number | undefined> {
  const [taken] = await tx.query<{ bookedCount: number }>(takeSeatStatement, [organizationId, sessionId]);
  return taken?.bookedCount;
}

const freeSeatsStatement = pooled(
  "free_seats",
  "update sessions set booked_count = booked_count - $3 where organization_id = $1 and id = $2",
);

export async function freeSeats(
  tx: Database,
  organizationId: string,
  sessionId: string,
  seats: number,
): Promise<void> {
  await tx.query(freeSeatsStatement, [organizationId, sessionId, seats]);
}

/** How the people of a session stand. */
export interface SeatCounts {
  /** Seats that have a name. */
  readonly named: number;
  readonly checkedIn: number;
  readonly waiting: number;
}

const countSeatsStatement = pooled(
  "count_named_seats",
  `select s.id,
     (select count(*) from bookings b where b.organization_id = $1 and b.session_id = s.id
        and b.state in ('booked', 'attended', 'no_show')) as named,
     (select count(*) from bookings b where b.organization_id = $1 and b.session_id = s.id
        and b.state = 'attended') as "checkedIn",
     (select count(*) from waiting w where w.organization_id = $1 and w.session_id = s.id
        and w.left_at is null) as waiting
   from unnest($2::uuid[]) as s (id)`,
);

/** By session. */
export async function countSeatsOf(
  tx: Database,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, SeatCounts>> {
  const rows = await tx.query<SeatCounts & { id: string }>(countSeatsStatement, [organizationId, sessionIds]);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

// Locked first and read afterwards: a statement that waits for a lock sees what was before in all its other tables.
const lockContractsStatement = pooled(
  "lock_contracts_of_client",
  `select id from contracts where organization_id = $1 and client_id = $2 order by id for no key update`,
);

const contractsStatement = pooled(
  "list_covering_contracts",
  `select c.id, c.status, c.start_date as "startDate", c.end_date as "endDate", c.access_blocked as "accessBlocked",
     c.all_locations as "allLocations", c.terms_response as "termsResponse",
     array(select l.location_id from contract_locations l
       where l.organization_id = c.organization_id and l.contract_id = c.id) as "locationIds",
     c.cancelled_by is not null and not exists (
       select from audit a where a.id = c.cancelled_by and a.details->'after'->>'status' = 'cancelled'
     ) as "hasLastDay",
     ${pausesJson("c")} as pauses, ${entitlementsJson(contractEntitlementTable, "c")} as entitlements
   from contracts c where c.organization_id = $1 and c.client_id = $2 order by c.id`,
);

/** All contracts of a client as far as they may cover a session. */
export function listCoveringContracts(
  db: Database,
  organizationId: string,
  clientId: string,
): Promise<CoveringContract[]> {
  return db.query<CoveringContract>(contractsStatement, [organizationId, clientId]);
}

/** Locks all contracts of a client: of any number of bookings at once, each sees the draws of those before it. */
export async function lockContractsOf(tx: Database, organizationId: string, clientId: string): Promise<void> {
  await tx.query(lockContractsStatement, [organizationId, clientId]);
}

const lockDrawnStatement = pooled(
  "lock_contracts_drawn_on",
  "select id from contracts where organization_id = $1 and id = any ($2::uuid[]) order by id for no key update",
);

/** Locks these contracts, as everybody does who writes to their entitlements. */
export async function lockDrawn(tx: Database, organizationId: string, ids: readonly string[]): Promise<void> {
  await tx.query(lockDrawnStatement, [organizationId, ids]);
}

const groupsStatement = pooled(
  "list_groups_of_service_type",
  `select service_group_id as id from service_group_members where organization_id = $1 and service_type_id = $2`,
);

export async function listGroupsOf(
  db: Database,
  organizationId: string,
  serviceTypeId: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(groupsStatement, [organizationId, serviceTypeId]);
  return rows.map(({ id }) => id);
}

const heldStatement = pooled(
  "list_held_days",
  `select entitlement_id as "entitlementId", array_agg(visit_date::text) as days from bookings
   where organization_id = $1 and entitlement_id = any ($2::uuid[]) and state <> 'cancelled'
     and visit_date between $3 and $4
   group by entitlement_id`,
);

/** The days on which these entitlements are drawn on, within a span. */
export async function listHeldDays(
  db: Database,
  organizationId: string,
  entitlementIds: readonly string[],
  span: { readonly firstDay: string; readonly lastDay: string },
): Promise<HeldDays> {
  if (entitlementIds.length === 0) return new Map();
  const rows = await db.query<{ entitlementId: string; days: string[] }>(heldStatement, [
    organizationId,
    entitlementIds,
    span.firstDay,
    span.lastDay,
  ]);
  return new Map(rows.map(({ entitlementId, days }) => [entitlementId, days]));
}

const takeCreditStatement = pooled(
  "take_credit",
  `update contract_entitlements set remaining_credits = remaining_credits - 1
   where organization_id = $1 and id = $2 and type = 'credits' and remaining_credits >= 1 returning id`,
);

/** False if there was none. */
export async function takeCredit(
  tx: Database,
  organizationId: string,
  entitlementId: string,
): Promise<boolean> {
  return (await tx.query(takeCreditStatement, [organizationId, entitlementId])).length > 0;
}

const returnCreditsStatement = pooled(
  "return_credits",
  `update contract_entitlements e set remaining_credits = e.remaining_credits + given.n
   from (select id, count(*)::int as n from unnest($2::uuid[]) as g (id) group by id) given
   where e.organization_id = $1 and e.id = given.id and e.type = 'credits'
   returning e.contract_id as "contractId", given.n as credits`,
);

/** Gives back a credit to each of these entitlements, as often as it is named; those of access stay as they are. */
export function returnCredits(
  tx: Database,
  organizationId: string,
  entitlementIds: readonly string[],
): Promise<{ readonly contractId: string; readonly credits: number }[]> {
  return tx.query(returnCreditsStatement, [organizationId, entitlementIds]);
}

const touchStatement = pooled(
  "touch_contracts",
  `update contracts set updated_at = greatest($3::timestamptz, updated_at + interval '1 millisecond')
   where organization_id = $1 and id = any ($2::uuid[])`,
);

/** Moves `updatedAt` of contracts whose balance has changed. */
export async function touchContracts(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
  at: string,
): Promise<void> {
  await tx.query(touchStatement, [organizationId, ids, at]);
}

/** A booking as it is stored. */
export interface StoredBooking {
  readonly id: string;
  readonly sessionId: string;
  readonly clientId: string;
  readonly contractId?: string;
  readonly entitlementId?: string;
  readonly uncoveredReason?: string;
  readonly day: string;
  readonly state: BookingState;
  readonly moved: boolean;
  readonly toTell: boolean;
  readonly bookedAt: string;
  readonly checkedInAt?: string;
  readonly endedAt?: string;
}

/** Of the booking `b`. */
export const bookingColumns = `
  b.id, b.client_id as "clientId", b.session_id as "sessionId", b.visit_date as day, b.state,
  b.contract_id as "contractId", b.entitlement_id as "entitlementId", b.uncovered_reason as "uncoveredReason", b.moved,
  b.to_tell as "toTell", b.booked_at as "bookedAt", b.checked_in_at as "checkedInAt", b.ended_at as "endedAt"`;

const findStatement = pooled(
  "find_booking",
  `select ${bookingColumns} from bookings b where b.organization_id = $1 and b.id = $2`,
);

export async function findBooking(
  db: Database,
  organizationId: string,
  id: string,
): Promise<StoredBooking | undefined> {
  const [booking] = await db.query<StoredBooking>(findStatement, [organizationId, id]);
  return booking;
}

const findSeatStatement = pooled(
  "find_seat_of_client",
  `select ${bookingColumns} from bookings b
   where b.organization_id = $1 and b.session_id = $2 and b.client_id = $3
     and b.state in ('booked', 'attended', 'no_show')`,
);

/** The booking by which a client has a seat in a session. */
export async function findSeatOf(
  tx: Database,
  organizationId: string,
  sessionId: string,
  clientId: string,
): Promise<StoredBooking | undefined> {
  const [booking] = await tx.query<StoredBooking>(findSeatStatement, [organizationId, sessionId, clientId]);
  return booking;
}

const readStatement = pooled(
  "read_booking",
  `select ${bookingColumns}, l.timezone from bookings b
   join sessions s on s.organization_id = $1 and s.id = b.session_id
   join locations l on l.organization_id = $1 and l.id = s.location_id
   where b.organization_id = $1 and b.id = $2`,
);

/** A booking as it is answered; undefined if there is none. */
export async function readBooking(
  db: Database,
  organizationId: string,
  id: string,
  now: number,
): Promise<Booking | undefined> {
  const [row] = await db.query<StoredBooking & { timezone: string }>(readStatement, [organizationId, id]);
  return row && toShownBooking(row, now);
}

/** A stored booking as it reads now. */
export function toShownBooking<Row extends StoredBooking & { readonly timezone: string }>(
  { timezone, ...booking }: Row,
  now: number,
): Omit<Row, "timezone"> {
  return { ...booking, state: shownState(booking.state, recordClosesAt(booking.day, timezone), now) };
}

export interface NewBooking {
  readonly id: string;
  readonly sessionId: string;
  readonly clientId: string;
  readonly day: string;
  readonly contractId?: string | undefined;
  readonly entitlementId?: string | undefined;
  readonly uncoveredReason?: string | undefined;
  readonly toTell: boolean;
}

const insertStatement = pooled(
  "insert_booking",
  `insert into bookings (organization_id, id, session_id, client_id, visit_date, contract_id, entitlement_id,
     uncovered_reason, to_tell, state, booked_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'booked', $10)`,
);

export async function insertBooking(
  tx: Database,
  organizationId: string,
  booking: NewBooking,
  at: string,
): Promise<void> {
  await tx.query(insertStatement, [
    organizationId,
    booking.id,
    booking.sessionId,
    booking.clientId,
    booking.day,
    booking.contractId ?? null,
    booking.entitlementId ?? null,
    booking.uncoveredReason ?? null,
    booking.toTell,
    at,
  ]);
}

const endStatement = pooled(
  "end_bookings",
  `update bookings set state = $3, ended_at = $4, ended_by = $5, to_tell = $6, checked_in_at = null
   where organization_id = $1 and id = any ($2::uuid[])`,
);

/** Ends bookings; the audit entry is that of what ended them. */
export async function endBookings(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
  end: {
    readonly state: "cancelled" | "late_cancelled";
    readonly at: string;
    readonly auditId: string;
    readonly toTell: boolean;
  },
): Promise<void> {
  await tx.query(endStatement, [organizationId, ids, end.state, end.at, end.auditId, end.toTell]);
}

const resumeStatement = pooled(
  "resume_bookings",
  `update bookings b set state = 'booked', ended_at = null, ended_by = null, contract_id = r.contract_id,
     entitlement_id = r.entitlement_id, uncovered_reason = r.uncovered_reason, to_tell = r.to_tell
   from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::boolean[])
     as r (id, contract_id, entitlement_id, uncovered_reason, to_tell)
   where b.organization_id = $1 and b.id = r.id`,
);

/** Makes bookings that were ended stand again, with what they now draw on. */
export async function resumeBookings(
  tx: Database,
  organizationId: string,
  bookings: readonly Pick<NewBooking, "id" | "contractId" | "entitlementId" | "uncoveredReason" | "toTell">[],
): Promise<void> {
  await tx.query(resumeStatement, [
    organizationId,
    bookings.map(({ id }) => id),
    bookings.map(({ contractId }) => contractId ?? null),
    bookings.map(({ entitlementId }) => entitlementId ?? null),
    bookings.map(({ uncoveredReason }) => uncoveredReason ?? null),
    bookings.map(({ toTell }) => toTell),
  ]);
}

const coverStatement = pooled(
  "cover_booking",
  `update bookings set contract_id = $3, entitlement_id = $4, uncovered_reason = null
   where organization_id = $1 and id = $2`,
);

export async function coverStored(
  tx: Database,
  organizationId: string,
  id: string,
  draw: { readonly contractId: string; readonly entitlementId: string },
): Promise<void> {
  await tx.query(coverStatement, [organizationId, id, draw.contractId, draw.entitlementId]);
}

const attendanceStatement = pooled(
  "set_attendance",
  `update bookings set state = $3, checked_in_at = case when $3 = 'attended' then $4::timestamptz end
   where organization_id = $1 and id = $2`,
);

export async function writeAttendance(
  tx: Database,
  organizationId: string,
  id: string,
  state: "booked" | "attended" | "no_show",
  at: string,
): Promise<void> {
  await tx.query(attendanceStatement, [organizationId, id, state, at]);
}

const markRestStatement = pooled(
  "mark_rest",
  `update bookings set state = 'no_show' where organization_id = $1 and session_id = $2 and state = 'booked'
   returning id`,
);

/** How many there were. */
export async function markRestOf(tx: Database, organizationId: string, sessionId: string): Promise<number> {
  return (await tx.query(markRestStatement, [organizationId, sessionId])).length;
}

const seatedStatement = pooled(
  "list_seated_bookings",
  `select ${bookingColumns} from bookings b
   where b.organization_id = $1 and b.session_id = any ($2::uuid[]) and b.state in ('booked', 'attended', 'no_show')
   order by b.id`,
);

/** The bookings that have a seat in these sessions. */
export function listSeated(
  tx: Database,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<StoredBooking[]> {
  return tx.query<StoredBooking>(seatedStatement, [organizationId, sessionIds]);
}

const forgiveStatement = pooled(
  "forgive_late_cancellations",
  `update bookings b set state = 'cancelled'
   where b.organization_id = $1 and b.session_id = any ($2::uuid[]) and b.state = 'late_cancelled'
   returning ${bookingColumns}`,
);

/** Makes late cancellations in sessions that do not take place cancellations without loss. They ended when they did. */
export function forgiveLate(
  tx: Database,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<StoredBooking[]> {
  return tx.query<StoredBooking>(forgiveStatement, [organizationId, sessionIds]);
}

const endedByStatement = pooled(
  "list_bookings_ended_by",
  `select ${bookingColumns} from bookings b
   where b.organization_id = $1 and b.session_id = $2 and b.ended_by = $3 and b.state = 'cancelled'
     and not exists (
       select from erasures e where e.organization_id = b.organization_id and e.client_id = b.client_id
     )
   order by b.booked_at, b.id`,
);

/** The bookings that the operation with this audit entry ended, in their old order. Who was erased since does not come. */
export function listEndedBy(
  tx: Database,
  organizationId: string,
  sessionId: string,
  auditId: string,
): Promise<StoredBooking[]> {
  return tx.query<StoredBooking>(endedByStatement, [organizationId, sessionId, auditId]);
}

const drawAgainStatement = pooled(
  "draw_again",
  `with drawn as (
     update contract_entitlements set remaining_credits = remaining_credits - 1
     where organization_id = $1 and id = any ($2::uuid[]) and type = 'credits' and remaining_credits >= 1
     returning id
   )
   select id, true as "tookCredit" from drawn
   union all
   select id, false from contract_entitlements
   where organization_id = $1 and id = any ($2::uuid[]) and type = 'access'`,
);

/** Draws once on each of these entitlements. Says on which that was possible, and whether it took a credit. */
export async function drawAgain(
  tx: Database,
  organizationId: string,
  entitlementIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly tookCredit: boolean }>> {
  const rows = await tx.query<{ id: string; tookCredit: boolean }>(drawAgainStatement, [
    organizationId,
    entitlementIds,
  ]);
  return new Map(rows.map(({ id, tookCredit }) => [id, { tookCredit }]));
}

const isBlockedStatement = pooled(
  "is_contract_blocked",
  `select access_blocked as found from contracts where organization_id = $1 and id = $2 for share`,
);

export async function isContractBlocked(tx: Database, organizationId: string, id: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(isBlockedStatement, [organizationId, id]);
  return row?.found ?? false;
}

const moveStatement = pooled(
  "move_bookings",
  `update bookings set visit_date = $3, moved = moved or $4, to_tell = to_tell or $4
   where organization_id = $1 and session_id = $2 and state in ('booked', 'attended', 'no_show') returning id`,
);

export async function moveBookings(
  tx: Database,
  organizationId: string,
  sessionId: string,
  to: { readonly day: string; readonly isMoved: boolean },
): Promise<number> {
  return (await tx.query(moveStatement, [organizationId, sessionId, to.day, to.isMoved])).length;
}

const toldStatement = pooled(
  "mark_told",
  `update bookings set to_tell = false where organization_id = $1 and id = any ($2::uuid[]) and to_tell returning id`,
);

export async function markToldOf(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<number> {
  return (await tx.query(toldStatement, [organizationId, ids])).length;
}

const placesStatement = pooled(
  "list_places_of_bookings",
  `select b.id, s.location_id as "locationId" from bookings b
   join sessions s on s.organization_id = $1 and s.id = b.session_id
   where b.organization_id = $1 and b.id = any ($2::uuid[])`,
);

/** The location of each of these bookings. */
export function listPlacesOf(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly locationId: string }[]> {
  return tx.query(placesStatement, [organizationId, ids]);
}

/** A place in the line. */
export interface StoredWaiting {
  readonly id: string;
  readonly sessionId: string;
  readonly clientId: string;
  readonly joinedAt: string;
  readonly leftAt?: string;
}

const waitingColumns = `
  w.id, w.client_id as "clientId", w.session_id as "sessionId", w.joined_at as "joinedAt", w.left_at as "leftAt"`;

const findWaitingStatement = pooled(
  "find_waiting",
  `select ${waitingColumns} from waiting w where w.organization_id = $1 and w.id = $2`,
);

export async function findWaiting(
  db: Database,
  organizationId: string,
  id: string,
): Promise<StoredWaiting | undefined> {
  const [waiting] = await db.query<StoredWaiting>(findWaitingStatement, [organizationId, id]);
  return waiting;
}

const lineStatement = pooled(
  "list_line",
  `select ${waitingColumns} from waiting w
   where w.organization_id = $1 and w.session_id = $2 and w.left_at is null order by w.joined_at, w.id`,
);

/** Who waits for a session, the first in line first. */
export function listLine(db: Database, organizationId: string, sessionId: string): Promise<StoredWaiting[]> {
  return db.query<StoredWaiting>(lineStatement, [organizationId, sessionId]);
}

/** A place in the line as it is answered; undefined if there is none. */
export async function readWaiting(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Waiting | undefined> {
  const waiting = await findWaiting(db, organizationId, id);
  if (!waiting) return undefined;
  const { leftAt, ...shown } = waiting;
  if (leftAt !== undefined) return shown;
  const line = await listLine(db, organizationId, waiting.sessionId);
  return { ...shown, position: line.findIndex((other) => other.id === waiting.id) + 1 };
}

const joinStatement = pooled(
  "join_waiting",
  `insert into waiting (organization_id, id, session_id, client_id, joined_at) values ($1, $2, $3, $4, $5)`,
);

export async function insertWaiting(
  tx: Database,
  organizationId: string,
  waiting: { readonly id: string; readonly sessionId: string; readonly clientId: string },
  at: string,
): Promise<void> {
  await tx.query(joinStatement, [organizationId, waiting.id, waiting.sessionId, waiting.clientId, at]);
}

const leaveStatement = pooled(
  "leave_waiting",
  `update waiting set left_at = $4, booking_id = $5
   where organization_id = $1 and session_id = $2 and client_id = $3 and left_at is null`,
);

/** Closes the place of a client in the line, if there is one; with what it became. */
export async function leaveLine(
  tx: Database,
  organizationId: string,
  { sessionId, clientId }: { readonly sessionId: string; readonly clientId: string },
  now: number,
  bookingId?: string,
): Promise<void> {
  await tx.query(leaveStatement, [organizationId, sessionId, clientId, instantText(now), bookingId ?? null]);
}

const closeLinesStatement = pooled(
  "close_lines",
  `update waiting set left_at = $3 where organization_id = $1 and session_id = any ($2::uuid[]) and left_at is null`,
);

/** Ends the lines of sessions that do not take place. */
export async function closeLines(
  tx: Database,
  organizationId: string,
  sessionIds: readonly string[],
  at: string,
): Promise<void> {
  await tx.query(closeLinesStatement, [organizationId, sessionIds, at]);
}

const drawnStatement = pooled(
  "has_contract_drawn",
  "select exists (select from bookings where organization_id = $1 and contract_id = $2) as found",
);

/** Whether anything was ever drawn on a contract. */
export async function hasDrawn(tx: Database, organizationId: string, contractId: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(drawnStatement, [organizationId, contractId]);
  return row?.found ?? false;
}

const inDays = `b.visit_date >= coalesce($3::date, '-infinity') and b.visit_date <= coalesce($4::date, 'infinity')`;

const visitStatement = pooled(
  "find_visit_on_contract",
  `select min(b.visit_date)::text as day from bookings b
   where b.organization_id = $1 and b.contract_id = $2 and b.state = 'attended' and ${inDays}`,
);

/** Days of a contract; open where no bound is given. */
export interface BookedDays {
  readonly firstDay?: string | undefined;
  readonly lastDay?: string | undefined;
}

/** The first day of the span on which the client attended by this contract. */
export async function findVisitOn(
  tx: Database,
  organizationId: string,
  contractId: string,
  { firstDay, lastDay }: BookedDays,
): Promise<string | undefined> {
  const [row] = await tx.query<{ day?: string }>(visitStatement, [
    organizationId,
    contractId,
    firstDay ?? null,
    lastDay ?? null,
  ]);
  return row?.day;
}

const releasableStatement = pooled(
  "list_releasable_bookings",
  `select ${bookingColumns} from bookings b
   join sessions s on s.organization_id = $1 and s.id = b.session_id
   where b.organization_id = $1 and b.contract_id = $2 and b.state = 'booked' and s.start_at > $5 and ${inDays}
   order by b.session_id, b.id`,
);

/** What is booked by this contract on these days and has not begun. */
export function listReleasable(
  tx: Database,
  organizationId: string,
  contractId: string,
  { firstDay, lastDay }: BookedDays,
  at: string,
): Promise<StoredBooking[]> {
  return tx.query<StoredBooking>(releasableStatement, [
    organizationId,
    contractId,
    firstDay ?? null,
    lastDay ?? null,
    at,
  ]);
}
