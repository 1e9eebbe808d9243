import type { Answer } from "../../api/reads.ts";

export type RosterOfToday = Answer<"/app/v1/today">["sessions"][number];

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

/** The sessions that people can be checked into now: what runs and what comes first, then what is over, latest first. */
export function openForCheckIn(rosters: readonly RosterOfToday[], now: number): RosterOfToday[] {
  const open = rosters.filter(
    ({ session, checkInFrom }) => session.status === "scheduled" && Date.parse(checkInFrom) <= now,
  );
  const isOver = ({ session }: RosterOfToday) => Date.parse(session.endAt) <= now;
  // Whoever comes is early or a little late: the session whose start is nearest.
  const distance = ({ session }: RosterOfToday) => Math.abs(Date.parse(session.startAt) - now);
  return open.sort(
    (one, other) => Number(isOver(one)) - Number(isOver(other)) || distance(one) - distance(other),
  );
}

/** Whether each word that was typed begins a word of the name, whatever the accents. */
export function fitsName(name: string, typed: string): boolean {
  const parts = plain(name).split(/\s+/);
  return plain(typed)
    .trim()
    .split(/\s+/)
    .every((word) => parts.some((part) => part.startsWith(word)));
}

function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
