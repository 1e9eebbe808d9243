import { type Actor, readableResource, runs } from "../../core/actor.ts";
import { instantText } from "../../core/clock.ts";
import {
  dateOfWallClock,
  daysAfter,
  formatWallClock,
  MS_PER_MINUTE,
  parseWallClock,
} from "../../core/dates.ts";
import { Effort, unboundedEffort } from "../../core/effort.ts";
import { invalid, refusal } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import type { CalendarWindow } from "../calendar/calendar-rows.ts";
import type { RosterSession, Session, SessionName } from "../calendar/schema.ts";
import { listResourceNames } from "../calendar/staff-calendar-queries.ts";
import { listOwing } from "../money/queries.ts";
import { recordClosesAt } from "../recurrence/record-days.ts";
import { compileTexts } from "../recurrence/schedule.ts";
import { findSlot } from "../recurrence/slot-names.ts";
import { dateIn, instantToWall, zoneOfLocation } from "../recurrence/zones.ts";
import { readCoverage } from "./charging.ts";
import * as queries from "./desk-queries.ts";
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
  readonly actor: Actor;
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
  const shown = await findShown(desk, name);
  if (!runs(desk.actor, shown.session.resourceIds)) throw refusal("not_allowed");
  const [roster] = await rostersOf(desk, [shown]);
  if (!roster) throw new Error("a session has a roster");
  return { ...roster, now: instantText(desk.now) };
}

/** What reads the sessions of a short window: the calendar. */
export interface SessionLists {
  listRecords(
    reader: { readonly organizationId: string; readonly history: string; readonly catalogVersion: number },
    window: CalendarWindow,
  ): AsyncIterable<readonly Session[]>;
}

/** The sessions of today on their own clocks, with their people. */
export async function readToday(
  desk: Desk,
  sessions: (window: CalendarWindow) => AsyncIterable<readonly Session[]>,
  locationId: string | undefined,
): Promise<Today> {
  const date = dateIn(desk.timezone, desk.now);
  const effort = new Effort(MOST_AROUND_TODAY, () =>
    invalid([{ location: "query.locationId", code: "day_too_full" }]),
  );
  const around: Session[] = [];
  const resourceId = readableResource(desk.actor, undefined);
  for await (const batch of sessions({ ...anywhereOn(date), locationId, resourceId })) {
    effort.spend(batch.length);
    around.push(...batch);
  }
  const names = await queries.findSessionNames(desk.db, desk.organizationId, around);
  const shown: ShownSession[] = [];
  for (const session of around) {
    const location = names.locations.get(session.locationId);
    if (!location) throw new Error("a session has a location");
    const { timezone, name: locationName } = location;
    const serviceTypeName = names.serviceTypes.get(session.serviceTypeId) ?? "";
    const startMs = Date.parse(session.startAt);
    const times = localTimes(timezone, startMs, (Date.parse(session.endAt) - startMs) / MS_PER_MINUTE);
    const day = times.localStart.slice(0, date.length);
    if (day === date)
      shown.push({ session: { ...session, serviceTypeName, locationName, timezone, ...times }, day });
    if (effort.isDue) await effort.pause();
  }
  return { date, now: instantText(desk.now), sessions: await rostersOf(desk, shown) };
}

/** More than a chain of a hundred studios has, in the two days during which it is one date somewhere. */
const MOST_AROUND_TODAY = 20_000;

/** From the first to the last place on earth where it is this date. */
function anywhereOn(date: string): { readonly fromMs: number; readonly toMs: number } {
  const midnightMs = Date.parse(date);
  return { fromMs: midnightMs - 15 * MS_PER_HOUR, toMs: midnightMs + (24 + 13) * MS_PER_HOUR };
}

const MS_PER_HOUR = 60 * MS_PER_MINUTE;

