import assert from "node:assert/strict";
import { test } from "node:test";
import { dayNumber, formatWallClock, parseWallClock } from "../../core/dates.ts";
import type { Fault } from "../../core/faults.ts";
import { en } from "../../languages/en.ts";
import { wordFault } from "../../languages/wording.ts";
import { parseRule, type Rule } from "./rule.ts";

test("a rule is read part by part", () => {
  const text =
    "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYDAY=MO,-1FR,+2TU;BYMONTH=3,1;BYMONTHDAY=-1,15;BYSETPOS=-1;BYHOUR=7,19;BYMINUTE=0,30;WKST=SU";
  assert.deepEqual(accepted(text), {
    frequency: "YEARLY",
    interval: 2,
    count: 10,
    byDay: [
      { weekday: 0, ordinal: 0 },
      { weekday: 4, ordinal: -1 },
      { weekday: 1, ordinal: 2 },
    ],
    byMonth: [1, 3],
    byMonthDay: [-1, 15],
    bySetPos: [-1],
    byHour: [7, 19],
    byMinute: [0, 30],
    weekStart: 6,
  });
});

test("what is not written is absent, but for INTERVAL=1 and WKST=MO", () => {
  assert.deepEqual(accepted("FREQ=DAILY"), { frequency: "DAILY", interval: 1, weekStart: 0 });
});

test("UNTIL is an instant in UTC or a date", () => {
  assert.equal(accepted("FREQ=DAILY;UNTIL=20261231T235959Z").untilMs, Date.UTC(2026, 11, 31, 23, 59, 59));
  assert.equal(accepted("FREQ=DAILY;UNTIL=20261231").untilDay, dayNumber(2026, 12, 31));
});

test("names and values may be in lower case, and parts in any order", () => {
  assert.deepEqual(
    accepted("byday=mo;freq=weekly;until=20261231t000000z"),
    accepted("FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231T000000Z"),
  );
});

const REFUSED: readonly [rule: string, named: RegExp][] = [
  ["FREQ=DAILY;", /NAME=VALUE/],
  ["FREQ=DAILY; COUNT=2", /NAME=VALUE/],
  ["FREQ=DAILY\nCOUNT=2", /FREQ must be/],
  ["RRULE:FREQ=DAILY", /without the leading "RRULE:"/],
  ["COUNT=2", /FREQ is missing/],
  ["FREQ=HOURLY", /FREQ must be/],
  ["FREQ=", /FREQ must be/],
  ["FREQ=DAILY;FREQ=WEEKLY", /FREQ is given more than once/],
  ["FREQ=DAILY;INTERVAL=0", /INTERVAL must be/],
  ["FREQ=DAILY;INTERVAL=-1", /INTERVAL must be/],
  ["FREQ=DAILY;INTERVAL=1.5", /INTERVAL must be/],
  ["FREQ=DAILY;INTERVAL=99999999999", /INTERVAL must be/],
  ["FREQ=DAILY;COUNT=0", /COUNT must be/],
  ["FREQ=DAILY;COUNT=2;UNTIL=20261231", /COUNT and UNTIL/],
  ["FREQ=DAILY;UNTIL=20261231T235959", /UNTIL must be/],
  ["FREQ=DAILY;UNTIL=2026-12-31", /UNTIL must be/],
  ["FREQ=DAILY;UNTIL=20260230", /UNTIL names/],
  ["FREQ=DAILY;UNTIL=20261231T240000Z", /UNTIL names/],
  ["FREQ=WEEKLY;BYDAY=XX", /BYDAY must list/],
  ["FREQ=WEEKLY;BYDAY=", /BYDAY must list/],
  ["FREQ=WEEKLY;BYDAY=MO,,TU", /BYDAY must list/],
  ["FREQ=MONTHLY;BYDAY=0MO", /BYDAY must list/],
  ["FREQ=YEARLY;BYDAY=54MO", /BYDAY must list/],
  ["FREQ=WEEKLY;BYDAY=1MO", /BYDAY takes no ordinal/],
  ["FREQ=DAILY;BYDAY=-1MO", /BYDAY takes no ordinal/],
  ["FREQ=WEEKLY;BYMONTHDAY=1", /BYMONTHDAY cannot/],
  ["FREQ=MONTHLY;BYMONTHDAY=0", /BYMONTHDAY must list/],
  ["FREQ=MONTHLY;BYMONTHDAY=32", /BYMONTHDAY must list/],
  ["FREQ=MONTHLY;BYMONTHDAY=1,", /BYMONTHDAY must list/],
  ["FREQ=MONTHLY;BYMONTHDAY=0x1", /BYMONTHDAY must list/],
  ["FREQ=YEARLY;BYMONTH=13", /BYMONTH must list/],
  ["FREQ=YEARLY;BYMONTH=-1", /BYMONTH must list/],
  ["FREQ=DAILY;BYHOUR=24", /BYHOUR must list/],
  ["FREQ=DAILY;BYMINUTE=60", /BYMINUTE must list/],
  ["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", /BYSETPOS must list/],
  ["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367", /BYSETPOS must list/],
  ["FREQ=MONTHLY;BYSETPOS=1", /BYSETPOS needs another/],
  ["FREQ=WEEKLY;WKST=XX", /WKST must be/],
  ["FREQ=YEARLY;BYYEARDAY=1", /BYYEARDAY is not supported/],
  ["FREQ=YEARLY;BYWEEKNO=1", /BYWEEKNO is not supported/],
  ["FREQ=DAILY;BYSECOND=0", /BYSECOND is not supported/],
  ["RSCALE=GREGORIAN;FREQ=DAILY", /RSCALE is not supported/],
  ["FREQ=DAILY;X-NAME=1", /X-NAME is not a part/],
  [`FREQ=DAILY;BYHOUR=${"1,".repeat(2_000)}1`, /longer than/],
];

