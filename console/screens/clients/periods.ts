import { addDays } from "../../languages/days.ts";

const MONTHS = { week: 0, month: 1, quarter: 3, year: 12 } as const;

/**
 * The last day of the billing period that runs today: a month that began on the 13th ends on the 12th. One that is not
 * recurring ends today.
 */
export function endOfPeriod(
  {
    startDate,
    billingKind,
    billingInterval,
  }: {
    readonly startDate: string;
    readonly billingKind: "recurring" | "one_time";
    readonly billingInterval?: keyof typeof MONTHS | undefined;
  },
  today: string,
): string {
  const from = startDate > today ? startDate : today;
  if (billingKind !== "recurring" || billingInterval === undefined) return from;
  for (let number = 1; ; number += 1) {
    const next =
      billingInterval === "week"
        ? addDays(startDate, 7 * number)
        : addMonths(startDate, MONTHS[billingInterval] * number);
    if (next > from) return addDays(next, -1);
  }
}

/** The same day of a later month, or the last one of a shorter month. */
function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const lastDay = new Date(Date.UTC(year, month - 1 + months + 1, 0));
  return new Date(
    Date.UTC(lastDay.getUTCFullYear(), lastDay.getUTCMonth(), Math.min(day, lastDay.getUTCDate())),
  )
    .toISOString()
    .slice(0, 10);
}
