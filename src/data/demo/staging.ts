import {
  daysAfter,
  formatWallClock,
  MS_PER_DAY,
  MS_PER_HOUR,
  MS_PER_MINUTE,
  parseWallClock,
} from "../../core/dates.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { listSlots } from "../../domain/recurrence/expand.ts";
import { compileTexts } from "../../domain/recurrence/schedule.ts";
import { findZone, wallToInstant } from "../../domain/recurrence/zones.ts";
import type { DemoResource, DemoSchedule, DemoSession } from "./calendar.ts";
import { type Catalog, idOf, MOEMA, VILA_MADALENA } from "./catalog.ts";
import { type Chance, newChance } from "./chance.ts";

/** What somebody who opens the demo should find around today, whatever the day of the week and the hour. */

/** What is shown by one session: `full` has a line, and in `promoted` somebody from the line got a seat. */
export type Scene = "full" | "promoted" | "empty" | "cancelled" | "substitute" | "moved";

export interface StagedSession extends DemoSession {
  /** Its date on the clock of its location. */
  readonly day: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Whether it is at another time or place than its schedule has it. */
  readonly isMoved: boolean;
  readonly scene?: Scene;
}

export interface DemoCalendar {
  readonly resources: readonly DemoResource[];
  readonly schedules: readonly DemoSchedule[];
  readonly sessions: readonly DemoSession[];
}

/** The sessions of the demo, with today complete and the scenes set. */
export function stageSessions(
  seed: string,
  today: string,
  now: number,
  catalog: Catalog,
  calendar: DemoCalendar,
): StagedSession[] {
  // Drawn apart, so that the rest of the studio stays as it was.
  const chance = newChance(`${seed} today`);
  const schedules = new Map(calendar.schedules.map((schedule) => [schedule.id, schedule]));
  const timed = (session: DemoSession): StagedSession => {
    const startMs = instantOf(catalog, session.locationId, session.start);
    const { originalStart = session.start, locationId } = session;
    const usualPlace = schedules.get(session.scheduleId ?? "")?.locationId ?? locationId;
    return {
      ...session,
      isMoved: originalStart !== session.start || usualPlace !== locationId,
      day: session.start.slice(0, today.length),
      startMs,
      endMs: startMs + session.durationMinutes * MS_PER_MINUTE,
    };
  };
  const known = [...calendar.sessions, ...storeSlots(chance, today, catalog, calendar)].map(timed);
  const missing = isQuiet(known, today, catalog) ? drawExtraClasses(chance, today, catalog, calendar) : [];
  return setScenes(chance, today, now, catalog, calendar, [...known, ...missing.map(timed)]);
}

/** Everything of today that is still a bare slot of a class gets its session. */
function storeSlots(
  chance: Chance,
  today: string,
  catalog: Catalog,
  { schedules, sessions }: DemoCalendar,
): DemoSession[] {
  const stored = new Set(
    sessions.map(({ scheduleId = "", originalStart = "" }) => `${scheduleId} ${originalStart}`),
  );
  const todayMs = Date.parse(today);
  return schedules
    .filter((schedule) => isClass(catalog, schedule))
    .flatMap((schedule) =>
      listSlots(
        compileTexts(schedule, zoneOf(catalog, schedule.locationId)),
        todayMs,
        todayMs + 2 * MS_PER_DAY,
      )
        .map(({ wallMs }) => formatWallClock(wallMs))
        .filter((wall) => wall.startsWith(today) && !stored.has(`${schedule.id} ${wall}`))
        .map((wall) => ({
          id: chance.id(todayMs - chance.between(1, 5 * MS_PER_DAY)),
          scheduleId: schedule.id,
          originalStart: wall,
          serviceTypeId: schedule.serviceTypeId,
          locationId: schedule.locationId,
          ...(schedule.resourceIds && { resourceIds: schedule.resourceIds }),
          start: wall,
          durationMinutes: schedule.durationMinutes,
          capacity: schedule.capacity,
          bookedCount: Math.ceil(schedule.capacity * (0.2 + 0.6 * chance.fraction())),
          status: "scheduled" as const,
        })),
    );
}

/** With fewer classes than this, as on Sundays and holidays, today has classes of no schedule. */
const ENOUGH_CLASSES = 8;

function isQuiet(sessions: readonly StagedSession[], today: string, catalog: Catalog): boolean {
  const classes = sessions.filter(
    (session) => session.day === today && session.status === "scheduled" && isClass(catalog, session),
  );
  return classes.length < ENOUGH_CLASSES;
}

const EXTRA_CLASSES = [
  { type: "Hatha yoga", at: VILA_MADALENA, time: "08:30", minutes: 60, seats: 14, with: "Sofia Amaral" },
  { type: "Pilates solo", at: MOEMA, time: "11:30", minutes: 50, seats: 12, with: "Tiago Brandão" },
  { type: "Alongamento", at: VILA_MADALENA, time: "14:30", minutes: 45, seats: 16, with: "Yara Monteiro" },
  { type: "Treino funcional", at: MOEMA, time: "16:15", minutes: 50, seats: 12, with: "Bruno Cardoso" },
  { type: "Vinyasa yoga", at: VILA_MADALENA, time: "18:15", minutes: 75, seats: 14, with: "Sofia Amaral" },
  { type: "Pilates solo", at: VILA_MADALENA, time: "20:00", minutes: 50, seats: 12, with: "Tiago Brandão" },
] as const;

