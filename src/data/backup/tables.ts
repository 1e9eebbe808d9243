import type pg from "pg";

/** A table with the columns that its rows are written with, in that order. */
export interface TableColumns {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * What a backup holds, in the order that foreign keys ask for. A table that a migration drops stays here for
 * as long as backups from before it may be restored. Listed rather than found, because a database may have
 * tables that are not ours; a test compares the list with the schema.
 */
export const BACKED_UP: readonly string[] = [
  "organizations",
  "organization_moves",
  "organization_departures",
  "keys",
  "organization_counters",
  "key_usage",
  "locations",
  "service_types",
  "service_groups",
  "service_group_members",
  "plans",
  "plan_locations",
  "plan_entitlements",
  "clients",
  "client_locations",
  "erasures",
  "imported_clients",
  "audit",
  "resources",
  "staff",
  "staff_locations",
  "staff_links",
  "sign_ins",
  "passkeys",
  "contracts",
  "contract_locations",
  "contract_entitlements",
  "contract_pauses",
  "invoices",
  "payments",
  "payment_allocations",
  "payment_refunds",
  "schedules",
  "ics_links",
  "sessions",
  "bookings",
  "waiting",
  "resource_claims",
  "change_log",
  "changes",
  "change_heads",
  "change_timelines",
  "webhook_endpoints",
  "organization_deletions",
  "facts",
];

/**
 * Left out: the schema's version is in the header, the state of the limits of requests and of tries to sign in is of the
 * moment, versions that nothing is kept by begin again, an answer that was stored for repeated requests would speak of records that are not there,
 * and which attempts were made to reach a webhook matters for a month, what came with a key for a week, and what was uploaded for a day.
 */
export const LEFT_OUT: readonly string[] = [
  "schema_migrations",
  "staff_versions",
  "key_rates",
  "sign_in_tries",
  "idempotency_keys",
  "webhook_attempts",
  "key_requests",
  "organization_uploads",
];

/** Written by any server that starts, so they do not make a database one that is in use. */
export const NOT_DATA: ReadonlySet<string> = new Set(["facts"]);

/** Every table of the schema that does not belong to an extension, with the columns that can be written to. */
export async function findTables(connection: pg.ClientBase): Promise<TableColumns[]> {
  const { rows } = await connection.query<TableColumns>(`
    select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p')
      and not exists (select from pg_depend d
                      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    group by c.relname
    order by c.relname`);
  return rows;
}

/** Those of the tables that a backup holds, in its order. */
export function backedUp(tables: readonly TableColumns[]): TableColumns[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return BACKED_UP.flatMap((name) => byName.get(name) ?? []);
}

/** `"plans", "clients"` */
export function identifiers(names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ");
}
