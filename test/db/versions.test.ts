import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor } from "../../src/core/actor.ts";
import type { DataClass } from "../../src/core/data-snapshot.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import { type DemoRecord, demoStudio } from "../../src/data/demo/studio.ts";
import { versionSum } from "../../src/db/data-version.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled, read } from "../../src/db/statements.ts";
import { refreshInstants } from "../../src/domain/calendar/refresh.ts";
import { addLocation } from "../../src/domain/locations/operations.ts";
import {
  closeLocation,
  editLocation,
  reopenLocation,
} from "../../src/domain/sessions/location-operations.ts";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { UNSHOWN, VERSION_OF, WITHOUT_VERSION } from "../support/data-versions.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { openTestStore } from "../support/store.ts";

// A database of its own, because one of the writers is at work in all organizations.
const store = await openTestStore();
const own = await newMigratedDatabase(store);
const db = openDatabase({ connection: own.connection, applicationName: "rollbook program", poolSize: 4 });
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

const CLASSES: readonly DataClass[] = ["catalog", "clients", "contracts", "sessions"];
// Without bookings: closing a location with credits in its sessions would move the contracts too. Without balances: they
// would pay for invoices that are issued as days go by, which the bundle does not have.
const studio = demoStudio({ today: new Date().toISOString().slice(0, 10) })
  .filter(({ kind }) => kind !== "booking" && kind !== "waiting")
  .map((record) => {
    const { restCents, amountCents } = record as { restCents?: number; amountCents?: number };
    return { ...record, ...(restCents && { restCents: 0, amountCents: (amountCents ?? 0) - restCents }) };
  });
const { organizationId } = await importRecords(db, studio, { actor: "test" });
// A bundle brings no pauses.
const insertPause = pooled(
  "test_insert_pause",
  `insert into contract_pauses (organization_id, id, contract_id, first_day, extends_term)
   select organization_id, id, id, start_date, true from contracts where organization_id = $1 limit 1`,
);
await db.query(insertPause, [organizationId]);

