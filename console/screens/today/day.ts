import type { Schemas } from "../../api/operations.ts";

export type RosterOfToday = Schemas["SessionOfToday"];

export interface Day {
  readonly running: readonly RosterOfToday[];
  readonly next: readonly RosterOfToday[];
  readonly later: readonly RosterOfToday[];
  readonly earlier: readonly RosterOfToday[];
}

/** What runs, what comes next (the soonest, and what is open for check-in), what comes later, and what is over. */
export function divideDay(rosters: readonly RosterOfToday[], now: number): Day {
  const isOver = ({ session }: RosterOfToday) => Date.parse(session.endAt) <= now;
  const hasBegun = ({ session }: RosterOfToday) => Date.parse(session.startAt) <= now;
  const earlier = rosters.filter(isOver);
  const ahead = rosters.filter((roster) => !isOver(roster));
  const takesPlace = ahead.filter(({ session }) => session.status === "scheduled");
  const running = takesPlace.filter(hasBegun);
  const upcoming = takesPlace.filter((roster) => !hasBegun(roster));
  const soonest = upcoming[0]?.session.startAt;
  const next = upcoming.filter(
    ({ session, checkInFrom }) => session.startAt === soonest || Date.parse(checkInFrom) <= now,
  );
  const shown = new Set([...running, ...next]);
  return { running, next, later: ahead.filter((roster) => !shown.has(roster)), earlier };
}

/** In the order in which somebody who comes now is likely to want them. */
export interface CheckInOrder {
  /** What runs and what is next, the nearest start first: whoever comes is early or a little late. */
  readonly open: readonly RosterOfToday[];
  readonly notYet: readonly RosterOfToday[];
  /** The latest first: for whom it was forgotten. */
  readonly over: readonly RosterOfToday[];
}

export function orderForCheckIn(rosters: readonly RosterOfToday[], now: number): CheckInOrder {
  const scheduled = rosters.filter(({ session }) => session.status === "scheduled");
  const isOver = ({ session }: RosterOfToday) => Date.parse(session.endAt) <= now;
  const isOpen = ({ checkInFrom }: RosterOfToday) => Date.parse(checkInFrom) <= now;
  const distance = ({ session }: RosterOfToday) => Math.abs(Date.parse(session.startAt) - now);
  return {
    open: scheduled
      .filter((roster) => isOpen(roster) && !isOver(roster))
      .sort((one, other) => distance(one) - distance(other)),
    notYet: scheduled.filter((roster) => !isOpen(roster)),
    over: scheduled.filter(isOver).reverse(),
  };
}
