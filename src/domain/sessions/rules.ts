import { daysBetween, isCalendarDate } from "../../core/dates.ts";
import type { Fault } from "../../core/faults.ts";
import { membersOf } from "../../core/json.ts";

/** For how many days a location can be closed at once, the first and the last included. */
const MAX_CLOSED_DAYS = 31;

/** What is wrong with the days of an input of which nothing is known yet, so that it is told with all other faults. */
export function checkDays(given: unknown): Fault[] {
  const { firstDay, lastDay } = membersOf(given);
  if (typeof firstDay !== "string" || typeof lastDay !== "string") return [];
  if (!isCalendarDate(firstDay) || !isCalendarDate(lastDay)) return [];
  const location = "body.lastDay";
  const count = daysBetween(firstDay, lastDay) + 1;
  if (count < 1) return [{ location, code: "before_member", params: { member: "firstDay" } }];
  if (count <= MAX_CLOSED_DAYS) return [];
  return [{ location, code: "days_too_many", params: { maxDays: MAX_CLOSED_DAYS } }];
}
