import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { type ActedSession, lockActedSession } from "../calendar/acted-session.ts";
import { besideOthers, type OpenOrganization } from "../contracts/open-organization.ts";
import { type Actor, requireLocation } from "../core/actor.ts";
import { refusal, refuseFaults } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import type { Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { bookingWritten, lockClientOf, lockVisit, requireActive, requireBookable } from "./acted-booking.ts";
import { draw } from "./drawing.ts";
import { Footprint } from "./footprint.ts";
import { findSeatOf } from "./queries.ts";
import { checkChoice } from "./rules.ts";
import type { Booking, JoinWaiting, LeaveWaiting, PromoteWaiting, Waiting } from "./schema.ts";
import { storeBooking, takeFreeSeat } from "./seating.ts";
import { findWaiting, insertWaiting, leaveLine, listLine, readWaiting } from "./waiting-queries.ts";

/** The line for a session that is full. It draws nothing and counts nowhere, and with the start it is over. */

export async function joinWaiting(
  db: Database,
  actor: Actor,
  organizationId: string,
  input: Static<typeof JoinWaiting>,
): Promise<Written<Waiting>> {
  return besideOthers(db, organizationId, async (open) => {
    const { tx, at, now } = open;
    const { clientId, session } = await lockVisit(open, actor, input.clientId, input.session);
    if (session.bookedCount < session.capacity) throw refusal("seat_free");
    requireNotBegun(open, session);
    const { id: sessionId } = session;
    if (await findSeatOf(tx, organizationId, sessionId, clientId)) throw refusal("already_booked");
    const line = await listLine(tx, organizationId, sessionId);
    if (line.some((waiting) => waiting.clientId === clientId)) throw refusal("already_waiting");
    const id = newId(now);
    await insertWaiting(tx, organizationId, { id, sessionId, clientId }, at);
    const footprint = new Footprint();
    if (session.isNew) footprint.sessionIds.add(sessionId);
    await footprint.store(open);
    return waitingWritten(open, actor, "joinWaiting", id, footprint);
  });
}

export async function leaveWaiting(
  db: Database,
  actor: Actor,
  organizationId: string,
  { waitingId }: Static<typeof LeaveWaiting>,
): Promise<Written<Waiting>> {
  return besideOthers(db, organizationId, async (open) => {
    const { waiting } = await lockPlace(open, actor, waitingId);
    await leaveLine(open.tx, organizationId, waiting, open.at);
    return waitingWritten(open, actor, "leaveWaiting", waiting.id, new Footprint());
  });
}

/** Books somebody from the line whom the front desk has asked, at any time before the start. */
export async function promoteWaiting(
  db: Database,
  actor: Actor,
  organizationId: string,
  { waitingId, ...choice }: Static<typeof PromoteWaiting>,
): Promise<Written<Booking>> {
  refuseFaults(checkChoice(choice));
  return besideOthers(db, organizationId, async (open) => {
    const { waiting, session, visitor } = await lockPlace(open, actor, waitingId);
    requireActive(visitor);
    requireBookable(open, session);
    requireNotBegun(open, session);
    const { clientId } = waiting;
    const footprint = new Footprint();
    const known = await findSeatOf(open.tx, organizationId, session.id, clientId);
    if (!known && waiting.leftAt !== undefined) throw refusal("no_waiting");
    const bookingId = known?.id ?? (await seatWaiting());
    return bookingWritten(open, actor, bookingId, footprint, {
      action: "promoteWaiting",
      reason: choice.uncovered?.reason,
      details: { waitingId: waiting.id },
    });

    async function seatWaiting(): Promise<string> {
      await takeFreeSeat(open, session, footprint);
      const drawn = await draw(open, session, clientId, choice, footprint);
      footprint.promoted++;
      return storeBooking(open, session, clientId, drawn, footprint);
    }
  });
}

/** A place in the line whose client and session are locked. */
async function lockPlace(open: OpenOrganization, actor: Actor, waitingId: string) {
  const { tx, organizationId } = open;
  const known = await findWaiting(tx, organizationId, waitingId);
  if (!known) throw refusal("no_waiting");
  const visitor = await lockClientOf(open, known.clientId);
  const session = await lockActedSession(open, { sessionId: known.sessionId });
  requireLocation(actor, session.locationId);
  // Read again: it may have been left before the session was locked.
  const waiting = (await findWaiting(tx, organizationId, waitingId)) ?? known;
  return { waiting, visitor, session };
}

function requireNotBegun({ now }: OpenOrganization, { startAt }: ActedSession): void {
  if (now >= startAt) throw refusal("session_begun");
}

async function waitingWritten(
  { tx, organizationId }: OpenOrganization,
  actor: Actor,
  action: AuditAction,
  id: string,
  footprint: Footprint,
): Promise<Written<Waiting>> {
  const result = await readWaiting(tx, organizationId, id);
  if (!result) throw new Error("a place in the line that was just written is gone");
  const { clientId, sessionId, position } = result;
  const auditId = await recordAudit(tx, actor.name, {
    action,
    organizationId,
    subject: id,
    clientId,
    sessionId,
    details: position === undefined ? {} : { position },
  });
  return { auditId, result, changes: footprint.counts };
}
