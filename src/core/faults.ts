/**
 * What can be wrong with a value, as codes. Rules give a code and what its sentence is filled with; the words are made
 * at the edge, by one dictionary a language in `languages/`.
 */

/** Nothing is filled in. */
export type Unfilled = Readonly<Record<string, never>>;

interface Minimum {
  readonly min: number;
}

interface Maximum {
  readonly max: number;
}

/** What was meant, if that can be guessed. */
interface Nearest {
  readonly nearest?: string;
}

/** Another member of the same record. */
interface OtherMember {
  readonly member: string;
}

interface RulePart {
  /** `BYDAY`: a name, never what was written after it. */
  readonly part: string;
}

/** Another line of the same file. */
interface OtherLine {
  readonly line: number;
}

/** The stored record that holds what a line asks for. */
interface StoredHolder {
  readonly holder: string;
}

/**
 * Every code, with the numbers and words of ours that its sentence has: never a value of the caller's. Callers read
 * codes, so none is ever renamed.
 */
export interface FaultCodes {
  /** Shape. */
  readonly required: Unfilled;
  readonly unknown_member: Nearest;
  readonly unknown_parameter: Nearest & { readonly known: readonly string[] };
  readonly given_twice: Unfilled;
  readonly wrong_type: { readonly type: JsonType };
  readonly not_one_of: { readonly allowed: readonly string[] };
  readonly encoding_invalid: Unfilled;
  readonly characters_invalid: Unfilled;
  readonly too_deep: Maximum;
  readonly too_many_values: Maximum;
  /** Size. */
  readonly empty: Unfilled;
  readonly too_short: Minimum;
  readonly too_long: Maximum;
  readonly below_minimum: Minimum;
  readonly above_maximum: Maximum;
  readonly too_few: Minimum;
  readonly too_many: Maximum;
  /** Form. */
  readonly uuid_invalid: Unfilled;
  readonly date_invalid: Unfilled;
  readonly date_time_invalid: Unfilled;
  readonly local_date_time_invalid: Unfilled;
  readonly email_invalid: Unfilled;
  readonly currency_invalid: Unfilled;
  readonly duration_invalid: Unfilled;
  readonly cursor_invalid: Unfilled;
  readonly header_invalid: Unfilled;
  /** Rules of requests. */
  readonly window_reversed: Unfilled;
  readonly window_too_long: { readonly maxDays: number };
  readonly cursor_with_offset: Unfilled;
  readonly not_with_download: Unfilled;
  readonly idempotency_key_invalid: Unfilled;
  readonly idempotency_key_reused: Unfilled;
  /** Rules of clients. */
  readonly cpf_invalid: Unfilled;
  readonly birthdate_out_of_range: { readonly min: string };
  readonly location_required: Unfilled;
  readonly location_unknown: Unfilled;
  /** Rules of plans and contracts. */
  readonly required_with: OtherMember;
  readonly required_for_recurring: Unfilled;
  readonly required_for_credits: Unfilled;
  readonly only_for_recurring: Unfilled;
  readonly only_for_access: Unfilled;
  readonly only_for_credits: Unfilled;
  readonly not_with_all_locations: Unfilled;
  readonly owner_everywhere: Unfilled;
  readonly only_for_teachers: Unfilled;
  readonly not_a_person: Unfilled;
  readonly password_guessable: Unfilled;
  readonly not_together_with: OtherMember;
  readonly scope_repeated: Unfilled;
  readonly currency_differs: { readonly currency: string };
  readonly before_member: OtherMember;
  readonly after_member: OtherMember;
  readonly after_fixed_end: Unfilled;
  readonly in_the_past: Unfilled;
  readonly before_pause: Unfilled;
  readonly after_pause: Unfilled;
  readonly not_of_plan: Unfilled;
  readonly start_out_of_range: { readonly daysAgo: number; readonly daysAhead: number };
  readonly only_with_terms: Unfilled;
  readonly zero: Unfilled;
  readonly balance_out_of_range: Minimum & Maximum;
  readonly day_out_of_range: { readonly min: string; readonly max: string };
  readonly required_unless_now: Unfilled;
  readonly too_far_ahead: { readonly maxDays: number };
  readonly span_too_long: OtherMember & { readonly maxDays: number };
  readonly day_too_full: Unfilled;
  readonly timetable_too_full: { readonly max: number };
  readonly too_many_to_move: Unfilled;
  readonly too_many_slots: Maximum;
  /** Rules of schedules and sessions. */
  readonly time_zone_unknown: Unfilled;
  readonly year_out_of_range: { readonly min: string; readonly max: string };
  readonly rule_too_long: Maximum;
  readonly rule_prefixed: Unfilled;
  readonly rule_malformed: Unfilled;
  readonly rule_part_repeated: RulePart;
  readonly rule_part_unsupported: RulePart & { readonly supported: readonly string[] };
  readonly rule_part_unknown: RulePart & { readonly supported: readonly string[] };
  readonly rule_frequency_missing: Unfilled;
  readonly rule_frequency_invalid: Unfilled;
  readonly rule_count_with_until: Unfilled;
  readonly rule_ordinal_refused: { readonly frequency: string };
  readonly rule_month_day_refused: Unfilled;
  readonly rule_count_too_far: Unfilled;
  readonly rule_set_position_alone: Unfilled;
  readonly rule_until_malformed: Unfilled;
  readonly rule_until_unreal: Unfilled;
  readonly rule_weekdays_invalid: Unfilled;
  readonly rule_week_start_invalid: Unfilled;
  readonly rule_number_invalid: RulePart & Minimum & Maximum;
  readonly rule_numbers_invalid: RulePart & Minimum & Maximum;
  readonly rule_start_excluded: Unfilled;
  readonly rule_ends_before_start: Unfilled;
  readonly days_too_many: { readonly maxDays: number };
  readonly record_would_be_closed: Unfilled;
  /** Records that refer to others. */
  readonly client_unknown: Unfilled;
  readonly plan_unknown: Unfilled;
  readonly service_type_unknown: Unfilled;
  readonly service_group_unknown: Unfilled;
  readonly schedule_unknown: Unfilled;
  readonly session_unknown: Unfilled;
  readonly contract_unknown: Unfilled;
  readonly booking_unknown: Unfilled;
  readonly invoice_unknown: Unfilled;
  readonly payment_unknown: Unfilled;
  readonly entitlement_unknown: Unfilled;
  readonly adjustment_unknown: Unfilled;
  readonly resource_unknown: Unfilled;
  readonly not_colored: Unfilled;
  readonly location_closed: Unfilled;
  readonly service_type_archived: Unfilled;
  readonly resource_archived: Unfilled;
  /** What only a file can have wrong. */
  readonly line_too_long: { readonly limit: string };
  readonly line_not_utf8: Unfilled;
  readonly line_not_json: Unfilled;
  readonly line_not_object: Unfilled;
  readonly organization_repeated: OtherLine;
  readonly id_repeated: OtherLine;
  readonly entitlement_repeated: Unfilled;
  readonly pause_repeated: Unfilled;
  readonly pause_overlaps: Unfilled;
  readonly document_repeated: OtherLine;
  readonly document_held: StoredHolder;
  readonly client_erased: Unfilled;
  readonly contract_booked: Unfilled;
  readonly entitlement_drawn: Unfilled;
  readonly session_booked: Unfilled;
  readonly number_repeated: Unfilled;
  readonly sum_differs: Unfilled;
  readonly seat_repeated: Unfilled;
  readonly seat_in_cancelled: Unfilled;
  readonly slot_repeated: OtherLine;
  readonly slot_held: StoredHolder;
  readonly invalid: Unfilled;
}

