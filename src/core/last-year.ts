import type { Fault } from "./faults.ts";

/** Years are written with four digits, and what follows a day, such as the closing of its record, must have one too. */
const LAST_YEAR = "9998";

/** Whether a date or local date-time is too late to be written; nothing is known of the input that has it. */
export function checkYear(given: unknown, member: string, root: string): Fault[] {
  if (typeof given !== "object" || given === null) return [];
  const text = (given as Readonly<Record<string, unknown>>)[member];
  if (typeof text !== "string" || text.slice(0, LAST_YEAR.length) <= LAST_YEAR) return [];
  const params = { min: "0001", max: LAST_YEAR };
  return [{ location: `${root}.${member}`, code: "year_out_of_range", params }];
}
