import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatWallClock, parseWallClock } from "../../core/dates.ts";
import {
  type CompiledSchedule,
  compileSchedule,
  findStartFault,
  lastSlotWall,
  listSlots,
  openSlots,
} from "./expand.ts";
import { parseRule, type Rule } from "./rule.ts";
import { findZone, type Zone } from "./zones.ts";

const DAY = 86_400_000;

test("all 1192 recorded cases hold exactly", () => {
  const lines = readFileSync("test/data/calendar-cases.jsonl", "utf8").trim().split("\n");
  assert.equal(lines.length, 1192);
  for (const line of lines) {
    const one: RecordedCase = JSON.parse(line);
    const schedule = compile(one.timezone, one.start, one.rrule, one.exdates, one.rdates);
    assert.equal(findStartFault(wall(one.start), rule(one.rrule), zone(one.timezone)), undefined, line);
    assert.deepEqual(instants(schedule, one.from, one.to), one.expected, line);
  }
});

interface RecordedCase {
  readonly timezone: string;
  readonly start: string;
  readonly rrule: string;
  readonly exdates: string[];
  readonly rdates: string[];
  readonly from: string;
  readonly to: string;
  readonly expected: string[];
}

/** Zone, start, rule, exception dates, extra dates, and the wall clocks expected in the ten years from the start. */
type WallCase = [string, string, string, string, readonly string[], readonly string[], readonly string[]];

