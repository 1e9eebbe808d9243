import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../src/core/errors.ts";
import type { ImportSummary } from "../../src/data/bundle/summary.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { operator } from "../../src/domain/audit/queries.ts";
import { lockOrganization } from "../../src/domain/organizations/queries.ts";
import { sharedTransaction } from "../../src/domain/writes/transactions.ts";
import { startApi, type TestOrganization } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { importLines, type Line, totals } from "./support.ts";

/** An import beside callers who write the very records it brings, each caught at the moment that matters. */

const api = await startApi({ isIsolated: true });
const { db } = api;

/** A transaction that stays open until `end` is called. */
async function hold(work: (tx: Database) => Promise<unknown>): Promise<() => Promise<void>> {
  let [end, hasBegun] = [() => {}, () => {}];
  const begun = new Promise<void>((resolve) => {
    hasBegun = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const open = db.transaction(async (tx) => {
    await work(tx);
    hasBegun();
    await ended;
  });
  await Promise.race([begun, open]);
  return async () => {
    end();
    await open;
  };
}

const waitingStatement = pooled(
  "test_waiting",
  `select 1 as one from pg_stat_activity
   where wait_event_type = 'Lock' and datname = current_database() and query like '%' || $1 || '%'`,
);

async function isWaiting(query: string): Promise<boolean> {
  return (await db.query(waitingStatement, [query])).length > 0;
}

function untilWaiting(query: string): Promise<boolean> {
  return until(`a statement waits: ${query}`, () => isWaiting(query));
}

const lockClientStatement = pooled(
  "test_lock_client",
  "select id from clients where organization_id = $1 and id = $2 for update",
);

interface Studio extends TestOrganization {
  readonly locations: readonly string[];
  readonly clients: readonly Line[];
}

/** An organization with two locations and five clients, in the order of their ids. */
async function newStudio(): Promise<Studio> {
  const studio = await api.newOrganization();
  const locations = [await addLocation(db, studio.id), await addLocation(db, studio.id)].sort();
  const clients = Array.from({ length: 5 }, (_, n) => ({
    kind: "client",
    id: newId(),
    contactName: `Client ${n}`,
    locationIds: [locations[0]],
    status: "active",
  }));
  await importLines(db, clients, { organizationId: studio.id });
  return { ...studio, locations, clients };
}

function put(studio: Studio, { id }: Line, body: Line) {
  return studio.call("PUT", `/v1/clients/${id}`, { body: { locationIds: [studio.locations[0]], ...body } });
}

test("while an import replaces clients, whoever writes to another client of the file or a new one goes on", async () => {
  const studio = await newStudio();
  const [first = {}, second = {}, third = {}, , last = {}] = studio.clients;
  const changed = studio.clients.map((client) =>
    client === first || client === last ? { ...client, notes: "imported" } : client,
  );
  const contract = {
    kind: "contract",
    clientId: third.id,
    planName: "Old",
    priceCents: 1,
    currency: "BRL",
    isTrial: false,
    billingKind: "one_time",
    startDate: "2026-01-01",
    status: "active",
    accessBlocked: false,
    allLocations: true,
    locationIds: [],
    entitlements: [],
  };
  // The import waits with the lock of the first client, and with the contract of the third one stored.
  const release = await hold((tx) => tx.query(lockClientStatement, [studio.id, last.id]));
  const importing = importLines(db, [...changed, contract], { organizationId: studio.id });
  await untilWaiting("import_locked_clients");
  assert.equal((await put(studio, second, { contactName: "Second" })).status, 200);
  assert.equal((await put(studio, third, { contactName: "Third" })).status, 200);
  assert.equal((await studio.call("DELETE", `/v1/clients/${third.id}`)).status, 204);
  const body = { contactName: "New", locationIds: studio.locations };
  assert.equal((await studio.call("POST", "/v1/clients", { body })).status, 201);
  assert.equal((await studio.get(`/v1/clients/${first.id}`)).body.notes, undefined);

  const waiting = put(studio, first, { contactName: "After", notes: "after" });
  await untilWaiting("order by id for no key update");
  await release();
  assert.deepEqual((await importing).kinds.client, { created: 0, replaced: 2, unchanged: 3 });
  assert.equal((await waiting).body.notes, "after", "the later writer wins");
  assert.equal((await studio.get(`/v1/clients/${second.id}`)).body.contactName, "Second");
  assert.equal((await studio.get(`/v1/clients/${last.id}`)).body.notes, "imported");
  const { kept, counted } = await totals(db, studio.id);
  assert.deepEqual(kept, counted);
});

test("while clients are imported, whoever books or checks in at the front desk goes on", async () => {
  const studio = await newStudio();
  const [first = {}, last = {}] = [studio.clients[0], studio.clients.at(-1)];
  const changed = studio.clients.map((client) => ({ ...client, notes: "imported" }));
  const release = await hold((tx) => tx.query(lockClientStatement, [studio.id, last.id]));
  const importing = importLines(db, changed, { organizationId: studio.id });
  await untilWaiting("import_locked_clients");
  assert.equal(
    await sharedTransaction(
      { db, actor: operator(), organizationId: studio.id },
      async ({ organizationId }) => organizationId,
    ),
    studio.id,
  );
  await release();
  await importing;
  assert.equal((await studio.get(`/v1/clients/${first.id}`)).body.notes, "imported");
});

/** An organization with more clients than an import replaces at once, all of them active and at its only location. */
async function newLargeStudio(): Promise<Studio> {
  const studio = await api.newOrganization();
  const locations = [await addLocation(db, studio.id)];
  const clients = Array.from({ length: 2_100 }, (_, n) => ({
    kind: "client",
    id: newId(),
    contactName: `Client ${n}`,
    locationIds: locations,
    status: "active",
  }));
  await importLines(db, clients, { organizationId: studio.id });
  return { ...studio, locations, clients };
}

const insertClientStatement = pooled(
  "test_insert_client",
  `insert into clients (organization_id, id, status, contact_name, id_document_type, id_document_value, id_document_key, search)
   values ($1, $2, 'active', 'Other', 'other', 'X-1', 'x-1', 'other')`,
);

test("a client is held only once its own turn to be replaced has come", async () => {
  const studio = await newLargeStudio();
  const [first = {}, last = {}] = [studio.clients[0], studio.clients.at(-1)];
  const changed = studio.clients.map((client) => ({
    ...client,
    notes: "imported",
    status: client === last ? "archived" : "active",
    ...(client === first && { idDocument: { type: "other", value: "X-1" } }),
  }));
  const isUndone = new Error("undone");
  let importing: Promise<ImportSummary> | undefined;
  // The import waits while it replaces the first thousand clients: one of them is to have a document that another
  // transaction may be about to store.
  const storing = db.transaction(async (tx) => {
    await tx.query(insertClientStatement, [studio.id, newId()]);
    importing = importLines(db, changed, { organizationId: studio.id });
    await untilWaiting("clients c set");
    const body = { contactName: "Meanwhile", locationIds: studio.locations };
    assert.equal((await studio.call("PUT", `/v1/clients/${last.id}`, { body })).status, 200);
    throw isUndone;
  });
  await assert.rejects(storing, isUndone);
  assert.deepEqual((await importing)?.kinds.client, { created: 0, replaced: 2_100, unchanged: 0 });
  assert.equal((await studio.get(`/v1/clients/${first.id}`)).body.idDocument.value, "X-1");
  const { body } = await studio.get(`/v1/clients/${last.id}`);
  assert.deepEqual([body.notes, body.status], ["imported", "archived"]);
  const { kept, counted } = await totals(db, studio.id);
  assert.deepEqual(kept, counted);
});

test("an import that holds what a writer wants, who holds what it wants, succeeds; the writer is told to come again at the worst", async () => {
  const studio = await newLargeStudio();
  const [first = {}, last = {}] = [studio.clients[0], studio.clients.at(-1)];
  const changed = studio.clients.map((client) => ({
    ...client,
    notes: "imported",
    ...(client === first && { idDocument: { type: "other", value: "X-1" } }),
  }));
  const isUndone = new Error("undone");
  let importing: Promise<ImportSummary> | undefined;
  const writing = db.transaction(async (tx) => {
    await tx.query(lockClientStatement, [studio.id, last.id]);
    importing = importLines(db, changed, { organizationId: studio.id });
    await untilWaiting("import_locked_clients");
    // The import has given this document to the first client, and waits for the last.
    await tx.query(insertClientStatement, [studio.id, newId()]);
    throw isUndone;
  });
  // PostgreSQL ends whoever has waited for a second when it looks: the import, unless the writer came late.
  await assert.rejects(writing, (error) => {
    assert.ok(
      error === isUndone || (error instanceof AppError && error.kind === "unavailable"),
      String(error),
    );
    return true;
  });
  assert.deepEqual((await importing)?.kinds.client, { created: 0, replaced: 2_100, unchanged: 0 });
  assert.equal((await studio.get(`/v1/clients/${first.id}`)).body.idDocument.value, "X-1");
});

test("a client that is written after an import has compared it is replaced whole, and the totals are exact", async () => {
  const studio = await newStudio();
  const [first = {}, second = {}] = studio.clients;
  const changed = studio.clients.slice(0, 2).map((client) => ({ ...client, contactName: "Imported" }));
  const release = await hold((tx) => lockOrganization(tx, studio.id));
  const importing = importLines(db, changed, { organizationId: studio.id });
  await untilWaiting("from organizations where id");
  const elsewhere = [studio.locations[1]];
  await put(studio, first, { contactName: "Meanwhile", locationIds: elsewhere, status: "archived" });
  await put(studio, second, { contactName: "Meanwhile", notes: "lost", locationIds: studio.locations });
  await release();
  assert.deepEqual((await importing).kinds.client, { created: 0, replaced: 2, unchanged: 0 });
  for (const { id } of [first, second]) {
    const { body } = await studio.get(`/v1/clients/${id}`);
    assert.deepEqual(
      [body.contactName, body.notes, body.status, body.locationIds],
      ["Imported", undefined, "active", [studio.locations[0]]],
    );
  }
  assert.equal((await studio.get("/v1/clients?status=archived")).body.total, 0);
  const { kept, counted } = await totals(db, studio.id);
  assert.deepEqual(kept, counted);
});

test("an id document that moves between clients of the file while it is imported is sorted out", async () => {
  const studio = await newStudio();
  const [first = {}, second = {}] = studio.clients;
  const idDocument = { type: "other", value: "A-1" };
  const release = await hold((tx) => lockOrganization(tx, studio.id));
  const importing = importLines(db, [{ ...first, idDocument }, second], { organizationId: studio.id });
  await untilWaiting("from organizations where id");
  // Compared as unchanged, the second client takes the document that the file gives to the first.
  assert.equal((await put(studio, second, { contactName: "Client 1", idDocument })).status, 200);
  await release();
  assert.deepEqual((await importing).kinds.client, { created: 0, replaced: 2, unchanged: 0 });
  assert.equal((await studio.get(`/v1/clients/${first.id}`)).body.idDocument.value, "A-1");
  assert.equal((await studio.get(`/v1/clients/${second.id}`)).body.idDocument, undefined);
});

test("an import locks the organization before its counters, as every change of the organization does", async () => {
  const { id, name, timezone, currency, plan, status, joinedAt } = (await newStudio()).record;
  const line = { kind: "organization", id, name, timezone, currency, plan, status, joinedAt };
  const counters = pooled(
    "test_counters",
    "update organization_counters set catalog_version = catalog_version + 1 where organization_id = $1",
  );
  let importing: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    await lockOrganization(tx, id);
    importing = importLines(db, [{ ...line, name: "Imported", plan: "Enterprise" }]);
    await untilWaiting("from organizations where id");
    // Held by the import, any of them would be a deadlock.
    await tx.query(counters, [id]);
  });
  await importing;
  const [stored] = await db.query(pooled("test_org", "select name, tier from organizations where id = $1"), [
    id,
  ]);
  assert.deepEqual(stored, { name: "Imported", tier: "Enterprise" });
});

test("an import that computed instants by a zone which a location no longer has is refused", async () => {
  const studio = await newStudio();
  const serviceType = {
    kind: "serviceType",
    id: newId(),
    name: "Yoga",
    holdsResource: false,
    status: "active",
  };
  const session = {
    kind: "session",
    serviceTypeId: serviceType.id,
    locationId: studio.locations[0],
    start: "2026-01-05T07:00",
    durationMinutes: 60,
    capacity: 1,
    bookedCount: 0,
    status: "scheduled",
  };
  const move = pooled("test_move", "update locations set timezone = 'Asia/Tokyo' where organization_id = $1");
  const release = await hold(async (tx) => {
    await lockOrganization(tx, studio.id);
    await tx.query(move, [studio.id]);
  });
  const importing = importLines(db, [serviceType, session], { organizationId: studio.id });
  const refused = assert.rejects(importing, /was changed meanwhile; nothing was imported/);
  await untilWaiting("from organizations where id");
  await release();
  await refused;
});
