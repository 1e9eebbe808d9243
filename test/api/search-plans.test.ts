import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { listClients } from "../../src/domain/clients/list-queries.ts";
import { findPeople } from "../../src/domain/clients/people-queries.ts";
import { listContracts } from "../../src/domain/contracts/queries.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { listPlans } from "../../src/domain/plans/queries.ts";
import { listStoredClasses } from "../../src/domain/resources/claim-queries.ts";
import { copyCrowd, loadCrowd, settleCrowd } from "../support/crowd.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { openExplainer } from "../support/explain.ts";
import { newId } from "../support/ids.ts";
import { addLocation, addPlan, addServiceType } from "../support/records.ts";
import { openTestStore } from "../support/store.ts";

// A database of its own, as plans depend on all that is in one. `npm run bench -- explain` does the same at full size.
const store = await openTestStore();
const { connection, query } = await newMigratedDatabase(store);
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
// Kept up row by row, it would take most of the time.
const [index] = await query<{ text: string }>("select pg_get_indexdef('clients_search'::regclass) as text");
await query("drop index clients_search");
const crowd = await loadCrowd(db, id, { clients: 20_000, contracts: 4_000, locationIds });
for (let n = 0; n < 2; n++) await copyCrowd(db, id, await newOrganization());
await query(index?.text ?? "");
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
    "by cursor": clients({ cursor: clientId }),
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
    "contracts at a location by cursor": contracts({ locationId, cursor: clientId }),
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