const WALL_CASES: readonly WallCase[] = [
  [
    "29 February comes in leap years alone",
    "UTC",
    "2024-02-29T07:00",
    "FREQ=YEARLY",
    [],
    [],
    ["2024-02-29T07:00", "2028-02-29T07:00", "2032-02-29T07:00"],
  ],
  [
    "29 February and INTERVAL meet every twelfth year",
    "UTC",
    "2024-02-29T07:00",
    "FREQ=YEARLY;INTERVAL=3",
    [],
    [],
    ["2024-02-29T07:00"],
  ],
  [
    "BYMONTHDAY=31 skips the short months",
    "UTC",
    "2026-01-31T07:00",
    "FREQ=MONTHLY;BYMONTHDAY=31;COUNT=4",
    [],
    [],
    ["2026-01-31T07:00", "2026-03-31T07:00", "2026-05-31T07:00", "2026-07-31T07:00"],
  ],
  [
    "BYMONTHDAY=-1 is the last day of every month",
    "UTC",
    "2024-01-31T07:00",
    "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4",
    [],
    [],
    ["2024-01-31T07:00", "2024-02-29T07:00", "2024-03-31T07:00", "2024-04-30T07:00"],
  ],
  [
    "a fifth weekday comes in the months that have one",
    "UTC",
    "2026-01-30T07:00",
    "FREQ=MONTHLY;BYDAY=5FR;COUNT=4",
    [],
    [],
    ["2026-01-30T07:00", "2026-05-29T07:00", "2026-07-31T07:00", "2026-10-30T07:00"],
  ],
  [
    "WKST=MO with INTERVAL=2 keeps Sunday in its week",
    "UTC",
    "1997-08-05T09:00",
    "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
    [],
    [],
    ["1997-08-05T09:00", "1997-08-10T09:00", "1997-08-19T09:00", "1997-08-24T09:00"],
  ],
  [
    "WKST=SU with INTERVAL=2 gives Sunday to the next week",
    "UTC",
    "1997-08-05T09:00",
    "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
    [],
    [],
    ["1997-08-05T09:00", "1997-08-17T09:00", "1997-08-19T09:00", "1997-08-31T09:00"],
  ],
  [
    "BYSETPOS counts through a partial first week from the week's start",
    "UTC",
    "2026-01-07T07:00",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2;COUNT=3",
    [],
    [],
    ["2026-01-07T07:00", "2026-01-14T07:00", "2026-01-21T07:00"],
  ],
  [
    "BYSETPOS chooses among the times of a day",
    "UTC",
    "2026-01-07T19:30",
    "FREQ=DAILY;BYHOUR=7,19;BYMINUTE=0,30;BYSETPOS=-1;COUNT=2",
    [],
    [],
    ["2026-01-07T19:30", "2026-01-08T19:30"],
  ],
  [
    "the last weekday of the month",
    "UTC",
    "2026-01-30T07:00",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3",
    [],
    [],
    ["2026-01-30T07:00", "2026-02-27T07:00", "2026-03-31T07:00"],
  ],
  [
    "Friday the 13th",
    "UTC",
    "2026-02-13T07:00",
    "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3",
    [],
    [],
    ["2026-02-13T07:00", "2026-03-13T07:00", "2026-11-13T07:00"],
  ],
  [
    "a YEARLY ordinal counts within the year",
    "UTC",
    "1997-05-19T09:00",
    "FREQ=YEARLY;BYDAY=20MO;COUNT=3",
    [],
    [],
    ["1997-05-19T09:00", "1998-05-18T09:00", "1999-05-17T09:00"],
  ],
  [
    "with BYMONTH a YEARLY ordinal counts within the month",
    "UTC",
    "1998-04-05T02:00",
    "FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;COUNT=3",
    [],
    [],
    ["1998-04-05T02:00", "1999-04-04T02:00", "2000-04-02T02:00"],
  ],
  [
    "plain weekdays and ordinals add up",
    "UTC",
    "2026-01-01T07:00",
    "FREQ=MONTHLY;BYDAY=1TH,-1FR,WE;COUNT=6",
    [],
    [],
    [
      "2026-01-01T07:00",
      "2026-01-07T07:00",
      "2026-01-14T07:00",
      "2026-01-21T07:00",
      "2026-01-28T07:00",
      "2026-01-30T07:00",
    ],
  ],
  [
    "an excepted slot is counted",
    "UTC",
    "2026-01-05T07:00",
    "FREQ=DAILY;COUNT=3",
    ["2026-01-06T07:00"],
    [],
    ["2026-01-05T07:00", "2026-01-07T07:00"],
  ],
  [
    "an extra date is not counted",
    "UTC",
    "2026-01-05T07:00",
    "FREQ=DAILY;COUNT=2",
    [],
    ["2026-01-05T12:00", "2026-02-01T12:00"],
    ["2026-01-05T07:00", "2026-01-05T12:00", "2026-01-06T07:00", "2026-02-01T12:00"],
  ],
  [
    "an extra date on a slot is that slot",
    "UTC",
    "2026-01-05T07:00",
    "FREQ=DAILY;COUNT=2",
    [],
    ["2026-01-06T07:00"],
    ["2026-01-05T07:00", "2026-01-06T07:00"],
  ],
  [
    "an exception removes an extra date too",
    "UTC",
    "2026-01-05T07:00",
    "FREQ=DAILY;COUNT=1",
    ["2026-01-09T07:00"],
    ["2026-01-09T07:00"],
    ["2026-01-05T07:00"],
  ],
  [
    "UNTIL does not concern extra dates",
    "UTC",
    "2026-01-05T07:00",
    "FREQ=DAILY;UNTIL=20260105",
    [],
    ["2026-01-09T07:00"],
    ["2026-01-05T07:00", "2026-01-09T07:00"],
  ],
  [
    "UNTIL exactly at a slot keeps it",
    "America/New_York",
    "2026-01-05T07:00",
    "FREQ=DAILY;UNTIL=20260106T120000Z",
    [],
    [],
    ["2026-01-05T07:00", "2026-01-06T07:00"],
  ],
  [
    "UNTIL a second before a slot drops it",
    "America/New_York",
    "2026-01-05T07:00",
    "FREQ=DAILY;UNTIL=20260106T115959Z",
    [],
    [],
    ["2026-01-05T07:00"],
  ],
  [
    "UNTIL as a date includes that day at the location",
    "Pacific/Auckland",
    "2026-01-05T23:30",
    "FREQ=DAILY;UNTIL=20260106",
    [],
    [],
    ["2026-01-05T23:30", "2026-01-06T23:30"],
  ],
  [
    "UNTIL as a date includes that day west of Greenwich",
    "America/New_York",
    "2026-01-05T23:30",
    "FREQ=DAILY;UNTIL=20260106",
    [],
    [],
    ["2026-01-05T23:30", "2026-01-06T23:30"],
  ],
  [
    "an exception names the wall clock in the gap",
    "America/New_York",
    "2026-03-07T02:30",
    "FREQ=DAILY;COUNT=3",
    ["2026-03-08T02:30"],
    [],
    ["2026-03-07T02:30", "2026-03-09T02:30"],
  ],
  [
    "INTERVAL may be as large as the calendar",
    "UTC",
    "2026-01-05T07:00",
    "FREQ=YEARLY;INTERVAL=999999999",
    [],
    [],
    ["2026-01-05T07:00"],
  ],
  [
    "without a rule it takes place once, and on the extra dates",
    "UTC",
    "2026-01-05T07:00",
    "",
    [],
    ["2026-01-09T07:00"],
    ["2026-01-05T07:00", "2026-01-09T07:00"],
  ],
];

