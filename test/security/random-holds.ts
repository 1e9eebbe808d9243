import { formatWallClock, MS_PER_DAY } from "../../src/core/dates.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import type { Database } from "../../src/db/database.ts";
import { makeAnyRule, Random } from "../fuzz/calendar.ts";
import { makeRuleFrom, makeStudio, YEAR_MS } from "../fuzz/dense-studio.ts";
import { newId } from "../support/ids.ts";
import type { Target } from "../support/target.ts";
import { type Hold, HoldMeter, type HuntedRequest } from "./loop-holds.ts";

/** One random timetable after the other, read and changed in random ways, until the time is over. */
export async function soakHolds(
  target: Target,
  db: Database,
  { seconds, seed, onHold }: { seconds: number; seed: number; onHold: (hold: Hold) => void },
): Promise<void> {
  const random = new Random(seed);
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const studio = await target.newStudio();
    const ids = await importTimetable(random, db, studio.organizationId);
    const meter = await HoldMeter.open(target, db, studio);
    for (let turn = 0; turn < 60 && performance.now() < until; turn++) {
      onHold(await meter.measure(makeRequest(random, ids)));
    }
  }
}

interface TimetableIds {
  readonly locationId: string;
  readonly serviceTypeId: string;
  readonly scheduleIds: readonly string[];
}

async function importTimetable(random: Random, db: Database, organizationId: string): Promise<TimetableIds> {
  const places = ["America/Sao_Paulo", "Europe/London", "Pacific/Chatham"].map((timezone) => ({
    locationId: newId(),
    timezone,
  }));
  const serviceTypeIds = [newId(), newId()];
  const size = random.of([1, 10, 50, 150, 350, 500]);
  const { schedules, sessions } = makeStudio(random, size, places, serviceTypeIds);
  const records = [
    ...places.map(({ locationId, timezone }) => ({
      kind: "location",
      id: locationId,
      name: timezone,
      timezone,
      status: "active",
    })),
    ...serviceTypeIds.map((id) => ({
      kind: "serviceType",
      id,
      name: "Yoga",
      holdsResource: false,
      status: "active",
    })),
    ...schedules.map(({ timezone: _, ...schedule }) => ({ kind: "schedule", ...schedule })),
    ...sessions.map(({ timezone: _, ...session }) => ({
      kind: "session",
      durationMinutes: 60,
      capacity: 9,
      bookedCount: 0,
      ...session,
    })),
  ];
  await importRecords(db, records, { organizationId, actor: "test" });
  return {
    locationId: places[0]?.locationId ?? "",
    serviceTypeId: serviceTypeIds[0] ?? "",
    scheduleIds: schedules.map(({ id }) => id),
  };
}

const FILES = ["application/json", "text/csv", "application/x-ndjson"] as const;

function makeRequest(random: Random, ids: TimetableIds): HuntedRequest {
  const from = YEAR_MS + random.from(-30, 360) * MS_PER_DAY + random.from(0, 1_440) * 60_000;
  const start = formatWallClock(from);
  const end = random.of(["", "", `;COUNT=${10 ** random.from(0, 9)}`, ";UNTIL=20991231"]);
  const rrule = random.chance(0.3) ? makeAnyRule(random) + end : makeRuleFrom(random, from);
  const locationId = random.chance(0.3) ? { locationId: ids.locationId } : {};
  const read = (path: string, query: Readonly<Record<string, string>>, accept?: string): HuntedRequest => ({
    operation: `GET ${path}`,
    input: `${new URLSearchParams(query)} ${accept ?? ""}`,
    method: "GET",
    path: `${path}?${new URLSearchParams(query)}`,
    ...(accept !== undefined && { accept }),
  });
  const write = (operation: string, body: object): HuntedRequest => ({
    operation,
    input: JSON.stringify(body),
    method: "POST",
    path: `/app/v1/${operation}`,
    body,
  });
  const days = random.of([1, 7, 31, 366]);
  const window = {
    from: new Date(from).toISOString(),
    to: new Date(from + days * MS_PER_DAY).toISOString(),
    ...locationId,
  };
  const series = {
    serviceTypeId: ids.serviceTypeId,
    locationId: ids.locationId,
    durationMinutes: 60,
    capacity: 9,
  };
  return random.of<() => HuntedRequest>([
    () => read("/v1/calendar", window, random.of(FILES)),
    () => read("/app/v1/calendar", window),
    () => read("/app/v1/today", locationId),
    () => read("/app/v1/slots", { start, rrule, locationId: ids.locationId, limit: "50" }),
    () => write("addSchedule", { ...series, start, rrule, dryRun: random.chance(0.7) }),
    () =>
      write("editSchedule", {
        scheduleId: random.of(ids.scheduleIds),
        changes: random.of([{ capacity: 3 }, { rrule }, { start }, { start, rrule }]),
        keepBooked: true,
        dryRun: random.chance(0.7),
      }),
    () =>
      write("closeDays", {
        locationId: ids.locationId,
        firstDay: dateAfter(random.from(0, 20)),
        lastDay: dateAfter(random.from(20, 40)),
        reason: "Holiday",
        cancelBooked: true,
        dryRun: true,
      }),
  ])();
}

function dateAfter(days: number): string {
  return new Date(Date.now() + days * MS_PER_DAY).toISOString().slice(0, 10);
}
