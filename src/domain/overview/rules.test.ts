import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSpanOfDays, checkTimetableWindow, monthsBetween, WeekHours } from "./rules.ts";

test("months reach from their first to their last day, the first and the last as far as asked for", () => {
  const lines = (from: string, until: string) =>
    monthsBetween(from, until).map(({ month, firstDay, lastDay }) => `${month} ${firstDay} ${lastDay}`);
  assert.deepEqual(lines("2026-12-10", "2027-02-05"), [
    "2026-12 2026-12-10 2026-12-31",
    "2027-01 2027-01-01 2027-01-31",
    "2027-02 2027-02-01 2027-02-05",
  ]);
  assert.deepEqual(lines("2028-02-01", "2028-02-29"), ["2028-02 2028-02-01 2028-02-29"]);
  assert.deepEqual(lines("2026-11-16", "2026-11-16"), ["2026-11 2026-11-16 2026-11-16"]);
});

test("days and windows are refused in the wrong order or too far apart, and left to their schema if they are none", () => {
  const codes = (faults: readonly { code: string }[]) => faults.map(({ code }) => code).join();
  assert.equal(codes(checkSpanOfDays({ from: "2026-11-16", until: "2026-11-15" })), "window_reversed");
  assert.equal(codes(checkSpanOfDays({ from: "2023-11-16", until: "2026-11-20" })), "");
  assert.equal(codes(checkSpanOfDays({ from: "2023-11-16", until: "2026-11-21" })), "window_too_long");
  assert.equal(codes(checkSpanOfDays({ from: "soon", until: "2026-11-21" })), "");
  const from = "2026-08-16T00:00:00Z";
  assert.equal(codes(checkTimetableWindow({ from, to: from })), "window_reversed");
  assert.equal(codes(checkTimetableWindow({ from, to: "2026-11-16T00:00:00Z" })), "");
  assert.equal(codes(checkTimetableWindow({ from, to: "2026-11-16T00:00:01Z" })), "window_too_long");
});

test("sessions are added up by weekday and hour, cancelled ones are not", () => {
  const hours = new WeekHours();
  const add = (localStart: string, bookedCount: number, status = "scheduled") =>
    hours.add({ localStart, capacity: 10, bookedCount, status });
  add("2026-11-16 07:00", 3);
  add("2026-11-23 07:50", 4);
  add("2026-11-22 07:00", 0);
  add("2026-11-16 18:00", 9, "cancelled");
  assert.deepEqual(hours.list(), [
    { weekday: 1, hour: 7, sessions: 2, capacity: 20, booked: 7 },
    { weekday: 7, hour: 7, sessions: 1, capacity: 10, booked: 0 },
  ]);
});