export type FaultCode = keyof FaultCodes;

/** The same codes by what they are about, for documents and readers. A test finds one that is missing. */
export const FAULT_TOPICS = {
  shape: [
    "required",
    "unknown_member",
    "unknown_parameter",
    "given_twice",
    "wrong_type",
    "not_one_of",
    "encoding_invalid",
    "characters_invalid",
    "too_deep",
    "too_many_values",
  ],
  size: ["empty", "too_short", "too_long", "below_minimum", "above_maximum", "too_few", "too_many"],
  form: [
    "uuid_invalid",
    "date_invalid",
    "date_time_invalid",
    "local_date_time_invalid",
    "email_invalid",
    "currency_invalid",
    "duration_invalid",
    "cursor_invalid",
    "header_invalid",
  ],
  requests: [
    "window_reversed",
    "window_too_long",
    "cursor_with_offset",
    "not_with_download",
    "idempotency_key_invalid",
    "idempotency_key_reused",
  ],
  clients: ["cpf_invalid", "birthdate_out_of_range", "location_required", "location_unknown"],
  contracts: [
    "required_with",
    "required_for_recurring",
    "required_for_credits",
    "only_for_recurring",
    "only_for_access",
    "only_for_credits",
    "not_with_all_locations",
    "not_together_with",
    "scope_repeated",
    "currency_differs",
    "before_member",
    "after_member",
    "after_fixed_end",
    "in_the_past",
    "before_pause",
    "after_pause",
    "not_of_plan",
    "start_out_of_range",
    "only_with_terms",
    "zero",
    "balance_out_of_range",
    "day_out_of_range",
    "required_unless_now",
    "too_far_ahead",
    "span_too_long",
    "too_many_slots",
  ],
  schedules: [
    "time_zone_unknown",
    "year_out_of_range",
    "rule_too_long",
    "rule_prefixed",
    "rule_malformed",
    "rule_part_repeated",
    "rule_part_unsupported",
    "rule_part_unknown",
    "rule_frequency_missing",
    "rule_frequency_invalid",
    "rule_count_with_until",
    "rule_ordinal_refused",
    "rule_month_day_refused",
    "rule_set_position_alone",
    "rule_until_malformed",
    "rule_until_unreal",
    "rule_weekdays_invalid",
    "rule_week_start_invalid",
    "rule_number_invalid",
    "rule_numbers_invalid",
    "rule_start_excluded",
    "rule_ends_before_start",
    "days_too_many",
    "record_would_be_closed",
    "too_many_to_move",
    "day_too_full",
    "timetable_too_full",
    "rule_count_too_far",
  ],
  staff: ["owner_everywhere", "only_for_teachers", "not_a_person", "password_guessable"],
  references: [
    "client_unknown",
    "plan_unknown",
    "service_type_unknown",
    "service_group_unknown",
    "schedule_unknown",
    "session_unknown",
    "contract_unknown",
    "booking_unknown",
    "invoice_unknown",
    "payment_unknown",
    "entitlement_unknown",
    "adjustment_unknown",
    "resource_unknown",
    "not_colored",
    "location_closed",
    "service_type_archived",
    "resource_archived",
  ],
  files: [
    "line_too_long",
    "line_not_utf8",
    "line_not_json",
    "line_not_object",
    "organization_repeated",
    "id_repeated",
    "entitlement_repeated",
    "pause_repeated",
    "pause_overlaps",
    "document_repeated",
    "document_held",
    "client_erased",
    "contract_booked",
    "entitlement_drawn",
    "session_booked",
    "number_repeated",
    "sum_differs",
    "seat_repeated",
    "seat_in_cancelled",
    "slot_repeated",
    "slot_held",
  ],
  rest: ["invalid"],
} as const satisfies Readonly<Record<string, readonly FaultCode[]>>;

