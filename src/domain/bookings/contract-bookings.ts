import type { ChangeCounts } from "../../core/written.ts";
import { type LockedSession, lockSession } from "../calendar/locked-session.ts";
import type { OpenWrite } from "../writes/recorded-write.ts";
import { BookingEffects } from "./booking-effects.ts";
import { returnDraws } from "./charging.ts";
import { type BookedDays, endBookings, listReleasable } from "./queries.ts";
import { giveSeatsBack, promoteLine } from "./seating.ts";

/** What operations on contracts do to the bookings that draw on them. */

/**
 * Cancels what is booked by a contract on these days and has not begun: draws are returned, seats are free, everybody is
 * to be told, and the next in line are promoted. Refused if one of them is at a place where the actor does not work.
 * `isTouched` says that `updatedAt` of the contract has moved already; it is then not counted either.
 */
export async function releaseBookings(
  open: OpenWrite,
  contractId: string,
  days: BookedDays,
  { isTouched }: { readonly isTouched: boolean },
): Promise<ChangeCounts> {
  const { tx, organizationId, at, actor, auditId } = open;
  const effects = new BookingEffects();
  const released = await listReleasable(tx, organizationId, contractId, days, at);
  if (released.length === 0) return effects.counts;
  const end = { state: "cancelled" as const, at, auditId, toTell: true };
  await endBookings(
    tx,
    organizationId,
    released.map(({ id }) => id),
    end,
  );
  await returnDraws(open, released, effects);
  effects.bookings += released.length;
  // One each: a client is booked into a session once.
  const sessions: LockedSession[] = [];
  for (const { sessionId } of released) {
    sessions.push(await lockSession(open, actor, { sessionId }));
    await giveSeatsBack(open, sessionId, 1, effects);
  }
  for (const session of sessions) await promoteLine(open, session, effects);
  if (isTouched) effects.contractIds.delete(contractId);
  await effects.store(open);
  return effects.counts;
}
