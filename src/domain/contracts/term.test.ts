import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calendarDateOf, daysAfter, daysInMonth, LAST_DATE, MS_PER_DAY } from "../../core/dates.ts";
import { DURATION_UNITS } from "../plans/schema.ts";
import { endOfTerm } from "./term.ts";

test("a term ends on the day before the next one would begin, which a shorter month brings forward", () => {
  const cases: readonly [string, number, (typeof DURATION_UNITS)[number], string][] = [
    ["2026-01-31", 1, "month", "2026-02-27"],
    ["2026-03-31", 1, "month", "2026-04-29"],
    ["2028-02-29", 1, "year", "2029-02-27"],
    ["2026-08-31", 6, "month", "2027-02-27"],
    ["2026-11-16", 30, "day", "2026-12-15"],
    ["2026-11-16", 4, "week", "2026-12-13"],
    ["2026-11-16", 1, "day", "2026-11-16"],
    ["2026-01-31", 13, "month", "2027-02-27"],
    ["2024-01-31", 1, "month", "2024-02-28"],
    ["2024-02-29", 4, "year", "2028-02-28"],
    ["2026-12-31", 2, "month", "2027-02-27"],
    ["9999-12-01", 1, "month", LAST_DATE],
    ["9999-12-31", 1, "day", LAST_DATE],
    ["2026-11-16", 2_147_483_647, "year", LAST_DATE],
    ["2026-11-16", 2_147_483_647, "week", LAST_DATE],
  ];
  for (const [startDate, durationCount, durationUnit, endDate] of cases)
    assert.equal(
      endOfTerm(startDate, { durationCount, durationUnit }),
      endDate,
      `${startDate} ${durationCount}`,
    );
});

test("a plan without a duration has no last day", () => {
  assert.equal(endOfTerm("2026-11-16", {}), undefined);
});

const date = fc.integer({ min: 0, max: 100_000 }).map((day) => calendarDateOf(day * MS_PER_DAY));

test("the day after a term of months has the number of its first day, or is the last of a shorter month", () => {
  fc.assert(
    fc.property(date, fc.integer({ min: 1, max: 600 }), (startDate, durationCount) => {
      const next = daysAfter(endOfTerm(startDate, { durationCount, durationUnit: "month" }) ?? "", 1);
      const [year = 0, month = 0, day = 0] = next.split("-").map(Number);
      assert.equal(day, Math.min(Number(startDate.slice(8)), daysInMonth(year, month)));
      const months = (year - Number(startDate.slice(0, 4))) * 12 + month - Number(startDate.slice(5, 7));
      assert.equal(months, durationCount);
    }),
  );
});

test("a longer term never ends earlier, and a later start never before an earlier one", () => {
  fc.assert(
    fc.property(
      date,
      date,
      fc.integer({ min: 1, max: 600 }),
      fc.constantFrom(...DURATION_UNITS),
      (one, other, durationCount, durationUnit) => {
        const [early, late] = [one, other].sort() as [string, string];
        const end = (startDate: string, count: number) =>
          endOfTerm(startDate, { durationCount: count, durationUnit }) ?? "";
        assert.ok(end(early, durationCount) <= end(late, durationCount));
        assert.ok(end(early, durationCount) < end(early, durationCount + 1));
        assert.ok(end(early, durationCount) >= early);
      },
    ),
  );
});
