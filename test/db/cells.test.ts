import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { type PlanNode, type TenantColumn, unboundTables } from "../support/plan-bindings.ts";
import { allStatements, sourceFiles } from "../support/statement-texts.ts";
import { openIsolatedStore } from "../support/store.ts";

/**
 * What is stored can be distributed by organization: every statement is bound to one organization by equality, and every key of
 * a table begins with it. PostgreSQL itself is asked how it has understood each statement. What cannot be bound is listed with
 * its reason; a statement or a table that is new is found by itself.
 */

const BATCH = "one row of a batch for each organization or record, each bound by its own";
const SWEEP = "a sweep: what is over its time, of all organizations";
const OPERATOR = "an operator's command, over all organizations of the server";
const SECRET = "before the organization is known, by a secret, an address or an id that is unique";
const SENDER = "the sender of webhooks: what is due next on this server, of any organization";

const UNBOUND: Readonly<Record<string, string>> = {
  raise_change_sequences: OPERATOR,
  raise_change_log_ids: OPERATOR,
  list_unnumbered_organizations:
    "who has changes without a number: walks the index from organization to organization",
  find_organization_of_calendar_link: SECRET,
  revoke_all_calendar_links: OPERATOR,
  lock_key: SECRET,
  has_keys: OPERATOR,
  revoke_all_keys: OPERATOR,
  add_key_usage: BATCH,
  insert_key_requests: BATCH,
  find_key_requests: OPERATOR,
  list_organizations: OPERATOR,
  count_organizations: OPERATOR,
  list_organization_ids: "one after another, to compact the feed of each once a day",
  any_organization: OPERATOR,
  find_staff_versions: BATCH,
  find_grown_feeds: BATCH,
  record_failed_sign_in: BATCH,
  "a list of audit audit": OPERATOR,
  list_organizations_of_location: OPERATOR,
  list_erasures: OPERATOR,
  sweep_idempotency_keys: SWEEP,
  sweep_sign_ins: SWEEP,
  sweep_webhook_attempts: SWEEP,
  sweep_imported_clients: SWEEP,
  sweep_key_requests: SWEEP,
  find_staff_link: SECRET,
  lock_staff_link: SECRET,
  admit: SECRET,
  admit_sign_in: SECRET,
  find_accounts: SECRET,
  end_one_sign_in: SECRET,
  find_webhook_work: SENDER,
  lease_webhooks: SENDER,
  take_webhook_tests: SENDER,
  read_webhook_figures: OPERATOR,
  list_session_clocks: "new time-zone data, computed for all organizations after an update",
  update_session_instants: "new time-zone data, computed for all organizations after an update",
  note_moved_schedules: "new time-zone data, computed for all organizations after an update",
  find_organization_to_recompute: "new time-zone data, computed for all organizations after an update",
  find_plan: BATCH,
  find_service_type: BATCH,
  find_clients: BATCH,
  find_contract: BATCH,
  find_named_contract: BATCH,
};

/** Made for kinds of records that have no status, and never sent: there is nothing to count. */
const NEVER_SENT = /^import_count_(?:new|replaced)_(?:service_groups|schedules|bookings|waiting)$/;
/** Touches no table of an organization. */
const NO_QUERY =
  /^\s*(?:fetch|close|set|savepoint|rollback|analyze|vacuum|create index|create temporary table)\b/;

const BY_SECRET = "asked for by its hash, before the organization is known";
const BY_ID = "its id is random and unique everywhere; (organization_id, id) is unique beside it";
/** Unique over all organizations, and why. A distribution would leave them to each server: none of the values is chosen. */
const OTHER_KEYS: Readonly<Record<string, string>> = {
  audit_pkey: "ids of the trail, also of entries without an organization",
  ics_links_hash_key: BY_SECRET,
  keys_hash_key: BY_SECRET,
  keys_pkey: BY_ID,
  sign_ins_hash_key: BY_SECRET,
  sign_ins_pkey: BY_ID,
  staff_links_hash_key: BY_SECRET,
  staff_links_pkey: BY_ID,
};