for (const [guarantee, timezone, start, text, exceptions, extras, expected] of WALL_CASES) {
  test(guarantee, () => {
    const schedule = compile(timezone, start, text, exceptions, extras);
    const from = wall(start) - DAY;
    const slots = listSlots(schedule, from, from + 3_653 * DAY);
    assert.deepEqual(
      slots.map((slot) => formatWallClock(slot.wallMs)),
      expected,
    );
  });
}

/** Zone, start, rule, window and the instants expected in it. */
type InstantCase = [string, string, string, string, string, string, readonly string[]];

const INSTANT_CASES: readonly InstantCase[] = [
  [
    "New York 02:30 across the gap",
    "America/New_York",
    "2026-03-07T02:30",
    "FREQ=DAILY",
    "2026-03-07",
    "2026-03-10",
    ["2026-03-07T07:30", "2026-03-08T07:30", "2026-03-09T06:30"],
  ],
  [
    "New York 01:30 across the overlap",
    "America/New_York",
    "2026-10-31T01:30",
    "FREQ=DAILY",
    "2026-10-31",
    "2026-11-03",
    ["2026-10-31T05:30", "2026-11-01T05:30", "2026-11-02T06:30"],
  ],
  [
    "Lord Howe's half hour",
    "Australia/Lord_Howe",
    "2026-10-03T02:15",
    "FREQ=DAILY",
    "2026-10-02",
    "2026-10-05",
    ["2026-10-02T15:45", "2026-10-03T15:45", "2026-10-04T15:15"],
  ],
  [
    "São Paulo at midnight",
    "America/Sao_Paulo",
    "2018-11-03T00:00",
    "FREQ=DAILY",
    "2018-11-03",
    "2018-11-06",
    ["2018-11-03T03:00", "2018-11-04T03:00", "2018-11-05T02:00"],
  ],
  [
    "Havana at midnight",
    "America/Havana",
    "2025-03-08T00:00",
    "FREQ=DAILY",
    "2025-03-08",
    "2025-03-11",
    ["2025-03-08T05:00", "2025-03-09T05:00", "2025-03-10T04:00"],
  ],
  [
    "Dublin, whose winter is its daylight saving",
    "Europe/Dublin",
    "2026-03-28T01:30",
    "FREQ=DAILY",
    "2026-03-28",
    "2026-03-31",
    ["2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30"],
  ],
  [
    "Casablanca's Ramadan",
    "Africa/Casablanca",
    "2025-02-22T12:00",
    "FREQ=WEEKLY",
    "2025-02-22",
    "2025-04-15",
    [
      "2025-02-22T11:00",
      "2025-03-01T12:00",
      "2025-03-08T12:00",
      "2025-03-15T12:00",
      "2025-03-22T12:00",
      "2025-03-29T12:00",
      "2025-04-05T12:00",
      "2025-04-12T11:00",
    ],
  ],
  [
    "Apia's lost day is one session with the day after",
    "Pacific/Apia",
    "2011-12-29T07:00",
    "FREQ=DAILY",
    "2011-12-29",
    "2012-01-01",
    ["2011-12-29T17:00", "2011-12-30T17:00", "2011-12-31T17:00"],
  ],
  [
    "a slot in the gap counts towards COUNT",
    "America/New_York",
    "2026-03-07T02:30",
    "FREQ=DAILY;COUNT=2",
    "2026-03-01",
    "2026-04-01",
    ["2026-03-07T07:30", "2026-03-08T07:30"],
  ],
  [
    "both slots of one instant count towards COUNT",
    "America/New_York",
    "2026-03-08T02:30",
    "FREQ=DAILY;BYHOUR=2,3;COUNT=3",
    "2026-03-01",
    "2026-04-01",
    ["2026-03-08T07:30", "2026-03-09T06:30"],
  ],
  [
    "slots after a gap come in the order of their instants",
    "America/New_York",
    "2026-03-08T02:45",
    "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,45;COUNT=3",
    "2026-03-01",
    "2026-04-01",
    ["2026-03-08T07:15", "2026-03-08T07:45"],
  ],
  [
    "UNTIL is compared with instants where a gap changes their order",
    "America/New_York",
    "2026-03-07T02:45",
    "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,45;UNTIL=20260308T072000Z",
    "2026-03-08",
    "2026-04-01",
    ["2026-03-08T07:15"],
  ],
  [
    "from is included and to is not",
    "UTC",
    "2026-01-05T07:00",
    "FREQ=DAILY",
    "2026-01-06T07:00",
    "2026-01-07T07:00",
    ["2026-01-06T07:00"],
  ],
];

