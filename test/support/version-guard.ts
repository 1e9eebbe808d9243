import pg from "pg";
import type { DataClass } from "../../src/core/data-snapshot.ts";
import { versionSum } from "../../src/db/data-version.ts";
import type { ConnectionSettings } from "../../src/db/servers.ts";

/**
 * Answers are kept for as long as the version of what they are made of stands, so whoever writes to a table of an
 * organization must move that version in the same transaction. This is which version covers which table; of several, one
 * is enough. A table that has an organization and stands in neither list fails a test.
 */
export const VERSION_OF: Readonly<Record<string, readonly [DataClass, ...DataClass[]]>> = {
  organizations: ["catalog"],
  locations: ["catalog"],
  service_types: ["catalog"],
  service_groups: ["catalog"],
  service_group_members: ["catalog"],
  plans: ["catalog"],
  plan_locations: ["catalog"],
  plan_entitlements: ["catalog"],
  contracts: ["contracts"],
  contract_locations: ["contracts"],
  contract_entitlements: ["contracts"],
  contract_pauses: ["contracts"],
  // Named by schedules and by sessions, and read with both.
  resources: ["catalog", "sessions"],
  schedules: ["catalog"],
  sessions: ["sessions"],
  clients: ["clients"],
  client_locations: ["clients"],
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
  staff_versions: "holds that of the staff's work",
  key_usage: "counts of requests, read by the staff as they are",
  keys: "looked up on every request",
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

/**
 * Makes the database refuse the commit of a transaction of the program that has written to one of these tables and not
 * moved the version. The tests' own writes, which set up what they need, are let through: they are recognized by the name
 * that their connections have.
 */
export async function guardVersions(connection: ConnectionSettings): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(hashtextextended('version guard', 0))");
    const { rows } = await client.query("select to_regclass('version_guard.moves') as made");
    if (rows[0]?.made === null) await client.query(guardText(await listColumns(client)));
    await client.query("commit");
  } finally {
    await client.end();
  }
}

/** The columns of each table, as the database has them. */
async function listColumns(client: pg.Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname::text as name, array_agg(a.attname::text) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace group by 1`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

const CLASSES: readonly DataClass[] = ["catalog", "clients", "contracts", "sessions"];

function guardText(columnsOf: ReadonlyMap<string, readonly string[]>): string {
  const triggers = Object.entries(VERSION_OF).map(([table, versions]) => {
    const key = table === "organizations" ? "id" : "organization_id";
    const shown = (columnsOf.get(table) ?? []).filter((column) => !UNSHOWN[table]?.includes(column));
    return `
      create constraint trigger version_guard after insert or update of ${shown.join(", ")} or delete on ${table}
        deferrable initially deferred for each row
        when (current_setting('application_name') not in ('rollbook test', 'test'))
        execute function version_guard.check_moved('${versions.join(" or ")}', '${key}');`;
  });
  const versionIn = (row: string, version: DataClass) =>
    `(select ${versionSum([version])} from (select ${row}.*) counters)`;
  const notes = CLASSES.map(
    (version) => `
      if tg_op = 'INSERT' or ${versionIn("new", version)} > ${versionIn("old", version)} then
        insert into version_guard.moves values (pg_current_xact_id(), new.organization_id, '${version}');
      elsif ${versionIn("new", version)} < ${versionIn("old", version)} then
        raise exception 'the version of the ${version} went back';
      end if;`,
  );
  return `
    create schema version_guard;
    create unlogged table version_guard.moves (transaction xid8, organization_id uuid, version text);
    create index on version_guard.moves (transaction);

    create function version_guard.note() returns trigger language plpgsql as $$
    begin
      ${notes.join("")}
      return null;
    end $$;
    create trigger version_guard after insert or update on organization_counters
      for each row execute function version_guard.note();

    create function version_guard.check_moved() returns trigger language plpgsql as $$
    declare
      written jsonb := to_jsonb(coalesce(new, old));
    begin
      if exists (
        select from version_guard.moves m
        where m.transaction = pg_current_xact_id() and m.version = any(string_to_array(tg_argv[0], ' or '))
          and m.organization_id = (written->>tg_argv[1])::uuid
      ) then
        return null;
      end if;
      raise exception 'a write to % did not move the version of the % of its organization', tg_table_name, tg_argv[0];
    end $$;
    ${triggers.join("")}`;
}
