import { dateOfWallClock } from "../../core/dates.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { recordClosesAt } from "../recurrence/record-days.ts";
import { type Zone, zoneOfLocation } from "../recurrence/zones.ts";
import { shownState } from "./rules.ts";
import { type Booking, type BookingState, type Mark, SEATED_STATES } from "./schema.ts";

/** Bookings as rows. Whoever writes one has locked its session. */

/** A booking as it is stored. */
export interface StoredBooking {
  readonly id: string;
  readonly sessionId: string;
  readonly clientId: string;
  readonly contractId?: string;
  readonly entitlementId?: string;
  readonly uncoveredReason?: string;
  readonly isCourtesy?: true;
  readonly fixedPlaceId?: string;
  readonly day: string;
  readonly state: BookingState;
  readonly moved: boolean;
  readonly toTell: boolean;
  readonly bookedAt: string;
  readonly checkedInAt?: string;
  readonly endedAt?: string;
}

/** The states in which a seat is taken, for `state in`. */
export const SEATED = `(${SEATED_STATES.map((state) => `'${state}'`).join(", ")})`;

/** Of the booking `b`. */
export const bookingColumns = `
  b.id, b.client_id as "clientId", b.session_id as "sessionId", b.visit_date as day, b.state,
  b.contract_id as "contractId", b.entitlement_id as "entitlementId", b.uncovered_reason as "uncoveredReason",
  nullif(b.courtesy, false) as "isCourtesy", b.fixed_place_id as "fixedPlaceId", b.moved,
  b.to_tell as "toTell", b.booked_at as "bookedAt", b.checked_in_at as "checkedInAt", b.ended_at as "endedAt"`;

const findStatement = pooled(
  "find_bookings",
  `select ${bookingColumns} from bookings b where b.organization_id = $1 and b.id = any ($2::uuid[])`,
);

