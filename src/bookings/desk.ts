import { CompiledSchedules } from "../calendar/compiled-schedules.ts";
import { type CompiledSchedule, listSlots } from "../calendar/expand.ts";
import { recordClosesAt } from "../calendar/record-days.ts";
import { compileTexts } from "../calendar/schedule.ts";
import type { RosterSession, SessionName } from "../calendar/schema.ts";
import { findSlot } from "../calendar/slot-names.ts";
import { listResourceNames } from "../calendar/staff-calendar-queries.ts";
import { dateIn, dayStart, instantToWall, zoneOfLocation } from "../calendar/zones.ts";
import { instantText } from "../core/clock.ts";
import {
  calendarDateOf,
  dateOfWallClock,
  daysAfter,
  formatWallClock,
  MS_PER_MINUTE,
  parseWallClock,
} from "../core/dates.ts";
import { refusal } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import * as queries from "./desk-queries.ts";
import { readCoverage } from "./drawing.ts";
import { checkInFrom, freeUntil } from "./rules.ts";
import type { CoverageAnswer, Roster, Today, Todo } from "./schema.ts";

/** What the front desk looks at. Nothing is stored: a slot that nobody has acted on stays one. */

/** A session, stored or computed, without the names of its resources yet. */
interface ShownSession {
  readonly session: RosterSession;
  readonly day: string;
}

/** Whose desk it is, and when. */
export interface Desk {
  readonly db: Database;
  readonly organizationId: string;
  readonly timezone: string;
  readonly now: number;
  readonly settings: {
    readonly cancelWindowMinutes: number;
    readonly checkInOpensMinutes: number;
    readonly weekStart: "monday" | "sunday";
  };
}

export async function readRoster(desk: Desk, name: SessionName): Promise<Roster> {
  const [roster] = await rostersOf(desk, [await findShown(desk, name)]);
  if (!roster) throw new Error("a session has a roster");
  return { ...roster, now: instantText(desk.now) };
}

/** Reads the day all day long, so it compiles each schedule once. */
export class DayReader {
  readonly #compiled = new CompiledSchedules();

