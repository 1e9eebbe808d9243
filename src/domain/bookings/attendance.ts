import { formatWallClock } from "../../core/dates.ts";
import { type AppError, refusal, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { type ChangeCounts, NO_CHANGES } from "../../core/written.ts";
import { type LockedSession, lockSession, requireOpenRecord } from "../calendar/locked-session.ts";
import { findOwesSince } from "../money/queries.ts";
import { instantToWall } from "../recurrence/zones.ts";
import { type OpenWrite, type Outcome, sharedWrite } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { BookingEffects } from "./booking-effects.ts";
import { isContractBlocked } from "./charge-queries.ts";
import { bookingWritten, lockBooking, lockVisit } from "./locked-booking.ts";
import { markRestOf, type StoredBooking, unmarkRestOf, writeAttendance } from "./queries.ts";
import { checkChoice, checkInFrom, hasSeat } from "./rules.ts";
import type { Booking, CheckedIn, CheckIn, MarkRest, SetAttendance, UnmarkRest } from "./schema.ts";
import { seatVisit } from "./seating.ts";

/** Who came. It can be corrected freely while the record of the session is open, and nothing on the API changes. */

/** Checks a client in, who is booked first if need be. */
export const checkIn = sharedWrite(
  "checkIn",
  async (
    open,
    { clientId, session: name, ...choice }: Static<typeof CheckIn>,
  ): Promise<Outcome<CheckedIn>> => {
    refuseFaults(checkChoice(choice));
    const { actor, organizationId } = open;
    const visit = await lockVisit(open, actor, clientId, name);
    const effects = new BookingEffects();
    const { booking, isNew } = await seatVisit(open, visit, choice, effects);
    const attended = await attend(open, visit.session, booking, "attended");
    if (attended !== booking && !isNew) effects.bookings++;
    const outcome = await bookingWritten(open, visit.session, attended, effects, {
      reason: choice.uncovered?.reason,
      details: { before: isNew ? "none" : booking.state },
    });
    // What somebody owes is nothing of a teacher's.
    if (actor.role === "teacher") return outcome;
    const owesSince = await findOwesSince(open.tx, organizationId, booking.clientId, open.today);
    return owesSince === undefined ? outcome : { ...outcome, result: { ...outcome.result, owesSince } };
  },
);

export const setAttendance = sharedWrite(
  "setAttendance",
  async (open, { bookingId, state }: Static<typeof SetAttendance>): Promise<Outcome<Booking>> => {
    const { actor } = open;
    const { booking, session } = await lockBooking(open, actor, bookingId);
    requireOpenRecord(open, session);
    if (!hasSeat(booking.state)) throw refusal("already_ended");
    const effects = new BookingEffects();
    const attended = await attend(open, session, booking, state);
    if (attended !== booking) effects.bookings++;
    return bookingWritten(open, session, attended, effects, { details: { before: booking.state } });
  },
);

/** The booking with this state: the one that was given if it has that already. */
async function attend(
  open: OpenOrganization,
  session: LockedSession,
  booking: StoredBooking,
  state: Static<typeof SetAttendance>["state"],
): Promise<StoredBooking> {
  const { tx, organizationId, organization, now, at } = open;
  if (booking.state === state) return booking;
  const from = {
    booked: Number.NEGATIVE_INFINITY,
    attended: checkInFrom(session, organization.checkInOpensMinutes),
    no_show: session.startAt,
  }[state];
  if (now < from) throw tooEarly(session, from);
  const { contractId } = booking;
  if (state === "attended" && contractId !== undefined)
    if (await isContractBlocked(tx, organizationId, contractId)) throw refusal("blocked");
  return writeAttendance(tx, organizationId, booking.id, state, at);
}

/**
 * Says of everybody who is booked and was not marked that they did not come, once the session is over, or that they all
 * came, from the check-in on.
 */
export const markRest = sharedWrite(
  "markRest",
  (open, { sessionId, state = "no_show" }: Static<typeof MarkRest>) =>
    markMany(open, sessionId, async (session) => {
      const from =
        state === "no_show" ? session.endAt : checkInFrom(session, open.organization.checkInOpensMinutes);
      if (open.now < from) throw tooEarly(session, from);
      const marked = await markRestOf(open.tx, open.organizationId, session.id, state, open.at);
      return { bookings: marked.length, details: { marked, ...(state === "attended" && { state }) } };
    }),
);

/** Takes that back: whoever was marked otherwise since, as who came after all, stays so. */
export const unmarkRest = sharedWrite(
  "unmarkRest",
  (open, { sessionId, bookingIds, state = "no_show" }: Static<typeof UnmarkRest>) =>
    markMany(open, sessionId, async ({ id }) => ({
      bookings: await unmarkRestOf(open.tx, open.organizationId, id, bookingIds, state),
    })),
);

interface Marking {
  /** How many were changed. */
  readonly bookings: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Marks several bookings of a session whose record is open. */
async function markMany(
  open: OpenWrite,
  sessionId: string,
  mark: (session: LockedSession) => Promise<Marking>,
): Promise<Outcome<ChangeCounts>> {
  const session = await lockSession(open, open.actor, { sessionId });
  requireOpenRecord(open, session);
  const { bookings, details } = await mark(session);
  const changes = { ...NO_CHANGES, bookings };
  const { id } = session;
  return {
    result: changes,
    changes,
    entry: { subject: id, sessionId: id, details: { bookings, ...details } },
  };
}

function tooEarly({ zone }: LockedSession, from: number): AppError {
  const time = formatWallClock(instantToWall(zone, from)).slice("2026-11-16T".length);
  return refusal("too_early", { params: { time } });
}
