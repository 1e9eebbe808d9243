import { instantText } from "../../core/clock.ts";
import { MS_PER_MINUTE } from "../../core/dates.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import type { RecordOf } from "../bundle/schema.ts";
import type { DemoContract } from "./agreements.ts";
import type { DemoSession } from "./calendar.ts";
import type { Catalog } from "./catalog.ts";
import { type Chance, newChance } from "./chance.ts";
import { latest } from "./days.ts";
import type { DemoClient } from "./people.ts";
import { type SeatedWish, Seating } from "./seated-wishes.ts";
import { type DemoCalendar, isInFortnight, type StagedSession, stageSessions } from "./staging.ts";
import { drawWishes } from "./wishes.ts";

export type DemoBooking = RecordOf<"booking"> & { id: string };
export type DemoWaiting = RecordOf<"waiting"> & { id: string };

/** How many sessions before today nobody has marked yet. */
const UNMARKED_SESSIONS = 2;
/** How many seats of a session may be without a name, as bookings from before the application are. */
const MOST_UNNAMED = 2;

/** The week before today and the week after it, with people in the sessions. What happened so far depends on the hour. */
export function demoFortnight(
  seed: string,
  today: string,
  now: number,
  catalog: Catalog,
  clients: readonly DemoClient[],
  contracts: readonly DemoContract[],
  calendar: DemoCalendar,
): { contracts: DemoContract[]; sessions: DemoSession[]; bookings: DemoBooking[]; waiting: DemoWaiting[] } {
  // Drawn apart, so that the rest of the studio stays as it was.
  const chance = newChance(`${seed} visits`);
  const staged = stageSessions(seed, today, now, catalog, calendar);
  const seating = new Seating(chance, today, catalog, clients, contracts);
  const wishes = staged
    .filter((session) => isInFortnight(session, today))
    .flatMap((session) => drawWishes(chance, now, session))
    .sort((one, other) => one.bookedMs - other.bookedMs);
  const visits = wishes.flatMap((wish) => seating.seat(wish) ?? []);
  const unmarked = findUnmarked(staged, visits, today, catalog);
  const entries = visits.map((visit) => {
    const booking = recordVisit(chance, now, visit, unmarked.has(visit.session.id));
    const { joinedMs } = visit;
    if (joinedMs === undefined) return { booking };
    return { booking, waited: promoted(chance, booking, joinedMs) };
  });
  const lines = staged
    .filter(({ scene }) => scene === "full")
    .flatMap((session) => drawLine(chance, now, seating, session));
  return {
    contracts: withLastDraws(contracts, visits),
    sessions: withSeats(staged, visits, today),
    bookings: entries.map(({ booking }) => booking),
    waiting: [...entries.flatMap(({ waited }) => waited ?? []), ...lines],
  };
}

/** The last sessions before today. */
function findUnmarked(
  sessions: readonly StagedSession[],
  visits: readonly SeatedWish[],
  today: string,
  { serviceTypes }: Catalog,
): ReadonlySet<string> {
  const appointments = new Set(serviceTypes.filter((type) => type.holdsResource).map(({ id }) => id));
  const named = new Set(visits.filter(({ ended }) => !ended).map(({ session }) => session.id));
  const over = sessions
    .filter(({ id, day, serviceTypeId }) => day < today && named.has(id) && !appointments.has(serviceTypeId))
    .sort((one, other) => other.startMs - one.startMs);
  return new Set(over.slice(0, UNMARKED_SESSIONS).map(({ id }) => id));
}

function recordVisit(chance: Chance, now: number, visit: SeatedWish, isUnmarked: boolean): DemoBooking {
  const { session, clientId, contractId, entitlementId, uncoveredReason, ended, bookedMs } = visit;
  const drawn = chance.id(bookedMs);
  const isExample = session.id === EXAMPLE_IDS.session && clientId === EXAMPLE_IDS.client && !ended;
  return {
    id: isExample ? EXAMPLE_IDS.booking : drawn,
    clientId,
    sessionId: session.id,
    ...(contractId !== undefined && { contractId }),
    ...(entitlementId !== undefined && { entitlementId }),
    ...(uncoveredReason !== undefined && { uncoveredReason }),
    ...(ended
      ? { state: ended.state, endedAt: instantText(ended.atMs) }
      : attendance(chance, now, session, isUnmarked)),
    ...(session.isMoved && { moved: true }),
    ...(visit.toTell && { toTell: true }),
    bookedAt: instantText(bookedMs),
  };
}

/** Who came, as far as the front desk has said so. */
function attendance(
  chance: Chance,
  now: number,
  { startMs, endMs }: StagedSession,
  isUnmarked: boolean,
): Pick<DemoBooking, "state" | "checkedInAt"> {
  const arrivedMs = startMs + chance.between(-25 * 60, 4 * 60) * 1_000;
  const comes = chance.odds(0.9);
  if (isUnmarked) return { state: "booked" };
  if (comes)
    return arrivedMs <= now
      ? { state: "attended", checkedInAt: instantText(arrivedMs) }
      : { state: "booked" };
  // Those who are missing are marked some time after the end.
  return { state: endMs + 30 * MS_PER_MINUTE <= now ? "no_show" : "booked" };
}

function promoted(
  chance: Chance,
  { id, clientId, sessionId, bookedAt }: DemoBooking,
  joinedMs: number,
): DemoWaiting {
  return {
    id: chance.id(joinedMs),
    clientId,
    sessionId,
    joinedAt: instantText(joinedMs),
    leftAt: bookedAt,
    bookingId: id,
  };
}

function drawLine(chance: Chance, now: number, seating: Seating, session: StagedSession): DemoWaiting[] {
  // All of them came after the class was full.
  return seating.findWaiting(session, now, 3).map((clientId, place) => {
    const joinedMs = now - (270 - 80 * place - chance.between(0, 60)) * MS_PER_MINUTE;
    return { id: chance.id(joinedMs), clientId, sessionId: session.id, joinedAt: instantText(joinedMs) };
  });
}

/** A draw of a credit changes its contract. */
function withLastDraws(contracts: readonly DemoContract[], visits: readonly SeatedWish[]): DemoContract[] {
  const drawnAt = new Map(
    visits.map(({ entitlementId = "", bookedMs }) => [entitlementId, instantText(bookedMs)]),
  );
  return contracts.map((contract) => {
    const drawn = contract.entitlements.flatMap(({ id, type }) =>
      type === "credits" ? (drawnAt.get(id) ?? []) : [],
    );
    return { ...contract, updatedAt: latest(contract.updatedAt, ...drawn) };
  });
}

function withSeats(
  sessions: readonly StagedSession[],
  visits: readonly SeatedWish[],
  today: string,
): DemoSession[] {
  const named = new Map<string, number>();
  for (const { session, ended } of visits)
    if (!ended) named.set(session.id, (named.get(session.id) ?? 0) + 1);
  return sessions.map(({ day, startMs, endMs, isMoved, scene, ...session }) => {
    const isStaged = isInFortnight({ day }, today) && session.id !== EXAMPLE_IDS.session;
    if (!isStaged || scene === "full" || scene === "promoted" || session.capacity === 1) return session;
    const bookedCount = Math.min(session.bookedCount, (named.get(session.id) ?? 0) + MOST_UNNAMED);
    return { ...session, bookedCount };
  });
}
