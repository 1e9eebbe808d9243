import {
  calendarDateOf,
  daysAfter,
  daysBefore,
  formatWallClock,
  MS_PER_DAY,
  MS_PER_MINUTE,
} from "../../core/dates.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { listSlots } from "../../domain/recurrence/expand.ts";
import { compileTexts, planSchedule } from "../../domain/recurrence/schedule.ts";
import { findZone } from "../../domain/recurrence/zones.ts";
import { EXAMPLE_RESOURCE } from "../../domain/resources/schema.ts";
import type { RecordOf } from "../bundle/schema.ts";
import { type Catalog, idOf, MOEMA, VILA_MADALENA } from "./catalog.ts";
import { type Chance, newChance } from "./chance.ts";
import { instantOn } from "./days.ts";
import { TIMETABLE, type TimetableEntry, WORKSHOPS } from "./timetable.ts";

export type DemoSchedule = RecordOf<"schedule"> & { id: string };
export type DemoSession = RecordOf<"session"> & { id: string };
export type DemoResource = RecordOf<"resource"> & { id: string };

/** How far around today slots have been booked, cancelled or moved. */
const AROUND_DAYS = 14;
/** How far exception dates reach into the future. */
const HOLIDAYS_AHEAD_DAYS = 120;
/** Brazil's holidays that have a fixed date. */
const HOLIDAYS = new Set(["01-01", "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "11-20", "12-25"]);

/** The timetable, and what became of its slots around today. */
export function demoCalendar(
  chance: Chance,
  today: string,
  catalog: Catalog,
): { resources: DemoResource[]; schedules: DemoSchedule[]; sessions: DemoSession[] } {
  const staff = demoStaff(chance, today, catalog);
  const drafts = TIMETABLE.map((entry, index) => {
    const drawn = layOut(chance, today, catalog, staff, entry);
    return { entry, schedule: index === 0 ? { ...drawn, id: EXAMPLE_IDS.schedule } : drawn };
  });
  const booked = drafts.flatMap(({ entry, schedule }) =>
    drawSessions(chance, today, catalog, staff, entry, schedule),
  );
  const workshops = WORKSHOPS.map(({ inDays, time, minutes, seats, booked: bookedCount, ...workshop }) => ({
    id: chance.id(Date.parse(instantOn(chance, daysBefore(today, chance.between(20, 40))))),
    serviceTypeId: idOf(catalog.serviceTypes, workshop.type),
    locationId: idOf(catalog.locations, workshop.at),
    resourceIds: [staff.room(workshop.at, 0)],
    start: `${daysAfter(today, inDays)}T${time}`,
    durationMinutes: minutes,
    capacity: seats,
    bookedCount,
    status: workshop.cancelled ? ("cancelled" as const) : ("scheduled" as const),
  }));
  return {
    resources: staff.resources,
    schedules: drafts.map(({ schedule }) => schedule),
    sessions: [...booked, ...workshops],
  };
}

/** Who and what runs the sessions. */
interface Instructors {
  instructor(number: number): string;
  room(location: string, number: number): string;
  readonly resources: DemoResource[];
}

const INSTRUCTORS = [
  EXAMPLE_RESOURCE.name,
  "Tiago Brandão",
  "Luísa Campelo",
  "Renato Figueira",
  "Sofia Amaral",
  "Bruno Cardoso",
  "Yara Monteiro",
  "Otávio Lemos",
  "Clara Vidal",
];
const ROOMS = ["Sala 1", "Sala 2"];
/** Nothing on the timetable needs them: one that is booked by hand, one that is gone. */
const OTHER_RESOURCES = [
  { name: "Reformer da Vila Madalena", type: "equipment", status: "active" },
  { name: "Paula Antunes", type: "person", status: "archived" },
] as const;

function demoStaff(chance: Chance, today: string, { locations }: Catalog): Instructors {
  // Drawn apart, so that the rest of the studio stays as it was.
  const aside = newChance("other resources");
  const newResource = () => chance.id(Date.parse(instantOn(chance, daysBefore(today, 390))));
  const instructors = INSTRUCTORS.map(newResource);
  const rooms = new Map(locations.map(({ name }) => [name, ROOMS.map(newResource)] as const));
  // Those of the published examples.
  instructors[0] = EXAMPLE_IDS.instructor;
  rooms.get(VILA_MADALENA)?.splice(0, 1, EXAMPLE_IDS.room);
  return {
    instructor: (number) => instructors[number % INSTRUCTORS.length] ?? "",
    room: (location, number) => rooms.get(location)?.[number % ROOMS.length] ?? "",
    resources: [
      ...instructors.map((id, index) => ({
        id,
        name: INSTRUCTORS[index] ?? id,
        type: "person" as const,
        status: "active" as const,
      })),
      ...[...rooms].flatMap(([location, ids]) =>
        ids.map((id, index) => ({
          id,
          name: `${ROOMS[index]}, ${location}`,
          type: "room" as const,
          status: "active" as const,
        })),
      ),
      ...OTHER_RESOURCES.map((resource) => ({
        id: aside.id(Date.parse(daysBefore(today, 390))),
        ...resource,
      })),
    ],
  };
}

function layOut(
  chance: Chance,
  today: string,
  catalog: Catalog,
  staff: Instructors,
  entry: TimetableEntry,
): DemoSchedule {
  const begin = daysBefore(today, 7 * entry.weeksAgo);
  const rrule = ruleOf(entry, today);
  const start = firstStart(begin, entry, rrule, zoneNameOf(catalog, entry.at));
  const texts = { start, ...(rrule !== undefined && { rrule }) };
  const zoneName = zoneNameOf(catalog, entry.at);
  const exdates = entry.restsOnHolidays ? holidaySlots(texts, zoneName, today) : [];
  const rdates = (entry.extra ?? []).map(({ inDays, time }) => `${daysAfter(today, inDays)}T${time}`);
  return {
    id: chance.id(Date.parse(instantOn(chance, daysBefore(begin, 10)))),
    serviceTypeId: idOf(catalog.serviceTypes, entry.type),
    locationId: idOf(catalog.locations, entry.at),
    resourceIds: [staff.instructor(entry.instructor), staff.room(entry.at, entry.room ?? 0)].sort(),
    ...texts,
    durationMinutes: entry.minutes,
    ...(exdates.length > 0 && { exdates }),
    ...(rdates.length > 0 && { rdates }),
    capacity: entry.seats,
  };
}

function ruleOf({ rule, endsInDays, endsAt }: TimetableEntry, today: string): string | undefined {
  if (rule === undefined || endsInDays === undefined) return rule;
  return `${rule};UNTIL=${daysAfter(today, endsInDays).replaceAll("-", "")}${endsAt ?? ""}`;
}

/** The first day from `begin` on that its own rule produces. */
function firstStart(
  begin: string,
  entry: TimetableEntry,
  rrule: string | undefined,
  zoneName: string,
): string {
  const zone = findZone(zoneName);
  for (let day = 0; zone && day < 366; day++) {
    const start = `${daysAfter(begin, day)}T${entry.time}`;
    if (planSchedule({ start, rrule }, zone).span) return start;
  }
  throw new Error(`the demo's rule ${rrule} has no occurrence within a year`);
}

function holidaySlots(texts: { start: string; rrule?: string }, zoneName: string, today: string): string[] {
  const toMs = Date.parse(daysAfter(today, HOLIDAYS_AHEAD_DAYS));
  return listSlots(compileTexts(texts, zoneName), Date.parse(texts.start.slice(0, 10)), toMs)
    .map(({ wallMs }) => formatWallClock(wallMs))
    .filter((wall) => HOLIDAYS.has(wall.slice(5, 10)));
}

function drawSessions(
  chance: Chance,
  today: string,
  catalog: Catalog,
  staff: Instructors,
  entry: TimetableEntry,
  schedule: DemoSchedule,
): DemoSession[] {
  const [fromDays, toDays] = entry.bookedDays ?? [-AROUND_DAYS, AROUND_DAYS];
  const fromMs = Date.parse(daysAfter(today, fromDays));
  const toMs = Date.parse(daysAfter(today, toDays));
  const slots = listSlots(compileTexts(schedule, zoneNameOf(catalog, entry.at)), fromMs, toMs);
  const next = slots.find(({ wallMs }) => wallMs >= Date.parse(today));
  return slots.flatMap((slot) => {
    const { wallMs } = slot;
    if (schedule.id === EXAMPLE_IDS.schedule && slot === next) return [exampleSession(schedule, wallMs)];
    const daysAhead = (wallMs - Date.parse(today)) / MS_PER_DAY;
    // The further off, the fewer have booked; what nobody touched stays a slot of its schedule.
    if (!chance.odds(daysAhead < 0 ? 0.92 : Math.max(0.15, 0.85 - daysAhead * 0.06))) return [];
    return [drawSession(chance, today, catalog, staff, entry, schedule, wallMs)];
  });
}

/** The session of the published examples: the next one of its schedule, well booked and where it belongs. */
function exampleSession(schedule: DemoSchedule, wallMs: number): DemoSession {
  const { serviceTypeId, locationId, resourceIds, durationMinutes, capacity } = schedule;
  const start = formatWallClock(wallMs);
  return {
    id: EXAMPLE_IDS.session,
    scheduleId: schedule.id,
    originalStart: start,
    serviceTypeId,
    locationId,
    ...(resourceIds && { resourceIds }),
    start,
    durationMinutes,
    capacity,
    bookedCount: 9,
    status: "scheduled",
  };
}

function drawSession(
  chance: Chance,
  today: string,
  catalog: Catalog,
  staff: Instructors,
  entry: TimetableEntry,
  schedule: DemoSchedule,
  wallMs: number,
): DemoSession {
  const yesterdayMs = Date.parse(today) - MS_PER_DAY;
  const touchedMs = Math.min(wallMs - chance.between(1, 9) * MS_PER_DAY, yesterdayMs);
  const fate = chance.weighted<"held" | "cancelled" | "later" | "elsewhere" | "substitute">([
    ["held", 80],
    ["cancelled", 6],
    ["later", 8],
    ["elsewhere", 3],
    ["substitute", 3],
  ]);
  const sister = SISTERS.get(entry.at);
  const at = fate === "elsewhere" && sister !== undefined ? sister : entry.at;
  const instructor = fate === "substitute" ? entry.instructor + 1 : entry.instructor;
  const delayMs = fate === "later" ? chance.pick([30, 60, 90, 24 * 60]) * MS_PER_MINUTE : 0;
  return {
    id: chance.id(Date.parse(instantOn(chance, calendarDateOf(touchedMs)))),
    scheduleId: schedule.id,
    originalStart: formatWallClock(wallMs),
    serviceTypeId: schedule.serviceTypeId,
    locationId: idOf(catalog.locations, at),
    resourceIds: [staff.instructor(instructor), staff.room(at, entry.room ?? 0)].sort(),
    start: formatWallClock(wallMs + delayMs),
    durationMinutes: schedule.durationMinutes,
    capacity: schedule.capacity,
    bookedCount: fate === "cancelled" ? 0 : Math.ceil(schedule.capacity * chance.fraction()),
    status: fate === "cancelled" ? "cancelled" : "scheduled",
  };
}

/** Locations near enough to each other for a class to move there. */
const SISTERS: ReadonlyMap<string, string> = new Map([
  [VILA_MADALENA, MOEMA],
  [MOEMA, VILA_MADALENA],
]);

function zoneNameOf({ locations }: Catalog, name: string): string {
  return locations.find((location) => location.name === name)?.timezone ?? "";
}
