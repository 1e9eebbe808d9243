import { type ActedSession, lockActedSession } from "../calendar/acted-session.ts";
import type { OpenOrganization } from "../contracts/open-organization.ts";
import type { ChangeCounts } from "../core/written.ts";
import { returnDraws } from "./drawing.ts";
import { Footprint } from "./footprint.ts";
import { type BookedDays, endBookings, listReleasable } from "./queries.ts";
import { giveSeatsBack, promoteLine } from "./seating.ts";

/** What operations on contracts do to the bookings that draw on them. */

/**
 * Cancels what is booked by a contract on these days and has not begun: draws are returned, seats are free, everybody is
 * to be told, and the next in line are promoted. `isTouched` says that `updatedAt` of the contract has moved already; it is
 * then not counted either.
 */
export async function releaseBookings(
  open: OpenOrganization,
  contractId: string,
  days: BookedDays,
  { auditId, isTouched }: { readonly auditId: string; readonly isTouched: boolean },
): Promise<ChangeCounts> {
  const { tx, organizationId, at } = open;
  const footprint = new Footprint();
  const released = await listReleasable(tx, organizationId, contractId, days, at);
  if (released.length === 0) return footprint.counts;
  const end = { state: "cancelled" as const, at, auditId, toTell: true };
  await endBookings(
    tx,
    organizationId,
    released.map(({ id }) => id),
    end,
  );
  await returnDraws(open, released, footprint);
  footprint.bookings += released.length;
  // One each: a client is booked into a session once.
  const sessions: ActedSession[] = [];
  for (const { sessionId } of released) {
    sessions.push(await lockActedSession(open, { sessionId }));
    await giveSeatsBack(open, sessionId, 1, footprint);
  }
  for (const session of sessions) await promoteLine(open, session, footprint);
  if (isTouched) footprint.contractIds.delete(contractId);
  await footprint.store(open);
  return footprint.counts;
}
