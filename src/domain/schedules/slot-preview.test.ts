import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScheduleTexts } from "../recurrence/schedule.ts";
import { findZone } from "../recurrence/zones.ts";
import { previewSlots } from "./slot-preview.ts";

function preview(zone: string, texts: ScheduleTexts, after: string, most = 3) {
  const found = findZone(zone);
  assert.ok(found);
  return previewSlots(texts, found, { after: Date.parse(after), most, durationMinutes: 50 });
}

/** A slot in a line: its name, what the clocks show, their offset and the mark. */
function lines({ slots }: ReturnType<typeof preview>): string[] {
  return (slots?.data ?? []).map(({ originalStart, localStart, offset, clockChange }) =>
    [originalStart, localStart === originalStart ? "=" : localStart, offset, clockChange ?? ""]
      .join(" ")
      .trim(),
  );
}

const DAILY = "FREQ=DAILY";

const CASES: readonly [name: string, zone: string, texts: ScheduleTexts, after: string, string[]][] = [
  [
    "Mondays and Wednesdays from an instant on",
    "America/Sao_Paulo",
    { start: "2026-01-05T07:00", rrule: "FREQ=WEEKLY;BYDAY=MO,WE" },
    "2026-11-16T10:00:00.001Z",
    ["2026-11-18T07:00 = -03:00", "2026-11-23T07:00 = -03:00", "2026-11-25T07:00 = -03:00"],
  ],
  [
    "a slot that begins at the instant counts",
    "America/Sao_Paulo",
    { start: "2026-11-16T07:00", rrule: "FREQ=DAILY;COUNT=2" },
    "2026-11-16T10:00:00.000Z",
    ["2026-11-16T07:00 = -03:00", "2026-11-17T07:00 = -03:00"],
  ],
  [
    "a time that a night does not have",
    "America/New_York",
    { start: "2026-03-07T02:30", rrule: DAILY },
    "2026-03-07T00:00:00Z",
    [
      "2026-03-07T02:30 = -05:00",
      "2026-03-08T02:30 2026-03-08T03:30 -04:00 skipped",
      "2026-03-09T02:30 = -04:00",
    ],
  ],
  [
    "a time that a night has twice",
    "America/New_York",
    { start: "2026-10-31T01:30", rrule: DAILY },
    "2026-10-31T00:00:00Z",
    ["2026-10-31T01:30 = -04:00", "2026-11-01T01:30 = -04:00 repeated", "2026-11-02T01:30 = -05:00"],
  ],
  [
    "exception and extra dates",
    "Asia/Kolkata",
    { start: "2026-11-16T07:00", rrule: DAILY, exdates: ["2026-11-17T07:00"], rdates: ["2026-11-16T12:00"] },
    "2026-11-16T00:00:00Z",
    ["2026-11-16T07:00 = +05:30", "2026-11-16T12:00 = +05:30", "2026-11-18T07:00 = +05:30"],
  ],
  ["once", "UTC", { start: "2026-11-16T07:00" }, "2026-11-16T00:00:00Z", ["2026-11-16T07:00 = +00:00"]],
  ["over", "UTC", { start: "2026-11-16T07:00" }, "2026-11-17T00:00:00Z", []],
];

for (const [name, zone, texts, after, expected] of CASES)
  test(`the next slots: ${name}`, () => assert.deepEqual(lines(preview(zone, texts, after)), expected));

test("whether others follow is told, and when a slot ends", () => {
  const texts = { start: "2026-11-16T07:00", rrule: "FREQ=DAILY;COUNT=3" };
  const [whole, part] = [3, 2].map((most) => preview("UTC", texts, "2026-11-16T00:00:00Z", most).slots);
  assert.deepEqual([whole?.hasMore, part?.hasMore], [false, true]);
  assert.equal(whole?.data[0]?.localEnd, "2026-11-16T07:50");
});

test("a rule that hardly ever holds is not followed for ever", () => {
  const texts = { start: "2024-02-29T07:00", rrule: "FREQ=DAILY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=29" };
  assert.deepEqual(lines(preview("UTC", texts, "2026-01-01T00:00:00Z", 10)), ["2052-02-29T07:00 = +00:00"]);
});

test("what is wrong is told as for a schedule that is stored", () => {
  const texts = { start: "2026-11-17T07:00", rrule: "FREQ=WEEKLY;BYDAY=MO", exdates: ["2026-13-01T07:00"] };
  assert.deepEqual(
    preview("UTC", texts, "2026-11-16T00:00:00Z").faults.map(({ location, code }) => `${location} ${code}`),
    ["exdates[0] local_date_time_invalid"],
  );
  const { faults } = preview("UTC", { ...texts, exdates: [] }, "2026-11-16T00:00:00Z");
  assert.deepEqual(faults, [{ location: "rrule", code: "rule_start_excluded" }]);
});
