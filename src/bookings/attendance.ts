import { recordAudit } from "../audit/queries.ts";
import { type ActedSession, lockActedSession, requireOpenRecord } from "../calendar/acted-session.ts";
import { instantToWall } from "../calendar/zones.ts";
import { besideOthers, type OpenOrganization } from "../contracts/open-organization.ts";
import { type Actor, requireLocation } from "../core/actor.ts";
import { formatWallClock } from "../core/dates.ts";
import { type AppError, refusal, refuseFaults } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import type { ChangeCounts, Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { bookingWritten, lockBooking, lockVisit } from "./acted-booking.ts";
import { isContractBlocked } from "./draw-queries.ts";
import { Footprint } from "./footprint.ts";
import { findBooking, markRestOf, type StoredBooking, unmarkRestOf, writeAttendance } from "./queries.ts";
import { checkChoice, checkInFrom, hasSeat } from "./rules.ts";
import type { Booking, CheckIn, MarkRest, SetAttendance, UnmarkRest } from "./schema.ts";
import { seatVisit } from "./seating.ts";

/** Who came. It can be corrected freely while the record of the session is open, and nothing on the API changes. */

/** Checks a client in, who is booked first if need be. */
export async function checkIn(
  db: Database,
  actor: Actor,
  organizationId: string,
  { clientId, session: name, ...choice }: Static<typeof CheckIn>,
): Promise<Written<Booking>> {
  refuseFaults(checkChoice(choice));
  return besideOthers(db, organizationId, async (open) => {
    const visit = await lockVisit(open, actor, clientId, name);
    const footprint = new Footprint();
    const { bookingId, isNew } = await seatVisit(open, visit, choice, footprint);
    const booking = await findBooking(open.tx, organizationId, bookingId);
    if (!booking) throw new Error("a booking that has a seat is gone");
    const isChanged = await attend(open, visit.session, booking, "attended");
    if (isChanged && !isNew) footprint.bookings++;
    return bookingWritten(open, actor, bookingId, footprint, {
      action: "checkIn",
      reason: choice.uncovered?.reason,
      details: { before: isNew ? "none" : booking.state },
    });
  });
}

export async function setAttendance(
  db: Database,
  actor: Actor,
  organizationId: string,
  { bookingId, state }: Static<typeof SetAttendance>,
): Promise<Written<Booking>> {
  return besideOthers(db, organizationId, async (open) => {
    const { booking, session } = await lockBooking(open, actor, bookingId);
    requireOpenRecord(open, session);
    if (!hasSeat(booking.state)) throw refusal("already_ended");
    const footprint = new Footprint();
    if (await attend(open, session, booking, state)) footprint.bookings++;
    return bookingWritten(open, actor, booking.id, footprint, {
      action: "setAttendance",
      details: { before: booking.state },
    });
  });
}

/** Whether the state is another than before. */
async function attend(
  open: OpenOrganization,
  session: ActedSession,
  booking: StoredBooking,
  state: Static<typeof SetAttendance>["state"],
): Promise<boolean> {
  const { tx, organizationId, organization, now, at } = open;
  if (booking.state === state) return false;
  const from = {
    booked: Number.NEGATIVE_INFINITY,
    attended: checkInFrom(session, organization.checkInOpensMinutes),
    no_show: session.startAt,
  }[state];
  if (now < from) throw tooEarly(session, from);
  const { contractId } = booking;
  if (state === "attended" && contractId !== undefined)
    if (await isContractBlocked(tx, organizationId, contractId)) throw refusal("blocked");
  await writeAttendance(tx, organizationId, booking.id, state, at);
  return true;
}

/** Says of everybody who is booked and was not marked that they did not come, once the session is over. */
export async function markRest(
  db: Database,
  actor: Actor,
  organizationId: string,
  { sessionId }: Static<typeof MarkRest>,
): Promise<Written<ChangeCounts>> {
  return markMany(db, actor, organizationId, sessionId, async ({ tx, now }, session) => {
    if (now < session.endAt) throw tooEarly(session, session.endAt);
    const marked = await markRestOf(tx, organizationId, session.id);
    return { action: "markRest", bookings: marked.length, details: { marked } };
  });
}

/** Takes that back: whoever was marked otherwise since, as who came after all, stays so. */
export async function unmarkRest(
  db: Database,
  actor: Actor,
  organizationId: string,
  { sessionId, bookingIds }: Static<typeof UnmarkRest>,
): Promise<Written<ChangeCounts>> {
  return markMany(db, actor, organizationId, sessionId, async ({ tx }, session) => ({
    action: "unmarkRest",
    bookings: await unmarkRestOf(tx, organizationId, session.id, bookingIds),
  }));
}

interface Marking {
  readonly action: "markRest" | "unmarkRest";
  /** How many were changed. */
  readonly bookings: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Marks several bookings of a session whose record is open. */
async function markMany(
  db: Database,
  actor: Actor,
  organizationId: string,
  sessionId: string,
  mark: (open: OpenOrganization, session: ActedSession) => Promise<Marking>,
): Promise<Written<ChangeCounts>> {
  return besideOthers(db, organizationId, async (open) => {
    const session = await lockActedSession(open, { sessionId });
    requireLocation(actor, session.locationId);
    requireOpenRecord(open, session);
    const { action, bookings, details } = await mark(open, session);
    const footprint = new Footprint();
    footprint.bookings = bookings;
    const auditId = await recordAudit(open.tx, actor.name, {
      action,
      organizationId,
      subject: session.id,
      sessionId: session.id,
      details: { bookings, ...details },
    });
    return { auditId, result: footprint.counts, changes: footprint.counts };
  });
}

function tooEarly({ zone }: ActedSession, from: number): AppError {
  const time = formatWallClock(instantToWall(zone, from)).slice("2026-11-16T".length);
  return refusal("too_early", { params: { time } });
}
