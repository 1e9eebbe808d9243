import { recordAudit } from "../audit/queries.ts";
import { requireOpenRecord } from "../calendar/acted-session.ts";
import { listSlots, type Slot } from "../calendar/expand.ts";
import { compileTexts } from "../calendar/schedule.ts";
import { type LockedSchedule, lockSchedule } from "../calendar/session-queries.ts";
import { dayStart } from "../calendar/zones.ts";
import { besideOthers, type OpenOrganization } from "../contracts/open-organization.ts";
import { type Actor, requireLocation } from "../core/actor.ts";
import { calendarDateOf, daysAfter, daysBetween, formatWallClock } from "../core/dates.ts";
import { AppError, type Fault, refusal, refuseFaults } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import type { ChangeCounts, Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import {
  bookingWritten,
  lockBooking,
  lockClientOf,
  lockVisit,
  MOST_DAYS_AHEAD,
  requireActive,
  requireBookable,
} from "./acted-booking.ts";
import { draw, drawAgain, returnDraws } from "./drawing.ts";
import { Footprint } from "./footprint.ts";
import { coverStored, endBookings, findSeatOf, listPlacesOf, markToldOf, resumeBookings } from "./queries.ts";
import { checkChoice, checkSpan, checkWaiver, hasSeat, isWithoutLoss } from "./rules.ts";
import type {
  Book,
  BookedSlots,
  Booking,
  BookMany,
  CancelBooking,
  CoverBooking,
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
export async function book(
  db: Database,
  actor: Actor,
  organizationId: string,
  input: Static<typeof Book>,
): Promise<Written<Booking>> {
  refuseFaults(checkChoice(input));
  return besideOthers(db, organizationId, async (open) => {
    const visit = await lockVisit(open, actor, input.clientId, input.session);
    const footprint = new Footprint();
    const { bookingId, isNew } = await seatVisit(open, visit, input, footprint);
    return bookingWritten(open, actor, bookingId, footprint, {
      action: "book",
      reason: input.uncovered?.reason,
      details: { ...(isNew && { before: "none" }), ...(input.takeUnnamed && { takeUnnamed: true }) },
    });
  });
}

const MOST_SLOTS = 60;

/** Books a client into each slot of a schedule from one day to another: the fixed place of a regular. */
export async function bookMany(
  db: Database,
  actor: Actor,
  organizationId: string,
  input: Static<typeof BookMany>,
): Promise<Written<Static<typeof BookedSlots>>> {
  const { clientId, scheduleId, fromDay, untilDay } = input;
  refuseFaults(checkSpan(input));
  return besideOthers(db, organizationId, async (open) => {
    const { tx, today } = open;
    const visitor = await lockClientOf(open, clientId);
    const schedule = await lockSchedule(tx, organizationId, scheduleId, "share");
    if (!schedule) throw refusal("no_schedule");
    requireLocation(actor, schedule.locationId);
    const slots = slotsOf(schedule, input);
    refuseFaults(checkSlots(input, slots, today));
    requireActive(visitor);
    const footprint = new Footprint();
    const result: Static<typeof BookedSlots> = [];
    for (const { wallMs } of slots) {
      const originalStart = formatWallClock(wallMs);
      result.push({
        originalStart,
        ...(await bookSlot(open, actor, { clientId, scheduleId, originalStart }, footprint)),
      });
    }
    await footprint.store(open);
    const booked = result.flatMap(({ bookingId }) => bookingId ?? []);
    const auditId = await recordAudit(tx, actor.name, {
      action: "bookMany",
      organizationId,
      subject: schedule.id,
      clientId: clientId.toLowerCase(),
      details: { fromDay, untilDay, booked, refused: result.length - booked.length },
    });
    return { auditId, result, changes: footprint.counts };
  });
}

/** Books one slot, or says why not. In a savepoint: what is refused leaves nothing behind. */
async function bookSlot(
  open: OpenOrganization,
  actor: Actor,
  { clientId, ...session }: { clientId: string; scheduleId: string; originalStart: string },
  footprint: Footprint,
): Promise<{ readonly bookingId: string } | { readonly reason: string }> {
  try {
    return await open.tx.transaction(async (tx) => {
      const inner = { ...open, tx };
      const own = new Footprint();
      const visit = await lockVisit(inner, actor, clientId, session);
      const { bookingId } = await seatVisit(inner, visit, {}, own);
      footprint.add(own);
      return { bookingId };
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
    const code = error.faults[0]?.code ?? error.detail?.code;
    if (code === undefined) throw error;
    return { reason: code };
  }
}

function slotsOf(schedule: LockedSchedule, { fromDay, untilDay }: Static<typeof BookMany>): readonly Slot[] {
  if (!schedule.isOffered) return [];
  const compiled = compileTexts(schedule, schedule.timezone);
  // A day more on either side: no clock is further from the others of its day.
  const [fromMs, toMs] = [daysAfter(fromDay, -1), daysAfter(untilDay, 2)].map((day) =>
    dayStart(compiled.zone, day),
  );
  return listSlots(compiled, fromMs ?? 0, toMs ?? 0).filter(({ wallMs }) => {
    const day = calendarDateOf(wallMs);
    return fromDay <= day && day <= untilDay;
  });
}

function checkSlots({ untilDay }: Static<typeof BookMany>, slots: readonly Slot[], today: string): Fault[] {
  const location = "body.untilDay";
  if (daysBetween(today, untilDay) > MOST_DAYS_AHEAD)
    return [{ location, code: "too_far_ahead", params: { maxDays: MOST_DAYS_AHEAD } }];
  return slots.length > MOST_SLOTS ? [{ location, code: "too_many_slots", params: { max: MOST_SLOTS } }] : [];
}

/** Cancels a booking. In time its credit goes back, later it is kept; either way the seat is free. */
export async function cancelBooking(
  db: Database,
  actor: Actor,
  organizationId: string,
  { bookingId, waive = false, reason }: Static<typeof CancelBooking>,
): Promise<Written<Booking>> {
  refuseFaults(checkWaiver({ waive, reason }));
  return besideOthers(db, organizationId, async (open) => {
    const { tx, now, at, organization } = open;
    const { booking, session } = await lockBooking(open, actor, bookingId);
    const footprint = new Footprint();
    const auditId = newId(now);
    const entry = {
      id: auditId,
      action: "cancelBooking" as const,
      reason,
      details: { before: booking.state, waive },
    };
    if (!hasSeat(booking.state)) return bookingWritten(open, actor, booking.id, footprint, entry);
    requireOpenRecord(open, session);
    if (booking.state === "attended") throw refusal("checked_in", { params: { count: 1 } });
    if (booking.state === "no_show" && !waive) throw refusal("already_ended");
    const { cancelWindowMinutes } = organization;
    const isFree = isWithoutLoss(booking, session, { now, cancelWindowMinutes, waive });
    const state = isFree ? "cancelled" : "late_cancelled";
    await endBookings(tx, organizationId, [booking.id], { state, at, auditId, toTell: false });
    footprint.bookings++;
    await giveSeatsBack(open, session.id, 1, footprint);
    if (isFree) await returnDraws(open, [booking], footprint);
    await promoteLine(open, session, footprint);
    return bookingWritten(open, actor, booking.id, footprint, entry);
  });
}

/** Undoes the cancellation of a booking, if there is a seat and what it had drawn can be had again. */
export async function restoreBooking(
  db: Database,
  actor: Actor,
  organizationId: string,
  { bookingId }: Static<typeof RestoreBooking>,
): Promise<Written<Booking>> {
  return besideOthers(db, organizationId, async (open) => {
    const { tx, at } = open;
    const { booking, visitor, session } = await lockBooking(open, actor, bookingId);
    const footprint = new Footprint();
    const entry = { action: "restoreBooking" as const, details: { before: booking.state } };
    if (hasSeat(booking.state)) return bookingWritten(open, actor, booking.id, footprint, entry);
    requireActive(visitor);
    requireBookable(open, session);
    const { clientId, sessionId } = booking;
    if (await findSeatOf(tx, organizationId, sessionId, clientId)) throw refusal("already_booked");
    await takeFreeSeat(open, session, footprint);
    const drawn = await drawAgain(open, session, booking, footprint);
    await resumeBookings(tx, organizationId, [{ id: booking.id, ...drawn, toTell: false }]);
    await leaveLine(tx, organizationId, { sessionId, clientId }, at, booking.id);
    footprint.bookings++;
    return bookingWritten(open, actor, booking.id, footprint, entry);
  });
}

/** Lets a booking that drew on nothing draw on a contract after all. */
export async function coverBooking(
  db: Database,
  actor: Actor,
  organizationId: string,
  { bookingId, entitlementId }: Static<typeof CoverBooking>,
): Promise<Written<Booking>> {
  return besideOthers(db, organizationId, async (open) => {
    const { booking, session } = await lockBooking(open, actor, bookingId);
    const footprint = new Footprint();
    if (!hasSeat(booking.state)) throw refusal("already_ended");
    if (booking.entitlementId !== undefined) throw refusal("is_covered");
    const drawn = await draw(open, session, booking.clientId, { entitlementId }, footprint);
    if (drawn.entitlementId === undefined) throw new Error("a draw without a choice is covered");
    await coverStored(open.tx, organizationId, booking.id, drawn);
    footprint.bookings++;
    return bookingWritten(open, actor, booking.id, footprint, { action: "coverBooking" });
  });
}

/** Notes that the clients of these bookings know what the studio did. */
export async function markTold(
  db: Database,
  actor: Actor,
  organizationId: string,
  { bookingIds }: Static<typeof MarkTold>,
): Promise<Written<ChangeCounts>> {
  return besideOthers(db, organizationId, async ({ tx }) => {
    const ids = [...new Set(bookingIds.map((id) => id.toLowerCase()))];
    const places = await listPlacesOf(tx, organizationId, ids);
    if (places.length < ids.length) throw refusal("no_booking");
    for (const { locationId } of places) requireLocation(actor, locationId);
    const footprint = new Footprint();
    footprint.bookings = await markToldOf(tx, organizationId, ids);
    const details = { bookingIds: ids };
    const auditId = await recordAudit(tx, actor.name, { action: "markTold", organizationId, details });
    return { auditId, result: footprint.counts, changes: footprint.counts };
  });
}
