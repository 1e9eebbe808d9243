import { parseInstant } from "../core/dates.ts";

const EARLIEST_MS = Date.UTC(-4000, 0, 1);
const LATEST_MS = Date.UTC(20_000, 0, 1);

/** An instant as PostgreSQL reads it, whatever the year: it takes neither a sign nor a year 0. */
export function timestampText(ms: number): string {
  const date = new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS));
  const year = date.getUTCFullYear();
  const rest = date.toISOString().slice(-20);
  return year > 0
    ? `${String(year).padStart(4, "0")}${rest}`
    : `${String(1 - year).padStart(4, "0")}${rest} BC`;
}

/** A date-time of a caller's, which has been checked, as PostgreSQL reads it. */
export function instantParameter(dateTime: string): string {
  return timestampText(parseInstant(dateTime) ?? Number.NaN);
}
