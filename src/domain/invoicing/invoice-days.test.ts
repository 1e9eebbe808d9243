import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { daysAfter, daysBetween } from "../../core/dates.ts";
import type { Pause } from "../contract-status/status-timeline.ts";
import { type InvoiceDay, type InvoicedTerm, nextInvoiceDay } from "./invoice-days.ts";

const MONTHLY: InvoicedTerm = {
  billingKind: "recurring",
  billingInterval: "month",
  startDate: "2026-01-10",
  soldOn: "2026-01-10",
  pauses: [],
};

function pause(firstDay: string, lastDay: string | undefined, extendsTerm = true): Pause {
  return { id: firstDay, firstDay, ...(lastDay !== undefined && { lastDay }), extendsTerm };
}

/** The invoices of a term until a day. */
function invoicesOf(
  term: InvoicedTerm,
  until: string,
  earliest = "2000-01-01",
  fromPeriod = 0,
): InvoiceDay[] {
  const invoices: InvoiceDay[] = [];
  for (let period = fromPeriod; ; ) {
    const next = nextInvoiceDay(term, period, earliest);
    if (!next || next.day > until) return invoices;
    invoices.push(next);
    period = next.periodNumber + 1;
  }
}

const days = (...given: Parameters<typeof invoicesOf>) => invoicesOf(...given).map(({ day }) => day);

const CASES: readonly [
  what: string,
  term: Partial<InvoicedTerm>,
  until: string,
  days: readonly string[],
  earliest?: string,
  fromPeriod?: number,
][] = [
  [
    "months are counted from the start each time",
    { startDate: "2026-01-31" },
    "2026-04-30",
    ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"],
    "2026-01-01",
  ],
  [
    "a pause that extends the term moves what lies ahead",
    { pauses: [pause("2026-02-05", "2026-02-14")] },
    "2026-03-31",
    ["2026-01-10", "2026-02-20", "2026-03-20"],
  ],
  [
    "an open pause that has ended moves by the days it lasted",
    { pauses: [pause("2026-02-05", "2026-02-28")] },
    "2026-04-05",
    ["2026-01-10", "2026-03-06", "2026-04-03"],
  ],
  [
    "nothing is issued while a pause is open",
    { pauses: [pause("2026-02-05", undefined)] },
    "2027-12-31",
    ["2026-01-10"],
  ],
  [
    "an open pause to come moves nothing that lies before it",
    { pauses: [pause("2026-02-11", undefined)] },
    "2027-12-31",
    ["2026-01-10", "2026-02-10"],
  ],
  [
    "a pause that does not extend changes nothing, open or not",
    { pauses: [pause("2026-02-05", "2026-02-14", false), pause("2026-03-01", undefined, false)] },
    "2026-03-31",
    ["2026-01-10", "2026-02-10", "2026-03-10"],
  ],
  [
    "a pause entered after an invoice moves the next ones",
    { pauses: [pause("2026-02-05", "2026-02-14")] },
    "2026-04-01",
    ["2026-03-20"],
    "2026-01-01",
    2,
  ],
  [
    "one that is cancelled owes until its last day",
    { endDate: "2026-03-15", cancelledOn: "2026-03-16" },
    "2027-01-01",
    ["2026-01-10", "2026-02-10", "2026-03-10"],
  ],
  [
    "a period that begins on the last day is owed",
    { endDate: "2026-03-10" },
    "2027-01-01",
    ["2026-01-10", "2026-02-10", "2026-03-10"],
  ],
  [
    "what was cancelled before its first day owes nothing",
    { endDate: "2026-01-10", cancelledOn: "2026-01-06" },
    "2027-01-01",
    [],
  ],
  [
    "one brought in from earlier years owes from the day on which invoicing began",
    { startDate: "2024-03-10" },
    "2026-12-31",
    ["2026-11-10", "2026-12-10"],
    "2026-11-01",
  ],
  [
    "two pauses move one after the other, the second by where the first has moved to",
    { pauses: [pause("2026-02-12", "2026-02-13"), pause("2026-02-10", "2026-02-11")] },
    "2026-03-20",
    ["2026-01-10", "2026-02-14", "2026-03-14"],
  ],
  ["weeks", { billingInterval: "week" }, "2026-01-24", ["2026-01-10", "2026-01-17", "2026-01-24"]],
  ["quarters", { billingInterval: "quarter" }, "2026-07-31", ["2026-01-10", "2026-04-10", "2026-07-10"]],
  [
    "years of a leap day",
    { billingInterval: "year", startDate: "2024-02-29" },
    "2028-12-31",
    ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"],
  ],
  ["once, on the first day", { billingKind: "one_time", soldOn: "2026-01-02" }, "2030-01-01", ["2026-01-10"]],
  [
    "once, on the day of a later sale, though the term is over",
    { billingKind: "one_time", soldOn: "2026-01-20", endDate: "2026-01-10" },
    "2030-01-01",
    ["2026-01-20"],
  ],
  [
    "never, if what is charged once was cancelled before",
    { billingKind: "one_time", soldOn: "2026-01-02", cancelledOn: "2026-01-03" },
    "2030-01-01",
    [],
  ],
  ["never twice, if charged once", { billingKind: "one_time" }, "2030-01-01", [], "2000-01-01", 1],
];