for (const [rule, named] of REFUSED) {
  test(`refused, with the part named: ${rule.slice(0, 60)}`, () => {
    const faults = faultsOf(rule);
    assert.equal(faults.length, 1, JSON.stringify(faults));
    assert.equal(faults[0]?.location, "rule");
    assert.match(faults[0] ? wordFault(faults[0], en) : "", named);
  });
}

test("all faults of a rule are reported at once", () => {
  const messages = faultsOf("FREQ=WEEKLY;INTERVAL=0;COUNT=1;UNTIL=20260230;BYMONTHDAY=40;BYWEEKNO=3;;");
  assert.equal(messages.length, 7, JSON.stringify(messages));
  assert.equal(faultsOf("").length, 2);
});

test("a wall clock is read to the minute", () => {
  assert.equal(parseWallClock("2026-01-05T07:00"), Date.UTC(2026, 0, 5, 7));
  assert.equal(parseWallClock("2024-02-29T23:59"), Date.UTC(2024, 1, 29, 23, 59));
});

for (const text of [
  "2026-02-29T07:00",
  "2026-13-01T07:00",
  "2026-01-05T24:00",
  "2026-01-05T07:60",
  "0000-01-01T00:00",
]) {
  test(`a wall clock must be real: ${text}`, () => assert.equal(parseWallClock(text), undefined));
}

for (const text of [
  "2026-01-05",
  "2026-01-05T07:00:00",
  "2026-01-05T07:00Z",
  "2026-01-05 07:00",
  "2026-1-5T7:00",
  " 2026-01-05T07:00",
  "2026-01-05T07:00\n",
]) {
  test(`a wall clock is written in one way: ${JSON.stringify(text)} is not it`, () => {
    assert.equal(parseWallClock(text), undefined);
  });
}

test("a wall clock is written as it was read, in any year", () => {
  for (const text of ["0001-01-01T00:00", "1582-10-10T12:30", "2026-01-05T07:00", "9999-12-31T23:59"]) {
    assert.equal(formatWallClock(parseWallClock(text) ?? Number.NaN), text);
  }
});

function faultsOf(text: string): Fault[] {
  const faults: Fault[] = [];
  assert.equal(parseRule(text, "rule", faults), undefined);
  return faults;
}

function accepted(text: string): Rule {
  const faults: Fault[] = [];
  const rule = parseRule(text, "rule", faults);
  assert.deepEqual(faults, []);
  assert.ok(rule);
  return rule;
}
