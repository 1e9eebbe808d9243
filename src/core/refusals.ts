import type { Unfilled } from "./faults.ts";
import type { TextPosition } from "./json-position.ts";

/**
 * Every sentence that a caller may be told about a failure as a whole, with its kind. The words are in `languages/`, so
 * that each exists in every language. To tell one more, add it here: what does not compile then says where words are
 * missing.
 */
export const REFUSALS = {
  organization_moved: "moved",
  malformed_request: "malformed",
  body_empty: "malformed",
  body_not_utf8: "malformed",
  body_not_json: "malformed",
  body_length_wrong: "malformed",
  form_malformed: "malformed",
  address_malformed: "malformed",
  host_not_single: "malformed",
  transfer_coding_too_new: "malformed",
  caller_left: "malformed",
  key_required: "unauthorized",
  api_not_included: "payment_required",
  storage_full: "storage_full",
  import_too_large: "storage_full",
  organization_inactive: "forbidden",
  origin_unknown: "forbidden",
  nothing_here: "not_found",
  nothing_at_root: "not_found",
  no_plan: "not_found",
  no_service_type: "not_found",
  no_contract: "not_found",
  no_entitlement: "not_found",
  no_client: "not_found",
  document_held: "conflict",
  data_changed: "conflict",
  cursor_gone: "gone",
  values_invalid: "invalid",
  rate_exceeded: "rate_limited",
  organization_rate_exceeded: "rate_limited",
  database_unavailable: "unavailable",
  search_too_slow: "unavailable",
  record_locked: "unavailable",
  record_imported: "unavailable",
  organization_busy: "unavailable",
  organization_arriving: "unavailable",
  server_busy: "unavailable",
  downloads_taken: "unavailable",
  uploads_taken: "unavailable",
  shutting_down: "unavailable",
  operation_suspended: "unavailable",
  answer_late: "unavailable",
} as const;

/**
 * Why the staff application refuses what is valid in itself. The code is told too, as `reason` beside the `code` of the
 * problem.
 */
export const STAFF_REFUSALS = {
  signed_out: "unauthorized",
  wrong_sign_in: "unauthorized",
  too_many_tries: "rate_limited",
  uploads_used_up: "rate_limited",
  link_used: "not_found",
  stale_sign_in: "forbidden",
  not_allowed: "forbidden",
  wrong_location: "forbidden",
  wrong_origin: "forbidden",
  insecure_address: "forbidden",
  no_location: "not_found",
  no_service_group: "not_found",
  no_resource: "not_found",
  no_schedule: "not_found",
  no_session: "not_found",
  no_booking: "not_found",
  no_waiting: "not_found",
  no_fixed_place: "not_found",
  no_staff: "not_found",
  no_link: "not_found",
  no_import: "not_found",
  no_key: "not_found",
  no_calendar_link: "not_found",
  no_passkey: "not_found",
  no_webhook: "not_found",
  no_invoice: "not_found",
  no_payment: "not_found",
  passkey_refused: "conflict",
  passkey_known: "conflict",
  too_many_passkeys: "conflict",
  key_not_active: "conflict",
  address_refused: "conflict",
  too_many_webhooks: "conflict",
  nothing_to_skip: "conflict",
  webhook_held: "conflict",
  calendar_link_ended: "conflict",
  calendar_address_too_long: "conflict",
  key_reused: "conflict",
  last_owner: "conflict",
  currency_in_use: "conflict",
  currency_has_money: "conflict",
  email_taken: "conflict",
  in_use: "conflict",
  has_bookings: "conflict",
  archived_client: "conflict",
  erased_client: "conflict",
  still_member: "conflict",
  plan_archived: "conflict",
  price_needs_manager: "conflict",
  trial_used: "conflict",
  already_drawn: "conflict",
  sale_too_old: "conflict",
  already_undone: "conflict",
  no_terms: "conflict",
  terms_accepted: "conflict",
  contract_over: "conflict",
  cancellation_set: "conflict",
  not_cancelled_here: "conflict",
  pause_overlaps: "conflict",
  pause_visited: "conflict",
  no_slot: "not_found",
  schedule_over: "conflict",
  session_cancelled: "conflict",
  session_begun: "conflict",
  record_closed: "conflict",
  place_closed: "conflict",
  below_seats: "conflict",
  checked_in: "conflict",
  no_unnamed: "conflict",
  full: "conflict",
  seat_free: "conflict",
  resource_busy: "conflict",
  not_covered: "conflict",
  blocked: "conflict",
  too_early: "conflict",
  already_booked: "conflict",
  already_waiting: "conflict",
  not_offered: "conflict",
  already_ended: "conflict",
  is_covered: "conflict",
  sheet_unclear: "conflict",
  sheet_faulty: "conflict",
  import_settled: "conflict",
  not_open: "conflict",
  payment_refunded: "conflict",
  has_payments: "conflict",
} as const;