/** Tables without an organization, and what they hold. */
const SHARED_TABLES: Readonly<Record<string, string>> = {
  facts: "of the database itself: its history, the check of its secret",
  key_rates: "unlogged, by key alone: what each may still ask for",
  organization_deletions:
    "by the id of an organization that may be gone: what is to be deleted, and the evidence",
  sign_in_tries: "unlogged, by address: tries to sign in before anybody is known",
};

const store = await openIsolatedStore();
const client = new pg.Client(store.connection);
await client.connect();
after(async () => {
  await client.end();
  await store.close();
});

const tenantColumns = new Map<string, TenantColumn>(
  (
    await client.query<TenantColumn & { readonly name: string }>(
      `select c.relname as name, a.attname as column, (
         select count(*)::int from pg_attribute b where b.attrelid = c.oid and b.attnum > 0 and b.attnum < a.attnum
       ) as place
       from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and a.attname = case c.relname when 'organizations' then 'id' else 'organization_id' end`,
    )
  ).rows.map((row) => [row.name, row]),
);

const statements = await allStatements();

test("every statement is bound to one organization by equality, or listed with the reason why not", async () => {
  await client.query("begin");
  // Statements of an import ask tables that it makes for itself; some of those are made of others.
  const made = statements.filter(({ text }) => /^\s*create temporary table/.test(text));
  made.sort((a, b) => Number(/ commit drop as\s/.test(a.text)) - Number(/ commit drop as\s/.test(b.text)));
  for (const { text } of made) {
    const parameters = new Set([...text.matchAll(/\$\d+/g)].map(([parameter]) => parameter));
    await client.query(
      text,
      Array.from(parameters, () => null),
    );
  }
  const faults: string[] = [];
  const unbound = new Set<string>();
  let planned = 0;
  for (const { name, text } of statements) {
    const query = text
      .replace(/^\s*create temporary table \w+ on commit drop as\s/, "")
      .replace(/^\s*declare \w+ no scroll cursor for/, "");
    if (NO_QUERY.test(query) || NEVER_SENT.test(name)) continue;
    await client.query("savepoint one");
    try {
      const { rows } = await client.query<{ "QUERY PLAN": { Plan: PlanNode }[] }>(
        `explain (generic_plan, verbose, format json, costs off) ${query}`,
      );
      const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
      assert.ok(plan);
      planned++;
      const found = unboundTables(plan, tenantColumns);
      if (found.length === 0) continue;
      // The gate has a statement for each way of counting requests.
      const known = name === "" ? `a list of ${found}` : name.replace(/^admit(?!_sign_in)\w*/, "admit");
      unbound.add(known);
      if (UNBOUND[known] === undefined) faults.push(`${name || text}: ${found.join(", ")} is not bound`);
    } catch (error) {
      faults.push(`${name || text}: ${error}`);
      await client.query("rollback to savepoint one");
    }
  }
  await client.query("rollback");
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [...unbound].sort(),
    Object.keys(UNBOUND).sort(),
    "what is bound now is taken off the list",
  );
  assert.ok(planned > 800, `only ${planned} statements were planned`);
});

test("no two statements have one name: a connection would refuse the second", () => {
  const texts = new Map<string, Set<string>>();
  for (const { name, text } of statements)
    if (name !== "") texts.set(name, new Set([...(texts.get(name) ?? []), text]));
  assert.deepEqual(
    [...texts].flatMap(([name, written]) => (written.size > 1 ? [name] : [])),
    [],
  );
});

