import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ClientMajority } from "../../src/clients/majority-queries.ts";
import { listClients } from "../../src/clients/queries.ts";
import { listContracts } from "../../src/contracts/queries.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { createOrganization } from "../../src/organizations/operations.ts";
import { copyCrowd, loadCrowd, settleCrowd } from "../support/crowd.ts";
import { newDatabase } from "../support/databases.ts";
import { openExplainer } from "../support/explain.ts";
import { addLocation } from "../support/records.ts";
import { openTestStore } from "../support/store.ts";

// A database of its own, as plans depend on all that is in one. `npm run explain` does the same at full size.
const store = await openTestStore();
const { connection } = await newDatabase(store);
await migrate(connection);
const db = openDatabase({ connection, applicationName: "rollbook test" });
const explainer = await openExplainer(connection);
after(async () => {
  await explainer.close();
  await db.close();
  await store.close();
});

const newOrganization = async () =>
  (await createOrganization(db, "test", { name: "S", timezone: "UTC", currency: "BRL", plan: "Pro" })).id;
const id = await newOrganization();
const locationIds: string[] = [];
for (let n = 0; n < 5; n++) locationIds.push(await addLocation(db, id));
const crowd = await loadCrowd(db, id, { clients: 20_000, contracts: 4_000, locationIds });
for (let n = 0; n < 2; n++) await copyCrowd(db, id, await newOrganization());
await settleCrowd(db);

const locationId = locationIds[0] as string;
const clientId = crowd.clientIds[0] as string;
const page = { limit: 50, offset: 0 };
const clients = (filter: object) => (on: Database) => listClients(on, id, { ...page, ...filter });
const contracts = (filter: object) => (on: Database) => listContracts(on, id, { ...page, ...filter });

test("no list and no search of clients or contracts reads a table whole, planned for its values or not", async () => {
  const calls: Record<string, (on: Database) => Promise<unknown>> = {
    all: clients({}),
    deep: clients({ offset: 15_000 }),
    status: clients({ status: "archived" }),
    location: clients({ locationId }),
    "location and status": clients({ locationId, status: "archived" }),
    "a document": clients({ query: crowd.someone.cpf }),
    "a frequent name": clients({ query: "silva" }),
    "two names": clients({ query: "maria silva" }),
    "a name, status and location": clients({ query: "silva", status: "active", locationId }),
    "one character": clients({ query: "a" }),
    "two characters": clients({ query: "jo" }),
    punctuation: clients({ query: "(1" }),
    "another script": clients({ query: "Παπαδόπουλος" }),
    contracts: contracts({}),
    "contracts, deep": contracts({ offset: 3_000 }),
    "contracts, status": contracts({ status: "cancelled" }),
    "contracts of a client": contracts({ clientId }),
    "contracts at a location": contracts({ locationId }),
    "contracts at a location, status": contracts({ locationId, status: "active" }),
  };
  for (const [name, call] of Object.entries(calls)) {
    for (const times of [1, 8]) {
      const { plan } = await explainer.explain(call, times);
      assert.doesNotMatch(
        plan,
        /Seq Scan on (clients|contracts|client_locations|contract_locations)/,
        `${name}:\n${plan}`,
      );
    }
  }
});

const PHONES = ["+55 11 98765-4321", "011 98765-4321", "+351 912 345 678", "00351912345678"];

test("what few clients have is found through the trigram index, however often it was asked before", async () => {
  for (const query of [
    crowd.someone.cpf,
    crowd.someone.email,
    "xyzzyx",
    "no such name",
    "529.982.247-25",
    ...PHONES,
  ]) {
    for (const times of [1, 8]) {
      const { plan } = await explainer.explain(clients({ query }), times);
      assert.match(plan, /Bitmap Index Scan on clients_search/, `${query}:\n${plan}`);
    }
  }
});

test("the index is asked for the organization, unless most clients are its own; what is found is the same", async () => {
  const search = (isMajority: boolean) => (on: Database) =>
    listClients(on, id, { ...page, query: "maria silva" }, isMajority);
  const [minority, majority] = [
    await explainer.explain(search(false), 1),
    await explainer.explain(search(true), 1),
  ];
  assert.match(minority.plan, /Index Cond: \(\(organization_id/);
  assert.match(majority.plan, /Bitmap Index Scan on clients_search/);
  assert.doesNotMatch(majority.plan, /Index Cond: \(\(organization_id = [^)]*\) AND \(search/);
  const found = await search(false)(db);
  assert.ok(found.content.total > 0);
  assert.deepEqual(await search(true)(db), found);
});

test("a search is planned for its very terms each time", async () => {
  const { isGeneric } = await explainer.explain(clients({ query: "silva" }), 8);
  assert.equal(isGeneric, false);
});

test("totals of the unfiltered and the status-filtered lists are not counted", async () => {
  for (const call of [
    clients({}),
    clients({ status: "active" }),
    contracts({}),
    contracts({ status: "paused" }),
  ]) {
    const { plan } = await explainer.explain(call, 1);
    const touched = [...plan.matchAll(/rows=(\d+)\.\d+ loops/g)].map(([, rows]) => Number(rows));
    assert.ok(Math.max(...touched) <= 50, plan);
  }
});

// Last: it leaves the other organizations without clients.
test("the organization that most clients belong to is known by PostgreSQL's statistics", async () => {
  const majority = new ClientMajority(db);
  const other = await newOrganization();
  // Three organizations have a third each.
  await majority.refresh();
  assert.equal(majority.has(id), false);
  await db.transaction(async (tx) => {
    await tx.query(pooled("test_leave_one", "delete from client_locations where organization_id <> $1"), [
      id,
    ]);
    await tx.query(pooled("test_leave_one_2", "delete from contracts where organization_id <> $1"), [id]);
    await tx.query(pooled("test_leave_one_3", "delete from clients where organization_id <> $1"), [id]);
  });
  await settleCrowd(db);
  await majority.refresh();
  assert.equal(majority.has(id), true);
  assert.equal(majority.has(other), false);
});
