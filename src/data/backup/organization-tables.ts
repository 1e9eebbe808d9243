/** A table with rows of organizations, and the column that says whose each row is. */
export interface OrganizationTable {
  readonly name: string;
  readonly column: "organization_id" | "id";
}

const bound = (name: string): OrganizationTable => ({ name, column: "organization_id" });

/**
 * What goes along when an organization goes to another server, in the order that foreign keys ask for; backwards, it is the
 * order to delete in. Beside what a backup holds that is the answers for repeated requests, the attempts of webhooks and what came with keys: the
 * rows are of one moment, and it goes on from there.
 */
export const ORGANIZATION_TABLES: readonly OrganizationTable[] = [
  { name: "organizations", column: "id" },
  bound("keys"),
  bound("key_requests"),
  bound("organization_counters"),
  bound("key_usage"),
  bound("locations"),
  bound("service_types"),
  bound("service_groups"),
  bound("service_group_members"),
  bound("plans"),
  bound("plan_locations"),
  bound("plan_entitlements"),
  bound("clients"),
  bound("client_locations"),
  bound("erasures"),
  bound("imported_clients"),
  bound("audit"),
  bound("resources"),
  bound("staff"),
  bound("staff_locations"),
  bound("staff_links"),
  bound("sign_ins"),
  bound("passkeys"),
  bound("contracts"),
  bound("contract_locations"),
  bound("contract_entitlements"),
  bound("contract_pauses"),
  bound("invoices"),
  bound("payments"),
  bound("payment_allocations"),
  bound("payment_refunds"),
  bound("schedules"),
  bound("ics_links"),
  bound("sessions"),
  bound("bookings"),
  bound("waiting"),
  bound("resource_claims"),
  bound("change_log"),
  bound("changes"),
  bound("change_heads"),
  bound("change_timelines"),
  bound("webhook_endpoints"),
  bound("webhook_attempts"),
  bound("idempotency_keys"),
];

/** Rows of an organization that stay behind, and why; they are deleted with it. */
export const STAYING_TABLES: Readonly<Record<string, string>> = {
  organization_moves: "what this server knows of a move: the other one has its own",
  organization_departures: "that it has left for another server, by a move",
  organization_uploads: "what was uploaded to this server today",
  staff_versions: "they count what this server has shown, and begin again on another",
};

/** Tables of the server, which belong to no organization. */
export const SERVER_TABLES: Readonly<Record<string, string>> = {
  facts: "what the database knows of itself: its past, the check of its secret, its time-zone data",
  organization_deletions: "the evidence of organizations that were deleted outlives them",
  key_rates: "by key alone and gone with a crash: what each key may still ask for",
  schema_migrations: "the schema's version",
  sign_in_tries: "by address, before anybody is known",
};