/** What is left to do, everywhere or at one location. */
export async function readTodo(
  { db, organizationId, timezone: zone, now }: Pick<Desk, "db" | "organizationId" | "timezone" | "now">,
  locationId: string | undefined,
): Promise<Todo> {
  const today = dateIn(zone, now);
  const [toTell, uncovered, unmarked, ending, overdue, owes] = await Promise.all([
    queries.listOpenBookings(db, organizationId, "toTell", locationId, now),
    queries.listOpenBookings(db, organizationId, "uncovered", locationId, now),
    queries.listUnmarked(db, organizationId, locationId, instantText(now)),
    queries.listEnding(db, organizationId, { from: today, to: daysAfter(today, ENDING_DAYS) }, locationId),
    queries.listEnding(db, organizationId, { to: daysAfter(today, -1) }, locationId),
    listOwing(db, organizationId, { today, limit: queries.MOST_TO_DO, locationId }),
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
    owes,
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
  const effort = unboundedEffort();
  const credits = new Map<string, number | undefined>();
  for (const { entitlements } of contracts.values()) {
    for (const { id, remainingCredits } of entitlements) credits.set(id, remainingCredits);
    if (effort.isDue) await effort.pause();
  }
  const choices: CoverageAnswer["choices"] = [];
  for (const { contractId, entitlementId, type } of draws) {
    const endDate = contracts.get(contractId)?.endDate;
    const remainingCredits = credits.get(entitlementId);
    choices.push({
      contractId,
      entitlementId,
      planName: planName(contractId),
      type,
      ...(remainingCredits !== undefined && { remainingCredits }),
      ...(endDate !== undefined && { endDate }),
    });
    if (choices.length % 100 === 0 && effort.isDue) await effort.pause();
  }
  const others: CoverageAnswer["reasons"] = [];
  for (const reason of reasons) {
    others.push({ ...reason, planName: planName(reason.contractId) });
    if (others.length % 100 === 0 && effort.isDue) await effort.pause();
  }
  const [first] = choices;
  return {
    covered: first !== undefined,
    ...(first && { contractId: first.contractId, entitlementId: first.entitlementId }),
    choices,
    reasons: others,
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

async function rostersOf(desk: Desk, shown: readonly ShownSession[]): Promise<Today["sessions"]> {
  const { db, organizationId, now, settings } = desk;
  const reader = { now, today: dateIn(desk.timezone, now), isTeacher: desk.actor.role === "teacher" };
  const effort = unboundedEffort();
  const resources = await listResourceNames(db, organizationId);
  const bookingsOf = new Map<string, queries.RosterBooking[]>();
  const linesOf = new Map<string, queries.NamedWaiting[]>();
  const ids = shown.flatMap(({ session }) => session.id ?? []);
  for (let from = 0; from < ids.length; from += ROSTERS_AT_ONCE) {
    const some = ids.slice(from, from + ROSTERS_AT_ONCE);
    const [bookings, lines] = await Promise.all([
      queries.listRoster(db, organizationId, some, reader),
      queries.listNamedLines(db, organizationId, some, instantText(now)),
    ]);
    groupBySession(bookings, bookingsOf);
    groupBySession(lines, linesOf);
    await effort.pause();
  }
  const rosters: Today["sessions"] = [];
  for (const { session, day } of shown) {
    const own = bookingsOf.get(session.id ?? "") ?? [];
    const seated = own.filter(({ endedAt }) => endedAt === undefined).length;
    const startAt = Date.parse(session.startAt);
    const { resourceIds } = session;
    rosters.push({
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
    });
    if (effort.isDue) await effort.pause();
  }
  return rosters;
}

/** The people of so many sessions are read by one statement. */
const ROSTERS_AT_ONCE = 50;

/** In the order they come in. */
function groupBySession<Entry extends { readonly sessionId: string }>(
  entries: readonly Entry[],
  groups: Map<string, Entry[]>,
): void {
  for (const entry of entries) {
    const group = groups.get(entry.sessionId);
    if (group) group.push(entry);
    else groups.set(entry.sessionId, [entry]);
  }
}