/** By id. */
export async function findBookings(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredBooking>> {
  const bookings = await db.query<StoredBooking>(findStatement, [organizationId, ids]);
  return new Map(bookings.map((booking) => [booking.id, booking]));
}

export async function findBooking(
  db: Database,
  organizationId: string,
  id: string,
): Promise<StoredBooking | undefined> {
  return (await findBookings(db, organizationId, [id])).get(id.toLowerCase());
}

const findSeatStatement = pooled(
  "find_seat_of_client",
  `select ${bookingColumns} from bookings b
   where b.organization_id = $1 and b.session_id = $2 and b.client_id = $3
     and b.state in ${SEATED}`,
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
  return { ...booking, state: stateShown(booking, zoneOfLocation(timezone), now) };
}

/** The state of a booking at a place in this zone, as it reads now. */
export function stateShown(
  { state, day }: Pick<StoredBooking, "state" | "day">,
  zone: Zone,
  now: number,
): BookingState {
  return shownState(state, recordClosesAt(day, zone), now);
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

// With the client's place in the line, which it closes if there is one.
const insertStatement = pooled(
  "insert_booking",
  `with placed as (
     update waiting set left_at = $10, booking_id = $2
     where organization_id = $1 and session_id = $3 and client_id = $4 and left_at is null
   )
   insert into bookings as b (organization_id, id, session_id, client_id, visit_date, contract_id, entitlement_id,
     uncovered_reason, to_tell, state, booked_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'booked', $10)
   returning ${bookingColumns}`,
);

export async function insertBooking(
  tx: Database,
  organizationId: string,
  booking: NewBooking,
  at: string,
): Promise<StoredBooking> {
  const [stored] = await tx.query<StoredBooking>(insertStatement, [
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
  if (!stored) throw new Error("a booking that was just written is gone");
  return stored;
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
     entitlement_id = r.entitlement_id, uncovered_reason = r.uncovered_reason, to_tell = r.to_tell,
     courtesy = b.courtesy and r.entitlement_id is null,
     moved = b.moved or b.visit_date <> s.start::date, visit_date = s.start::date
   from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::boolean[])
     as r (id, contract_id, entitlement_id, uncovered_reason, to_tell), sessions s
   where b.organization_id = $1 and b.id = r.id and s.organization_id = $1 and s.id = b.session_id`,
);

/** Makes bookings that were ended stand again, with what they now draw on, on the day that their session has now. */
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
  `update bookings set contract_id = $3, entitlement_id = $4, uncovered_reason = null, courtesy = false
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

const courtesyStatement = pooled(
  "set_courtesy",
  "update bookings set courtesy = $3 where organization_id = $1 and id = $2",
);

export async function writeCourtesy(
  tx: Database,
  organizationId: string,
  id: string,
  isCourtesy: boolean,
): Promise<void> {
  await tx.query(courtesyStatement, [organizationId, id, isCourtesy]);
}

const attendanceStatement = pooled(
  "set_attendance",
  `update bookings b set state = $3, checked_in_at = case when $3 = 'attended' then $4::timestamptz end
   where b.organization_id = $1 and b.id = $2
   returning ${bookingColumns}`,
);

export async function writeAttendance(
  tx: Database,
  organizationId: string,
  id: string,
  state: "booked" | "attended" | "no_show",
  at: string,
): Promise<StoredBooking> {
  const [stored] = await tx.query<StoredBooking>(attendanceStatement, [organizationId, id, state, at]);
  if (!stored) throw new Error("a booking whose session is locked is gone");
  return stored;
}

const markRestStatement = pooled(
  "mark_rest",
  `update bookings b set state = $3, checked_in_at = case when $3 = 'attended' then $4::timestamptz end
   where b.organization_id = $1 and b.session_id = $2 and b.state = 'booked'
     and ($3 = 'no_show' or not exists (
       select from contracts c
       where c.organization_id = $1 and c.id = b.contract_id and c.access_blocked
     ))
   returning b.id`,
);

/** The bookings that were marked. Whom a blocked contract keeps out did not come in, so they are left as they are. */
export async function markRestOf(
  tx: Database,
  organizationId: string,
  sessionId: string,
  state: Mark,
  at: string,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(markRestStatement, [organizationId, sessionId, state, at]);
  return rows.map(({ id }) => id);
}

const unmarkRestStatement = pooled(
  "unmark_rest",
  `update bookings set state = 'booked', checked_in_at = null
   where organization_id = $1 and session_id = $2 and id = any($3::uuid[]) and state = $4
   returning id`,
);

/** How many there were. */
export async function unmarkRestOf(
  tx: Database,
  organizationId: string,
  sessionId: string,
  bookingIds: readonly string[],
  state: Mark,
): Promise<number> {
  return (await tx.query(unmarkRestStatement, [organizationId, sessionId, bookingIds, state])).length;
}

const seatedStatement = pooled(
  "list_seated_bookings",
  `select ${bookingColumns} from bookings b
   where b.organization_id = $1 and b.session_id = any ($2::uuid[]) and b.state in ${SEATED}
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
   order by b.booked_at, b.id`,
);

/** The bookings that the operation with this audit entry ended, in their old order. */
export function listEndedBy(
  tx: Database,
  organizationId: string,
  sessionId: string,
  auditId: string,
): Promise<StoredBooking[]> {
  return tx.query<StoredBooking>(endedByStatement, [organizationId, sessionId, auditId]);
}

const moveStatement = pooled(
  "move_bookings",
  `update bookings b set visit_date = m.day, moved = true, to_tell = b.to_tell or b.state in ${SEATED}
   from unnest($2::uuid[], $3::date[]) as m (session_id, day)
   where b.organization_id = $1 and b.session_id = m.session_id
   returning b.state in ${SEATED} as "hasSeat"`,
);

/**
 * Lets the bookings of sessions follow them to another time or place: they may be cancelled without loss from then on. Who
 * has a seat is to be told; those are counted. Ended bookings follow too, because they may be brought back.
 */
export async function moveBookings(
  tx: Database,
  organizationId: string,
  sessions: readonly { readonly id: string; readonly start: string }[],
): Promise<number> {
  if (sessions.length === 0) return 0;
  const moved = await tx.query<{ hasSeat: boolean }>(moveStatement, [
    organizationId,
    sessions.map(({ id }) => id),
    sessions.map(({ start }) => dateOfWallClock(start)),
  ]);
  return moved.filter(({ hasSeat }) => hasSeat).length;
}

const toTellStatement = pooled(
  "have_clients_told",
  "update bookings set to_tell = true where organization_id = $1 and id = any ($2::uuid[])",
);

/** The clients of these bookings do not know what the studio did. */
export async function haveTold(tx: Database, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.query(toTellStatement, [organizationId, ids]);
}

const toldStatement = pooled(
  "mark_told",
  `update bookings set to_tell = false where organization_id = $1 and id = any ($2::uuid[]) and to_tell returning id`,
);

/** Those who did not know before. */
export async function markToldOf(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(toldStatement, [organizationId, ids]);
  return rows.map(({ id }) => id);
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