for (const [guarantee, timezone, start, text, from, to, expected] of INSTANT_CASES) {
  test(guarantee, () => {
    const iso = expected.map((instant) => `${instant}:00.000Z`);
    assert.deepEqual(instants(compile(timezone, start, text), day(from), day(to)), iso);
  });
}

test("two slots on one instant are given once, with both wall clocks", () => {
  const schedule = compile("America/New_York", "2026-03-07T02:30", "FREQ=DAILY;BYHOUR=2,3");
  const slots = listSlots(schedule, Date.parse("2026-03-08T05:00Z"), Date.parse("2026-03-09T04:00Z"));
  assert.deepEqual(slots, [
    {
      instantMs: Date.parse("2026-03-08T07:30Z"),
      wallMs: wall("2026-03-08T03:30"),
      twinWallMs: wall("2026-03-08T02:30"),
    },
  ]);
});

test("of two slots on one instant, an exception for one leaves the other", () => {
  for (const [excepted, left] of [
    ["2026-03-08T02:30", "2026-03-08T03:30"],
    ["2026-03-08T03:30", "2026-03-08T02:30"],
  ] as const) {
    const schedule = compile("America/New_York", "2026-03-07T02:30", "FREQ=DAILY;BYHOUR=2,3", [excepted]);
    const slots = listSlots(schedule, Date.parse("2026-03-08T05:00Z"), Date.parse("2026-03-09T04:00Z"));
    assert.deepEqual(slots, [{ instantMs: Date.parse("2026-03-08T07:30Z"), wallMs: wall(left) }]);
  }
});

