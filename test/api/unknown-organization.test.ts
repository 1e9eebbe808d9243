import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { createDemo } from "../../src/data/demo/operations.ts";
import { averageOrganizations } from "../../src/db/average-organizations.ts";
import type { Database } from "../../src/db/database.ts";
import { startApi } from "../support/api.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { openExplainer, type SentStatement } from "../support/explain.ts";
import { newStaff } from "../support/staff.ts";
import { openTestStore } from "../support/store.ts";
import { type StudioSize, writeStudios } from "../support/studio-rows.ts";

const store = await openTestStore();
after(() => store.close());
const { connection, query } = await newMigratedDatabase(store);

const sent = new Map<string, SentStatement>();

/** The same database, which notes what is sent to it. */
function recording(db: Database): Database {
  return {
    query: (statement, values = []) => {
      if (/^\s*(select|with)/.test(statement.text))
        sent.set(`${statement.name || statement.text} ${values.length}`, { statement, values });
      return db.query(statement, values);
    },
    transaction: (work) => db.transaction((tx) => work(recording(tx))),
    snapshot: (work) => db.snapshot((tx) => work(recording(tx))),
    now: () => db.now(),
    clockOffsetMs: db.clockOffsetMs,
  };
}

const api = await startApi({ database: { connection }, disturb: recording });

/** What the demo's largest table takes is 30 pages: who looks each row of a list up by its key reads some thousands. */
const MOST_PAGES = 5_000;

test("an organization that PostgreSQL's statistics do not know is read by the same plans as any", async () => {
  await createDemo(api.db, api.keySecret, "test");
  // Now they know one organization, and take every other one for empty.
  await query("analyze");
  const demo = await createDemo(api.db, api.keySecret, "test");
  const { id } = demo.organization;
  const staff = await newStaff(api, id);
  const caller = (path: string) =>
    api.call("GET", `/v1/${path}`, { headers: { authorization: `Bearer ${demo.key.key}` } });
  const [booked] = await query<{
    clientId: string;
    contractId: string;
    sessionId: string;
    scheduleId: string;
    locationId: string;
  }>(
    `select b.client_id as "clientId", b.contract_id as "contractId", b.session_id as "sessionId",
       s.schedule_id as "scheduleId", s.location_id as "locationId"
     from bookings b join sessions s on s.organization_id = b.organization_id and s.id = b.session_id
     where b.organization_id = $1 and b.contract_id is not null and s.schedule_id is not null limit 1`,
    [id],
  );
  assert.ok(booked);
  const { clientId, contractId, sessionId, scheduleId, locationId } = booked;
  const from = new Date(demo.now).toISOString();
  const to = new Date(demo.now + 14 * 86_400_000).toISOString();
  const span = `from=${from}&to=${to}`;
  const days = `from=${from.slice(0, 10)}&until=${to.slice(0, 10)}`;
  const reads = [
    "today",
    "todo",
    "me",
    "settings",
    "staff",
    "keys",
    "audit?limit=200",
    `calendar?${span}`,
    `clients?limit=200&query=a`,
    "clients?limit=200",
    `clients?limit=200&locationId=${locationId}`,
    `contracts?limit=200&locationId=${locationId}`,
    `today?locationId=${locationId}`,
    `todo?locationId=${locationId}`,
    `clients/${clientId}`,
    `clients/${clientId}/contracts`,
    `clients/${clientId}/visits?limit=100`,
    "contracts?limit=200",
    `contracts/${contractId}`,
    `coverage?clientId=${clientId}&sessionId=${sessionId}`,
    `roster?sessionId=${sessionId}`,
    "people?query=an",
    "plans",
    "plan-contracts",
    "resources",
    "schedules",
    `schedules/${scheduleId}`,
    "service-types",
    "service-groups",
    "locations",
    `overview/attendance?${days}`,
    `overview/keys?${days}`,
    `overview/members?${days}`,
    `overview/timetable?${span}`,
  ];
  for (const path of reads) {
    const { status, text } = await staff.read(path);
    assert.ok(status === 200, `${path}: ${status} ${text.slice(0, 200)}`);
  }
  for (const path of [
    "clients",
    "contracts",
    "plans",
    "service-types",
    "locations",
    "resources",
    `calendar?${span}`,
  ])
    assert.equal((await caller(path)).status, 200, path);

  assert.ok(sent.size > 40, `${sent.size} statements`);
  const alone = await pagesRead();
  const costly = alone.filter(({ pages }) => pages > MOST_PAGES);
  assert.deepEqual(costly, []);
});

const NEIGHBOURS: StudioSize = { clients: 3, contracts: 2, sessions: 3, bookings: 3, schedules: 2 };

test("an organization is read by the same indexes when thousands beside it have next to nothing", async () => {
  await query("analyze");
  const before = new Map((await pagesRead()).map(({ name, pages }) => [name, pages]));
  assert.ok(before.size > 40);
  const client = new pg.Client(connection);
  await client.connect();
  await writeStudios(client, { first: 1, last: 3_000 }, NEIGHBOURS);
  await client.query("analyze");
  await client.end();
  // A search is planned for its terms each time; and a hundredth of a table may be read by any index.
  const grown = async () =>
    (await pagesRead()).filter(
      ({ name, isPrepared, pages }) => isPrepared && pages > 4 * (before.get(name) ?? 0) + 300,
    );
  const names = (await grown()).map(({ name }) => name.split(" ")[0]);
  assert.ok(names.includes("list_roster"), `${names}`);
  assert.ok((await averageOrganizations(api.db)) > 20);
  assert.equal(await averageOrganizations(api.db), 0);
  assert.deepEqual(await grown(), []);
});

interface Read {
  readonly name: string;
  readonly isPrepared: boolean;
  readonly pages: number;
  readonly plan: string;
}

/** What each statement that was sent takes from memory now. */
async function pagesRead(): Promise<Read[]> {
  const explainer = await openExplainer(connection);
  const reads: Read[] = [];
  for (const [name, one] of sent) {
    // The first time it also reads what the tables are.
    await explainer.explainStatement(one, 1);
    const { plan } = await explainer.explainStatement(one, 1);
    reads.push({
      name,
      isPrepared: one.statement.name !== "",
      pages: Number(/shared hit=(\d+)/.exec(plan)?.[1] ?? 0),
      plan,
    });
  }
  await explainer.close();
  return reads;
}
