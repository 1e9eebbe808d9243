import { daysAfter } from "../../core/dates.ts";
import { dayStart, type Zone } from "./zones.ts";

/** How long the record of a session can be written: bookings, attendance, corrections. */

/** For how many days after the session's own. */
const RECORD_DAYS = 8;

/** The date with which the record of a session on a day is closed. */
export function recordClosesOn(day: string): string {
  return daysAfter(day, RECORD_DAYS);
}

/** When that date begins at the session's location. */
export function recordClosesAt(day: string, zone: Zone): number {
  return dayStart(zone, recordClosesOn(day));
}
