import { AppError, refusal } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { together } from "../../db/together.ts";
import type { LockedSession } from "../calendar/locked-session.ts";
import { claimResources } from "../resources/claims.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import type { BookingEffects } from "./booking-effects.ts";
import { charge, chooseDraw, type DrawChoice, type Drawn, lockCoverage } from "./charging.ts";
import type { LockedVisit } from "./locked-booking.ts";
import { findSeatOf, insertBooking, type StoredBooking } from "./queries.ts";
import { freeUntil } from "./rules.ts";
import { countSeats, freeSeats, lockVisitor, takeSeat } from "./seat-queries.ts";
import { listLine } from "./waiting-queries.ts";

/** How a client gets a seat, and how it is given back. The session is locked. */

/** The booking by which a client has a seat: the one that is there, or a new one. */
export async function seatVisit(
  open: OpenOrganization,
  { clientId, session }: LockedVisit,
  { takeUnnamed = false, ...choice }: DrawChoice & { readonly takeUnnamed?: boolean | undefined },
  effects: BookingEffects,
): Promise<{ readonly booking: StoredBooking; readonly isNew: boolean }> {
  const { uncovered, entitlementId } = choice;
  const [known, coverage] = await together(
    session.isNew ? undefined : findSeatOf(open.tx, open.organizationId, session.id, clientId),
    uncovered ? undefined : lockCoverage(open, session, clientId),
  );
  if (known) return { booking: known, isNew: false };
  if (takeUnnamed) await requireUnnamed(open, session);
  // The row of the session is as it was locked: a refusal is told before anything else is sent.
  else if (session.bookedCount >= session.capacity) throw await fullError(open, session);
  const seating = takeUnnamed ? undefined : takeFreeSeat(open, session, effects);
  // Its resources are claimed in a savepoint, which encloses nothing else.
  if (session.holdsResource) await seating;
  const store = async () => {
    const chosen = coverage && chooseDraw(coverage, entitlementId);
    const drawn = chosen ?? { uncoveredReason: uncovered?.reason ?? "" };
    const [, booking] = await together(
      chosen && charge(open, chosen, effects),
      storeBooking(open, session, clientId, drawn, effects),
    );
    return booking;
  };
  const [, booking] = await together(seating, store());
  return { booking, isNew: true };
}

async function requireUnnamed(
  { tx, organizationId }: OpenOrganization,
  session: LockedSession,
): Promise<void> {
  const { named } = await countSeats(tx, organizationId, session.id);
  if (session.bookedCount <= named) throw refusal("no_unnamed");
}

/** Takes a free seat, and the session's resources if it is the first. */
export async function takeFreeSeat(
  open: OpenOrganization,
  session: LockedSession,
  effects: BookingEffects,
): Promise<void> {
  const { tx, organizationId } = open;
  const taken = await takeSeat(tx, organizationId, session.id);
  if (taken === undefined) throw await fullError(open, session);
  effects.sessionIds.add(session.id);
  if (taken === 1) await claimResources(open, session);
}

async function fullError(
  { tx, organizationId }: OpenOrganization,
  { id, capacity, bookedCount }: LockedSession,
): Promise<AppError> {
  const { waiting } = await countSeats(tx, organizationId, id);
  return refusal("full", { facts: { capacity, bookedCount, waiting } });
}

/** Gives back the seats of bookings that were ended. */
export async function giveSeatsBack(
  { tx, organizationId }: OpenOrganization,
  sessionId: string,
  seats: number,
  effects: BookingEffects,
): Promise<void> {
  await freeSeats(tx, organizationId, sessionId, seats);
  effects.sessionIds.add(sessionId);
}

/** Stores a booking for a seat that is taken, and closes the client's place in the line. */
export function storeBooking(
  { tx, organizationId, at, now }: OpenOrganization,
  { id: sessionId, day }: LockedSession,
  clientId: string,
  { contractId, entitlementId, uncoveredReason }: Drawn,
  effects: BookingEffects,
  toTell = false,
): Promise<StoredBooking> {
  effects.bookings++;
  const drawn = { contractId, entitlementId, uncoveredReason };
  return insertBooking(
    tx,
    organizationId,
    { id: newId(now), sessionId, clientId, day, ...drawn, toTell },
    at,
  );
}

/**
 * Puts people from the line into free seats, the first who is covered first, for as long as they could still leave
 * without loss. Who is not covered keeps the place.
 */
export async function promoteLine(
  open: OpenOrganization,
  session: LockedSession,
  effects: BookingEffects,
): Promise<void> {
  const { tx, organizationId, organization, now } = open;
  if (session.status !== "scheduled" || now > freeUntil(session, organization.cancelWindowMinutes)) return;
  for (const { clientId } of await listLine(tx, organizationId, session.id)) {
    const outcome = await promote(open, session, clientId, effects);
    if (outcome === "promoted") effects.promoted++;
    if (outcome === "no_seat") return;
  }
}

async function promote(
  open: OpenOrganization,
  session: LockedSession,
  clientId: string,
  effects: BookingEffects,
): Promise<"promoted" | "no_seat" | "passed_over"> {
  const { tx, organizationId } = open;
  const visitor = await lockVisitor(tx, organizationId, clientId);
  if (!visitor || visitor.isErased || visitor.status === "archived") return "passed_over";
  const { draws } = await lockCoverage(open, session, clientId);
  const [first] = draws;
  if (!first) return "passed_over";
  try {
    // In a savepoint: if the resource went to somebody else meanwhile, the seat stays free.
    await tx.transaction((inner) => takeFreeSeat({ ...open, tx: inner }, session, effects));
  } catch (error) {
    const code = error instanceof AppError ? error.detail?.code : undefined;
    if (code === "full" || code === "resource_busy") return "no_seat";
    throw error;
  }
  const drawn = await charge(open, first, effects);
  await storeBooking(open, session, clientId, drawn, effects, true);
  return "promoted";
}
