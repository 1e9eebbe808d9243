import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { type ActedSession, lockActedSession, requireOpenRecord } from "../calendar/acted-session.ts";
import type { SessionName } from "../calendar/schema.ts";
import type { OpenOrganization } from "../contracts/open-organization.ts";
import { type Actor, requireLocation } from "../core/actor.ts";
import { MS_PER_DAY } from "../core/dates.ts";
import { invalid, refusal } from "../core/errors.ts";
import type { Written } from "../core/written.ts";
import type { Footprint } from "./footprint.ts";
import { findBooking, readBooking, type StoredBooking } from "./queries.ts";
import type { Booking } from "./schema.ts";
import { lockVisitor, type Visitor } from "./seat-queries.ts";

/** What operations on bookings begin and end with: the client and the session are locked, what was done is recorded. */

/** How far ahead a session can be booked. */
export const MOST_DAYS_AHEAD = 366;

/** A client and a session that are locked. */
export interface ActedVisit {
  readonly clientId: string;
  readonly session: ActedSession;
}

/** Locks the client and the session of a visit. Refuses a client who cannot be booked, and a session that cannot. */
export async function lockVisit(
  open: OpenOrganization,
  actor: Actor,
  clientId: string,
  name: SessionName,
): Promise<ActedVisit> {
  const visitor = await lockClientOf(open, clientId);
  const session = await lockActedSession(open, name);
  requireLocation(actor, session.locationId);
  requireActive(visitor);
  requireBookable(open, session);
  return { clientId: clientId.toLowerCase(), session };
}

export async function lockClientOf(
  { tx, organizationId }: OpenOrganization,
  clientId: string,
): Promise<Visitor> {
  const visitor = await lockVisitor(tx, organizationId, clientId);
  if (!visitor) throw refusal("no_client");
  return visitor;
}

export function requireActive({ isErased, status }: Visitor): void {
  if (isErased) throw refusal("erased_client");
  if (status === "archived") throw refusal("archived_client");
}

export function requireBookable(open: OpenOrganization, session: ActedSession): void {
  requireScheduled(session);
  requireOpenRecord(open, session);
  if (session.startAt > open.now + MOST_DAYS_AHEAD * MS_PER_DAY)
    throw invalid([
      { location: "body.session", code: "too_far_ahead", params: { maxDays: MOST_DAYS_AHEAD } },
    ]);
}

export function requireScheduled({ status }: ActedSession): void {
  if (status === "cancelled") throw refusal("session_cancelled");
}

/** A booking with its client and session, which are locked: so nobody else can change it. */
export interface ActedBooking {
  readonly booking: StoredBooking;
  readonly visitor: Visitor;
  readonly session: ActedSession;
}

export async function lockBooking(
  open: OpenOrganization,
  actor: Actor,
  bookingId: string,
): Promise<ActedBooking> {
  const { tx, organizationId } = open;
  const known = await findBooking(tx, organizationId, bookingId);
  if (!known) throw refusal("no_booking");
  const visitor = await lockClientOf(open, known.clientId);
  const session = await lockActedSession(open, { sessionId: known.sessionId });
  requireLocation(actor, session.locationId);
  // Read again: it may have changed before the session was locked.
  const booking = await findBooking(tx, organizationId, bookingId);
  if (!booking) throw refusal("no_booking");
  return { booking, visitor, session };
}

interface BookingEntry {
  readonly id?: string;
  readonly action: AuditAction;
  readonly reason?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Moves the versions of what was touched, records what was done, and answers with the booking as it is now. */
export async function bookingWritten(
  open: OpenOrganization,
  actor: Actor,
  bookingId: string,
  footprint: Footprint,
  { id, action, reason, details = {} }: BookingEntry,
): Promise<Written<Booking>> {
  const { tx, organizationId, now } = open;
  await footprint.store(open);
  const result = await readBooking(tx, organizationId, bookingId, now);
  if (!result) throw new Error("a booking that was just written is gone");
  const { clientId, contractId, sessionId, entitlementId, state } = result;
  const auditId = await recordAudit(tx, actor.name, {
    ...(id !== undefined && { id }),
    action,
    organizationId,
    subject: bookingId,
    clientId,
    sessionId,
    ...(contractId !== undefined && { contractId }),
    reason,
    details: { state, ...(entitlementId !== undefined && { entitlementId }), ...details },
  });
  return { auditId, result, changes: footprint.counts };
}
