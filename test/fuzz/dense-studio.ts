import { formatWallClock, MS_PER_DAY, MS_PER_MINUTE } from "../../src/core/dates.ts";
import { openSlots } from "../../src/domain/recurrence/expand.ts";
import { compileTexts, planSchedule } from "../../src/domain/recurrence/schedule.ts";
import { findZone } from "../../src/domain/recurrence/zones.ts";
import type { TestSchedule, TestSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import type { Random } from "./calendar.ts";

/** A place where classes are held. */
export interface StudioPlace {
  readonly locationId: string;
  readonly timezone: string;
}

type FullSchedule = Required<Omit<TestSchedule, "rrule" | "resourceIds">> & Pick<TestSchedule, "rrule">;
type FullSession = TestSession & { readonly id: string };

/** A random timetable: some rules are quiet for half a year before others crowd, and some sessions are stored. */
export function makeStudio(
  random: Random,
  size: number,
  places: readonly StudioPlace[],
  serviceTypeIds: readonly string[],
): { schedules: FullSchedule[]; sessions: FullSession[] } {
  const schedules: FullSchedule[] = [];
  while (schedules.length < size) {
    const schedule = makeSchedule(random, random.of(places), random.of(serviceTypeIds));
    const zone = findZone(schedule.timezone);
    // A start that its rule does not have, as random rules often have.
    if (zone && planSchedule(schedule, zone).span) schedules.push(schedule);
  }
  const sessions = Array.from({ length: random.from(0, Math.min(3 * size, 250)) }, () =>
    makeSession(random, schedules, places, serviceTypeIds),
  );
  // Two sessions for one slot cannot be stored.
  const bySlot = new Map(sessions.map((one) => [`${one.scheduleId ?? one.id} ${one.originalStart}`, one]));
  return { schedules, sessions: [...bySlot.values()] };
}

/** The year that is looked at begins with it. */
export const YEAR_MS = Date.UTC(2026, 0, 1);

function makeSchedule(
  random: Random,
  { locationId, timezone }: StudioPlace,
  serviceTypeId: string,
): FullSchedule {
  // Before the year, at its beginning, or after a quiet half of it.
  const day = random.of([-400, -30, 0, 0, 5, 182, 183, 200, 300]) + random.from(0, 6);
  const minute = random.of([0, 30, 7, 59, 90, 150]) + 60 * random.from(0, 20);
  const startMs = YEAR_MS + day * MS_PER_DAY + minute * MS_PER_MINUTE;
  const start = formatWallClock(startMs);
  const near = () => formatWallClock(startMs + random.from(0, 300) * MS_PER_DAY);
  const rrule = random.chance(0.05) ? undefined : makeRuleFrom(random, startMs);
  return {
    id: newId(),
    locationId,
    timezone,
    serviceTypeId,
    start,
    ...(rrule !== undefined && { rrule }),
    durationMinutes: random.of([1, 30, 50, 60, 1440]),
    capacity: random.from(0, 30),
    exdates: [...new Set(Array.from({ length: random.from(0, 4) }, near))],
    rdates: random.chance(0.2) ? [near()] : [],
  };
}

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** Of any frequency, and with the start as its first slot. */
export function makeRuleFrom(random: Random, startMs: number): string {
  const weekday = WEEKDAYS[(new Date(startMs).getUTCDay() + 6) % 7] as string;
  const at = new Date(startMs);
  const days = [...new Set([weekday, random.of(WEEKDAYS), random.of(WEEKDAYS)])].join();
  const [hour, minute] = [at.getUTCHours(), at.getUTCMinutes()];
  const hours = `BYHOUR=${[...new Set([hour, random.from(0, 23), random.from(0, 23)])].join()}`;
  const rules = [
    "FREQ=DAILY",
    `FREQ=DAILY;INTERVAL=${random.from(2, 9)}`,
    `FREQ=DAILY;${hours}`,
    `FREQ=DAILY;BYMINUTE=${[...new Set([minute, random.from(0, 59)])].join()};${hours}`,
    `FREQ=DAILY;BYMONTH=${[at.getUTCMonth() + 1, random.from(1, 12)].join()}`,
    "FREQ=WEEKLY",
    "FREQ=WEEKLY",
    `FREQ=WEEKLY;BYDAY=${days}`,
    `FREQ=WEEKLY;INTERVAL=2;BYDAY=${days};WKST=${random.of(WEEKDAYS)}`,
    `FREQ=WEEKLY;BYDAY=${days};BYSETPOS=1,-1`,
    "FREQ=MONTHLY",
    `FREQ=MONTHLY;BYDAY=${weekday}`,
    `FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=${at.getUTCDate()},-1`,
    `FREQ=MONTHLY;BYMONTHDAY=${at.getUTCDate()},-1`,
    "FREQ=YEARLY",
    `FREQ=YEARLY;BYMONTH=${at.getUTCMonth() + 1};BYDAY=${weekday}`,
    `FREQ=YEARLY;BYDAY=${days}`,
  ];
  const ends = ["", "", "", `;COUNT=${random.from(1, 400)}`, ";UNTIL=20260915", ";UNTIL=20261101T120000Z"];
  return random.of(rules) + random.of(ends);
}

/** A session that stands for a slot, at its time or moved, or one of its own. */
function makeSession(
  random: Random,
  schedules: readonly FullSchedule[],
  places: readonly StudioPlace[],
  serviceTypeIds: readonly string[],
): FullSession {
  const status = random.of(["scheduled", "scheduled", "cancelled"] as const);
  const moved = () =>
    formatWallClock(YEAR_MS + random.from(-3, 370) * MS_PER_DAY + random.from(0, 1439) * MS_PER_MINUTE);
  const single = { id: newId(), ...random.of(places), serviceTypeId: random.of(serviceTypeIds), status };
  if (random.chance(0.2)) return { ...single, start: moved() };
  const { id, timezone, locationId, serviceTypeId, ...schedule } = random.of(schedules);
  const fromMs = YEAR_MS + random.from(-2, 360) * MS_PER_DAY;
  const cursor = openSlots(compileTexts(schedule, timezone), fromMs, fromMs + 40 * MS_PER_DAY);
  if (!cursor.next()) return { ...single, start: moved() };
  const originalStart = formatWallClock(cursor.wallMs);
  const slot = { id: newId(), scheduleId: id, originalStart, status };
  if (random.chance(0.5)) return { ...slot, timezone, locationId, serviceTypeId, start: originalStart };
  return { ...slot, ...random.of(places), serviceTypeId, start: moved() };
}
