import assert from "node:assert/strict";
import { test } from "node:test";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { countStored } from "../../src/domain/organizations/limit-queries.ts";
import { isWholePart, numberChanges } from "../../src/sync/changes/numbering.ts";
import { readChanges } from "../../src/sync/changes/queries.ts";
import { addRecords } from "../backup/records.ts";
import { newDatabase, type OwnDatabase } from "../support/databases.ts";
import { openTestStore } from "../support/store.ts";

const store = await openTestStore();
test.after(() => store.close());

const TABLES = {
  location: "locations",
  resource: "resources",
  serviceGroup: "service_groups",
  serviceType: "service_types",
  plan: "plans",
  client: "clients",
  contract: "contracts",
  schedule: "schedules",
  session: "sessions",
};

/** What a node of the release before writes, which knows nothing of the feed. */
async function writeAsBefore(database: OwnDatabase, organizationId: string, note: string): Promise<void> {
  await database.query("update clients set notes = $2 where organization_id = $1", [organizationId, note]);
}

test("an upgrade with data gives a complete feed, while a node of the release before still writes", async () => {
  for (const version of [3, 15]) {
    const database = await newDatabase(store);
    await migrate(database.connection, { upTo: version });
    await addRecords(database, version);
    const organizations = await database.query<{ id: string }>("select id from organizations");
    assert.ok(organizations.length > 0);
    await migrate(database.connection, { upTo: 17 });
    for (const { id } of organizations) await writeAsBefore(database, id, "between the migrations");
    await migrate(database.connection);
    for (const { id } of organizations) await writeAsBefore(database, id, "after them");

    const db = openDatabase({
      connection: database.connection,
      applicationName: "rollbook test",
      poolSize: 2,
    });
    try {
      for (const { id } of organizations) {
        while (isWholePart(await numberChanges(db, id)));
        const { entries, state } = await readChanges(db, id, { after: 0, limit: 100_000 });
        assert.equal(state.isBehind, false);
        let records = 0;
        for (const [kind, table] of Object.entries(TABLES)) {
          const stored = await database.query<{ id: string }>(
            `select id::text from ${table} where organization_id = $1 order by id::text collate "C"`,
            [id],
          );
          records += stored.length;
          const created = entries.filter((entry) => entry.kind === kind && entry.type === "created");
          assert.deepEqual(
            [...new Set(created.map((entry) => entry.id))].sort(),
            stored.map((row) => row.id),
            kind,
          );
        }
        assert.equal(await countStored(db, id), records, "counted when the database was upgraded");
        // Both writes come after the beginning, each once for each client.
        const clients = entries.filter(({ kind }) => kind === "client");
        const updates = clients.filter(({ type }) => type === "updated");
        const created = clients.filter(({ type }) => type === "created");
        assert.equal(updates.length, 2 * created.length);
        const lastCreated = Math.max(...created.map(({ sequence }) => sequence));
        assert.ok(updates.every(({ sequence }) => sequence > lastCreated));
      }
    } finally {
      await db.close();
    }
  }
});

test("every table of a tenant is known to logical replication by something that begins with its organization", async () => {
  const database = await newDatabase(store);
  await migrate(database.connection);
  const unknown = await database.query<{ name: string }>(
    `select c.relname::text as name
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
     where c.relkind = 'r' and c.relpersistence = 'p' and c.relnamespace = current_schema()::regnamespace
       and c.relreplident <> 'f' and not exists (
         select from pg_index i
         where i.indrelid = c.oid and i.indkey[0] = a.attnum
           and case c.relreplident when 'i' then i.indisreplident else i.indisprimary end
       )`,
  );
  assert.deepEqual(unknown, []);
});