function drawExtraClasses(
  chance: Chance,
  today: string,
  catalog: Catalog,
  { resources }: DemoCalendar,
): DemoSession[] {
  return EXTRA_CLASSES.map(({ type, at, time, minutes, seats, with: instructor }) => ({
    id: chance.id(Date.parse(today) - chance.between(8, 12) * MS_PER_DAY),
    serviceTypeId: idOf(catalog.serviceTypes, type),
    locationId: idOf(catalog.locations, at),
    resourceIds: [idOf(resources, instructor), idOf(resources, `Sala 1, ${at}`)].sort(),
    start: `${today}T${time}`,
    durationMinutes: minutes,
    capacity: seats,
    bookedCount: Math.ceil(seats * (0.3 + 0.5 * chance.fraction())),
    status: "scheduled" as const,
  }));
}

function setScenes(
  chance: Chance,
  today: string,
  now: number,
  catalog: Catalog,
  { resources }: DemoCalendar,
  sessions: readonly StagedSession[],
): StagedSession[] {
  const staged = new Map(sessions.map((session) => [session.id, session]));
  const free = (session: StagedSession) =>
    staged.get(session.id)?.scene === undefined &&
    session.id !== EXAMPLE_IDS.session &&
    session.status === "scheduled" &&
    !session.isMoved &&
    // Of a size that a line can be seen for.
    session.capacity > 4 &&
    session.capacity <= 16 &&
    isClass(catalog, session) &&
    zoneOf(catalog, session.locationId) === "America/Sao_Paulo";
  const byStart = [...sessions].sort(
    (one, other) => one.startMs - other.startMs || (one.id < other.id ? -1 : 1),
  );
  const startingIn = (fromHours: number, toHours: number) =>
    byStart.filter(
      (session) =>
        free(session) &&
        session.startMs > now + fromHours * MS_PER_HOUR &&
        session.startMs <= now + toHours * MS_PER_HOUR,
    );
  const set = (session: StagedSession | undefined, scene: Scene, changes: Partial<DemoSession>) => {
    if (session) staged.set(session.id, { ...session, ...changes, scene });
  };

  // One that starts in a while, so that a cancellation still moves the line; late in the evening it is tomorrow's.
  const ahead = [...startingIn(4, 24), ...startingIn(0.25, 4)].filter(({ day }) => day === today);
  const lined = ahead[0] ?? startingIn(4, 72)[0];
  set(lined, "full", { bookedCount: lined?.capacity ?? 0 });
  const [promoted] = startingIn(20, 72);
  set(promoted, "promoted", { bookedCount: promoted?.capacity ?? 0 });
  const evening = byStart.filter((session) => free(session) && session.day === today).at(-1);
  set(evening, "empty", { bookedCount: 1 });
  set(startingIn(6, 96)[0], "cancelled", { bookedCount: 0, status: "cancelled" });
  const taught = startingIn(1, 96).find(({ scheduleId }) => scheduleId !== undefined);
  set(taught, "substitute", { resourceIds: withSubstitute(chance, resources, taught?.resourceIds ?? []) });
  const moving = startingIn(12, 120).find(({ scheduleId }) => scheduleId !== undefined);
  if (moving) {
    const startMs = moving.startMs + 30 * MS_PER_MINUTE;
    const wallMs = (parseWallClock(moving.start) ?? 0) + 30 * MS_PER_MINUTE;
    const moved = { ...moving, isMoved: true, startMs, endMs: moving.endMs + 30 * MS_PER_MINUTE };
    set(moved, "moved", { start: formatWallClock(wallMs), bookedCount: Math.max(moving.bookedCount, 3) });
  }
  return sessions.map((session) => staged.get(session.id) ?? session);
}

/** The same room with somebody else who works here. */
function withSubstitute(
  chance: Chance,
  resources: readonly DemoResource[],
  resourceIds: readonly string[],
): string[] {
  const rooms = resourceIds.filter((id) =>
    resources.some((resource) => resource.id === id && resource.type === "room"),
  );
  const others = resources.filter(
    ({ id, type, status }) => type === "person" && status === "active" && !resourceIds.includes(id),
  );
  return [chance.pick(others).id, ...rooms].sort();
}

function isClass({ serviceTypes }: Catalog, { serviceTypeId }: { serviceTypeId: string }): boolean {
  return serviceTypes.some(
    ({ id, holdsResource, status }) => id === serviceTypeId && !holdsResource && status === "active",
  );
}

/** The window in which people have names. */
export function isInFortnight({ day }: Pick<StagedSession, "day">, today: string): boolean {
  return daysAfter(today, -7) <= day && day <= daysAfter(today, 7);
}

function zoneOf({ locations }: Catalog, locationId: string): string {
  return locations.find(({ id }) => id === locationId)?.timezone ?? "";
}

function instantOf(catalog: Catalog, locationId: string, start: string): number {
  const zone = findZone(zoneOf(catalog, locationId));
  const wallMs = parseWallClock(start);
  if (!zone || wallMs === undefined) throw new Error(`the demo's session at ${start} has no instant`);
  return wallToInstant(zone, wallMs);
}
