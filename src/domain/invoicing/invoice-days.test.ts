import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { instantText } from "../../core/clock.ts";
import { daysAfter, daysBetween, MS_PER_DAY } from "../../core/dates.ts";
import type { Pause } from "../contract-status/status-timeline.ts";
import { dateIn, dayStart, type Zone, zoneOfLocation } from "../recurrence/zones.ts";
import {
  type InvoiceDay,
  type InvoicedTerm,
  invoiceDays,
  invoicedTerm,
  type StoredTerm,
} from "./invoice-days.ts";

const MONTHLY: InvoicedTerm = {
  priceCents: 28_900,
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
  issuedPeriods: readonly number[] = [],
): InvoiceDay[] {
  const found: InvoiceDay[] = [];
  for (const next of invoiceDays(term, new Set(issuedPeriods), earliest)) {
    if (next.day > until) break;
    found.push(next);
  }
  return found;
}

const days = (...given: Parameters<typeof invoicesOf>) => invoicesOf(...given).map(({ day }) => day);

const CASES: readonly [
  what: string,
  term: Partial<InvoicedTerm>,
  until: string,
  days: readonly string[],
  earliest?: string,
  issuedPeriods?: readonly number[],
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
    [0, 1],
  ],
  [
    "what was passed over is issued when invoicing begins earlier, and nothing twice",
    {},
    "2026-06-30",
    ["2026-03-10", "2026-05-10"],
    "2026-03-01",
    [3, 5],
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
  [
    "a sale with its first day in the past owes what was due since then",
    { startDate: "2026-10-18", soldOn: "2026-11-18" },
    "2026-11-18",
    ["2026-10-18", "2026-11-18"],
  ],
  [
    "and not what is still to come",
    { startDate: "2026-10-19", soldOn: "2026-11-18" },
    "2026-11-18",
    ["2026-10-19"],
  ],
  ["nothing for what has no price", { priceCents: 0 }, "2030-01-01", []],
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
  ["never twice, if charged once", { billingKind: "one_time" }, "2030-01-01", [], "2000-01-01", [0]],
];

