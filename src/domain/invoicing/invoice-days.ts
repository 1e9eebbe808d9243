import { afterDays, daysBefore, daysBetween, LAST_DATE, monthsAfter } from "../../core/dates.ts";
import type { Pause } from "../contract-status/status-timeline.ts";
import type { ContractStatus } from "../contract-status/values.ts";
import { dateIn, type Zone } from "../recurrence/zones.ts";

/**
 * The days on which a contract owes. They follow from its dates and pauses alone, so it makes no difference whether they
 * are computed day by day or years later at once.
 */

/** A contract as far as its invoices go. */
export interface InvoicedTerm {
  readonly priceCents: number;
  readonly billingKind: "recurring" | "one_time";
  readonly billingInterval?: "week" | "month" | "quarter" | "year" | undefined;
  readonly startDate: string;
  readonly endDate?: string | undefined;
  /** The first day on which it is cancelled; absent if it is not. */
  readonly cancelledOn?: string | undefined;
  /** The day of the sale. */
  readonly soldOn: string;
  readonly pauses: readonly Omit<Pause, "id">[];
}

export interface InvoiceDay {
  /** Which period, counted from 0. */
  readonly periodNumber: number;
  readonly day: string;
  /** Of what is charged again and again. */
  readonly periodFirst?: string;
  readonly periodLast?: string;
}

/** A contract as it is stored, as far as its invoices go. */
export interface StoredTerm extends Omit<InvoicedTerm, "cancelledOn" | "soldOn"> {
  readonly status: ContractStatus;
  readonly createdAt: string;
  readonly cancelledAt?: string | undefined;
  readonly isCancelledHere: boolean;
}

/** Its days in the organization's timezone. */
export function invoicedTerm(contract: StoredTerm, zone: Zone): InvoicedTerm {
  const { priceCents, billingKind, billingInterval, startDate, endDate, createdAt, pauses } = contract;
  return {
    priceCents,
    billingKind,
    billingInterval,
    startDate,
    endDate,
    cancelledOn: cancelledOn(contract, zone),
    soldOn: dateIn(zone.name, Date.parse(createdAt)),
    pauses,
  };
}

/**
 * The first day on which a contract is cancelled. One with a last day runs until then. One that was cancelled at once, or
 * elsewhere, ended with the day of its cancellation, though its last day may lie ahead.
 */
function cancelledOn(
  { status, startDate, endDate, cancelledAt, isCancelledHere }: StoredTerm,
  zone: Zone,
): string | undefined {
  const dayAfterEnd = endDate === undefined ? undefined : afterDays(endDate, 1);
  if (status !== "cancelled") return cancelledAt === undefined ? undefined : dayAfterEnd;
  if (cancelledAt === undefined) return dayAfterEnd ?? startDate;
  const dayAfter = afterDays(dateIn(zone.name, Date.parse(cancelledAt)), 1) ?? LAST_DATE;
  const isAtOnce = !isCancelledHere || (startDate >= dayAfter && endDate === startDate);
  return dayAfterEnd === undefined || (isAtOnce && dayAfter < dayAfterEnd) ? dayAfter : dayAfterEnd;
}

/**
 * The invoices of a contract that were not issued, from a day on, as far as is known today. Without a last day there is no
 * end to them: take as many as are needed.
 *
 * Monthly from 01-10, paused from 02-05 to 02-14, extending the term, period 0 issued: 02-20, 03-20, 04-20 …
 */
export function* invoiceDays(
  term: InvoicedTerm,
  issuedPeriods: ReadonlySet<number>,
  earliest: string,
): Generator<InvoiceDay> {
  if (term.priceCents === 0) return;
  if (term.billingKind === "one_time") yield* onlyDay(term, issuedPeriods, earliest);
  else yield* periods(term, issuedPeriods, earliest);
}

function* onlyDay(
  { startDate, soldOn, cancelledOn, pauses }: InvoicedTerm,
  issuedPeriods: ReadonlySet<number>,
  earliest: string,
): Generator<InvoiceDay> {
  const day = movedByPauses(startDate > soldOn ? startDate : soldOn, pauses);
  if (issuedPeriods.has(0) || day === undefined || day < earliest) return;
  if (cancelledOn === undefined || day < cancelledOn) yield { periodNumber: 0, day };
}

function* periods(
  term: InvoicedTerm,
  issuedPeriods: ReadonlySet<number>,
  earliest: string,
): Generator<InvoiceDay> {
  const { endDate, cancelledOn, pauses } = term;
  for (let number = periodBefore(term, earliest); ; number++) {
    if (issuedPeriods.has(number)) continue;
    const begin = beginOfPeriod(term, number);
    const day = begin === undefined ? undefined : movedByPauses(begin, pauses);
    if (day === undefined || (endDate !== undefined && day > endDate)) return;
    if (cancelledOn !== undefined && day >= cancelledOn) return;
    if (day < earliest) continue;
    const after = beginOfPeriod(term, number + 1);
    // A pause without an end says nothing yet of when the next period begins.
    const next = after && movedByPauses(after, pauses.filter(isClosed));
    yield { periodNumber: number, day, ...(next && { periodFirst: day, periodLast: daysBefore(next, 1) }) };
  }
}

function isClosed({ lastDay }: Omit<Pause, "id">): boolean {
  return lastDay !== undefined;
}

/**
 * The day after the pauses that extend the term: each that began on or before it, as moved so far, adds its days.
 * Undefined if one of those is open: until it ends, nothing is issued.
 */
export function movedByPauses(day: string, pauses: InvoicedTerm["pauses"]): string | undefined {
  let moved: string | undefined = day;
  const inOrder = pauses
    .filter(({ extendsTerm }) => extendsTerm)
    .sort((one, other) => (one.firstDay < other.firstDay ? -1 : 1));
  for (const { firstDay, lastDay } of inOrder) {
    if (moved === undefined || firstDay > moved) break;
    moved = lastDay === undefined ? undefined : afterDays(moved, daysBetween(firstDay, lastDay) + 1);
  }
  return moved;
}

/** Months and years are counted from the start each time: 31 January, 28 February, 31 March. */
function beginOfPeriod({ startDate, billingInterval }: InvoicedTerm, number: number): string | undefined {
  if (billingInterval === undefined) return number === 0 ? startDate : undefined;
  if (billingInterval === "week") return afterDays(startDate, 7 * number);
  const [year = 0, month = 1] = startDate.split("-").map(Number);
  const months = MONTHS[billingInterval] * number;
  return months > (9999 - year) * 12 + 12 - month ? undefined : monthsAfter(startDate, months);
}

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** A period that begins before a day however long the pauses are, and not long before it. */
function periodBefore({ startDate, billingInterval, pauses }: InvoicedTerm, day: string): number {
  const paused = pauses.reduce(
    (sum, { firstDay, lastDay }) => sum + (lastDay === undefined ? 0 : daysBetween(firstDay, lastDay) + 1),
    0,
  );
  const days = daysBetween(startDate, day) - paused;
  const longest = { week: 7, month: 31, quarter: 92, year: 366 }[billingInterval ?? "year"];
  return Math.max(0, Math.floor(days / longest) - 1);
}
