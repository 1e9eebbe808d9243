import assert from "node:assert/strict";
import { test } from "node:test";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { Random } from "../fuzz/calendar.ts";
import { expectSessions, type OracleSchedule, type OracleSession } from "../fuzz/calendar-oracle.ts";
import { makeStudio, type StudioPlace, YEAR_MS } from "../fuzz/dense-studio.ts";
import { startApi } from "../support/api.ts";
import { addSchedule, addServiceType, addSession } from "../support/calendar.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi({});
const ZONES = ["America/Sao_Paulo", "Europe/London", "Pacific/Chatham"];
const YEAR = [YEAR_MS, YEAR_MS + 366 * MS_PER_DAY] as const;
type Window = readonly [number, number];

interface ShownSession {
  readonly startAt: string;
  readonly endAt: string;
  readonly locationId: string;
  readonly serviceTypeId: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
  readonly id?: string;
}

function lineOf({ startAt, locationId, serviceTypeId, scheduleId = "", id = "" }: ShownSession): string {
  return [startAt, locationId, serviceTypeId, scheduleId, id].join(" ");
}

/** All of it, byte for byte. */
function textOf(session: ShownSession): string {
  return JSON.stringify(session);
}

async function newStudio() {
  const studio = await api.newOrganization({ timezone: ZONES[0] as string });
  const places: StudioPlace[] = [];
  for (const timezone of ZONES)
    places.push({ timezone, locationId: await addLocation(api.db, studio.id, { timezone }) });
  const serviceTypeIds = [
    await addServiceType(api.db, studio.id),
    await addServiceType(api.db, studio.id),
  ] as const;
  const staff = await newStaff(api, studio.id, {});
  const address = ([from, to]: Window) =>
    `calendar?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
  const file = async (window: Window, accept: string) => {
    const answer = await studio.call("GET", `/v1/${address(window)}`, { headers: { accept } });
    assert.equal(answer.status, 200, answer.text.slice(0, 300));
    const lines = answer.text.split("\n").filter((line) => line !== "");
    assert.equal(answer.headers.get("x-total-count"), String(lines.length - (accept === CSV ? 1 : 0)));
    return lines;
  };
  const list = (answer: { status: number; body: { data: ShownSession[]; total: number }; text: string }) => {
    assert.equal(answer.status, 200, answer.text.slice(0, 300));
    assert.equal(answer.body.total, answer.body.data.length);
    return answer.body.data;
  };
  return {
    ...studio,
    places,
    serviceTypeIds,
    json: async (window: Window) => list(await studio.get(`/v1/${address(window)}`)),
    ndjson: async (window: Window) =>
      (await file(window, NDJSON)).map((line) => JSON.parse(line) as ShownSession),
    csv: async (window: Window) => {
      const [head = "", ...rows] = await file(window, CSV);
      const names = head.replace("\uFEFF", "").trim().split(",");
      return rows.map((row) => {
        const cells = row.trim().split(",");
        return Object.fromEntries(names.map((name, place) => [name, cells[place] ?? ""])) as never;
      });
    },
    staff: async (window: Window) => list(await staff.read(address(window))),
  };
}

const CSV = "text/csv";
const NDJSON = "application/x-ndjson";
type Studio = Awaited<ReturnType<typeof newStudio>>;

function* partsOf([from, to]: Window, lengthMs: number): Generator<Window> {
  for (let start = from; start < to; start += lengthMs) yield [start, Math.min(start + lengthMs, to)];
}

/** As an assertion of equal lists of many thousands would: with what differs, and not with all of both. */
function assertSame(actual: readonly string[], expected: readonly string[], what: string): void {
  const first = actual.findIndex((line, place) => line !== expected[place]);
  const [ours, theirs] = [new Set(actual), new Set(expected)];
  const only = (lines: readonly string[], others: ReadonlySet<string>) =>
    lines.filter((line) => !others.has(line)).slice(0, 3);
  assert.ok(
    first < 0 && actual.length === expected.length,
    `${what}: ${actual.length} instead of ${expected.length}, from ${first} on; ` +
      `too many: ${only(actual, theirs)}; missing: ${only(expected, ours)}`,
  );
}

/** Reads a window whole in each form and as its parts. All must say the same, which is returned. */
async function readEveryWay(studio: Studio, window: Window, partsMs: readonly number[]): Promise<string[]> {
  const whole = await studio.json(window);
  const lines = whole.map(lineOf);
  for (const partMs of partsMs) {
    const parts: ShownSession[] = [];
    for (const part of partsOf(window, partMs)) parts.push(...(await studio.json(part)));
    assertSame(parts.map(textOf), whole.map(textOf), `parts of ${partMs} ms`);
  }
  for (const form of ["ndjson", "csv", "staff"] as const)
    assertSame((await studio[form](window)).map(lineOf), lines, form);
  return lines;
}

async function fill(
  studio: Studio,
  schedules: readonly OracleSchedule[],
  sessions: readonly OracleSession[],
) {
  for (const schedule of schedules) await addSchedule(api.db, studio.id, schedule as never);
  for (const session of sessions) await addSession(api.db, studio.id, session as never);
}

const HOUR_MS = 3_600_000;

for (const size of [1, 4, 40, 180, 500]) {
  test(`a year of a random timetable of ${size} schedules is what the rules say, its weeks and its days`, async (t) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = new Random(seed);
    const studio = await newStudio();
    const { schedules, sessions } = makeStudio(random, size, studio.places, studio.serviceTypeIds);
    await fill(studio, schedules, sessions);
    const lines = await readEveryWay(studio, YEAR, [7 * MS_PER_DAY]);
    const monthMs = YEAR_MS + random.from(0, 330) * MS_PER_DAY;
    await readEveryWay(studio, size > 100 ? [monthMs, monthMs + 31 * MS_PER_DAY] : YEAR, [MS_PER_DAY]);
    t.diagnostic(`seed ${seed}: ${lines.length} sessions`);
    assertSame(lines, expectSessions(schedules, sessions, YEAR), `seed ${seed}`);
  });
}

interface Dense {
  readonly name: string;
  readonly schedules: number;
  readonly window: Window;
  readonly parts: readonly number[];
  readonly sessions: number;
  readonly times: (place: number) => { readonly start: string; readonly rrule: string };
}

const two = (value: number) => String(value).padStart(2, "0");
const DENSE: readonly Dense[] = [
  {
    name: "32 courts with 14 slots a day, half of them at half past, after a quiet half year",
    schedules: 32 * 7,
    window: YEAR,
    parts: [7 * MS_PER_DAY],
    sessions: 32 * 14 * 183,
    times: (place) => ({
      start: `2026-07-03T${two(7 + (place % 7) * 2)}:${place % 14 < 7 ? "00" : "30"}`,
      rrule: `FREQ=DAILY;BYHOUR=${7 + (place % 7) * 2},${8 + (place % 7) * 2}`,
    }),
  },
  {
    name: "350 weekly schedules after a quiet half year",
    schedules: 350,
    window: YEAR,
    parts: [7 * MS_PER_DAY],
    sessions: 50 * (3 * 27 + 4 * 26),
    times: (place) => ({
      start: `2026-07-${two(1 + (place % 7))}T${two(Math.floor(place / 7) % 24)}:15`,
      rrule: "FREQ=WEEKLY",
    }),
  },
  {
    name: "110 schedules that repeat every minute",
    schedules: 110,
    window: [Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 1, 6)],
    parts: [HOUR_MS],
    sessions: 110 * 6 * 60,
    times: () => ({
      start: "2026-01-01T00:00",
      rrule: `FREQ=DAILY;BYHOUR=${range(24)};BYMINUTE=${range(60)}`,
    }),
  },
];

function range(end: number): string {
  return Array.from({ length: end }, (_, value) => value).join();
}

for (const dense of DENSE) {
  test(`${dense.name}: a long window has every session once, in every form, as its parts have`, async () => {
    const studio = await newStudio();
    const [place] = studio.places;
    const locationId = await addLocation(api.db, studio.id, { timezone: "UTC" });
    const schedules = Array.from({ length: dense.schedules }, (_, index) => ({
      ...(place as StudioPlace),
      locationId,
      timezone: "UTC",
      id: `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`,
      serviceTypeId: studio.serviceTypeIds[0],
      exdates: [],
      rdates: [],
      ...dense.times(index),
    }));
    await fill(studio, schedules, []);
    const lines = await readEveryWay(studio, dense.window, dense.parts);
    assert.equal(new Set(lines).size, lines.length);
    assertSame(lines, expectSessions(schedules, [], dense.window), dense.name);
    assert.equal(lines.length, dense.sessions);
  });
}