for (const [what, term, until, expected, earliest, fromPeriod] of CASES) {
  test(`days of invoices: ${what}`, () => {
    assert.deepEqual(days({ ...MONTHLY, ...term }, until, earliest, fromPeriod), expected);
  });
}

test("a period ends the day before the next one begins, as far as that is known", () => {
  const paused = { ...MONTHLY, pauses: [pause("2026-02-05", "2026-02-14")] };
  assert.deepEqual(invoicesOf(paused, "2026-02-28"), [
    { periodNumber: 0, day: "2026-01-10", periodFirst: "2026-01-10", periodLast: "2026-02-19" },
    { periodNumber: 1, day: "2026-02-20", periodFirst: "2026-02-20", periodLast: "2026-03-19" },
  ]);
  const open = { ...MONTHLY, pauses: [pause("2026-02-05", undefined)] };
  assert.equal(invoicesOf(open, "2026-02-28")[0]?.periodLast, "2026-02-09");
  const once = { ...MONTHLY, billingKind: "one_time" as const };
  assert.deepEqual(invoicesOf(once, "2026-12-31"), [{ periodNumber: 0, day: "2026-01-10" }]);
});

const FIRST = "2025-01-01";
const day = fc.nat({ max: 800 }).map((count) => daysAfter(FIRST, count));
const span = fc.record({
  gap: fc.nat({ max: 60 }),
  length: fc.integer({ min: 1, max: 70 }),
  extendsTerm: fc.boolean(),
});
const terms = fc.record({
  billingKind: fc.constantFrom("recurring" as const, "recurring" as const, "one_time" as const),
  billingInterval: fc.constantFrom("week" as const, "month" as const, "quarter" as const, "year" as const),
  startDate: day,
  soldAfter: fc.integer({ min: -60, max: 31 }),
  lasts: fc.option(fc.nat({ max: 700 }), { nil: undefined }),
  cancelledAfter: fc.option(fc.integer({ min: -30, max: 400 }), { nil: undefined }),
  spans: fc.array(span, { maxLength: 4 }),
  isOpen: fc.boolean(),
  earliest: day,
});

test("the days computed at once are those found by walking day by day", () => {
  fc.assert(
    fc.property(terms, (drawn) => {
      const { startDate, spans, isOpen, earliest } = drawn;
      const pauses: Pause[] = [];
      let next = startDate;
      spans.forEach(({ gap, length, extendsTerm }, place) => {
        const firstDay = daysAfter(next, gap);
        const lastDay = isOpen && place === spans.length - 1 ? undefined : daysAfter(firstDay, length - 1);
        pauses.push(pause(firstDay, lastDay, extendsTerm));
        next = daysAfter(firstDay, length);
      });
      const term: InvoicedTerm = {
        billingKind: drawn.billingKind,
        billingInterval: drawn.billingInterval,
        startDate,
        soldOn: daysAfter(startDate, drawn.soldAfter),
        pauses,
        ...(drawn.lasts !== undefined && { endDate: daysAfter(startDate, drawn.lasts) }),
        ...(drawn.cancelledAfter !== undefined && {
          cancelledOn: daysAfter(startDate, drawn.cancelledAfter),
        }),
      };
      const until = daysAfter(FIRST, 1_500);
      assert.deepEqual(days(term, until, earliest), walked(term, until, earliest));
    }),
    { numRuns: 400 },
  );
});

/** Day by day, without looking ahead: on each day the contract is asked whether a period of it begins. */
function walked(term: InvoicedTerm, until: string, earliest: string): string[] {
  const { billingKind, billingInterval, startDate, soldOn, endDate, cancelledOn, pauses } = term;
  const found: string[] = [];
  const extending = pauses.filter(({ extendsTerm }) => extendsTerm);
  let pausedDays = 0;
  let counted = 0;
  const first = billingKind === "one_time" && soldOn > startDate ? soldOn : startDate;
  // A day counts for the periods unless it lies in a pause that extends the term.
  for (let today = startDate; today <= until; today = daysAfter(today, 1)) {
    if (cancelledOn !== undefined && today >= cancelledOn) break;
    if (billingKind === "recurring" && endDate !== undefined && today > endDate) break;
    if (extending.some((one) => one.firstDay <= today && today <= (one.lastDay ?? "9999-12-31"))) {
      pausedDays++;
      continue;
    }
    const unmoved = daysAfter(today, -pausedDays);
    if (billingKind === "one_time") {
      if (found.length === 0 && counted === 0 && unmoved === first) {
        counted++;
        if (today >= earliest) found.push(today);
      }
    } else if (beginsPeriod(unmoved, startDate, billingInterval ?? "year") && today >= earliest)
      found.push(today);
  }
  return found;
}

function beginsPeriod(
  today: string,
  startDate: string,
  interval: "week" | "month" | "quarter" | "year",
): boolean {
  if (interval === "week") return daysBetween(startDate, today) % 7 === 0;
  const [year = 0, month = 0, dayOfMonth = 0] = today.split("-").map(Number);
  const [startYear = 0, startMonth = 0, startDay = 0] = startDate.split("-").map(Number);
  const months = (year - startYear) * 12 + month - startMonth;
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return (
    months % { month: 1, quarter: 3, year: 12 }[interval] === 0 && dayOfMonth === Math.min(startDay, last)
  );
}