test("what a condition leaves unbound is found: another column, one side of an outer join, one part of an or", async () => {
  const find = async (query: string) => {
    const { rows } = await client.query<{ "QUERY PLAN": { Plan: PlanNode }[] }>(
      `explain (generic_plan, verbose, format json, costs off) ${query}`,
    );
    return unboundTables(rows[0]?.["QUERY PLAN"][0]?.Plan as PlanNode, tenantColumns);
  };
  const cases: [string, string[]][] = [
    ["select id from clients where organization_id = $1", []],
    ["select id from clients where id = $1", ["clients clients"]],
    ["select id from clients where organization_id = any ($1::uuid[])", ["clients clients"]],
    ["select id from clients where organization_id <> $1", ["clients clients"]],
    ["select id from clients where organization_id = $1 or id = $2", ["clients clients"]],
    ["select id from clients where organization_id = $1 and (id = $2 or id = $3)", []],
    ["select k.id from contracts c join clients k using (organization_id) where c.organization_id = $1", []],
    [
      "select k.id from contracts c join clients k on k.id = c.client_id where c.organization_id = $1",
      ["clients k"],
    ],
    [
      "select k.id from contracts c left join clients k on k.organization_id = $1 and k.id = c.client_id",
      ["contracts c"],
    ],
    [
      "select k.id from contracts c left join clients k on k.organization_id = c.organization_id where c.organization_id = $1",
      [],
    ],
    [
      "select (select count(*) from clients k where k.id = c.client_id) from contracts c where c.organization_id = $1",
      ["clients k"],
    ],
    ["update clients set notes = $1 where id = $2", ["clients clients"]],
    ["delete from clients where organization_id = $1", []],
    [
      "insert into erasures (organization_id, client_id, at, actor) select $1, id, $2, '' from clients where organization_id = $1",
      [],
    ],
    [
      "insert into erasures (organization_id, client_id, at, actor) select organization_id, id, $1, '' from clients",
      ["clients clients", "erasures erasures"],
    ],
  ];
  for (const [query, expected] of cases) assert.deepEqual(await find(query), expected, query);
});

test("no statement is written where this test does not see it", () => {
  const names = [...new Set(statements.map(({ name }) => name))];
  let written = 0;
  const unseen: string[] = [];
  // A name, or as much of it as is the same for all that are written here.
  for (const { file, text } of sourceFiles())
    for (const [, name = "", rest] of text.matchAll(
      /(?<![\w.#]|function )(?:read|pooled|expensive)\(\s*["`](\w+)(["`$])/g,
    )) {
      written++;
      if (!names.some((known) => (rest === "$" ? known.startsWith(name) : known === name)))
        unseen.push(`${file}: ${name}`);
    }
  assert.deepEqual(unseen, []);
  assert.ok(written > 400, `only ${written} statements were found in the sources`);
});

test("every key, unique index and foreign key of an organization's table includes its organization, or is listed", async () => {
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations' order by 1`,
  );
  const shared = tables.filter(({ name }) => !tenantColumns.has(name));
  assert.deepEqual(
    shared.map(({ name }) => name),
    Object.keys(SHARED_TABLES).sort(),
  );
  const { rows: keys } = await client.query<{ table: string; key: string; columns: string[] }>(
    `select t.relname as table, i.relname as key, array(
       select a.attname::text from unnest(x.indkey::int2[]) k (number)
       join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number
     ) as columns
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
     where t.relnamespace = 'public'::regnamespace and (x.indisunique or x.indisexclusion)
     union all
     select t.relname, 'foreign key of ' || t.relname || ' on ' || f.relname, array(
       select a.attname::text from unnest(c.conkey) k (number)
       join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number
     )
     from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class f on f.oid = c.confrelid
     where t.relnamespace = 'public'::regnamespace and c.contype = 'f'
     order by 2`,
  );
  const others = keys.filter(
    ({ table, columns }) =>
      tenantColumns.has(table) && !columns.includes(tenantColumns.get(table)?.column ?? ""),
  );
  assert.deepEqual(
    others.map(({ key }) => key),
    Object.keys(OTHER_KEYS).sort(),
  );
  assert.ok(keys.length > 100, `only ${keys.length} keys were found`);
});
