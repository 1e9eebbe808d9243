import type { Actor } from "../../core/actor.ts";
import { MS_PER_DAY } from "../../core/dates.ts";
import { invalid, refusal } from "../../core/errors.ts";
import { together } from "../../db/together.ts";
import type { EntryContent } from "../audit/queries.ts";
import { type LockedSession, lockSession, requireOpenRecord } from "../calendar/locked-session.ts";
import type { SessionName } from "../calendar/schema.ts";
import type { OpenWrite, Outcome } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import type { BookingEffects } from "./booking-effects.ts";
import { findBooking, type StoredBooking, stateShown } from "./queries.ts";
import type { Visitor } from "./rules.ts";
import type { Booking } from "./schema.ts";
import { lockVisitor } from "./seat-queries.ts";

/** What operations on bookings begin and end with: the client and the session are locked, and what was done is said. */

/** How far ahead a session can be booked. */
export const MOST_DAYS_AHEAD = 366;

/** A client and a session that are locked. */
export interface LockedVisit {
  readonly clientId: string;
  readonly session: LockedSession;
}

/** Locks the client and the session of a visit. Refuses a client who cannot be booked, and a session that cannot. */
export async function lockVisit(
  open: OpenOrganization,
  actor: Actor,
  clientId: string,
  name: SessionName,
): Promise<LockedVisit> {
  const [visitor, session] = await together(lockClientOf(open, clientId), lockSession(open, actor, name));
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

export function requireBookable(open: OpenOrganization, session: LockedSession): void {
  requireScheduled(session);
  requireOpenRecord(open, session);
  if (session.startAt > open.now + MOST_DAYS_AHEAD * MS_PER_DAY)
    throw invalid([
      { location: "body.session", code: "too_far_ahead", params: { maxDays: MOST_DAYS_AHEAD } },
    ]);
}

function requireScheduled({ status }: LockedSession): void {
  if (status === "cancelled") throw refusal("session_cancelled");
}

/** A booking with its client and session, which are locked: so nobody else can change it. */
export interface LockedBooking {
  readonly booking: StoredBooking;
  readonly visitor: Visitor;
  readonly session: LockedSession;
}

export async function lockBooking(
  open: OpenOrganization,
  actor: Actor,
  bookingId: string,
): Promise<LockedBooking> {
  const { tx, organizationId } = open;
  const known = await findBooking(tx, organizationId, bookingId);
  if (!known) throw refusal("no_booking");
  const visitor = await lockClientOf(open, known.clientId);
  const session = await lockSession(open, actor, { sessionId: known.sessionId });
  // Read again: it may have changed before the session was locked.
  const booking = await findBooking(tx, organizationId, bookingId);
  if (!booking) throw refusal("no_booking");
  return { booking, visitor, session };
}

/** Stores what was touched, and says what was done, with the booking as it is now. */
export async function bookingWritten(
  open: OpenWrite,
  { zone }: LockedSession,
  written: StoredBooking | Promise<StoredBooking>,
  effects: BookingEffects,
  { reason, details }: Pick<EntryContent, "reason" | "details"> = {},
): Promise<Outcome<Booking>> {
  const [booking] = await together(written, effects.store(open));
  const result = { ...booking, state: stateShown(booking, zone, open.now) };
  const { id, clientId, contractId, sessionId, entitlementId, state } = result;
  return {
    result,
    changes: effects.counts,
    entry: {
      subject: id,
      clientId,
      sessionId,
      ...(contractId !== undefined && { contractId }),
      reason,
      details: { state, ...(entitlementId !== undefined && { entitlementId }), ...details },
    },
  };
}

/** A booking after what was done to it. */
export async function readAgain(
  { tx, organizationId }: OpenOrganization,
  id: string,
): Promise<StoredBooking> {
  const booking = await findBooking(tx, organizationId, id);
  if (!booking) throw new Error("a booking that was just written is gone");
  return booking;
}
