import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { clockChangeOn, isRepeatedTime } from "../../console/screens/calendar/clocks.ts";
import {
  heightOf,
  minuteAt,
  placeBlocks,
  rowOf,
  scaleHours,
  topOf,
} from "../../console/screens/calendar/hour-scale.ts";
import { coloredIdOf, coloredThings, HUES } from "../../console/screens/calendar/hues.ts";
import {
  type CalendarSession,
  elementsOf,
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

test("a session keeps its element as long as it is shown, no two have one, and another day takes those that are free", () => {
  const blocksOf = (minutes: readonly number[]) =>
    placeSessions(
      minutes.map((minute) => on(`at ${minute}`, `10:${minute}`, "20:00")),
      [DAY],
      10,
    )[0]?.blocks ?? [];
  const someMinutes = fc.uniqueArray(fc.integer({ min: 10, max: 59 }), { maxLength: 12 });
  fc.assert(
    fc.property(someMinutes, someMinutes, (before, after) => {
      const first = elementsOf(blocksOf(before));
      assert.deepEqual([...first.values()], [...before.keys()]);
      const second = elementsOf(blocksOf(after), first);
      assert.deepEqual([...second.keys()].toSorted(), after.map((minute) => `at ${minute}`).toSorted());
      assert.equal(new Set(second.values()).size, after.length);
      for (const [key, element] of second) assert.equal(element, first.get(key) ?? element);
      assert.ok(Math.max(-1, ...second.values()) < Math.max(before.length, after.length));
    }),
  );
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

const SIZES = { hour: 52, row: 24, headedRow: 38 };

test("what does not fit beside each other lies in a heap, and the first of those that begin together says the time", () => {
  const heap = [on("a", "07:00", "07:50"), on("b", "07:00", "07:50"), on("c", "07:30", "08:20")];
  const [day] = placeSessions([...heap, on("alone", "10:00", "10:50")], [DAY], 1);
  assert.deepEqual(
    day?.blocks.map(({ key, isHeaped, hasTime, lane }) => [key, isHeaped, hasTime, lane]),
    [
      ["a", true, true, 0],
      ["b", true, false, 1],
      ["c", true, true, 2],
      ["alone", false, true, 0],
    ],
  );
});

test("of eight at the same hour each has its own row, and the hour is as high as they need", () => {
  const eight = Array.from({ length: 8 }, (_, place) => on(`s${place}`, "07:00", "07:50"));
  const days = placeSessions([...eight, on("next", "08:00", "08:50")], [DAY], 1);
  const scale = scaleHours(days, [7, 10], SIZES);
  assert.deepEqual(scale.tops, [0, 214, 266, 318]);
  const places = placeBlocks(days[0]?.blocks ?? [], scale, SIZES);
  assert.deepEqual(
    [...places].map(([key, { top }]) => [key, Math.round(top)]),
    [
      ["s0", 0],
      ["s1", 38],
      ["s2", 62],
      ["s3", 86],
      ["s4", 110],
      ["s5", 134],
      ["s6", 158],
      ["s7", 182],
      ["next", 214],
    ],
  );
});

test("a session of half an hour has room for its time and its name", () => {
  const days = placeSessions([on("short", "07:00", "07:30"), on("long", "09:00", "10:00")], [DAY], 1);
  assert.deepEqual(scaleHours(days, [7, 11], SIZES).tops, [0, 76, 128, 180, 232]);
});

test("whatever lies in a heap, the row of each is free of the others", () => {
  const times = fc.tuple(fc.integer({ min: 0, max: 1_435 }), fc.integer({ min: 1, max: 180 }));
  const clock = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  fc.assert(
    fc.property(fc.array(times, { minLength: 1, maxLength: 40 }), (drawn) => {
      const sessions = drawn.map(([from, length], place) =>
        on(`s${place}`, clock(from), clock(Math.min(from + length, 1_439))),
      );
      const days = placeSessions(sessions, [DAY], 1);
      const scale = scaleHours(days, usedHours(days), SIZES);
      const blocks = days[0]?.blocks ?? [];
      const places = placeBlocks(blocks, scale, SIZES);
      const heaped = blocks
        .filter(({ isHeaped }) => isHeaped)
        .map((block) => ({ block, top: places.get(block.key)?.top ?? Number.NaN }))
        .sort((one, other) => one.top - other.top);
      heaped.forEach(({ block, top }, place) => {
        const next = heaped[place + 1];
        assert.ok(!next || next.top - top > rowOf(block, SIZES) - 0.001);
        assert.ok(top >= topOf(scale, block.from));
      });
    }),
  );
});

test("a place on the grid and the minute there are each other's reverse", () => {
  const eight = Array.from({ length: 8 }, (_, place) => on(`s${place}`, "07:00", "07:50"));
  const scale = scaleHours(placeSessions(eight, [DAY], 1), [6, 10], SIZES);
  for (const minute of [360, 400, 420, 445, 479, 480, 599])
    assert.equal(Math.round(minuteAt(scale, topOf(scale, minute))), minute);
  assert.deepEqual([topOf(scale, 0), topOf(scale, 1_440)], [0, heightOf(scale)]);
});

test("each service has the colour that was chosen, or its own by the order in which it was made", () => {
  const service = (id: string, name: string) => ({
    ...{ id, name, holdsResource: false, status: "active" as const },
    ...{ createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" },
  });
  const person = { id: "p", name: "Ana", kind: "person" as const, status: "active" as const };
  const room = { id: "a-room", name: "Room", kind: "room" as const, status: "active" as const };
  const catalog = { serviceTypes: [service("2", "Ballet"), service("1", "Yoga")], resources: [room, person] };
  const hues = (by: "service" | "teacher" | "none", chosen: Parameters<typeof coloredThings>[1] = []) =>
    coloredThings(by, chosen, catalog).map(({ name, hue }) => [name, hue]);
  assert.deepEqual(hues("service"), [
    ["Ballet", HUES[1]],
    ["Yoga", HUES[0]],
  ]);
  assert.deepEqual(hues("service", [{ id: "1", color: "red" }]), [
    ["Ballet", HUES[1]],
    ["Yoga", "red"],
  ]);
  assert.deepEqual(hues("teacher"), [["Ana", HUES[0]]]);
  assert.deepEqual(hues("none"), []);
  const known = new Map([["p", "teal" as const]]);
  assert.equal(coloredIdOf("teacher", { serviceTypeId: "1", resourceIds: ["a-room", "p"] }, known), "p");
  assert.equal(coloredIdOf("teacher", { serviceTypeId: "1" }, known), undefined);
});

test("every colour stands out from the card in both themes, and text can be read on its tint", () => {
  const sheet = (name: string) => readFileSync(new URL(`../../../console/${name}`, import.meta.url), "utf8");
  const calendar = sheet("screens/calendar/calendar.css");
  const hueOf = (hue: string) =>
    new RegExp(`\\.hue-${hue} \\{\\s*--hue: (#[0-9a-f]{6});`).exec(calendar)?.[1] ?? "";
  const tokens = sheet("look/tokens.css");
  const themes = [tokens.slice(0, tokens.indexOf("@media")), tokens.slice(tokens.lastIndexOf("@media"))].map(
    (theme) => (name: string) => {
      const color = new RegExp(`--${name}: #([0-9a-f]+);`).exec(theme)?.[1] ?? "";
      return `#${color.length === 3 ? [...color].map((digit) => digit + digit).join("") : color}`;
    },
  );
  const tint = Number(/var\(--hue\) (\d+)%, var\(--card\)/.exec(calendar)?.[1]) / 100;
  for (const hue of HUES)
    for (const token of themes) {
      const card = rgbOf(token("card"));
      const ground = rgbOf(hueOf(hue)).map((part, place) => tint * part + (1 - tint) * (card[place] ?? 0));
      assert.ok(contrast(rgbOf(hueOf(hue)), card) >= 3, `${hue} on ${token("card")}`);
      for (const text of ["text", "soft"])
        assert.ok(contrast(rgbOf(token(text)), ground) >= 4.5, `${text} on the tint of ${hue}`);
    }
});

function rgbOf(color: string): number[] {
  assert.match(color, /^#[0-9a-f]{6}$/);
  return [1, 3, 5].map((place) => Number.parseInt(color.slice(place, place + 2), 16));
}

/** As WCAG has it. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
