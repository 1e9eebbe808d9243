import type { ActedSession } from "../calendar/acted-session.ts";
import type { OpenOrganization } from "../contracts/open-organization.ts";
import type { ChangeCounts } from "../core/written.ts";
import { drawOnEach } from "./draw-queries.ts";
import { returnDraws } from "./drawing.ts";
import { Footprint } from "./footprint.ts";
import { endBookings, forgiveLate, listEndedBy, listSeated, resumeBookings } from "./queries.ts";
import { promoteLine } from "./seating.ts";
import { closeLines } from "./waiting-queries.ts";

/**
 * What operations on sessions do to the bookings in them. The sessions are locked, and whoever calls writes their rows
 * and moves their version; the versions and times of contracts are moved here.
 */

/**
 * Cancels every booking that has a seat in these sessions, returns what they drew, closes the lines, and has everybody
 * told. Who had cancelled too late gets the draw back as well: nobody could have come. To be called before the rows of the
 * sessions are written: seats that have a name cannot be taken away.
 */
export async function cancelBookingsOf(
  open: OpenOrganization,
  sessionIds: readonly string[],
  auditId: string,
): Promise<Pick<ChangeCounts, "contracts" | "bookings" | "creditsReturned">> {
  const { tx, organizationId, at } = open;
  const footprint = new Footprint();
  const seated = await listSeated(tx, organizationId, sessionIds);
  const ids = seated.map(({ id }) => id);
  await endBookings(tx, organizationId, ids, { state: "cancelled", at, auditId, toTell: true });
  const late = await forgiveLate(tx, organizationId, sessionIds);
  await returnDraws(open, [...seated, ...late], footprint);
  await closeLines(tx, organizationId, sessionIds, at);
  await footprint.store(open);
  const { contracts, creditsReturned } = footprint.counts;
  return { contracts, bookings: seated.length + late.length, creditsReturned };
}

/**
 * Brings back the bookings that a cancellation ended, in their old order, and says what changed. Each draws on the same
 * entitlement again if that is access or has a credit left; else it is uncovered. The caller counts their seats.
 */
export async function restoreBookingsOf(
  open: OpenOrganization,
  session: Pick<ActedSession, "id">,
  auditId: string,
): Promise<Pick<ChangeCounts, "contracts" | "bookings">> {
  const { tx, organizationId } = open;
  const footprint = new Footprint();
  const ended = await listEndedBy(tx, organizationId, session.id, auditId);
  // Each of these people had one seat, so no entitlement is drawn on twice.
  const wanted = ended.flatMap(({ entitlementId }) => entitlementId ?? []);
  const drawn = await drawOnEach(tx, organizationId, wanted);
  const resumed = ended.map(({ id, contractId, entitlementId, uncoveredReason, toTell }) => {
    // Who was not told of the cancellation need not be told that it is undone.
    const booking = { id, toTell: !toTell };
    if (contractId === undefined || entitlementId === undefined) return { ...booking, uncoveredReason };
    const draw = drawn.get(entitlementId);
    if (draw?.tookCredit) footprint.contractIds.add(contractId);
    return draw ? { ...booking, contractId, entitlementId } : { ...booking, uncoveredReason: "reinstated" };
  });
  await resumeBookings(tx, organizationId, resumed);
  await footprint.store(open);
  return { contracts: footprint.counts.contracts, bookings: ended.length };
}

/** Fills free seats of sessions from their lines, and says what changed. */
export async function promoteInto(
  open: OpenOrganization,
  sessions: readonly ActedSession[],
): Promise<Pick<ChangeCounts, "contracts" | "bookings" | "promoted">> {
  const footprint = new Footprint();
  for (const session of sessions) await promoteLine(open, session, footprint);
  await footprint.store(open);
  const { contracts, bookings, promoted } = footprint.counts;
  return { contracts, bookings, promoted };
}