test("every table that has an organization is covered by a version, or named as one that no answer shows", async () => {
  const found = await db.query<{ name: string }>(tenantTables);
  assert.deepEqual(
    found.map(({ name }) => name).sort(),
    [...Object.keys(VERSION_OF), ...Object.keys(WITHOUT_VERSION)]
      .filter((name) => name !== "organizations")
      .sort(),
  );
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
  `select ${CLASSES.map((name) => `${versionSum([name])} as ${name}`).join(", ")}
   from organization_counters where organization_id = $1`,
);

/** The classes whose versions a piece of work moves. */
async function moves(work: (on: Database) => Promise<unknown>): Promise<string> {
  const [before] = await db.query<Record<DataClass, number>>(versions, [organizationId]);
  await work(db);
  const [after] = await db.query<Record<DataClass, number>>(versions, [organizationId]);
  return CLASSES.filter((name) => (after?.[name] ?? 0) > (before?.[name] ?? 0)).join(" ");
}

const moveClocks = pooled("test_move_clocks", "update sessions set start_at = start_at + interval '1 hour'");

test("every writer of the catalog, the calendar and the imports moves the versions of what it writes", async () => {
  const location = studio.find(({ kind }) => kind === "location")?.id ?? "";
  const by = "test";
  const actor: Actor = { name: by, role: undefined, locationIds: undefined };
  const changing = (change: object) => moves((on) => changeOrganization(on, by, organizationId, change));
  assert.equal(await changing({ name: "Changed" }), "catalog");
  const added = { name: "New", timezone: "UTC" };
  assert.equal(await moves((on) => addLocation({ db: on, actor, organizationId }, added)), "catalog");
  const locationId = location;
  const editing = (changes: object) =>
    moves((on) => editLocation({ db: on, actor, organizationId }, { locationId, changes }));
  assert.equal(await editing({ name: "Changed" }), "catalog");
  assert.equal(await editing({ timezone: "Europe/Lisbon" }), "catalog sessions");
  const closing = { locationId, cancelBooked: true };
  assert.equal(
    await moves((on) => closeLocation({ db: on, actor, organizationId }, closing)),
    "catalog sessions",
  );
  assert.equal(
    await moves((on) => reopenLocation({ db: on, actor, organizationId }, { locationId })),
    "catalog",
  );
  const importing = (records: object[]) => moves((on) => importRecords(on, records, { actor: by }));
  assert.equal(await importing(studio.map(changed)), "catalog clients contracts sessions");
  assert.equal(await importing(studio), "catalog clients contracts sessions");
  assert.equal(await importing(studio), "");
  const expected: Readonly<Record<string, string>> = {
    client: "clients",
    contract: "contracts",
    session: "sessions",
    location: "catalog sessions",
    invoice: "",
    payment: "",
  };
  const organization = studio.filter((record) => record.kind === "organization");
  for (const kind of new Set(studio.map((record) => record.kind))) {
    if (kind === "organization") continue;
    const records = studio.filter((record) => record.kind === kind);
    assert.equal(
      await importing([...organization, ...records.map(changed)]),
      expected[kind] ?? "catalog",
      kind,
    );
  }
  assert.equal(await importing(organization.map(changed)), "catalog");
  await db.query(moveClocks);
  await db.query(pooled("test_forget_tzdata", "delete from facts where name = 'tzdata'"));
  assert.equal(await moves((on) => refreshInstants(on, { version: "2099z" })), "sessions");
});

const triggers = read(
  "test_feed_triggers",
  `select pg_get_triggerdef(t.oid) as text from pg_trigger t
   where t.tgrelid = $1::regclass and not t.tgisinternal and t.tgenabled = 'O' and t.tgname like '%_feed_%'`,
);
const columnsOf = read(
  "test_columns",
  `select attname::text as name from pg_attribute
   where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
);

test("every column of these tables that an answer shows is watched by the feed, which moves the versions", async () => {
  for (const table of Object.keys(VERSION_OF)) {
    const found = (await db.query<{ text: string }>(triggers, [table])).map(({ text }) => text);
    const of = (event: string) => found.filter((text) => text.includes(`AFTER ${event} ON`));
    for (const event of ["INSERT", "DELETE"]) assert.ok(of(event).length > 0, `${event} of ${table}`);
    const columns = await db.query<{ name: string }>(columnsOf, [table]);
    const shown = columns.map(({ name }) => name).filter((name) => !UNSHOWN[table]?.includes(name));
    for (const column of shown) {
      const isWatched = of("UPDATE").some(
        (text) => !text.includes("WHEN") || text.includes("old.*") || text.includes(`old.${column}`),
      );
      // An organization keeps its id.
      assert.ok(isWatched || (table === "organizations" && column === "id"), `${table}.${column}`);
    }
  }
});

const rename = pooled(
  "test_rename_client",
  "update clients set contact_name = contact_name || '!' where organization_id = $1",
);
const seat = pooled(
  "test_seat",
  "update sessions set booked_count = booked_count + 1, capacity = capacity + 1 where organization_id = $1",
);

test("whoever writes, a version moves once a transaction, also after a part of it was taken back", async () => {
  const all = () => db.query<Record<DataClass, number>>(versions, [organizationId]).then(([row]) => row);
  const before = await all();
  await db.transaction(async (tx) => {
    await tx.query(rename, [organizationId]);
    const failed = tx.transaction(async (inner) => {
      await inner.query(seat, [organizationId]);
      throw new Error("taken back");
    });
    await assert.rejects(failed, /taken back/);
    await tx.query(rename, [organizationId]);
  });
  const after = await all();
  assert.deepEqual(after, { ...before, clients: Number(before?.clients) + 1 });
});

const hold = pooled(
  "test_hold_counters",
  "select 1 from organization_counters where organization_id = $1 and slot > 0 for update",
);

test("a version moves beside whoever holds other rows of the counters", async () => {
  let moved = "";
  await db.transaction(async (tx) => {
    await tx.query(hold, [organizationId]);
    moved = await moves((on) => on.query(rename, [organizationId]));
  });
  assert.equal(moved, "clients");
});

const touch = (table: string) =>
  `update ${table} set updated_at = updated_at + interval '1 second' where organization_id = $1`;
const TOUCHED: Readonly<Record<string, string>> = {
  contracts: touch("contracts"),
  sessions: "update sessions set capacity = capacity + 1 where organization_id = $1",
  plans: touch("plans"),
  clients: touch("clients"),
};

test("a write by a node that knows only two versions moves those of all classes but the clients", async () => {
  const oldWrite = pooled(
    "test_old_write",
    "update organization_counters set catalog_version = catalog_version + 1 where organization_id = $1 and slot = 5",
  );
  const combined = read(
    "test_combined_versions",
    `select ${versionSum(["catalog", "contracts"])} as contracts, ${versionSum(["catalog", "sessions"])} as sessions,
       ${versionSum(["catalog"])} as catalog, ${versionSum(["clients"])} as clients, sum(catalog_version)::bigint as old
     from organization_counters where organization_id = $1`,
  );
  const find = async () => (await db.query<Record<string, number>>(combined, [organizationId]))[0] ?? {};
  const grown = async (work: () => Promise<unknown>) => {
    const [before, , after] = [await find(), await work(), await find()];
    return Object.keys(before).filter((name) => (after[name] ?? 0) > (before[name] ?? 0));
  };
  assert.deepEqual(await grown(() => db.query(oldWrite, [organizationId])), [
    "contracts",
    "sessions",
    "catalog",
    "old",
  ]);
  // And what we write to contracts or sessions reaches such a node.
  const touched = (table: string) =>
    grown(() => db.query(pooled(`test_touch_${table}`, TOUCHED[table] ?? ""), [organizationId]));
  assert.deepEqual(await touched("contracts"), ["contracts", "old"]);
  assert.deepEqual(await touched("sessions"), ["sessions", "old"]);
  assert.deepEqual(await touched("plans"), ["contracts", "sessions", "catalog", "old"]);
  assert.deepEqual(await touched("clients"), ["clients"]);
});