test("a page reads its records and no others, also of tables of which PostgreSQL has no statistics yet", async () => {
  for (const table of ["plans", "plan_entitlements"])
    await query(`alter table ${table} set (autovacuum_enabled = false)`);
  const granted = Array.from({ length: 10 }, () => ({ type: "credits", creditQuantity: 5 }));
  for (let n = 0; n < 60; n++) await addPlan(db, id, { entitlements: granted });
  await query("analyze plan_entitlements");
  const { plan } = await explainer.explain((on) => listPlans(on, id, { limit: 50, offset: 0 }), 1);
  assert.match(plan, /on plan_entitlements e .*loops=50\)/, plan);
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

test("two letters that are typed cost a part of the clients if many have them, and the index alone if nobody has", async () => {
  const people = (query: string) => (on: Database) => findPeople(on, id, { query, limit: 10 });
  for (const query of ["jo", "ma", "j"]) {
    const { plan } = await explainer.explain(people(query), 1);
    const removed = [...plan.matchAll(/Rows Removed by (?:Filter|Index Recheck): (\d+)/g)];
    const looked = removed.reduce((sum, [, rows]) => sum + Number(rows), 0);
    assert.ok(looked < 5_000, `${query} looked at ${looked} of 20,000 in vain:\n${plan}`);
  }
  // Letters that the index does not know: it is not read from end to end.
  for (const query of ["美咲", "Παπα"]) {
    const { plan } = await explainer.explain(people(query), 1);
    assert.doesNotMatch(plan, /clients_search|Seq Scan on clients/, `${query}:\n${plan}`);
  }
  for (const query of ["xq", "jo zz"]) {
    const { plan } = await explainer.explain(people(query), 1);
    assert.match(plan, /Bitmap Index Scan on clients_search/, `${query}:\n${plan}`);
  }
});

test("a search is planned for its very terms each time", async () => {
  const { isGeneric } = await explainer.explain(clients({ query: "silva" }), 8);
  assert.equal(isGeneric, false);
});

/** What a plan does to find the ids of a page, without the total and the records. */
function pagePart(plan: string): string {
  const lines = plan.split("\n");
  const start = lines.findIndex((line) => line.trim() === "CTE page");
  const indent = lines[start]?.search(/\S/) ?? 0;
  const length = lines.slice(start + 1).findIndex((line) => line.search(/\S/) <= indent);
  return lines.slice(start + 1, start + 1 + length).join("\n");
}

/** The most rows that any step has read, those that it then left out included. */
function mostRows(part: string): number {
  const read = [...part.matchAll(/rows=(\d+)(?:\.\d+)? loops=(\d+)/g)].map(
    ([, rows, loops]) => Number(rows) * Number(loops),
  );
  const left = [...part.matchAll(/Rows Removed by [\w ]+: (\d+)/g)].map(([, rows]) => Number(rows));
  return Math.max(...read) + Math.max(0, ...left);
}

test("a page by cursor is a range of an index, near the front and near the end, whatever the filter", async () => {
  const contractIds = (
    await db.query<{ id: string }>(
      pooled("test_contract_ids", "select id from contracts where organization_id = $1 order by id"),
      [id],
    )
  ).map((contract) => contract.id);
  const clientIds = [...crowd.clientIds].sort();
  const pages: Record<string, (cursor: string) => (on: Database) => Promise<unknown>> = {
    all: (cursor) => clients({ cursor }),
    status: (cursor) => clients({ status: "active", cursor }),
    "rare status": (cursor) => clients({ status: "archived", cursor }),
    location: (cursor) => clients({ locationId, cursor }),
    "location and status": (cursor) => clients({ locationId, status: "active", cursor }),
    contracts: (cursor) => contracts({ cursor }),
    "contracts, status": (cursor) => contracts({ status: "paused", cursor }),
    "contracts of a client": (cursor) => contracts({ clientId, cursor }),
    "contracts at a location": (cursor) => contracts({ locationId, cursor }),
    "contracts at a location, status": (cursor) => contracts({ locationId, status: "active", cursor }),
    "contracts of a client at a location": (cursor) => contracts({ clientId, locationId, cursor }),
  };
  for (const [name, page] of Object.entries(pages)) {
    const ids = name.startsWith("contracts") ? contractIds : clientIds;
    for (const share of [0.01, 0.75, 0.99]) {
      const cursor = ids[Math.floor(ids.length * (1 - share))] ?? "";
      for (const times of [1, 8]) {
        const { plan } = await explainer.explain(page(cursor), times);
        assert.ok(mostRows(pagePart(plan)) <= 5 * 51, `${name} at ${share}:\n${plan}`);
      }
    }
  }
});

test("what few records were updated since is found by the index of updates, and never by reading a table whole", async () => {
  const none = "2099-01-01T00:00:00.000Z";
  const all = "2000-01-01T00:00:00.000Z";
  for (const [name, list] of Object.entries({ clients, contracts })) {
    for (const more of [{}, { status: "active" }, { locationId }, { locationId, status: "active" }]) {
      for (const updatedSince of [none, all]) {
        const { plan, isGeneric } = await explainer.explain(list({ ...more, updatedSince }), 8);
        assert.equal(isGeneric, false);
        assert.doesNotMatch(
          plan,
          /Seq Scan on (clients|contracts|client_locations|contract_locations)/,
          plan,
        );
        if (updatedSince === none) assert.match(plan, new RegExp(`${name}_by_update`), plan);
      }
    }
  }
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

test("a place that is taken is looked for among the sessions of a day, and further back among the long ones alone", async () => {
  const serviceTypeId = await addServiceType(db, id);
  const resourceId = newId();
  const startAt = Date.UTC(2026, 5, 1, 12);
  await query(
    `insert into sessions (organization_id, id, service_type_id, location_id, resource_ids, start, start_at,
        duration_minutes, capacity, booked_count, status)
      select $1, gen_random_uuid(), $2, $3, array[$4::text], at at time zone 'UTC', at,
        case when hours in (30, 80) then 60 * 48 else 50 end, 10, 0, 'scheduled'
      from generate_series(1, 5000) hours, lateral (select $5::timestamptz - hours * interval '1 hour') began(at)`,
    [id, serviceTypeId, locationId, resourceId, new Date(startAt).toISOString()],
  );
  await query("analyze sessions");
  const window = { id: newId(), startAt, endAt: startAt + 3_600_000 };
  const found = await listStoredClasses(db, id, [resourceId], window);
  assert.deepEqual(
    found.map(({ startMs, durationMinutes }) => [(startAt - startMs) / 3_600_000, durationMinutes]),
    [[30, 60 * 48]],
  );
  const { plan } = await explainer.explain((on) => listStoredClasses(on, id, [resourceId], window), 8);
  const touched = Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1]);
  assert.ok(touched < 30, plan);
});
