import pg from "pg";
import type { ConnectionSettings } from "../../src/db/servers.ts";

/**
 * Answers are kept for as long as the version of what they are made of stands, so whoever writes to a table of an
 * organization must move that version in the same transaction. This is which version covers which table. A table that
 * has an organization and stands in neither list fails a test.
 */
export const VERSION_OF: Readonly<Record<string, "catalog_version" | "clients_version">> = {
  organizations: "catalog_version",
  locations: "catalog_version",
  service_types: "catalog_version",
  service_groups: "catalog_version",
  service_group_members: "catalog_version",
  plans: "catalog_version",
  plan_locations: "catalog_version",
  plan_entitlements: "catalog_version",
  contracts: "catalog_version",
  contract_locations: "catalog_version",
  contract_entitlements: "catalog_version",
  resources: "catalog_version",
  schedules: "catalog_version",
  sessions: "catalog_version",
  clients: "clients_version",
  client_locations: "clients_version",
};

/** Tables of an organization that no answer of the API is made of. */
export const WITHOUT_VERSION: Readonly<Record<string, string>> = {
  organization_counters: "holds the versions",
  keys: "looked up on every request",
  audit: "shown to the operator alone",
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
    if (rows[0]?.made === null) await client.query(guardText());
    await client.query("commit");
  } finally {
    await client.end();
  }
}

function guardText(): string {
  const triggers = Object.entries(VERSION_OF).map(([table, version]) => {
    const key = table === "organizations" ? "id" : "organization_id";
    return `
      create constraint trigger version_guard after insert or update or delete on ${table}
        deferrable initially deferred for each row execute function version_guard.check_moved('${version}', '${key}');`;
  });
  return `
    create schema version_guard;
    create unlogged table version_guard.moves (transaction xid8, organization_id uuid, version text);
    create index on version_guard.moves (transaction);

    create function version_guard.note() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' or new.catalog_version <> old.catalog_version then
        insert into version_guard.moves values (pg_current_xact_id(), new.organization_id, 'catalog_version');
      end if;
      if tg_op = 'INSERT' or new.clients_version <> old.clients_version then
        insert into version_guard.moves values (pg_current_xact_id(), new.organization_id, 'clients_version');
      end if;
      return null;
    end $$;
    create trigger version_guard after insert or update on organization_counters
      for each row execute function version_guard.note();

    create function version_guard.check_moved() returns trigger language plpgsql as $$
    declare
      written jsonb := to_jsonb(coalesce(new, old));
    begin
      if current_setting('application_name') in ('rollbook test', 'test') or exists (
        select from version_guard.moves m
        where m.transaction = pg_current_xact_id() and m.version = tg_argv[0]
          and m.organization_id = (written->>tg_argv[1])::uuid
      ) then
        return null;
      end if;
      raise exception 'a write to % did not move the % of its organization', tg_table_name, tg_argv[0];
    end $$;
    ${triggers.join("")}`;
}
