import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from "../../core/dates.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import type { Chance } from "./chance.ts";
import type { StagedSession } from "./staging.ts";

/** The organization keeps the usual window: later than three hours before the start a cancellation is late. */
const CANCEL_WINDOW_MS = 3 * MS_PER_HOUR;

/** A booking that has no person yet. */
export interface Wish {
  readonly session: StagedSession;
  readonly bookedMs: number;
  readonly ended?: { readonly state: "cancelled" | "late_cancelled"; readonly atMs: number };
  /** Since when the person had been in the line. */
  readonly joinedMs?: number;
  readonly toTell?: boolean;
  readonly uncoveredReason?: string;
  readonly clientId?: string;
}

const UNCOVERED_REASONS = ["Cortesia", "Aula de reposição", "Acerta o pagamento na próxima visita"];

/** What was booked for a session up to now, and what was cancelled again. */
export function drawWishes(chance: Chance, now: number, session: StagedSession): Wish[] {
  if (session.status === "cancelled") return drawLost(chance, now, session);
  const seats = drawSeats(chance, now, session);
  const inTime = chance.odds(0.3) ? drawCancelled(chance, now, session) : [];
  const late = chance.odds(0.15) ? drawLate(chance, now, session) : [];
  return [...seats, ...inTime, ...late];
}

function drawSeats(chance: Chance, now: number, session: StagedSession): Wish[] {
  const { scene, bookedCount } = session;
  const isFull = scene === "full" || scene === "promoted";
  const unnamed = !isFull && bookedCount > 3 && chance.odds(0.2) ? chance.between(1, 2) : 0;
  // A line forms once the class is full.
  const before = isFull ? now - 5 * MS_PER_HOUR : now;
  const seats = Array.from({ length: bookedCount - unnamed }, (_, place): Wish => {
    const isOwed = scene === "substitute" ? place === 0 : chance.odds(0.006);
    return {
      session,
      bookedMs: drawBooked(chance, before, session),
      ...(isOwed && { uncoveredReason: chance.pick(UNCOVERED_REASONS) }),
      ...(scene === "moved" && { toTell: place === 0 }),
    };
  });
  const [first] = seats;
  if (isOfExamples(session) && first) seats[0] = { ...first, clientId: EXAMPLE_IDS.client };
  return scene === "promoted" ? withPromotion(chance, now, seats) : seats;
}

/** The client of the published examples is in their session, and comes on Mondays: her contract has two visits a week. */
function isOfExamples({ id, scheduleId, originalStart = "" }: StagedSession): boolean {
  if (id === EXAMPLE_IDS.session) return true;
  return scheduleId === EXAMPLE_IDS.schedule && new Date(originalStart.slice(0, 10)).getUTCDay() === 1;
}

/** Somebody cancelled, and the first in line has the seat. */
function withPromotion(chance: Chance, now: number, seats: readonly Wish[]): Wish[] {
  const [first, ...others] = seats;
  if (!first) return [];
  const atMs = now - chance.between(20, 100) * MS_PER_MINUTE;
  const joinedMs = now - chance.between(150, 280) * MS_PER_MINUTE;
  const { session } = first;
  return [
    ...others,
    { session, bookedMs: first.bookedMs, ended: { state: "cancelled", atMs } },
    { session, bookedMs: atMs, joinedMs, toTell: true },
  ];
}

/** The bookings that a cancelled session lost; of the latest cancellation one person is still to be told. */
function drawLost(chance: Chance, now: number, session: StagedSession): Wish[] {
  const isNews = session.scene === "cancelled";
  const atMs = isNews
    ? now - chance.between(15, 90) * MS_PER_MINUTE
    : Math.min(now, session.startMs) - chance.between(4, 30) * MS_PER_HOUR;
  return Array.from({ length: Math.min(session.capacity, chance.between(3, 4)) }, (_, place) => ({
    session,
    bookedMs: drawBooked(chance, atMs, session),
    ended: { state: "cancelled", atMs },
    toTell: isNews && place === 0,
  }));
}

function drawCancelled(chance: Chance, now: number, session: StagedSession): Wish[] {
  const until = Math.min(now, session.startMs - CANCEL_WINDOW_MS);
  const bookedMs = drawBooked(chance, until - MS_PER_HOUR, session);
  const atMs = between(chance, bookedMs + MS_PER_MINUTE, until);
  return [{ session, bookedMs, ended: { state: "cancelled", atMs } }];
}

function drawLate(chance: Chance, now: number, session: StagedSession): Wish[] {
  const from = session.startMs - CANCEL_WINDOW_MS + MS_PER_MINUTE;
  const until = Math.min(now, session.startMs);
  if (from >= until) return [];
  const bookedMs = drawBooked(chance, from, session);
  return [{ session, bookedMs, ended: { state: "late_cancelled", atMs: between(chance, from, until) } }];
}

const EARLIEST_MS = 8 * MS_PER_DAY;

/** When the front desk booked it: in the days before the session, and before the given instant. */
function drawBooked(chance: Chance, before: number, { startMs }: StagedSession): number {
  const until = Math.min(before, startMs - 30 * MS_PER_MINUTE) - 2 * MS_PER_MINUTE;
  const from = Math.min(startMs - EARLIEST_MS, until - MS_PER_DAY);
  for (let tries = 0; ; tries++) {
    const drawn = between(chance, from, until);
    if (tries === 8 || isDeskOpen(drawn)) return drawn;
  }
}

/** From 8 to 20 o'clock in São Paulo. */
function isDeskOpen(ms: number): boolean {
  const hour = new Date(ms).getUTCHours();
  return hour >= 11 && hour < 23;
}

function between(chance: Chance, from: number, until: number): number {
  // To the second, as a person would.
  return Math.floor((from + chance.fraction() * (until - from)) / 1_000) * 1_000;
}
