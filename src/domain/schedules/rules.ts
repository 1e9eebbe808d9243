import type { Fault } from "../../core/faults.ts";
import { membersOf } from "../../core/json.ts";
import { parseRule } from "../recurrence/rule.ts";

/** What is wrong with the rule of an input of which nothing is known yet, so that it is told with all other faults. */
export function checkRuleText(given: unknown, root: string): Fault[] {
  const faults: Fault[] = [];
  const { rrule } = membersOf(given);
  if (typeof rrule === "string" && rrule !== "") parseRule(rrule, `${root}.rrule`, faults);
  return faults;
}

/** Whether an input says two things about the sessions that people are booked in. */
export function checkDecision(given: unknown): Fault[] {
  const { keepBooked, cancelBooked } = membersOf(given);
  if (keepBooked !== true || cancelBooked !== true) return [];
  return [{ location: "body.cancelBooked", code: "not_together_with", params: { member: "keepBooked" } }];
}
