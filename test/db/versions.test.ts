import assert from "node:assert/strict";
import { test } from "node:test";
import { importRecords } from "../../src/bundle/import.ts";
import { refreshInstants } from "../../src/calendar/refresh.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled, read } from "../../src/db/statements.ts";
import { type DemoRecord, demoStudio } from "../../src/demo/studio.ts";
import { addLocation, closeLocation, editLocation, reopenLocation } from "../../src/locations/operations.ts";
import { changeOrganization } from "../../src/organizations/operations.ts";
import { newDatabase } from "../support/databases.ts";
import { openTestStore } from "../support/store.ts";
import { guardVersions, VERSION_OF, WITHOUT_VERSION } from "../support/version-guard.ts";

// A database of its own, because one of the writers is at work in all organizations.
const store = await openTestStore();
const own = await newDatabase(store);
await migrate(own.connection);
await guardVersions(own.connection);
const db = openDatabase({ connection: own.connection, applicationName: "rollbook program", poolSize: 2 });
test.after(async () => {
  await db.close();
  await store.close();
});

const tenantTables = read(
  "test_tenant_tables",
  `select c.relname::text as name
   from pg_attribute a join pg_class c on c.oid = a.attrelid
   where a.attname = 'organization_id' and not a.attisdropped
     and c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace`,
);

const studio = demoStudio({ today: "2026-11-16" });
const { organizationId } = await importRecords(db, studio, { actor: "test" });

test("every table that has an organization is covered by a version, or named as one that no answer shows", async () => {
  const found = await db.query<{ name: string }>(tenantTables);
  assert.deepEqual(
    found.map(({ name }) => name).sort(),
    [...Object.keys(VERSION_OF), ...Object.keys(WITHOUT_VERSION)]
      .filter((name) => name !== "organizations")
      .sort(),
  );
});

test("a write to any of these tables that moves no version, or another one, cannot be committed here", async () => {
  for (const [table, version] of Object.entries(VERSION_OF)) {
    const key = table === "organizations" ? "id" : "organization_id";
    const other = version === "catalog_version" ? "clients_version" : "catalog_version";
    const write = pooled(
      `test_touch_${table}`,
      `update ${table} set ${key} = ${key} where ${key} = $1 returning 1`,
    );
    const move = (column: string) =>
      pooled(
        `test_move_${column}`,
        `update organization_counters set ${column} = ${column} + 1 where organization_id = $1 and slot = 0`,
      );
    const writing = (column?: string) =>
      db.transaction(async (tx) => {
        assert.ok((await tx.query(write, [organizationId])).length > 0, `the studio has none of ${table}`);
        if (column) await tx.query(move(column), [organizationId]);
      });
    const refusal = new RegExp(`a write to ${table} did not move the ${version}`);
    await assert.rejects(writing(), refusal);
    await assert.rejects(writing(other), refusal);
    await writing(version);
  }
});

/** Every record with another content, as far as its kind has something that may change freely. */
function changed(record: DemoRecord): object {
  const renamed = { name: "Changed", contactName: "Changed", planName: "Changed" };
  const known = Object.entries(renamed).filter(([member]) => member in record);
  return {
    ...record,
    ...Object.fromEntries(known),
    ...("capacity" in record && { capacity: 77 }),
    // Other clocks: the instants of stored sessions move.
    ...(record.kind === "location" && { timezone: "Asia/Tokyo" }),
  };
}

const versions = read(
  "test_versions",
  `select sum(catalog_version)::bigint as catalog, sum(clients_version)::bigint as clients
   from organization_counters where organization_id = $1`,
);

const moveClocks = pooled(
  "test_move_clocks",
  `with moved as (
     update sessions set start_at = start_at + interval '1 hour' returning organization_id
   )
   update organization_counters set catalog_version = catalog_version + 1
   where organization_id in (select organization_id from moved)`,
);

test("every writer of the catalog, the calendar and the imports moves the versions of what it writes", async () => {
  const moves = async (work: (on: Database) => Promise<unknown>) => {
    const [before] = await db.query<{ catalog: number; clients: number }>(versions, [organizationId]);
    // Refused by the guard if it forgets one.
    await work(db);
    const [after] = await db.query<{ catalog: number; clients: number }>(versions, [organizationId]);
    return [
      (after?.catalog ?? 0) > (before?.catalog ?? 0) ? "catalog" : "",
      (after?.clients ?? 0) > (before?.clients ?? 0) ? "clients" : "",
    ].join("");
  };
  const location = studio.find(({ kind }) => kind === "location")?.id ?? "";
  const by = "test";
  assert.match(
    await moves((on) => changeOrganization(on, by, organizationId, { name: "Changed" })),
    /catalog/,
  );
  assert.match(await moves((on) => addLocation(on, by, organizationId, { name: "New" })), /catalog/);
  const zone = { timezone: "Europe/Lisbon", name: "Changed" };
  assert.match(await moves((on) => editLocation(on, by, organizationId, location, zone)), /catalog/);
  assert.match(await moves((on) => closeLocation(on, by, organizationId, location)), /catalog/);
  assert.match(await moves((on) => reopenLocation(on, by, organizationId, location)), /catalog/);
  const importing = (records: object[]) => moves((on) => importRecords(on, records, { actor: by }));
  assert.equal(await importing(studio.map(changed)), "catalogclients");
  assert.equal(await importing(studio), "catalogclients");
  for (const kind of new Set(studio.map((record) => record.kind))) {
    const records = studio.filter((record) => record.kind === kind || record.kind === "organization");
    const expected = kind === "client" ? /clients/ : /catalog/;
    assert.match(await importing(records.map(changed)), expected, kind);
  }
  await db.query(moveClocks);
  await db.query(pooled("test_forget_tzdata", "delete from facts where name = 'tzdata'"));
  assert.match(await moves((on) => refreshInstants(on, "2099z")), /catalog/);
});
