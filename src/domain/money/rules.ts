import { calendarDateOf, daysBefore, daysBetween, isCalendarDate } from "../../core/dates.ts";
import type { Fault } from "../../core/faults.ts";
import { MAX_SAFE } from "../../core/fields.ts";
import type { ClientAccount, Income, Invoice, Payment } from "./schema.ts";

/** How far back a payment may lie. */
const MOST_DAYS_AGO = 365;

/** The faults of the day on which something was paid. */
export function checkPaidOn(paidOn: string, today: string, location = "body.paidOn"): Fault[] {
  const min = daysBefore(today, MOST_DAYS_AGO);
  return paidOn < min || paidOn > today
    ? [{ location, code: "day_out_of_range", params: { min, max: today } }]
    : [];
}

/** The faults of another day by which an invoice is due. */
export function checkDueOn(dueOn: string | undefined, { issuedOn }: Pick<Invoice, "issuedOn">): Fault[] {
  return dueOn !== undefined && dueOn < issuedOn
    ? [{ location: "body.changes.dueOn", code: "before_member", params: { member: "issuedOn" } }]
    : [];
}

/** How many days income is added up for at once. */
const MOST_DAYS = 1_100;

/** The faults of two days that are both included. */
export function checkDaySpan({ from, to }: { readonly from?: unknown; readonly to?: unknown }): Fault[] {
  if (!isDay(from) || !isDay(to) || to >= from) return [];
  return [{ location: "query.to", code: "window_reversed" }];
}

export function checkIncomeDays(days: { readonly from?: unknown; readonly to?: unknown }): Fault[] {
  const { from, to } = days;
  const faults = checkDaySpan(days);
  return faults.length === 0 && isDay(from) && isDay(to) && daysBetween(from, to) > MOST_DAYS
    ? [{ location: "query.to", code: "window_too_long", params: { maxDays: MOST_DAYS } }]
    : faults;
}

function isDay(text: unknown): text is string {
  return typeof text === "string" && isCalendarDate(text);
}

/** Sums of invoices by month and what they are for. */
export type InvoicedSum = Income["plans"][number] & { readonly month: string };
/** Sums of payments by month and method. */
export type ReceivedSum = Income["methods"][number] & { readonly month: string };

/** Adds up what came in, and what was invoiced and is open. Every month of the days is named. */
export function toIncome(
  { from, to }: { readonly from: string; readonly to: string },
  invoiced: readonly InvoicedSum[],
  received: readonly ReceivedSum[],
): Income {
  const months = new Map(monthsOf(from, to).map((month) => [month, { month, ...NOTHING }]));
  const methods = new Map<string, Income["methods"][number]>();
  const plans = new Map<string, Income["plans"][number]>();
  const whole = { ...NOTHING };
  for (const { month, description, invoicedCents, openCents, receivedCents } of invoiced) {
    const plan = plans.get(description) ?? { description, ...NOTHING };
    plans.set(description, plan);
    plan.receivedCents = addCents(plan.receivedCents, receivedCents);
    for (const sum of [plan, whole, months.get(month)]) {
      if (!sum) continue;
      sum.invoicedCents = addCents(sum.invoicedCents, invoicedCents);
      sum.openCents = addCents(sum.openCents, openCents);
    }
  }
  for (const { month, method, receivedCents, payments } of received) {
    const sum = methods.get(method) ?? { method, receivedCents: 0, payments: 0 };
    methods.set(method, sum);
    sum.payments += payments;
    for (const one of [sum, whole, months.get(month)])
      if (one) one.receivedCents = addCents(one.receivedCents, receivedCents);
  }
  return {
    ...whole,
    months: [...months.values()],
    methods: [...methods.values()].sort((one, other) => other.receivedCents - one.receivedCents),
    plans: [...plans.values()].sort((one, other) => other.invoicedCents - one.invoicedCents),
  };
}

/** Adds amounts, no further than JSON readers know the sum exactly. */
export function addCents(one: number, other: number): number {
  return Math.max(-MAX_SAFE, Math.min(MAX_SAFE, one + other));
}

const NOTHING = { receivedCents: 0, invoicedCents: 0, openCents: 0 };

function monthsOf(from: string, to: string): string[] {
  const months: string[] = [];
  for (let day = from; day.slice(0, 7) <= to.slice(0, 7); day = firstOfNextMonth(day))
    months.push(day.slice(0, 7));
  return months;
}

function firstOfNextMonth(day: string): string {
  const [year = 0, month = 1] = day.split("-").map(Number);
  return calendarDateOf(Date.UTC(year, month, 1));
}

/** Every invoice and payment in the order of their days; on one day what is owed comes first. */
export function toLines(invoices: readonly Invoice[], payments: readonly Payment[]): ClientAccount["lines"] {
  const lines: ClientAccount["lines"] = [];
  let next = 0;
  for (const invoice of invoices) {
    for (; (payments[next]?.paidOn ?? "9999-12-31") < invoice.issuedOn; next++) addPayment(payments[next]);
    lines.push({ day: invoice.issuedOn, invoice });
  }
  for (; next < payments.length; next++) addPayment(payments[next]);
  return lines;

  function addPayment(payment: Payment | undefined): void {
    if (payment) lines.push({ day: payment.paidOn, payment });
  }
}
