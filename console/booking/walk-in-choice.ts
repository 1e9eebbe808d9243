import { keyOfSession } from "../routing/session-name.ts";
import { hasSeat } from "./seat-state.ts";

interface Offered {
  readonly session: {
    readonly id?: string;
    readonly scheduleId?: string;
    readonly originalStart?: string;
    readonly capacity: number;
    readonly bookedCount: number;
  };
  readonly unnamed: number;
  readonly bookings: readonly {
    readonly clientId: string;
    readonly state: "booked" | "attended" | "no_show" | "cancelled" | "late_cancelled";
  }[];
}

export function hasFreeSeat({ session, unnamed }: Omit<Offered, "bookings">): boolean {
  return session.bookedCount < session.capacity || unnamed > 0;
}

/**
 * The session that is offered to somebody who comes without a booking: the first with a seat that is covered, else the first
 * with a seat, and never a full one. `isCovered` is by the key of a session.
 */
export function chooseWalkIn<Roster extends Offered>(
  open: readonly Roster[],
  isCovered: ReadonlyMap<string, boolean>,
): Roster | undefined {
  const free = open.filter(hasFreeSeat);
  return free.find(({ session }) => isCovered.get(keyOfSession(session))) ?? free[0];
}

/** Those in which the client has no seat yet. */
export function withoutSeatOf<Roster extends Offered>(
  rosters: readonly Roster[],
  clientId: string,
): readonly Roster[] {
  return rosters.filter(
    ({ bookings }) => !bookings.some((booking) => booking.clientId === clientId && hasSeat(booking)),
  );
}
