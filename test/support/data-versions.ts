import type { DataClass } from "../../src/core/data-snapshot.ts";

/**
 * Answers are kept for as long as the version of what they are made of stands, so a write to a table of an organization moves
 * that version in its transaction. This is which version covers which table. A table that has an organization and stands in
 * neither list fails a test.
 */
export const VERSION_OF: Readonly<Record<string, DataClass>> = {
  organizations: "catalog",
  locations: "catalog",
  service_types: "catalog",
  service_groups: "catalog",
  service_group_members: "catalog",
  plans: "catalog",
  plan_locations: "catalog",
  plan_entitlements: "catalog",
  contracts: "contracts",
  contract_locations: "contracts",
  contract_entitlements: "contracts",
  contract_pauses: "contracts",
  resources: "catalog",
  schedules: "catalog",
  sessions: "sessions",
  clients: "clients",
  client_locations: "clients",
};

/** Columns of these tables that no answer shows: a write to them alone moves nothing. */
export const UNSHOWN: Readonly<Record<string, readonly string[]>> = {
  organizations: [
    "due_at",
    "cancel_window_minutes",
    "check_in_opens_minutes",
    "week_start",
    "invoices_from",
    "payment_days",
    "calendar_color_by",
    "calendar_colors",
    "moving",
    "life",
    "requests_per_minute",
    "max_records",
    "upload_mb_per_day",
  ],
  contracts: [
    "agreed_end_date",
    "cancelled_by",
    "next_change_at",
    "course_revision",
    "next_invoice_at",
    "invoiced_from",
  ],
  sessions: ["cancelled_by", "cancelled_unnamed"],
  schedules: ["continues_id"],
};

/** Tables of an organization that no answer of the API is made of. */
export const WITHOUT_VERSION: Readonly<Record<string, string>> = {
  organization_counters: "holds the versions",
  organization_moves: "looked up on requests of organizations that move",
  organization_departures: "looked up with those",
  organization_uploads: "counted by whoever uploads, read by owners as it is",
  staff_versions: "holds that of the staff's work",
  key_usage: "counts of requests, read by the staff as they are",
  keys: "looked up on every request",
  key_requests: "read by owners as they are",
  audit: "read as it is, never kept",
  staff: "looked up on every request",
  staff_locations: "looked up on every request",
  ics_links: "looked up on every fetch, read by the staff as they are",
  staff_links: "looked up when used",
  sign_ins: "looked up on every request",
  passkeys: "looked up when used, read by their owner as they are",
  erasures: "read as they are, never kept",
  imported_clients: "asked when an import is taken back",
  bookings: "read by the staff as they are, never kept",
  waiting: "read by the staff as it is, never kept",
  resource_claims: "asked by writes alone",
  invoices: "read by the staff as they are, never kept",
  payments: "read by the staff as they are, never kept",
  payment_allocations: "read with the payments",
  payment_refunds: "asked by writes alone",
  change_log: "read by whoever numbers it",
  changes: "read as they are, never kept",
  change_heads: "read with the changes",
  change_timelines: "read with the changes",
  webhook_endpoints: "read by owners as they are, and by who sends",
  webhook_attempts: "read by owners as they are",
  idempotency_keys: "looked up by the key of a request; an answer in it stays as it was",
};
