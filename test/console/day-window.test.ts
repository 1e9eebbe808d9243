import assert from "node:assert/strict";
import { test } from "node:test";
import { dayStart, dayWindow } from "../../console/languages/day-window.ts";
import { addDays } from "../../console/languages/days.ts";

/** From −11 to +14, with half and quarter hours, and with clocks that change at midnight. */
const ZONES = [
  "Pacific/Pago_Pago",
  "Pacific/Honolulu",
  "America/St_Johns",
  "America/Santiago",
  "America/Havana",
  "America/Sao_Paulo",
  "Atlantic/Azores",
  "Etc/UTC",
  "Europe/London",
  "Africa/Cairo",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Auckland",
  "Pacific/Chatham",
  "Pacific/Kiritimati",
];

test("a day begins with its first instant on the clocks of the zone, and with it the day before is over", () => {
  for (const timeZone of ZONES) {
    const clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
    for (let date = "2026-01-01"; date < "2027-01-01"; date = addDays(date, 1)) {
      const start = dayStart(date, timeZone);
      assert.equal(clock.format(start).slice(0, 10), date, `${timeZone} ${date}`);
      assert.equal(clock.format(start - 1_000).slice(0, 10), addDays(date, -1), `before ${timeZone} ${date}`);
    }
  }
});

test("the window of days is asked for as instants, whatever the zone", () => {
  for (const [date, days, zone, from, to] of [
    ["2026-11-18", 8, "Pacific/Auckland", "2026-11-17T11:00:00.000Z", "2026-11-25T11:00:00.000Z"],
    ["2026-11-18", 1, "Asia/Kathmandu", "2026-11-17T18:15:00.000Z", "2026-11-18T18:15:00.000Z"],
    ["2026-11-18", 1, "Pacific/Honolulu", "2026-11-18T10:00:00.000Z", "2026-11-19T10:00:00.000Z"],
    // 25 hours, 23 hours, no midnight, midnight twice.
    ["2026-11-01", 1, "America/New_York", "2026-11-01T04:00:00.000Z", "2026-11-02T05:00:00.000Z"],
    ["2026-03-08", 1, "America/New_York", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
    ["2026-09-06", 1, "America/Santiago", "2026-09-06T04:00:00.000Z", "2026-09-07T03:00:00.000Z"],
    ["2026-11-01", 1, "America/Havana", "2026-11-01T04:00:00.000Z", "2026-11-02T05:00:00.000Z"],
  ] as const)
    assert.deepEqual(dayWindow(date, days, zone), { from, to }, `${zone} ${date}`);
});
