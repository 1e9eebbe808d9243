import { refusal } from "../../core/errors.ts";
import { type ChangeCounts, NO_CHANGES } from "../../core/written.ts";
import { countSeatsOf } from "../bookings/seat-queries.ts";
import { cancelBookingsOf } from "../bookings/session-bookings.ts";
import {
  type LockedSessionRow,
  lockComingSessions,
  type SessionSelection,
  writeCancelled,
} from "../calendar/session-queries.ts";
import { dropClaims } from "../resources/claims.ts";
import type { OpenWrite } from "../writes/recorded-write.ts";

/**
 * Cancels the stored sessions concerned that take place and have not begun, because what they belong to is given up. If
 * somebody is booked, only when that is said, else refused with `has_bookings`; if somebody is checked in, not at all.
 * Computed slots just stop.
 */
export async function withdrawSessions(
  open: OpenWrite,
  which: SessionSelection,
  cancelBooked = false,
): Promise<ChangeCounts> {
  const { tx, organizationId, now } = open;
  const sessions = await lockComingSessions(tx, organizationId, now, which);
  if (!cancelBooked) refuseBooked(sessions);
  return cancelSessions(open, sessions);
}

type Seats = Pick<LockedSessionRow, "bookedCount">;

/** Refuses to cancel sessions that have a seat taken, with how many there are. */
export function refuseBooked(sessions: readonly Seats[]): void {
  const booked = sessions.filter(({ bookedCount }) => bookedCount > 0);
  const seats = booked.reduce((sum, { bookedCount }) => sum + bookedCount, 0);
  if (booked.length > 0)
    throw refusal("has_bookings", {
      params: { count: seats },
      facts: { sessions: booked.length, bookings: seats },
    });
}

/**
 * Cancels sessions whose rows are locked: bookings end and give back what they drew, whatever the hour, and resources are
 * free. Refused if somebody is checked in.
 */
export async function cancelSessions(
  open: OpenWrite,
  sessions: readonly Pick<LockedSessionRow, "id" | "bookedCount">[],
): Promise<ChangeCounts> {
  if (sessions.length === 0) return NO_CHANGES;
  const { tx, organizationId, auditId } = open;
  const ids = sessions.map(({ id }) => id);
  const seats = await countSeatsOf(open.tx, open.organizationId, ids);
  // Before the sessions: a seat that has a name cannot be taken away.
  const ended = await cancelBookingsOf(open, ids);
  const unnamed = ({ id, bookedCount }: Pick<LockedSessionRow, "id" | "bookedCount">) =>
    Math.max(bookedCount - (seats.get(id)?.named ?? 0), 0);
  const cancelled = sessions.map((session) => ({ id: session.id, unnamed: unnamed(session) }));
  await writeCancelled(tx, organizationId, auditId, cancelled);
  await dropClaims(tx, organizationId, ids);
  return { ...NO_CHANGES, ...ended, sessions: sessions.length };
}
