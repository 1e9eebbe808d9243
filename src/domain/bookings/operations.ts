import { requireLocation } from "../../core/actor.ts";
import { refusal, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { type ChangeCounts, NO_CHANGES } from "../../core/written.ts";
import { requireOffered, requireOpenRecord } from "../calendar/locked-session.ts";
import { type OpenWrite, type Outcome, sharedWrite } from "../writes/recorded-write.ts";
import { BookingEffects } from "./booking-effects.ts";
import { draw, recharge, returnDraws } from "./charging.ts";
import {
  bookingWritten,
  lockBooking,
  lockVisit,
  readAgain,
  requireActive,
  requireBookable,
} from "./locked-booking.ts";
import {
  coverStored,
  endBookings,
  findSeatOf,
  haveTold,
  listPlacesOf,
  markToldOf,
  resumeBookings,
  writeCourtesy,
} from "./queries.ts";
import { checkChoice, checkWaiver, hasSeat, isWithoutLoss } from "./rules.ts";
import type {
  Book,
  Booking,
  CancelBooking,
  CoverBooking,
  MarkCourtesy,
  MarkTold,
  RestoreBooking,
} from "./schema.ts";
import { giveSeatsBack, promoteLine, seatVisit, takeFreeSeat } from "./seating.ts";
import { leaveLine } from "./waiting-queries.ts";

/**
 * What the staff does to bookings. Each operation is one transaction and one audit entry; it checks in the order that its
 * rule names. The seat is decided by one conditional update, caps and credits under the lock of the client's contracts.
 */

/** Books a client into a session. Who is booked already is answered with that booking, and nothing is drawn. */
export const book = sharedWrite(
  "book",
  async (open, input: Static<typeof Book>): Promise<Outcome<Booking>> => {
    refuseFaults(checkChoice(input));
    const { actor } = open;
    const visit = await lockVisit(open, actor, input.clientId, input.session);
    const effects = new BookingEffects();
    const { booking, isNew } = await seatVisit(open, visit, input, effects);
    return bookingWritten(open, visit.session, booking, effects, {
      reason: input.uncovered?.reason,
      details: { ...(isNew && { before: "none" }), ...(input.takeUnnamed && { takeUnnamed: true }) },
    });
  },
);

/**
 * Cancels a booking. In time its credit goes back, later it is kept unless that is waived, also afterwards; either way the
 * seat is free.
 */
export const cancelBooking = sharedWrite(
  "cancelBooking",
  async (
    open,
    { bookingId, waive = false, reason }: Static<typeof CancelBooking>,
  ): Promise<Outcome<Booking>> => {
    refuseFaults(checkWaiver({ waive, reason }));
    const { tx, now, at, organization, actor, organizationId, auditId } = open;
    const { booking, session } = await lockBooking(open, actor, bookingId);
    const effects = new BookingEffects();
    const entry = { reason, details: { before: booking.state, waive } };
    const isForgiven = booking.state === "late_cancelled" && waive;
    if (!hasSeat(booking.state) && !isForgiven) return bookingWritten(open, session, booking, effects, entry);
    requireOpenRecord(open, session);
    if (booking.state === "attended") throw refusal("checked_in", { params: { count: 1 } });
    if (booking.state === "no_show" && !waive) throw refusal("already_ended");
    const { cancelWindowMinutes } = organization;
    const isFree = isWithoutLoss(booking, session, { now, cancelWindowMinutes, waive });
    const state = isFree ? "cancelled" : "late_cancelled";
    // What was cancelled before ended then.
    const { endedAt = at } = booking;
    await endBookings(tx, organizationId, [booking.id], { state, at: endedAt, auditId, toTell: false });
    effects.bookings++;
    if (isFree) await returnDraws(open, [booking], effects);
    if (!isForgiven) {
      await giveSeatsBack(open, session.id, 1, effects);
      await promoteLine(open, session, effects);
    }
    return bookingWritten(open, session, readAgain(open, booking.id), effects, entry);
  },
);

/**
 * Undoes the cancellation of a booking, if there is a seat, something covers the visit as it is now, and its place is open.
 * Who comes back to another time or place than the booked one is to be told.
 */
export const restoreBooking = sharedWrite(
  "restoreBooking",
  async (open, { bookingId }: Static<typeof RestoreBooking>): Promise<Outcome<Booking>> => {
    const { tx, at, actor, organizationId } = open;
    const { booking, visitor, session } = await lockBooking(open, actor, bookingId);
    const effects = new BookingEffects();
    const entry = { details: { before: booking.state } };
    if (hasSeat(booking.state)) return bookingWritten(open, session, booking, effects, entry);
    requireActive(visitor);
    requireBookable(open, session);
    requireOffered(session);
    const { clientId, sessionId } = booking;
    if (await findSeatOf(tx, organizationId, sessionId, clientId)) throw refusal("already_booked");
    await takeFreeSeat(open, session, effects);
    const drawn = await recharge(open, session, booking, effects);
    await resumeBookings(tx, organizationId, [{ id: booking.id, ...drawn, toTell: booking.moved }]);
    await leaveLine(tx, organizationId, { sessionId, clientId }, at, booking.id);
    effects.bookings++;
    return bookingWritten(open, session, readAgain(open, booking.id), effects, entry);
  },
);

/** Lets a booking that drew on nothing draw on a contract after all. */
export const coverBooking = sharedWrite(
  "coverBooking",
  async (open, { bookingId, entitlementId }: Static<typeof CoverBooking>): Promise<Outcome<Booking>> => {
    const { actor, organizationId } = open;
    const { booking, session } = await lockBooking(open, actor, bookingId);
    const effects = new BookingEffects();
    if (!hasSeat(booking.state)) throw refusal("already_ended");
    if (booking.entitlementId !== undefined) throw refusal("is_covered");
    const drawn = await draw(open, session, booking.clientId, { entitlementId }, effects);
    if (drawn.entitlementId === undefined) throw new Error("a draw without a choice is covered");
    await coverStored(open.tx, organizationId, booking.id, drawn);
    effects.bookings++;
    return bookingWritten(open, session, readAgain(open, booking.id), effects);
  },
);

/** Leaves a booking that draws on nothing as it is: nobody is to cover it any more. */
export const markCourtesy = sharedWrite(
  "markCourtesy",
  (open, { bookingId }: Static<typeof MarkCourtesy>): Promise<Outcome<Booking>> =>
    setCourtesy(open, bookingId, true),
);

/** Puts such a booking back among those that are to be covered. */
export const unmarkCourtesy = sharedWrite(
  "unmarkCourtesy",
  (open, { bookingId }: Static<typeof MarkCourtesy>): Promise<Outcome<Booking>> =>
    setCourtesy(open, bookingId, false),
);

async function setCourtesy(
  open: OpenWrite,
  bookingId: string,
  isCourtesy: boolean,
): Promise<Outcome<Booking>> {
  const { tx, actor, organizationId } = open;
  const { booking, session } = await lockBooking(open, actor, bookingId);
  const effects = new BookingEffects();
  if (!hasSeat(booking.state)) throw refusal("already_ended");
  if (booking.entitlementId !== undefined) throw refusal("is_covered");
  const before = booking.isCourtesy === true;
  if (before !== isCourtesy) {
    await writeCourtesy(tx, organizationId, booking.id, isCourtesy);
    effects.bookings++;
  }
  const written = readAgain(open, booking.id);
  return bookingWritten(open, session, written, effects, { details: { before, after: isCourtesy } });
}

/** Notes that the clients of these bookings know what the studio did. */
export const markTold = sharedWrite(
  "markTold",
  async (open, { bookingIds }: Static<typeof MarkTold>): Promise<Outcome<ChangeCounts>> => {
    const told = await markToldOf(open.tx, open.organizationId, await ownBookings(open, bookingIds));
    const changes = { ...NO_CHANGES, bookings: told.length };
    return { result: changes, changes, entry: { details: { bookingIds: told } } };
  },
);

/** Takes that back: they are to be told. */
export const unmarkTold = sharedWrite(
  "unmarkTold",
  async (open, { bookingIds }: Static<typeof MarkTold>): Promise<Outcome<ChangeCounts>> => {
    const ids = await ownBookings(open, bookingIds);
    await haveTold(open.tx, open.organizationId, ids);
    const changes = { ...NO_CHANGES, bookings: ids.length };
    return { result: changes, changes, entry: { details: { bookingIds: ids } } };
  },
);

/** The ids of these bookings, each once; refuses those at places where the actor does not work. */
async function ownBookings(
  { tx, actor, organizationId }: OpenWrite,
  bookingIds: readonly string[],
): Promise<string[]> {
  const ids = [...new Set(bookingIds.map((id) => id.toLowerCase()))];
  const places = await listPlacesOf(tx, organizationId, ids);
  if (places.length < ids.length) throw refusal("no_booking");
  for (const { locationId } of places) requireLocation(actor, locationId);
  return ids;
}
