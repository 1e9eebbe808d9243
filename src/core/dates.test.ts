import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  calendarDateOf,
  daysAfter,
  daysBetween,
  isCalendarDate,
  monthsAfter,
  parseInstant,
} from "./dates.ts";

test("calendar dates are real ones, written YYYY-MM-DD", () => {
  for (const date of ["1900-01-01", "2000-02-29", "2024-02-29", "2026-12-31", "0001-01-01", "9999-12-31"]) {
    assert.ok(isCalendarDate(date), date);
  }
  for (const date of [
    "1900-02-29",
    "2026-02-29",
    "2026-02-30",
    "2026-04-31",
    "2026-00-10",
    "2026-13-01",
    "2026-01-00",
    "2026-01-32",
    "0000-01-01",
    "26-01-01",
    "02026-01-01",
    "2026-1-1",
    "2026/01/01",
    "20260101",
    "2026-01-01T00:00:00Z",
    " 2026-01-01",
    "2026-01-01\n",
    "２０２６-01-01",
    "-2026-01-01",
    "",
  ]) {
    assert.ok(!isCalendarDate(date), JSON.stringify(date));
  }
});

test("date-times are RFC 3339 with an offset, and nothing looser", () => {
  const instants: [string, string][] = [
    ["2026-11-15T09:30:00Z", "2026-11-15T09:30:00.000Z"],
    ["2026-11-15t09:30:00z", "2026-11-15T09:30:00.000Z"],
    ["2026-11-15T09:30:00.5Z", "2026-11-15T09:30:00.500Z"],
    ["2026-11-15T09:30:00.1234Z", "2026-11-15T09:30:00.124Z"],
    ["2026-11-15T09:30:00.1230Z", "2026-11-15T09:30:00.123Z"],
    ["2026-11-15T23:59:59.9999Z", "2026-11-16T00:00:00.000Z"],
    ["2026-11-15T00:30:00+14:00", "2026-11-14T10:30:00.000Z"],
    ["2026-11-15T23:30:00-11:30", "2026-11-16T11:00:00.000Z"],
    ["2026-11-15T09:30:00-00:00", "2026-11-15T09:30:00.000Z"],
    ["2024-02-29T00:00:00+23:59", "2024-02-28T00:01:00.000Z"],
    ["0099-12-31T23:00:00-02:00", "0100-01-01T01:00:00.000Z"],
  ];
  for (const [text, instant] of instants) assert.equal(parseInstant(text), Date.parse(instant), text);
  for (const text of [
    "2026-11-15",
    "2026-11-15T09:30Z",
    "2026-11-15T09:30:00",
    "2026-11-15 09:30:00Z",
    "2026-11-15T24:00:00Z",
    "2026-11-15T09:60:00Z",
    "2026-11-15T23:59:60Z",
    "2026-02-30T09:30:00Z",
    "0000-01-01T00:00:00Z",
    "2026-11-15T09:30:00+25:00",
    "2026-11-15T09:30:00+24:00",
    "2026-11-15T09:30:00+02:60",
    "2026-11-15T09:30:00+2:00",
    "2026-11-15T09:30:00+0200",
    "2026-11-15T09:30:00+02",
    "2026-11-15T09:30:00.Z",
    "2026-11-15T09:30:00,5Z",
    "2026-11-15T09:30:00Z ",
    "2026-11-15T09:30:00Zulu",
    "",
  ]) {
    assert.equal(parseInstant(text), undefined, text);
  }
});

test("any instant is read back from what Date writes, and its date from its wall clock", () => {
  const range = { min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59.999Z") };
  fc.assert(
    fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
      const text = date.toISOString();
      assert.equal(parseInstant(text), date.getTime());
      assert.equal(calendarDateOf(date.getTime()), text.slice(0, 10));
      assert.ok(isCalendarDate(text.slice(0, 10)));
    }),
  );
});

test("months after a date keep its day where the month has it, and else end with the month", () => {
  for (const [date, months, expected] of [
    ["2026-01-31", 1, "2026-02-28"],
    ["2024-01-31", 1, "2024-02-29"],
    ["2026-11-15", 2, "2027-01-15"],
    ["2026-11-30", 3, "2027-02-28"],
    ["2026-03-31", -1, "2026-02-28"],
    ["2026-01-15", -1, "2025-12-15"],
    ["2026-05-31", 12, "2027-05-31"],
  ] as const)
    assert.equal(monthsAfter(date, months), expected, `${date} ${months}`);
});

test("days after and between dates undo each other across leap days and years", () => {
  for (const [date, days, expected] of [
    ["2024-02-28", 1, "2024-02-29"],
    ["2026-02-28", 1, "2026-03-01"],
    ["2026-12-31", 1, "2027-01-01"],
    ["2026-03-01", -366, "2025-02-28"],
  ] as const) {
    assert.equal(daysAfter(date, days), expected);
    assert.equal(daysBetween(date, expected), days);
  }
});