export type FaultTopic = keyof typeof FAULT_TOPICS;

export type JsonType = "string" | "integer" | "number" | "boolean" | "array" | "object";

/** Where people are told something more exact than programs: the code stays, the sentence is another. */
export interface FaultPhrases {
  /** `unknown_member` at an object, of a member whose name could be somebody's data. */
  readonly unnamed_member: Unfilled;
  /** `unknown_parameter` at the query, of one whose name could be somebody's data. */
  readonly unnamed_parameter: Unfilled;
  /** `location_required` of a client. */
  readonly listed_locations: Unfilled;
  /** `wrong_type` of a query parameter. */
  readonly plain_digits: { readonly type: JsonType };
  /** `idempotency_key_invalid` where keys are plain names. */
  readonly plain_key: Unfilled;
  /** `too_many` terms of a search. */
  readonly search_terms: Maximum;
}

/** Codes whose sentence is always the same. */
export type UnfilledCode = {
  [Code in FaultCode]: FaultCodes[Code] extends Unfilled ? Code : never;
}[FaultCode];

/** The codes whose sentences are filled with something. */
export type FilledCode = Exclude<FaultCode, UnfilledCode>;

/** A code with what its sentence is filled with: `{ code: "too_long", params: { max: 200 } }`. */
export type FaultContent =
  | { readonly code: UnfilledCode; readonly params?: undefined }
  | { [Code in FilledCode]: { readonly code: Code } & ParamsOf<FaultCodes[Code]> }[FilledCode];

type ParamsOf<Params> =
  Record<never, never> extends Params ? { readonly params?: Params } : { readonly params: Params };

/** One thing that is wrong with an input: where it is, and what. */
export type Fault = FaultContent & {
  readonly location: string;
  readonly phrase?: keyof FaultPhrases;
};

/** Faults of a part, at the places that they have in the whole input: `lastDay` in `body` is `body.lastDay`. */
export function faultsAt(root: string, faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({ ...fault, location: `${root}.${fault.location}` }));
}
