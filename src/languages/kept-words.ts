import type { FilledCode } from "../core/faults.ts";
import { en } from "./en.ts";

const OUT_OF_RANGE = "is outside of the range that is allowed";
const TOO_MUCH = "has more than is allowed";

/**
 * What was wrong, where the code alone is known and nothing that its sentence is filled with. Of members and parameters
 * that we do not know, or that came twice, the place is the part of the request that they were in.
 */
const FAULTS: Readonly<Record<FilledCode | "given_twice", string>> = {
  unknown_member: "has a member that is not known (its name is not kept)",
  unknown_parameter: "has a parameter that is not known (its name is not kept)",
  given_twice: "has something twice that may be there once (its name is not kept)",
  wrong_type: "is of another type than the schema asks for",
  not_one_of: "is not one of the values that the schema lists",
  too_deep: "is nested deeper than is allowed",
  too_many_values: "has more members and items in all than are allowed",
  too_short: "has fewer characters than are required",
  too_long: "has more characters than are allowed",
  below_minimum: "is below the minimum",
  above_maximum: "is above the maximum",
  too_few: "has fewer items than are required",
  too_many: TOO_MUCH,
  window_too_long: "is too many days after from",
  birthdate_out_of_range: OUT_OF_RANGE,
  required_with: "is required with another member that was sent",
  not_together_with: "must not be given together with another member that was sent",
  currency_differs: "is not the organization's currency",
  before_member: "is before another date that it must not be before",
  after_member: "is after another date that it must not be after",
  start_out_of_range: "is too many days away from today",
  balance_out_of_range: "would leave a balance outside of the range that is allowed",
  day_out_of_range: OUT_OF_RANGE,
  too_far_ahead: "is too many days ahead",
  span_too_long: "is too many days after another date",
  timetable_too_full: "has too many sessions before it",
  too_many_slots: "includes too many sessions",
  year_out_of_range: "is in a year outside of the range that is allowed",
  rule_too_long: "has a rule with more characters than are allowed",
  rule_part_repeated: "has a part of the rule more than once",
  rule_part_unsupported: "has a part of the rule that is not supported",
  rule_part_unknown: "has a part that recurrence rules do not have",
  rule_ordinal_refused: "has an ordinal in BYDAY that its FREQ does not take",
  rule_number_invalid: "has a part of the rule whose number is outside of its range",
  rule_numbers_invalid: "has a part of the rule with a number outside of its range",
  days_too_many: "leaves more days than are allowed",
  line_too_long: "is longer than is allowed",
  organization_repeated: "is a second organization in the bundle",
  id_repeated: "is the id of another line too",
  document_repeated: "is held by the client of another line already",
  document_held: "is held by another client already",
  slot_repeated: "stands for the same slot as another line",
  slot_held: "stands for the same slot as another session",
};

/** What was wrong at a place. The code may be of another version of the program. */
export function wordKeptFault(code: string): string {
  if (Object.hasOwn(FAULTS, code)) return FAULTS[code as FilledCode];
  return wordUnfilled(en.faults, code) ?? "is not valid";
}

/** The sentence about the request as a whole, if nothing is filled in. */
export function wordKeptDetail(code: string): string | undefined {
  if (code === "body_not_json") return "The body is not valid JSON.";
  return wordUnfilled(en.details, code);
}

function wordUnfilled(texts: object, code: string): string | undefined {
  const sentence = Object.hasOwn(texts, code)
    ? (texts as Record<string, (params: object) => string>)[code]
    : undefined;
  // A sentence that takes parameters has one in its declaration.
  return sentence?.length === 0 ? sentence({}) : undefined;
}
