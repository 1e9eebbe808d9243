import { daysBetween, isCalendarDate, MS_PER_MINUTE } from "../../core/dates.ts";
import type { Fault } from "../../core/faults.ts";
import { membersOf } from "../../core/json.ts";
import type { Coverage, Draw } from "./coverage.ts";
import { type BookingState, type ReturnOutcome, SEATED_STATES } from "./schema.ts";

/** When what can be done to a booking. Deadlines are exact minutes before the start, whatever the clocks do that night. */

/** The last instant at which a booking can be cancelled without loss, and somebody be put into a free seat. */
export function freeUntil({ startAt }: { readonly startAt: number }, cancelWindowMinutes: number): number {
  return startAt - cancelWindowMinutes * MS_PER_MINUTE;
}

/** From when on a client can be checked in. */
export function checkInFrom({ startAt }: { readonly startAt: number }, checkInOpensMinutes: number): number {
  return startAt - checkInOpensMinutes * MS_PER_MINUTE;
}

/** Whether a cancellation returns the draw. */
export function isWithoutLoss(
  booking: { readonly moved: boolean },
  session: { readonly startAt: number },
  { now, cancelWindowMinutes, waive }: { now: number; cancelWindowMinutes: number; waive: boolean },
): boolean {
  if (waive || now <= freeUntil(session, cancelWindowMinutes)) return true;
  return booking.moved && now <= session.startAt;
}

export function hasSeat(state: BookingState): boolean {
  return (SEATED_STATES as readonly BookingState[]).includes(state);
}

/** A state as it reads: who was never marked did not come, once nobody can say otherwise any more. */
export function shownState(state: BookingState, closesAt: number, now: number): BookingState {
  return state === "booked" && now >= closesAt ? "no_show" : state;
}

/** What a client is to a booking. */
export interface Visitor {
  readonly status: "active" | "archived";
  readonly isErased: boolean;
}

/** What becomes of a booking when the session that was cancelled with it takes place again. */
export interface ReturningBooking<Booking> {
  readonly booking: Booking;
  readonly outcome: ReturnOutcome;
  /** What it draws on again. */
  readonly draw?: Draw | undefined;
}

/**
 * Who comes back when a session is reinstated, in the order in which they had booked: nobody beyond the seats, and nobody
 * who is no client any more. Each draws on the same entitlement if it covers the visit as it is now.
 *
 * Two seats, and Ana, Bia (whose pack is empty meanwhile), Caio (archived) and Davi: Ana is `booked`, Bia `uncovered`,
 * Caio `archived`, Davi `full`.
 */
export function chooseReturning<
  Booking extends { readonly clientId: string; readonly entitlementId?: string },
>(
  ended: readonly Booking[],
  facts: {
    readonly seats: number;
    readonly visitors: ReadonlyMap<string, Visitor>;
    readonly coverages: ReadonlyMap<string, Coverage>;
  },
): ReturningBooking<Booking>[] {
  let seats = facts.seats;
  return ended.map((booking) => {
    const visitor = facts.visitors.get(booking.clientId);
    if (!visitor || visitor.isErased) return { booking, outcome: "erased" };
    if (visitor.status === "archived") return { booking, outcome: "archived" };
    if (seats <= 0) return { booking, outcome: "full" };
    seats--;
    if (booking.entitlementId === undefined) return { booking, outcome: "booked" };
    const draws = facts.coverages.get(booking.clientId)?.draws ?? [];
    const draw = draws.find(({ entitlementId }) => entitlementId === booking.entitlementId);
    return { booking, outcome: draw ? "booked" : "uncovered", draw };
  });
}

/** What is wrong with members of an input together. Nothing is known of it yet, so that all its faults are told at once. */

export function checkChoice(given: unknown): Fault[] {
  const { entitlementId, uncovered } = membersOf(given);
  if (entitlementId === undefined || uncovered === undefined) return [];
  return [{ location: "body.entitlementId", code: "not_together_with", params: { member: "uncovered" } }];
}

export function checkWaiver(given: unknown): Fault[] {
  const { waive, reason } = membersOf(given);
  if (waive !== true || reason !== undefined) return [];
  return [{ location: "body.reason", code: "required_with", params: { member: "waive" } }];
}

/** What is booked many times is one schedule, or several places. */
export function checkMany(given: unknown): Fault[] {
  const { scheduleId, places } = membersOf(given);
  if (scheduleId === undefined && places === undefined)
    return [{ location: "body.scheduleId", code: "required" }];
  if (scheduleId === undefined || places === undefined) return [];
  return [{ location: "body.scheduleId", code: "not_together_with", params: { member: "places" } }];
}

/** How many days a client can be booked for at once, the first and the last included. */
const MOST_DAYS = 92;

export function checkSpan(given: unknown): Fault[] {
  const { fromDay, untilDay } = membersOf(given);
  if (!isDate(fromDay) || !isDate(untilDay)) return [];
  const location = "body.untilDay";
  if (untilDay < fromDay) return [{ location, code: "before_member", params: { member: "fromDay" } }];
  if (daysBetween(fromDay, untilDay) < MOST_DAYS) return [];
  return [{ location, code: "span_too_long", params: { member: "fromDay", maxDays: MOST_DAYS } }];
}

function isDate(value: unknown): value is string {
  return typeof value === "string" && isCalendarDate(value);
}