for (const [what, term, until, expected, earliest, issuedPeriods] of CASES) {
  test(`days of invoices: ${what}`, () => {
    assert.deepEqual(days({ ...MONTHLY, ...term }, until, earliest, issuedPeriods), expected);
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

const ZONES = [
  "America/Sao_Paulo",
  "America/Santiago",
  "Africa/Cairo",
  "Asia/Kathmandu",
  "Pacific/Apia",
  "Pacific/Honolulu",
].map((name) => zoneOfLocation(name));
const FIRST = "2025-01-01";
const day = fc.nat({ max: 800 }).map((count) => daysAfter(FIRST, count));
const span = fc.record({
  gap: fc.nat({ max: 60 }),
  length: fc.integer({ min: 1, max: 70 }),
  extendsTerm: fc.boolean(),
});
/** Within a day; its first and last millisecond too. */
const moment = fc.oneof(fc.constantFrom(0, MS_PER_DAY - 1), fc.nat({ max: MS_PER_DAY - 1 }));
const contracts = fc.record({
  zone: fc.constantFrom(...ZONES),
  billingKind: fc.constantFrom("recurring" as const, "recurring" as const, "one_time" as const),
  billingInterval: fc.constantFrom("week" as const, "month" as const, "quarter" as const, "year" as const),
  startDate: day,
  sold: fc.record({ after: fc.integer({ min: -60, max: 31 }), moment }),
  lasts: fc.option(fc.nat({ max: 700 }), { nil: undefined }),
  cancelled: fc.option(
    fc.record({
      after: fc.nat({ max: 400 }),
      moment,
      lastDayAfter: fc.option(fc.nat({ max: 60 }), { nil: undefined }),
      isSettled: fc.boolean(),
    }),
    { nil: undefined },
  ),
  spans: fc.array(span, { maxLength: 4 }),
  isOpen: fc.boolean(),
  earliest: day,
});

type Drawn = typeof contracts extends fc.Arbitrary<infer Value> ? Value : never;

/** A contract as it went: what happened to it at which instant. */
interface Course extends Pick<InvoicedTerm, "billingKind" | "billingInterval" | "startDate" | "pauses"> {
  readonly zone: Zone;
  readonly soldAt: number;
  readonly endDate: string | undefined;
  readonly cancellation?: { readonly at: number; readonly lastDay: string | undefined } | undefined;
}

function courseOf({ zone, startDate, sold, lasts, cancelled, spans, isOpen, ...billing }: Drawn): Course {
  const pauses: Pause[] = [];
  let next = startDate;
  spans.forEach(({ gap, length, extendsTerm }, place) => {
    const firstDay = daysAfter(next, gap);
    const lastDay = isOpen && place === spans.length - 1 ? undefined : daysAfter(firstDay, length - 1);
    pauses.push(pause(firstDay, lastDay, extendsTerm));
    next = daysAfter(firstDay, length);
  });
  const instant = (after: number, ms: number) => dayStart(zone, daysAfter(startDate, after)) + ms;
  const soldAt = instant(sold.after, sold.moment);
  const endDate = lasts === undefined ? undefined : daysAfter(startDate, lasts);
  const course = { ...billing, zone, startDate, pauses, soldAt, endDate };
  if (!cancelled) return course;
  const at = Math.max(soldAt, instant(sold.after + cancelled.after, cancelled.moment));
  const today = dateIn(zone.name, at);
  if (endDate !== undefined && today > endDate) return course;
  const { lastDayAfter } = cancelled;
  const wished = lastDayAfter === undefined ? undefined : daysAfter(later(startDate, today), lastDayAfter);
  const lastDay = wished !== undefined && endDate !== undefined && wished > endDate ? endDate : wished;
  return { ...course, cancellation: { at, lastDay } };
}

/** What is stored of it, as `cancelContract` leaves it, before its last day or after. */
function storedOf({ zone, soldAt, cancellation, ...agreed }: Course, isOver: boolean): StoredTerm {
  const stored = {
    ...agreed,
    priceCents: 100,
    createdAt: instantText(soldAt),
    status: "active" as const,
    isCancelledHere: false,
  };
  if (!cancellation) return stored;
  const { at, lastDay } = cancellation;
  const today = dateIn(zone.name, at);
  const set = lastDay ?? later(agreed.startDate, today);
  const endDate = agreed.endDate !== undefined && agreed.endDate < set ? agreed.endDate : set;
  const pauses =
    lastDay === undefined
      ? agreed.pauses
      : agreed.pauses
          .filter((one) => one.lastDay !== undefined || one.firstDay <= lastDay)
          .map((one) => ({ ...one, lastDay: one.lastDay ?? lastDay }));
  // If its first day, still to come, is its last, it looks as if it had been cancelled at once when it is over.
  const isEarly = lastDay === agreed.startDate && lastDay > today;
  const status = lastDay === undefined || (isOver && !isEarly) ? "cancelled" : "active";
  return { ...stored, endDate, pauses, status, cancelledAt: instantText(at), isCancelledHere: true };
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

test("the days computed at once are those found by walking day by day, in any zone", () => {
  fc.assert(
    fc.property(contracts, fc.boolean(), (drawn, isOver) => {
      const course = courseOf(drawn);
      const until = daysAfter(FIRST, 1_500);
      const term = invoicedTerm(storedOf(course, isOver), course.zone);
      assert.deepEqual(days(term, until, drawn.earliest), walked(course, until, drawn.earliest));
    }),
    { numRuns: 250 },
  );
});

/** Day by day, without looking ahead: at the beginning of each day the contract is asked whether a period of it begins. */
function walked(course: Course, until: string, earliest: string): string[] {
  const { zone, billingKind, billingInterval, startDate, soldAt, endDate, cancellation, pauses } = course;
  const found: string[] = [];
  const extending = pauses.filter(({ extendsTerm }) => extendsTerm);
  let pausedDays = 0;
  let soldOn = daysAfter(startDate, -100);
  while (dayStart(zone, daysAfter(soldOn, 1)) <= soldAt) soldOn = daysAfter(soldOn, 1);
  const first = billingKind === "one_time" ? later(soldOn, startDate) : startDate;
  // A day counts for the periods unless it lies in a pause that extends the term.
  for (let today = startDate; today <= until; today = daysAfter(today, 1)) {
    if (cancellation?.lastDay !== undefined && today > cancellation.lastDay) break;
    // What is cancelled at once on a day was not when the day began.
    if (cancellation && cancellation.lastDay === undefined && dayStart(zone, today) > cancellation.at) break;
    if (billingKind === "recurring" && endDate !== undefined && today > endDate) break;
    if (extending.some((one) => one.firstDay <= today && today <= (one.lastDay ?? "9999-12-31"))) {
      pausedDays++;
      continue;
    }
    const unmoved = daysAfter(today, -pausedDays);
    const isOwed =
      billingKind === "one_time"
        ? unmoved === first
        : beginsPeriod(unmoved, startDate, billingInterval ?? "year");
    if (isOwed && today >= earliest) found.push(today);
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