  /** The sessions of today on their own clocks, with their people. */
  async read(desk: Desk, locationId: string | undefined): Promise<Today> {
    const { db, organizationId } = desk;
    const today = dateIn(desk.timezone, desk.now);
    const [stored, schedules, taken] = await Promise.all([
      queries.listDaySessions(db, organizationId, today, locationId),
      queries.listDaySchedules(db, organizationId, today, locationId),
      queries.listTakenSlots(db, organizationId, today),
    ]);
    const isTaken = new Set(taken.map(({ scheduleId, originalStart }) => `${scheduleId} ${originalStart}`));
    const slots = schedules.flatMap((schedule) =>
      slotsOfDay(schedule, this.#compiled.of(schedule), today, isTaken),
    );
    const sessions = [...stored.map(fromStored), ...slots].sort((one, other) =>
      one.session.startAt < other.session.startAt ? -1 : 1,
    );
    return { date: today, now: instantText(desk.now), sessions: await rostersOf(desk, sessions) };
  }
}

/** What is left to do, everywhere or at one location. */
export async function readTodo(
  { db, organizationId, timezone: zone, now }: Desk,
  locationId: string | undefined,
): Promise<Todo> {
  const today = dateIn(zone, now);
  const [toTell, uncovered, unmarked, ending, overdue] = await Promise.all([
    queries.listOpenBookings(db, organizationId, "toTell", locationId, now),
    queries.listOpenBookings(db, organizationId, "uncovered", locationId, now),
    queries.listUnmarked(db, organizationId, locationId, instantText(now)),
    queries.listEnding(db, organizationId, { from: today, to: daysAfter(today, ENDING_DAYS) }, locationId),
    queries.listEnding(db, organizationId, { to: daysAfter(today, -1) }, locationId),
  ]);
  const open = unmarked.filter(
    ({ start, timezone }) => now < recordClosesAt(dateOfWallClock(start), zoneOfLocation(timezone)),
  );
  const shown = open.slice(0, queries.MOST_TO_DO).map(({ start, ...session }) => withLocalTimes(session));
  return {
    toTell: { ...toTell, data: toTell.data.map(withLocalTimes) },
    uncovered: { ...uncovered, data: uncovered.data.map(withLocalTimes) },
    unmarked: { data: shown, total: open.length },
    ending,
    overdue,
  };
}

/** How many days ahead contracts are listed that end. */
const ENDING_DAYS = 14;

function withLocalTimes<Row extends queries.ListedSession>({ durationMinutes, ...row }: Row) {
  return { ...row, ...localTimes(row.timezone, Date.parse(row.startAt), durationMinutes) };
}

/** What would cover a client in a session now. */
export async function findCoverageFor(
  desk: Desk,
  clientId: string,
  name: SessionName,
): Promise<CoverageAnswer> {
  const { db, organizationId, settings } = desk;
  const { session, day } = await findShown(desk, name);
  // A page without entries says whether there is such a client.
  if (!(await queries.listVisits(db, organizationId, clientId, { limit: 0, offset: 0 }, desk.now)))
    throw refusal("no_client");
  const { locationId, serviceTypeId } = session;
  const weekStart = settings.weekStart === "monday" ? 1 : 7;
  const [{ draws, reasons }, contracts] = await Promise.all([
    readCoverage({ tx: db, organizationId, weekStart }, { day, locationId, serviceTypeId }, clientId),
    queries.listContractNames(db, organizationId, clientId),
  ]);
  const planName = (contractId: string) => contracts.get(contractId)?.planName ?? "";
  const choices = draws.map(({ contractId, entitlementId, type }) => {
    const contract = contracts.get(contractId);
    const entitlement = contract?.entitlements.find(({ id }) => id === entitlementId);
    const { remainingCredits } = entitlement ?? {};
    return {
      contractId,
      entitlementId,
      planName: planName(contractId),
      type,
      ...(remainingCredits !== undefined && { remainingCredits }),
      ...(contract?.endDate !== undefined && { endDate: contract.endDate }),
    };
  });
  const [first] = choices;
  return {
    covered: first !== undefined,
    ...(first && { contractId: first.contractId, entitlementId: first.entitlementId }),
    choices,
    reasons: reasons.map((reason) => ({ ...reason, planName: planName(reason.contractId) })),
  };
}

/** The session that is named, as the calendar shows it. Nothing is locked. */
export async function findShown(
  { db, organizationId }: Pick<Desk, "db" | "organizationId">,
  name: SessionName,
): Promise<ShownSession> {
  if ("sessionId" in name) {
    const stored = await queries.findDeskSession(db, organizationId, name.sessionId);
    if (!stored) throw refusal("no_slot");
    return fromStored(stored);
  }
  const { scheduleId, originalStart } = name;
  const wallMs = parseWallClock(originalStart);
  const schedule = await queries.findDeskSchedule(db, organizationId, scheduleId);
  const slot =
    schedule && wallMs !== undefined
      ? findSlot(compileTexts(schedule, schedule.timezone), wallMs)
      : undefined;
  const walls = [wallMs, slot?.wallMs, slot?.twinWallMs].filter((wall) => wall !== undefined);
  const stored = await queries.findSlotSession(db, organizationId, scheduleId, walls.map(formatWallClock));
  if (stored) return fromStored(stored);
  if (!schedule || !slot) throw refusal("no_slot");
  return fromSlot(schedule, slot.wallMs, slot.instantMs);
}

function slotsOfDay(
  schedule: queries.DeskSchedule,
  compiled: CompiledSchedule,
  day: string,
  isTaken: ReadonlySet<string>,
): ShownSession[] {
  const [from, to] = [
    dayStart(compiled.zone, daysAfter(day, -1)),
    dayStart(compiled.zone, daysAfter(day, 2)),
  ];
  return listSlots(compiled, from, to).flatMap(({ wallMs, twinWallMs, instantMs }) => {
    const names = [wallMs, twinWallMs].filter((wall) => wall !== undefined).map(formatWallClock);
    const isFree = names.every((name) => !isTaken.has(`${schedule.id} ${name}`));
    return isFree && calendarDateOf(wallMs) === day ? [fromSlot(schedule, wallMs, instantMs)] : [];
  });
}

function fromStored({
  start,
  startAt,
  durationMinutes,
  resourceIds,
  ...session
}: queries.DeskSession): ShownSession {
  const startMs = Date.parse(startAt);
  return {
    session: {
      ...session,
      // As the calendar has it: what is not there is absent.
      ...(resourceIds?.length ? { resourceIds } : {}),
      startAt,
      endAt: instantText(startMs + durationMinutes * MS_PER_MINUTE),
      ...localTimes(session.timezone, startMs, durationMinutes),
    },
    day: dateOfWallClock(start),
  };
}

function fromSlot(schedule: queries.DeskSchedule, wallMs: number, instantMs: number): ShownSession {
  const { id: scheduleId, serviceTypeId, locationId, resourceIds, capacity, durationMinutes } = schedule;
  const originalStart = formatWallClock(wallMs);
  return {
    session: {
      scheduleId,
      originalStart,
      serviceTypeId,
      locationId,
      ...(resourceIds.length > 0 && { resourceIds }),
      startAt: instantText(instantMs),
      endAt: instantText(instantMs + durationMinutes * MS_PER_MINUTE),
      capacity,
      bookedCount: 0,
      status: "scheduled",
      serviceTypeName: schedule.serviceTypeName,
      locationName: schedule.locationName,
      timezone: schedule.timezone,
      ...localTimes(schedule.timezone, instantMs, durationMinutes),
    },
    day: dateOfWallClock(originalStart),
  };
}

/** As the calendar has them: `2026-11-16 07:00`. */
function localTimes(timezone: string, startMs: number, durationMinutes: number) {
  const zone = zoneOfLocation(timezone);
  const onClock = (ms: number) => formatWallClock(instantToWall(zone, ms)).replace("T", " ");
  return { localStart: onClock(startMs), localEnd: onClock(startMs + durationMinutes * MS_PER_MINUTE) };
}

async function rostersOf(
  { db, organizationId, now, settings }: Desk,
  shown: readonly ShownSession[],
): Promise<Today["sessions"]> {
  const ids = shown.flatMap(({ session }) => session.id ?? []);
  const [bookings, lines, resources] = await Promise.all([
    ids.length === 0 ? [] : queries.listRoster(db, organizationId, ids, now),
    ids.length === 0 ? [] : queries.listNamedLines(db, organizationId, ids, instantText(now)),
    listResourceNames(db, organizationId),
  ]);
  const bookingsOf = groupBySession(bookings);
  const linesOf = groupBySession(lines);
  return shown.map(({ session, day }) => {
    const own = bookingsOf.get(session.id ?? "") ?? [];
    const seated = own.filter(({ endedAt }) => endedAt === undefined).length;
    const startAt = Date.parse(session.startAt);
    const { resourceIds } = session;
    return {
      session: {
        ...session,
        ...(resourceIds && { resourceNames: resourceIds.map((id) => resources.get(id) ?? id) }),
      },
      bookings: own,
      waiting: (linesOf.get(session.id ?? "") ?? []).map((waiting, place) => ({
        ...waiting,
        position: place + 1,
      })),
      unnamed: Math.max(session.bookedCount - seated, 0),
      checkInFrom: instantText(checkInFrom({ startAt }, settings.checkInOpensMinutes)),
      freeUntil: instantText(freeUntil({ startAt }, settings.cancelWindowMinutes)),
      recordClosesAt: instantText(recordClosesAt(day, zoneOfLocation(session.timezone))),
    };
  });
}

/** In the order they come in. */
function groupBySession<Entry extends { readonly sessionId: string }>(
  entries: readonly Entry[],
): ReadonlyMap<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.sessionId);
    if (group) group.push(entry);
    else groups.set(entry.sessionId, [entry]);
  }
  return groups;
}
