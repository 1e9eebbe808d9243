import { afterDays, daysBefore, daysBetween, LAST_DATE, monthsAfter } from "../../core/dates.ts";
import type { Plan } from "../plans/schema.ts";

/** How long a plan lasts; without a duration, until somebody ends it. */
export type TermLength = Pick<Plan, "durationCount" | "durationUnit">;

/**
 * The inclusive last day of a term: the day before the next one would begin. Months and years keep the day of the
 * month, or take the last one of a shorter month, before that day is taken off.
 *
 * 2026-01-31 and 1 month: the next term would begin on 02-28, so the last day is 02-27.
 */
export function endOfTerm(
  startDate: string,
  { durationCount, durationUnit = "day" }: TermLength,
): string | undefined {
  if (durationCount === undefined) return undefined;
  const next = {
    day: () => afterDays(startDate, durationCount),
    week: () => afterDays(startDate, 7 * durationCount),
    month: () => afterMonths(startDate, durationCount),
    year: () => afterMonths(startDate, 12 * durationCount),
  }[durationUnit]();
  return next === undefined ? LAST_DATE : daysBefore(next, 1);
}

/** The date so many days later, but no later than the last date that can be written. */
export function extended(date: string, days: number): string {
  return afterDays(date, days) ?? LAST_DATE;
}

function afterMonths(date: string, months: number): string | undefined {
  const [year = 0, month = 1] = date.split("-").map(Number);
  return months > (9999 - year) * 12 + 12 - month ? undefined : monthsAfter(date, months);
}

/** How many days a span has, both ends included. */
export function daysFrom(firstDay: string, lastDay: string): number {
  return daysBetween(firstDay, lastDay) + 1;
}
