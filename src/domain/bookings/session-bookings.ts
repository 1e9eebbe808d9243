import { refusal } from "../../core/errors.ts";
import type { ChangeCounts } from "../../core/written.ts";
import type { LockedSession } from "../calendar/locked-session.ts";
import type { OpenWrite } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { BookingEffects } from "./booking-effects.ts";
import { chargeAll, lockCoverages, returnDraws } from "./charging.ts";
import {
  endBookings,
  forgiveLate,
  haveTold,
  listEndedBy,
  listSeated,
  moveBookings,
  resumeBookings,
  type StoredBooking,
} from "./queries.ts";
import { checkInFrom, chooseReturning, type ReturningBooking } from "./rules.ts";
import { countSeatsOf, lockVisitors } from "./seat-queries.ts";
import { promoteLine } from "./seating.ts";
import { closeLines } from "./waiting-queries.ts";

/**
 * What operations on sessions do to the bookings in them. The sessions are locked, and whoever calls writes their rows
 * and moves their version; the versions and times of contracts are moved here.
 */

/** Refuses what cannot be done to sessions once somebody is checked in, with how many people are. */
export async function refuseCheckedIn(
  { tx, organizationId }: OpenOrganization,
  sessionIds: readonly string[],
): Promise<void> {
  if (sessionIds.length === 0) return;
  const seats = await countSeatsOf(tx, organizationId, sessionIds);
  const count = [...seats.values()].reduce((sum, { checkedIn }) => sum + checkedIn, 0);
  if (count > 0) throw refusal("checked_in", { params: { count } });
}

/**
 * Cancels every booking that has a seat in these sessions, returns what they drew, closes the lines, and has everybody
 * told. Refused if somebody is checked in. Who had cancelled too late gets the draw back as well: nobody could have come.
 * To be called before the rows of the sessions are written: seats that have a name cannot be taken away.
 */
export async function cancelBookingsOf(
  open: OpenWrite,
  sessionIds: readonly string[],
): Promise<Pick<ChangeCounts, "contracts" | "bookings" | "creditsReturned">> {
  const { tx, organizationId, at, auditId } = open;
  await refuseCheckedIn(open, sessionIds);
  const effects = new BookingEffects();
  const seated = await listSeated(tx, organizationId, sessionIds);
  const ids = seated.map(({ id }) => id);
  await endBookings(tx, organizationId, ids, { state: "cancelled", at, auditId, toTell: true });
  const late = await forgiveLate(tx, organizationId, sessionIds);
  await returnDraws(open, [...seated, ...late], effects);
  await closeLines(tx, organizationId, sessionIds, at);
  await effects.store(open);
  const { contracts, creditsReturned } = effects.counts;
  return { contracts, bookings: seated.length + late.length, creditsReturned };
}

/**
 * Lets the bookings of sessions follow them to another time or place, and counts who is to be told. Who is checked in has
 * come: their session goes to no time at which nobody could be checked in yet.
 */
export async function moveBookingsOf(
  open: OpenOrganization,
  sessions: readonly { readonly id: string; readonly start: string; readonly startAt: number }[],
): Promise<number> {
  const { tx, organizationId, organization, now } = open;
  const closed = sessions.filter((session) => now < checkInFrom(session, organization.checkInOpensMinutes));
  await refuseCheckedIn(
    open,
    closed.map(({ id }) => id),
  );
  return moveBookings(tx, organizationId, sessions);
}

/**
 * Brings back the bookings that a cancellation ended, in their old order, as far as there are seats, and says what becomes
 * of each. Capacity, coverage and client are asked again: see `chooseReturning`. Everybody is to be told that the session
 * takes place, those included for whom there is no seat any more. The caller counts the seats.
 */
export async function restoreBookingsOf(
  open: OpenOrganization,
  session: LockedSession,
  { auditId, seats }: { readonly auditId: string; readonly seats: number },
): Promise<Pick<ChangeCounts, "contracts" | "bookings"> & { readonly returning: ReturningSeats }> {
  const { tx, organizationId } = open;
  const effects = new BookingEffects();
  const ended = await listEndedBy(tx, organizationId, session.id, auditId);
  const clientIds = ended.map(({ clientId }) => clientId);
  const visitors = await lockVisitors(tx, organizationId, clientIds);
  const coverages = await lockCoverages(open, session, clientIds);
  const returning = chooseReturning(ended, { seats, visitors, coverages });
  const draws = returning.flatMap(({ draw }) => draw ?? []);
  await chargeAll(open, draws, effects);
  const resumed = returning.flatMap(({ booking: { id, uncoveredReason }, outcome, draw }) => {
    if (outcome !== "booked" && outcome !== "uncovered") return [];
    const { contractId, entitlementId } = draw ?? {};
    const reason = outcome === "uncovered" ? "reinstated" : uncoveredReason;
    return [{ id, contractId, entitlementId, uncoveredReason: reason, toTell: true }];
  });
  await resumeBookings(tx, organizationId, resumed);
  const left = returning.filter(({ outcome }) => outcome === "full");
  await haveTold(
    tx,
    organizationId,
    left.map(({ booking }) => booking.id),
  );
  await effects.store(open);
  return { contracts: effects.counts.contracts, bookings: resumed.length, returning };
}

type ReturningSeats = readonly ReturningBooking<StoredBooking>[];

/** Fills free seats of sessions from their lines, and says what changed. */
export async function promoteInto(
  open: OpenOrganization,
  sessions: readonly LockedSession[],
): Promise<Pick<ChangeCounts, "contracts" | "bookings" | "promoted">> {
  const effects = new BookingEffects();
  for (const session of sessions) await promoteLine(open, session, effects);
  await effects.store(open);
  const { contracts, bookings, promoted } = effects.counts;
  return { contracts, bookings, promoted };
}
