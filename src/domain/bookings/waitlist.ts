import type { Actor } from "../../core/actor.ts";
import { refusal, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { type LockedSession, lockSession } from "../calendar/locked-session.ts";
import { type OpenWrite, type Outcome, sharedWrite } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { BookingEffects } from "./booking-effects.ts";
import { draw } from "./charging.ts";
import { bookingWritten, lockClientOf, lockVisit, requireActive, requireBookable } from "./locked-booking.ts";
import { findSeatOf, type StoredBooking } from "./queries.ts";
import { checkChoice } from "./rules.ts";
import type { Booking, JoinWaiting, LeaveWaiting, PromoteWaiting, Waiting } from "./schema.ts";
import { storeBooking, takeFreeSeat } from "./seating.ts";
import { findWaiting, insertWaiting, leaveLine, listLine, readWaiting } from "./waiting-queries.ts";

/** The line for a session that is full. It draws nothing and counts nowhere, and with the start it is over. */

export const joinWaiting = sharedWrite(
  "joinWaiting",
  async (open, input: Static<typeof JoinWaiting>): Promise<Outcome<Waiting>> => {
    const { tx, at, now, actor, organizationId } = open;
    const { clientId, session } = await lockVisit(open, actor, input.clientId, input.session);
    if (session.bookedCount < session.capacity) throw refusal("seat_free");
    requireNotBegun(open, session);
    const { id: sessionId } = session;
    if (await findSeatOf(tx, organizationId, sessionId, clientId)) throw refusal("already_booked");
    const line = await listLine(tx, organizationId, sessionId);
    if (line.some((waiting) => waiting.clientId === clientId)) throw refusal("already_waiting");
    const id = newId(now);
    await insertWaiting(tx, organizationId, { id, sessionId, clientId }, at);
    const effects = new BookingEffects();
    if (session.isNew) effects.sessionIds.add(sessionId);
    await effects.store(open);
    return waitingWritten(open, id, effects);
  },
);

export const leaveWaiting = sharedWrite(
  "leaveWaiting",
  async (open, { waitingId }: Static<typeof LeaveWaiting>): Promise<Outcome<Waiting>> => {
    const { actor, organizationId } = open;
    const { waiting } = await lockPlace(open, actor, waitingId);
    await leaveLine(open.tx, organizationId, waiting, open.at);
    return waitingWritten(open, waiting.id);
  },
);

/** Books somebody from the line whom the front desk has asked, at any time before the start. */
export const promoteWaiting = sharedWrite(
  "promoteWaiting",
  async (open, { waitingId, ...choice }: Static<typeof PromoteWaiting>): Promise<Outcome<Booking>> => {
    refuseFaults(checkChoice(choice));
    const { actor, organizationId } = open;
    const { waiting, session, visitor } = await lockPlace(open, actor, waitingId);
    requireActive(visitor);
    requireBookable(open, session);
    requireNotBegun(open, session);
    const { clientId } = waiting;
    const effects = new BookingEffects();
    const known = await findSeatOf(open.tx, organizationId, session.id, clientId);
    if (!known && waiting.leftAt !== undefined) throw refusal("no_waiting");
    return bookingWritten(open, session, known ?? (await seatWaiting()), effects, {
      reason: choice.uncovered?.reason,
      details: { waitingId: waiting.id },
    });

    async function seatWaiting(): Promise<StoredBooking> {
      await takeFreeSeat(open, session, effects);
      const drawn = await draw(open, session, clientId, choice, effects);
      effects.promoted++;
      return storeBooking(open, session, clientId, drawn, effects);
    }
  },
);

/** A place in the line whose client and session are locked. */
async function lockPlace(open: OpenOrganization, actor: Actor, waitingId: string) {
  const { tx, organizationId } = open;
  const known = await findWaiting(tx, organizationId, waitingId);
  if (!known) throw refusal("no_waiting");
  const visitor = await lockClientOf(open, known.clientId);
  const session = await lockSession(open, actor, { sessionId: known.sessionId });
  // Read again: it may have been left before the session was locked.
  const waiting = (await findWaiting(tx, organizationId, waitingId)) ?? known;
  return { waiting, visitor, session };
}

function requireNotBegun({ now }: OpenOrganization, { startAt }: LockedSession): void {
  if (now >= startAt) throw refusal("session_begun");
}

async function waitingWritten(
  { tx, organizationId }: OpenWrite,
  id: string,
  effects = new BookingEffects(),
): Promise<Outcome<Waiting>> {
  const result = await readWaiting(tx, organizationId, id);
  if (!result) throw new Error("a place in the line that was just written is gone");
  const { clientId, sessionId, position } = result;
  const details = position === undefined ? {} : { position };
  return { result, changes: effects.counts, entry: { subject: id, clientId, sessionId, details } };
}