/** How many records of a kind refer to one that is to be deleted. */
export interface Use {
  readonly kind: UseKind;
  readonly count: number;
}

export const USE_KINDS = [
  "clients",
  "contracts",
  "plans",
  "schedules",
  "sessions",
  "serviceGroups",
  "serviceTypes",
  "staff",
] as const;

export type UseKind = (typeof USE_KINDS)[number];

/** What sentences are filled with; those that are not named here have nothing. */
interface RefusalParams {
  /** The public address of the server that has it. */
  readonly organization_moved: { readonly address: string };
  readonly values_invalid: { readonly count: number };
  /** How many records the organization has, and may have. */
  readonly storage_full: { readonly records: number; readonly limit: number };
  /** The same, and how many a file would add. */
  readonly import_too_large: { readonly added: number; readonly records: number; readonly limit: number };
  /** How many megabytes a day. */
  readonly uploads_used_up: { readonly megabytes: number };
  /** Where it stops being JSON. */
  readonly body_not_json: TextPosition;
  /** Where the application is. */
  readonly wrong_origin: { readonly address: string };
  readonly too_many_tries: { readonly seconds: number };
  readonly too_many_passkeys: { readonly count: number };
  /** What refers to it: "3 schedules, 1 plan" in the caller's words. */
  readonly in_use: { readonly uses: readonly Use[] };
  readonly has_bookings: { readonly count: number };
  /** How many have a price in the currency that it is now. */
  readonly currency_in_use: { readonly plans: number; readonly contracts: number };
  readonly address_refused: { readonly why: AddressFault };
  readonly too_many_webhooks: { readonly count: number };
  readonly key_not_active: { readonly status: "expired" | "revoked" };
  readonly calendar_link_ended: { readonly status: "expired" | "revoked" };
  /** How long the address would be, and may be. */
  readonly calendar_address_too_long: { readonly count: number; readonly max: number };
  readonly record_closed: { readonly date: string };
  readonly below_seats: { readonly count: number };
  readonly checked_in: { readonly count: number };
  readonly resource_busy: { readonly name: string; readonly from: string; readonly to: string };
  readonly too_early: { readonly time: string };
  readonly cancellation_set: { readonly date: string };
  readonly pause_visited: { readonly date: string };
  readonly sheet_faulty: { readonly count: number };
}

/** Why an address of a webhook may not be called. */
export const ADDRESS_FAULTS = [
  "not_a_url",
  "scheme",
  "user",
  "fragment",
  "port",
  "unresolved",
  "not_public",
] as const;

export type AddressFault = (typeof ADDRESS_FAULTS)[number];

export type RefusalCode = keyof typeof REFUSALS | keyof typeof STAFF_REFUSALS;

export type RefusalCodes = {
  readonly [Code in RefusalCode]: Code extends keyof RefusalParams ? RefusalParams[Code] : Unfilled;
};
