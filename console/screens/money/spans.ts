import { addDays } from "../../languages/days.ts";

/** From a day to a day, both included. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

export const SPAN_NAMES = ["today", "yesterday", "month", "lastMonth", "year"] as const;
export type SpanName = (typeof SPAN_NAMES)[number];

/** The days that people have a word for. */
export function spanOf(name: SpanName, today: string): Span {
  switch (name) {
    case "today":
      return { from: today, to: today };
    case "yesterday":
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case "month":
      return { from: firstOfMonth(today, 0), to: addDays(firstOfMonth(today, 1), -1) };
    case "lastMonth":
      return { from: firstOfMonth(today, -1), to: addDays(firstOfMonth(today, 0), -1) };
    case "year":
      return { from: `${today.slice(0, 4)}-01-01`, to: `${today.slice(0, 4)}-12-31` };
  }
}

/** The word for these days, if there is one. */
export function nameOfSpan({ from, to }: Span, today: string): SpanName | undefined {
  return SPAN_NAMES.find((name) => {
    const span = spanOf(name, today);
    return span.from === from && span.to === to;
  });
}

/** The first of the month of a date, some months later or earlier. */
export function firstOfMonth(date: string, months: number): string {
  const [year = 0, month = 0] = date.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
}
