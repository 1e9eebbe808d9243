import assert from "node:assert/strict";
import { test } from "node:test";
import { clockChangeOn, isRepeatedTime } from "../../console/screens/calendar/clocks.ts";
import {
  type CalendarSession,
  neighbourOf,
  placeSessions,
  usedHours,
} from "../../console/screens/calendar/placement.ts";

const DAY = "2026-11-16";

/** A session called by its id, from one local time to another; in UTC unless the instants are given. */
function session(
  id: string,
  localStart: string,
  localEnd: string,
  startAt = `${localStart.replace(" ", "T")}:00.000Z`,
  endAt = `${localEnd.replace(" ", "T")}:00.000Z`,
): CalendarSession {
  return {
    id,
    serviceTypeId: "pilates",
    locationId: "centre",
    startAt,
    endAt,
    capacity: 10,
    bookedCount: 0,
    status: "scheduled",
    localStart,
    localEnd,
    waiting: 0,
  };
}

const on = (id: string, from: string, to: string) => session(id, `${DAY} ${from}`, `${DAY} ${to}`);
const lanesOf = (sessions: readonly CalendarSession[], mostLanes = 10) =>
  placeSessions(sessions, [DAY], mostLanes)[0]?.blocks.map(({ key, lane, span, lanes }) => [
    key,
    lane,
    span,
    lanes,
  ]);

test("what overlaps stands side by side, and what has room beside it takes it", () => {
  assert.deepEqual(
    lanesOf([
      on("long", "07:00", "09:00"),
      on("early", "07:00", "07:50"),
      on("third", "07:30", "08:20"),
      on("after", "08:20", "09:00"),
      on("alone", "10:00", "10:50"),
    ]),
    [
      ["long", 0, 1, 3],
      ["early", 1, 1, 3],
      ["third", 2, 1, 3],
      ["after", 1, 2, 3],
      ["alone", 0, 1, 1],
    ],
  );
});

test("sessions that only touch stand below each other; a very short one is as tall as it must be", () => {
  assert.deepEqual(lanesOf([on("a", "07:00", "07:30"), on("b", "07:30", "08:00")]), [
    ["a", 0, 1, 1],
    ["b", 0, 1, 1],
  ]);
  assert.deepEqual(lanesOf([on("a", "07:00", "07:05"), on("b", "07:10", "08:00")]), [
    ["a", 0, 1, 2],
    ["b", 1, 1, 2],
  ]);
});

test("of thirty at once a week shows what fits and says how many more there are; the day shows all", () => {
  const thirty = Array.from({ length: 30 }, (_, place) => on(`s${place}`, "07:00", "07:50"));
  const [week] = placeSessions(thirty, [DAY], 3);
  assert.equal(week?.blocks.length, 2);
  assert.deepEqual(
    week?.more.map(({ count, from, to, lane, lanes }) => [count, from, to, lane, lanes]),
    [[28, 420, 470, 2, 3]],
  );
  const [day] = placeSessions(thirty, [DAY], 200);
  assert.deepEqual([day?.blocks.length, day?.more.length, day?.blocks[29]?.lanes], [30, 0, 30]);
});

test("a session past midnight is on both days, and ends at midnight without a second block", () => {
  const [first, second] = placeSessions(
    [
      session("party", `${DAY} 23:00`, "2026-11-17 01:30"),
      session("late", `${DAY} 22:00`, "2026-11-17 00:00"),
    ],
    [DAY, "2026-11-17"],
    10,
  );
  assert.deepEqual(
    first?.blocks.map(({ key, from, to }) => [key, from, to]),
    [
      ["late", 1320, 1440],
      ["party", 1380, 1440],
    ],
  );
  assert.deepEqual(
    second?.blocks.map(({ key, from, to, isContinued }) => [key, from, to, isContinued]),
    [["party~2026-11-17", 0, 90, true]],
  );
});

test("where an hour comes twice, the order is by instant and the place by the clock", () => {
  const night = "2027-11-07";
  const [day] = placeSessions(
    [
      session("second", `${night} 01:15`, `${night} 01:45`, "2027-11-07T06:15:00Z", "2027-11-07T06:45:00Z"),
      session("first", `${night} 01:30`, `${night} 01:50`, "2027-11-07T05:30:00Z", "2027-11-07T05:50:00Z"),
      session("over", `${night} 01:45`, `${night} 01:15`, "2027-11-07T05:45:00Z", "2027-11-07T06:15:00Z"),
    ],
    [night],
    10,
  );
  assert.deepEqual(
    day?.blocks.map(({ key, from, to }) => [key, from, to]),
    [
      ["first", 90, 110],
      ["over", 105, 135],
      ["second", 75, 105],
    ],
  );
  assert.equal(isRepeatedTime("2027-11-07T05:30:00Z", "America/New_York"), true);
  assert.equal(isRepeatedTime("2027-11-07T06:15:00Z", "America/New_York"), true);
  assert.equal(isRepeatedTime("2027-11-07T07:15:00Z", "America/New_York"), false);
  assert.equal(isRepeatedTime("2027-03-14T07:30:00Z", "America/New_York"), false);
});

for (const [date, zone, minutes] of [
  ["2027-03-14", "America/New_York", 60],
  ["2027-11-07", "America/New_York", -60],
  ["2027-11-08", "America/New_York", 0],
  ["2027-03-28", "Europe/Berlin", 60],
  ["2027-10-31", "Europe/Berlin", -60],
  // There the clocks change at midnight, and by half an hour.
  ["2026-09-06", "America/Santiago", 60],
  ["2026-10-04", "Australia/Lord_Howe", 30],
  [DAY, "America/Sao_Paulo", 0],
] as const)
  test(`the clocks of ${zone} change by ${minutes} minutes on ${date}`, () => {
    assert.equal(clockChangeOn(date, zone), minutes);
  });

test("the hours that are used are shown, a working day where there is nothing", () => {
  const hours = (sessions: readonly CalendarSession[]) => usedHours(placeSessions(sessions, [DAY], 10));
  assert.deepEqual(hours([]), [8, 20]);
  assert.deepEqual(hours([on("a", "06:45", "07:50"), on("b", "20:00", "21:10")]), [6, 22]);
  assert.deepEqual(hours([on("a", "23:50", "23:55")]), [23, 24]);
});

test("arrow keys go up and down in a day, and sideways to the nearest time of the next day with something", () => {
  const days = placeSessions(
    [
      on("a", "07:00", "08:00"),
      on("b", "12:00", "13:00"),
      session("c", "2026-11-18 06:00", "2026-11-18 07:00"),
      session("d", "2026-11-18 11:00", "2026-11-18 12:00"),
    ],
    [DAY, "2026-11-17", "2026-11-18"],
    10,
  );
  const moves: readonly (readonly [string, string, string | undefined])[] = [
    ["a", "ArrowDown", "b"],
    ["b", "ArrowDown", undefined],
    ["b", "ArrowUp", "a"],
    ["b", "ArrowRight", "d"],
    ["a", "ArrowRight", "c"],
    ["d", "ArrowLeft", "b"],
    ["d", "ArrowRight", undefined],
    ["b", "Home", "a"],
    ["a", "End", "b"],
    ["a", "x", undefined],
  ];
  for (const [from, key, to] of moves) assert.equal(neighbourOf(days, from, key), to, `${from} ${key}`);
});
