import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  ORGANIZATION_TABLES,
  SERVER_TABLES,
  STAYING_TABLES,
} from "../../src/data/backup/organization-tables.ts";
import { BACKED_UP } from "../../src/data/backup/tables.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { openTestStore } from "../support/store.ts";

const store = await openTestStore();
after(() => store.close());
const { query } = await newMigratedDatabase(store);
const going = ORGANIZATION_TABLES.map(({ name }) => name);

test("every table is of an organization or of the server, and those of an organization say whose each row is", async () => {
  const found = await query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     group by 1 order by 1`,
  );
  assert.deepEqual(
    found.map(({ name }) => name),
    [...going, ...Object.keys(STAYING_TABLES), ...Object.keys(SERVER_TABLES)].toSorted(),
    "a table that a migration makes belongs into src/data/backup/organization-tables.ts",
  );
  const columnsOf = new Map(found.map(({ name, columns }) => [name, columns]));
  for (const { name, column } of ORGANIZATION_TABLES) assert.ok(columnsOf.get(name)?.includes(column), name);
  for (const name of Object.keys(STAYING_TABLES))
    assert.ok(columnsOf.get(name)?.includes("organization_id"), name);
  for (const name of Object.keys(SERVER_TABLES))
    assert.ok(!columnsOf.get(name)?.includes("organization_id"), `${name} has rows of organizations`);
});

test("each table comes after those that its foreign keys name, and all that a backup holds is there", async () => {
  const references = await query<{ name: string; to: string }>(
    `select conrelid::regclass::text as name, confrelid::regclass::text as to
     from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  );
  assert.ok(references.length > 50);
  for (const { name, to } of references)
    assert.ok(going.indexOf(name) > going.indexOf(to), `${name} refers to ${to}`);
  assert.deepEqual(
    BACKED_UP.filter((name) => !going.includes(name)),
    ["organization_moves", "organization_departures", "organization_deletions", "facts"],
  );
});
