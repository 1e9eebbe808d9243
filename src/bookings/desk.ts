import { listSlots } from "../calendar/expand.ts";
import { compileTexts } from "../calendar/schedule.ts";
import type { Session, SessionName } from "../calendar/schema.ts";
import { findSlot } from "../calendar/slot-names.ts";
import { dateIn, dayStart } from "../calendar/zones.ts";
import { instantText } from "../core/clock.ts";
import { calendarDateOf, daysAfter, formatWallClock, parseWallClock } from "../core/dates.ts";
import { refusal } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import type { Coverage, WeekStart } from "./coverage.ts";
import * as queries from "./desk-queries.ts";
import { recordClosesAt } from "./rules.ts";
import type { Roster, Today, Todo } from "./schema.ts";
import { readCoverage } from "./seating.ts";

/** What the front desk looks at. Nothing is stored: a slot that nobody has acted on stays one. */

/** A session, stored or computed. */
interface ShownSession {
  readonly session: Session;
  readonly day: string;
  readonly timezone: string;
}

/** Whose desk it is, and when. */
export interface Desk {
  readonly db: Database;
  readonly organizationId: string;
  readonly timezone: string;
  readonly now: number;
}

export async function readRoster(desk: Desk, name: SessionName): Promise<Roster> {
  const [roster] = await rostersOf(desk, [await findShown(desk, name)]);
  if (!roster) throw new Error("a session has a roster");
  return roster;
}

/** The sessions of a date on their own clocks, with their people. */
export async function readToday(desk: Desk, locationId: string | undefined): Promise<Today> {
  const { db, organizationId } = desk;
  const today = dateIn(desk.timezone, desk.now);
  const [stored, schedules, taken] = await Promise.all([
    queries.listDaySessions(db, organizationId, today, locationId),
    queries.listDaySchedules(db, organizationId, today, locationId),
    queries.listTakenSlots(db, organizationId, today),
  ]);
  const isTaken = new Set(taken.map(({ scheduleId, originalStart }) => `${scheduleId} ${originalStart}`));
  const slots = schedules.flatMap((schedule) => slotsOfDay(schedule, today, isTaken));
  const sessions = [...stored.map(fromStored), ...slots].sort((one, other) =>
    one.session.startAt < other.session.startAt ? -1 : 1,
  );
  return { date: today, sessions: await rostersOf(desk, sessions) };
}

/** What is left to do. */
export async function readTodo({ db, organizationId, timezone: zone, now }: Desk): Promise<Todo> {
  const today = dateIn(zone, now);
  const at = instantText(now);
  const [toTell, uncovered, unmarked, ending, overdue] = await Promise.all([
    queries.listOpenBookings(db, organizationId, "toTell", now),
    queries.listOpenBookings(db, organizationId, "uncovered", now),
    queries.listUnmarked(db, organizationId, at),
    queries.listEnding(db, organizationId, today, daysAfter(today, ENDING_DAYS)),
    queries.listEnding(db, organizationId, undefined, daysAfter(today, -1)),
  ]);
  const open = unmarked.filter(({ start, timezone }) => now < recordClosesAt(dayOf(start), timezone));
  const shown = open.slice(0, MOST).map(({ start, timezone, ...session }) => session);
  return { toTell, uncovered, unmarked: { data: shown, total: open.length }, ending, overdue };
}

const ENDING_DAYS = 14;
const MOST = 200;

/** What would cover a client in a session now. */
export async function findCoverageFor(
  desk: Desk,
  clientId: string,
  name: SessionName,
  weekStart: WeekStart,
): Promise<Coverage> {
  const { db, organizationId } = desk;
  const { session, day } = await findShown(desk, name);
  if (!(await queries.listVisits(db, organizationId, clientId, { limit: 0, offset: 0 }, desk.now)))
    throw refusal("no_client");
  const { locationId, serviceTypeId } = session;
  return readCoverage({ tx: db, organizationId, weekStart }, { day, locationId, serviceTypeId }, clientId);
}

/** The session that is named, as the calendar shows it. */
async function findShown({ db, organizationId }: Desk, name: SessionName): Promise<ShownSession> {
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
  day: string,
  isTaken: ReadonlySet<string>,
): ShownSession[] {
  const compiled = compileTexts(schedule, schedule.timezone);
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
  timezone,
  resourceIds,
  ...session
}: queries.DeskSession): ShownSession {
  return {
    session: {
      ...session,
      // As the calendar has it: what is not there is absent.
      ...(resourceIds?.length ? { resourceIds } : {}),
      startAt,
      endAt: instantText(Date.parse(startAt) + durationMinutes * 60_000),
    },
    day: dayOf(start),
    timezone,
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
      endAt: instantText(instantMs + durationMinutes * 60_000),
      capacity,
      bookedCount: 0,
      status: "scheduled",
    },
    day: dayOf(originalStart),
    timezone: schedule.timezone,
  };
}

async function rostersOf({ db, organizationId, now }: Desk, shown: readonly ShownSession[]) {
  const ids = shown.flatMap(({ session }) => session.id ?? []);
  const [bookings, lines] =
    ids.length === 0
      ? [[], []]
      : await Promise.all([
          queries.listRoster(db, organizationId, ids, now),
          queries.listNamedLines(db, organizationId, ids, instantText(now)),
        ]);
  return shown.map(({ session, day, timezone }) => {
    const own = bookings.filter(({ sessionId }) => sessionId === session.id);
    const seated = own.filter(({ endedAt }) => endedAt === undefined).length;
    return {
      session,
      bookings: own,
      waiting: lines
        .filter(({ sessionId }) => sessionId === session.id)
        .map((waiting, place) => ({ ...waiting, position: place + 1 })),
      unnamed: Math.max(session.bookedCount - seated, 0),
      recordClosesAt: instantText(recordClosesAt(day, timezone)),
    };
  });
}

function dayOf(start: string): string {
  return start.slice(0, "2026-11-16".length);
}
