import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeReason } from "../../src/core/reasons.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import { demoStudio } from "../../src/data/demo/studio.ts";
import { setReason } from "../../src/db/change-reason.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { isWholePart, numberChanges } from "../../src/sync/changes/numbering.ts";
import { type FeedEntry, readChanges } from "../../src/sync/changes/queries.ts";
import { startApi } from "../support/api.ts";

const api = await startApi();
const { db } = api;

/** What is in the feed of an organization after a number, once everything has one. */
async function readAll(organizationId: string, after = 0): Promise<readonly FeedEntry[]> {
  while (isWholePart(await numberChanges(db, organizationId)));
  const { entries, hasMore, state } = await readChanges(db, organizationId, { after, limit: 100_000 });
  assert.equal(hasMore, false);
  assert.equal(state.isBehind, false);
  return entries;
}

const told = (entries: readonly FeedEntry[]) => entries.map(({ kind, type }) => `${kind} ${type}`);

/** What a statement, written by hand in a transaction of its own, adds to the feed. */
async function added(
  organizationId: string,
  write: (tx: Database) => Promise<unknown>,
): Promise<readonly FeedEntry[]> {
  const before = (await readAll(organizationId)).at(-1)?.sequence ?? 0;
  await db.transaction(write);
  return readAll(organizationId, before);
}

// Each test tells what it adds.
const { id: studio } = await api.newOrganization();
await importRecords(db, demoStudio({ today: "2026-11-16" }), {
  actor: "operator:test",
  organizationId: studio,
});

const LISTS = [
  "locations",
  "resources",
  "service_groups",
  "service_types",
  "plans",
  "clients",
  "contracts",
  "schedules",
  "sessions",
];

test("every stored record is in the feed once, in the order of the kinds, for a bundle that was imported", async () => {
  const entries = await readAll(studio);
  assert.deepEqual(new Set(entries.map(({ type }) => type)), new Set(["created"]));
  assert.equal(new Set(entries.map((entry) => `${entry.kind} ${entry.id}`)).size, entries.length);
  const counts = await Promise.all(
    LISTS.map(async (name) => {
      const [row] = await db.query<{ count: number }>(
        pooled("", `select count(*) as count from ${name} where organization_id = $1`),
        [studio],
      );
      return row?.count ?? 0;
    }),
  );
  assert.equal(
    entries.length,
    counts.reduce((sum, count) => sum + count, 1),
  );
  assert.deepEqual(
    entries.map(({ sequence }) => sequence),
    entries.map((_, index) => index + 1),
  );
});

test("a statement written by hand is noted, one that changes nothing is not, and what no answer shows is not", async () => {
  const id = studio;
  const run = (text: string) => added(id, (tx) => tx.query(pooled("", text), [id]));
  assert.deepEqual(
    told(
      await run(
        "update clients set notes = 'x' where organization_id = $1 and id = (select min(id::text)::uuid from clients where organization_id = $1)",
      ),
    ),
    ["client updated"],
  );
  assert.deepEqual(told(await run("update clients set notes = notes where organization_id = $1")), []);
  assert.deepEqual(told(await run("update organizations set due_at = now() where id = $1")), []);
  assert.deepEqual(told(await run("update organizations set name = name || '!' where id = $1")), [
    "organization updated",
  ]);
  assert.deepEqual(
    told(await run("update contracts set next_change_at = now() where organization_id = $1")),
    [],
  );
});

test("a row of a record's lists notes the record, once a transaction", async () => {
  const id = studio;
  const first = "(select min(client_id::text)::uuid from client_locations where organization_id = $1)";
  const gone = pooled("", `delete from client_locations where organization_id = $1 and client_id = ${first}`);
  assert.deepEqual(told(await added(id, (tx) => tx.query(gone, [id]))), ["client updated"]);
  const both = async (tx: Database) => {
    await tx.query(
      pooled("", `update clients set notes = 'y' where organization_id = $1 and id = ${first}`),
      [id],
    );
    await tx.query(gone, [id]);
    await tx.query(gone, [id]);
  };
  const entries = await added(id, both);
  assert.deepEqual(told(entries), ["client updated", "client updated"]);
  assert.equal(new Set(entries.map((entry) => entry.id)).size, 2);
  const credits = pooled(
    "",
    `update contract_entitlements set revoked_at = now() where organization_id = $1 and contract_id = (
    select contract_id from contract_entitlements where organization_id = $1 limit 1)`,
  );
  assert.deepEqual(told(await added(id, (tx) => tx.query(credits, [id]))), ["contract updated"]);
});

test("the schedules of a location are noted when it closes or moves zone, those of a service type when its status changes", async () => {
  const id = studio;
  const count = async (column: string, record: string) => {
    const [row] = await db.query<{ count: number }>(
      pooled("", `select count(*) as count from schedules where organization_id = $1 and ${column} = $2`),
      [id, record],
    );
    return row?.count ?? 0;
  };
  for (const [table, column, change] of [
    ["locations", "location_id", "timezone = 'Asia/Tokyo'"],
    ["service_types", "service_type_id", "status = 'archived'"],
  ] as const) {
    const [used] = await db.query<{ id: string }>(
      pooled("", `select ${column} as id from schedules where organization_id = $1 limit 1`),
      [id],
    );
    assert.ok(used);
    const entries = await added(id, (tx) =>
      tx.query(pooled("", `update ${table} set ${change} where organization_id = $1 and id = $2`), [
        id,
        used.id,
      ]),
    );
    const schedules = entries.filter(({ kind }) => kind === "schedule");
    assert.equal(schedules.length, await count(column, used.id));
    assert.ok(schedules.length > 0);
  }
  const renamed = await added(id, (tx) =>
    tx.query(pooled("", "update locations set name = name || '!' where organization_id = $1"), [id]),
  );
  assert.ok(renamed.length > 0 && renamed.every(({ kind }) => kind === "location"));
});

test("a change has the reason that its transaction gave, and none without", async () => {
  const { id } = await api.newOrganization();
  const rename = pooled("", "update organizations set name = name || '!' where id = $1");
  const reason: ChangeReason = { by: "key", keyId: "k", requestId: "r" };
  const [entry] = await added(id, async (tx) => {
    await setReason(tx, reason);
    await tx.query(rename, [id]);
  });
  assert.deepEqual(entry?.reason, reason);
  const [next] = await added(id, (tx) => tx.query(rename, [id]));
  assert.equal(next?.reason, undefined);
});

test("a change that commits late is numbered late, and what was numbered meanwhile keeps its number", async () => {
  const [one, other] = [await api.newOrganization(), await api.newOrganization()];
  const rename = pooled("", "update organizations set name = name || '!' where id = $1");
  const addLocation = pooled(
    "",
    "insert into resources (organization_id, id, name, kind, status) values ($1, 'late', 'late', 'room', 'active')",
  );
  const begun = (await readAll(one.id)).length;
  await db.transaction(async (tx) => {
    await tx.query(addLocation, [one.id]);
    await db.transaction((beside) => beside.query(rename, [one.id]));
    assert.deepEqual(told((await readAll(one.id)).slice(begun)), ["organization updated"]);
  });
  const entries = (await readAll(one.id)).slice(begun);
  assert.deepEqual(told(entries), ["organization updated", "resource created"]);
  assert.deepEqual((await readAll(other.id)).length, 1);
});