test("a window read in slices gives what it gives at once, wherever the slices end", () => {
  const schedule = compile("America/New_York", "2026-03-01T02:15", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,45");
  const from = Date.parse("2026-03-07T00:00Z");
  const whole = listSlots(schedule, from, from + 4 * DAY).map((slot) => slot.instantMs);
  for (const slice of [60_000, 900_000, 3_600_000, DAY]) {
    const cursor = openSlots(schedule, from, from + 4 * DAY);
    const sliced: number[] = [];
    for (let end = from + slice; end <= from + 4 * DAY; end += slice) {
      while (cursor.next(end)) {
        assert.ok(cursor.instantMs >= end - slice && cursor.instantMs < end);
        sliced.push(cursor.instantMs);
      }
    }
    assert.deepEqual(sliced, whole);
  }
});

test("a start that is not an occurrence of its own rule is refused", () => {
  const fault = (start: string, text: string) =>
    findStartFault(wall(start), rule(text), zone("America/New_York"));
  assert.equal(fault("2026-01-05T07:00", "FREQ=WEEKLY;BYDAY=MO"), undefined);
  assert.equal(fault("2026-01-05T07:00", "FREQ=WEEKLY;BYDAY=TU"), "rule_start_excluded");
  assert.equal(fault("2026-01-05T07:00", "FREQ=DAILY;BYHOUR=8"), "rule_start_excluded");
  assert.equal(fault("2026-01-05T07:00", "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30"), "rule_start_excluded");
  assert.equal(fault("2026-01-05T07:00", "FREQ=DAILY;UNTIL=20260104"), "rule_ends_before_start");
  assert.equal(fault("2026-01-05T07:00", "FREQ=DAILY;UNTIL=20260105T115959Z"), "rule_ends_before_start");
  assert.equal(fault("2026-01-05T07:00", "FREQ=DAILY;UNTIL=20260105T120000Z"), undefined);
});

test("the last slot of a rule with COUNT is found exactly, for any rule", () => {
  const last = (start: string, text: string) => lastSlotWall(wall(start), rule(text));
  assert.equal(last("2026-01-05T07:00", "FREQ=DAILY"), undefined);
  assert.equal(last("2026-01-05T07:00", "FREQ=DAILY;COUNT=1"), wall("2026-01-05T07:00"));
  assert.equal(last("1950-01-01T07:00", "FREQ=DAILY;COUNT=100000"), wall("1950-01-01T07:00") + 99_999 * DAY);
  assert.equal(last("2026-01-05T19:00", "FREQ=DAILY;BYHOUR=7,19;COUNT=4"), wall("2026-01-07T07:00"));
  assert.equal(last("2026-01-07T07:00", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3"), wall("2026-01-14T07:00"));
  assert.equal(last("2024-02-29T07:00", "FREQ=YEARLY;COUNT=3"), wall("2032-02-29T07:00"));
});

test("a rule that never produces ends, and within a second of work", () => {
  // By the work done, not by the clock: other programs may be running.
  const began = process.cpuUsage();
  for (const text of [
    "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=YEARLY;BYDAY=MO;BYSETPOS=366",
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=5",
    "FREQ=WEEKLY;BYMONTH=1;INTERVAL=999999999;BYSETPOS=7;COUNT=999999999",
  ]) {
    const schedule = compile("UTC", "2026-01-05T07:00", text);
    assert.deepEqual(listSlots(schedule, 0, Date.UTC(9999, 0, 1)), [], text);
  }
  assert.ok(process.cpuUsage(began).user < 1_000_000);
});

test("a read costs its window, not the age of the schedule", () => {
  for (const text of [
    "FREQ=DAILY",
    "FREQ=DAILY;BYHOUR=7,8",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE",
    "FREQ=DAILY;COUNT=100000",
  ]) {
    // The least of many: what else the machine does meanwhile can only add to it.
    const least = (start: string) => {
      const schedule = compile("America/New_York", start, text);
      const times = Array.from({ length: 50 }, () => {
        const began = performance.now();
        for (let n = 0; n < 20; n++) listSlots(schedule, Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 8));
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    // Counting through 75 years would cost over a hundred times as much.
    assert.ok(least("1950-01-02T07:00") < 10 * least("2025-12-01T07:00"), text);
  }
});

test("500 daily schedules over 366 days, read in slices of three days, expand in a fraction of a second", (t) => {
  const from = Date.UTC(2026, 0, 1);
  const to = from + 366 * DAY;
  const zones = ["America/Sao_Paulo", "America/New_York", "Europe/Dublin", "Australia/Lord_Howe"];
  const schedules = Array.from({ length: 500 }, (_, i) =>
    compile(zones[i % 4] ?? "UTC", formatWallClock(wall("1950-01-01T07:00") + i * 60_000), "FREQ=DAILY"),
  );
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const began = process.cpuUsage();
    const cursors = schedules.map((schedule) => openSlots(schedule, from, to));
    let slots = 0;
    for (let end = from + 3 * DAY; end <= to; end += 3 * DAY) {
      for (const cursor of cursors) while (cursor.next(end)) slots++;
    }
    times.push(process.cpuUsage(began).user / 1000);
    assert.equal(slots, 183_000);
  }
  t.diagnostic(`183,000 slots in ms, round by round: ${times.map((ms) => ms.toFixed(0)).join(", ")}`);
  // Ten times what a quiet machine takes: a guard against counting from the start, not a benchmark.
  assert.ok(Math.min(...times) < 400, times.join());
});

function instants(schedule: CompiledSchedule, from: string, to: string): string[] {
  return listSlots(schedule, Date.parse(from), Date.parse(to)).map((slot) =>
    new Date(slot.instantMs).toISOString(),
  );
}

function compile(
  timezone: string,
  start: string,
  text: string,
  exceptions: readonly string[] = [],
  extras: readonly string[] = [],
): CompiledSchedule {
  return compileSchedule({
    zone: zone(timezone),
    startWallMs: wall(start),
    rule: text === "" ? undefined : rule(text),
    exceptionWallsMs: exceptions.map(wall),
    extraWallsMs: extras.map(wall),
  });
}

function rule(text: string): Rule {
  const parsed = parseRule(text, "rule", []);
  assert.ok(parsed, text);
  return parsed;
}

function zone(name: string): Zone {
  const found = findZone(name);
  assert.ok(found, name);
  return found;
}

function wall(text: string): number {
  const wallMs = parseWallClock(text);
  assert.ok(wallMs !== undefined, text);
  return wallMs;
}

function day(text: string): string {
  return text.length === 10 ? `${text}T00:00Z` : `${text}Z`;
}
