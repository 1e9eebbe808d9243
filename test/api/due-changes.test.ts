import assert from "node:assert/strict";
import { test } from "node:test";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { exportBundle } from "../../src/data/bundle/export.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import type { SharedDatabase } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { recomputeContracts } from "../../src/domain/contracts/recompute.ts";
import { DueChanges } from "../../src/domain/due-changes/due-changes.ts";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { databaseUrl } from "../support/processes.ts";
import { addContract } from "../support/records.ts";
import { runIn } from "../support/terminal.ts";

const api = await startApi();

/** A server on the same database at whose clock it is a given time when it starts. */
function serverAt(instant: string | number): Promise<TestApi> {
  const clockOffsetMs = (typeof instant === "string" ? Date.parse(instant) : instant) - Date.now();
  return startApi({ beside: api, clockOffsetMs });
}

interface TestTerm {
  readonly endDate?: string;
  readonly status?: string;
  readonly startDate?: string;
  readonly updatedAt?: string;
}

/** A studio whose contracts were imported by this server, at its time. */
async function newStudio(through: TestApi, terms: readonly TestTerm[], timezone = "America/Sao_Paulo") {
  const studio = await through.newOrganization({ timezone });
  const [locationId, clientId] = [newId(), newId()];
  const contracts = terms.map((term) => ({
    kind: "contract",
    id: newId(),
    clientId,
    planName: "Mensal",
    priceCents: 100,
    currency: "BRL",
    isTrial: false,
    billingKind: "one_time",
    startDate: "2026-01-01",
    status: "active",
    accessBlocked: false,
    allLocations: true,
    locationIds: [],
    entitlements: [],
    createdAt: "2026-01-01T12:00:00.000Z",
    updatedAt: "2026-01-01T12:00:00.000Z",
    ...term,
  }));
  const bring = (records: readonly object[], by: TestApi = through) =>
    importRecords(by.db, records, { organizationId: studio.id, actor: "test" });
  await bring([
    { kind: "location", id: locationId, name: "Centro", status: "active", timezone },
    { kind: "client", id: clientId, contactName: "Ana", locationIds: [locationId] },
    ...contracts,
  ]);
  const headers = { authorization: `Bearer ${studio.key}` };
  const get = async (by: TestApi, path: string) => (await by.call("GET", path, { headers })).body;
  return {
    id: studio.id,
    clientId,
    ids: contracts.map(({ id }) => id),
    contracts,
    bring,
    get,
    contract: (by: TestApi, place = 0) => get(by, `/v1/contracts/${contracts[place]?.id}`),
    /** How many have a status: by the counted list, and by the one that counts row by row. */
    async total(by: TestApi, status: string) {
      const counted = await get(by, `/v1/contracts?status=${status}`);
      const found = await get(by, `/v1/contracts?status=${status}&clientId=${clientId}`);
      assert.equal(counted.total, found.total);
      for (const one of counted.data) assert.equal(one.status, status);
      return counted.total as number;
    },
  };
}

const version = pooled(
  "test_contracts_version",
  `select sum(contracts_version)::bigint as contracts, sum(catalog_version)::bigint as catalog
   from organization_counters where organization_id = $1`,
);

test("a contract is active to the last millisecond of its last day and expired from the next, kept answers included", async () => {
  const end = Date.parse("2026-12-01T03:00:00.000Z");
  const before = await serverAt(end - 10 * MS_PER_DAY);
  const studio = await newStudio(before, [{ endDate: "2026-11-30" }, {}]);
  const near = await serverAt(end - 1_500);
  const offset = near.db.clockOffsetMs;
  const look = async (by: TestApi) => {
    const [one, active, expired] = await Promise.all([
      studio.contract(by),
      studio.get(by, "/v1/contracts?status=active"),
      studio.get(by, "/v1/contracts?status=expired"),
    ]);
    return [one.status, one.updatedAt, active.total, active.data.length, expired.total];
  };
  const ACTIVE = ["active", "2026-01-01T12:00:00.000Z", 2, 2, 0];
  const EXPIRED = ["expired", "2026-12-01T03:00:00.000Z", 1, 1, 1];
  assert.deepEqual(await look(before), ACTIVE);
  // The same addresses again and again: their answers are kept from the second time on.
  for (let isOver = false; !isOver; ) {
    const from = Date.now() + offset;
    const seen = await look(near);
    const to = Date.now() + offset;
    isOver = from >= end;
    if (isOver) assert.deepEqual(seen, EXPIRED);
    else if (to < end) assert.deepEqual(seen, ACTIVE);
  }
});

test("a contract that nobody asked for in a week has changed at the instant it was due", async () => {
  const before = await serverAt("2026-11-20T12:00:00Z");
  const studio = await newStudio(before, [{ endDate: "2026-11-30" }]);
  const later = await serverAt("2026-12-08T12:00:00Z");
  const { status, updatedAt } = await studio.contract(later);
  assert.deepEqual([status, updatedAt], ["expired", "2026-12-01T03:00:00.000Z"]);
  const [moved] = await api.db.query<{ contracts: number }>(version, [studio.id]);
  await studio.contract(later);
  assert.deepEqual((await api.db.query<{ contracts: number }>(version, [studio.id]))[0], moved);
});

test("days begin by the clocks of the organization, where midnight comes twice or not at all", async () => {
  const cases = [
    ["Europe/London", "2026-10-24", "2026-10-24T23:00:00.000Z"],
    ["Europe/London", "2026-10-25", "2026-10-26T00:00:00.000Z"],
    ["America/Santiago", "2026-09-05", "2026-09-06T04:00:00.000Z"],
  ] as const;
  const before = await serverAt("2026-08-01T12:00:00Z");
  for (const [timezone, endDate, instant] of cases) {
    const studio = await newStudio(before, [{ endDate }], timezone);
    const early = await serverAt(Date.parse(instant) - 60_000);
    assert.equal((await studio.contract(early)).status, "active", `${timezone} ${endDate}`);
    const later = await serverAt(instant);
    const { status, updatedAt } = await studio.contract(later);
    assert.deepEqual([status, updatedAt], ["expired", instant], `${timezone} ${endDate}`);
  }
});

const insertMany = pooled(
  "test_insert_many_contracts",
  `with made as (
     insert into contracts (organization_id, id, client_id, plan_name, price_cents, currency, is_trial, billing_kind,
       start_date, end_date, status, access_blocked, all_locations, next_change_at)
     select $1, gen_random_uuid(), $2, 'Mensal', 1, 'BRL', false, 'one_time', '2026-01-01', '2026-11-30', 'active', false,
       true, '2026-12-01T03:00:00Z'
     from generate_series(1, $3::int)
   ), due as (
     update organizations set due_at = '2026-12-01T03:00:00Z' where id = $1
   )
   update organization_counters set contracts_active = contracts_active + $3::int, catalog_version = catalog_version + 1
   where organization_id = $1 and slot = 3`,
);

test("requests on two nodes change each contract once, more than one part of them, and all see the same", async () => {
  const before = await serverAt("2026-11-20T12:00:00Z");
  const studio = await newStudio(before, [{}, {}]);
  await api.db.query(insertMany, [studio.id, studio.clientId, 1_001]);
  const total = async (by: TestApi, status: string) =>
    (await studio.get(by, `/v1/contracts?status=${status}&limit=1`)).total as number;
  // The answer is kept from the second time on.
  for (let n = 0; n < 3; n++) assert.equal(await total(before, "active"), 1_003);
  const nodes = await Promise.all([serverAt("2026-12-01T03:00:00Z"), serverAt("2026-12-01T03:00:00Z")]);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => total(nodes[n % 2] as TestApi, n % 4 < 2 ? "active" : "expired")),
  );
  assert.deepEqual(answers, [2, 2, 1_001, 1_001, 2, 2, 1_001, 1_001]);
  assert.equal(await total(before, "active"), 2);
  assert.equal(await studio.total(nodes[0], "active"), 2);
});

test("an organization whose contracts are due does not hold up another one", async () => {
  const before = await serverAt("2026-11-20T12:00:00Z");
  const [due, other] = [await newStudio(before, [{ endDate: "2026-11-30" }]), await newStudio(before, [{}])];
  const later = await serverAt("2026-12-01T12:00:00Z");
  const lock = pooled(
    "test_lock_organization",
    "select 1 as locked from organizations where id = $1 for update",
  );
  let waiting: Promise<unknown> | undefined;
  await api.db.transaction(async (tx) => {
    await tx.query(lock, [due.id]);
    let isAnswered = false;
    waiting = due.contract(later).then((body) => {
      isAnswered = true;
      return body;
    });
    assert.equal((await other.contract(later)).status, "active");
    assert.equal(isAnswered, false);
  });
  assert.equal(((await waiting) as { status: string }).status, "expired");
});

test("a contract imported as active although its last day had passed stays so, until the operator ends all such", async () => {
  const before = await serverAt("2026-11-20T12:00:00Z");
  const paused = { status: "paused", endDate: "2026-10-31" };
  const studio = await newStudio(before, [
    { endDate: "2026-10-31" },
    { endDate: "2026-11-30" },
    paused,
    { status: "paused" },
  ]);
  const later = await serverAt("2026-12-05T12:00:00Z");
  const statuses = async (by: TestApi) =>
    Promise.all(studio.ids.map(async (_, place) => (await studio.contract(by, place)).status));
  assert.deepEqual(await statuses(later), ["active", "expired", "paused", "paused"]);
  const environment = { DATABASE_URL: databaseUrl(api.store.connection), KEY_SECRET: api.keySecret };
  const offset = `${Math.round(later.db.clockOffsetMs / 1000)}s`;
  const settle = (...flags: string[]) =>
    runIn(environment, "contracts", "settle", "--org", studio.id, `--clock-offset=${offset}`, ...flags);
  const { code, stdout } = await settle("--json");
  assert.deepEqual([code, JSON.parse(stdout)], [0, { contracts: 2 }]);
  assert.deepEqual(await statuses(later), ["expired", "expired", "expired", "paused"]);
  assert.deepEqual([await studio.total(later, "expired"), await studio.total(later, "paused")], [3, 1]);
  const { updatedAt } = await studio.contract(later);
  assert.ok(Math.abs(Date.parse(updatedAt) - Date.now() - later.db.clockOffsetMs) < 60_000, updatedAt);
  assert.match((await settle()).stdout, /^0 contracts were ended\.\n$/);
  assert.equal((await runIn(environment, "contracts", "settle", "--org", newId())).code, 1);
});

test("an import states facts again: what had ended meanwhile runs again, and what is not in the file has ended", async () => {
  const before = await serverAt("2026-11-20T12:00:00Z");
  const studio = await newStudio(before, [{ endDate: "2026-11-30" }, { endDate: "2026-11-30" }]);
  const later = await serverAt("2026-12-05T12:00:00Z");
  // Nobody has looked since it was due: it is replaced all the same, because it has ended.
  const { kinds } = await studio.bring(studio.contracts.slice(0, 1), later);
  assert.deepEqual(kinds.contract, { created: 0, replaced: 1, unchanged: 0 });
  assert.equal((await studio.contract(later, 0)).status, "active");
  assert.equal((await studio.contract(later, 1)).status, "expired");
  assert.equal(await studio.total(later, "active"), 1);
  // A longer term has its end before it again.
  await studio.bring([{ ...studio.contracts[0], endDate: "2026-12-31" }], later);
  const end = await serverAt("2027-01-01T03:00:00Z");
  assert.equal((await studio.contract(end, 0)).updatedAt, "2027-01-01T03:00:00.000Z");
});

test("an export is of contracts whose due changes are applied", async () => {
  const before = await serverAt("2026-11-20T12:00:00Z");
  const studio = await newStudio(before, [{ endDate: "2026-11-30" }]);
  const later = await serverAt("2026-12-05T12:00:00Z");
  let text = "";
  await exportBundle(later.db, studio.id, (lines) => {
    text += lines;
  });
  const line = text.split("\n").find((one) => one.startsWith('{"kind":"contract"')) ?? "";
  assert.equal(JSON.parse(line).status, "expired");
  assert.equal(JSON.parse(line).updatedAt, "2026-12-01T03:00:00.000Z");
});

test("what a node of the release before stores is brought up to date too, by the next request", async () => {
  const studio = await newStudio(api, [{}]);
  const { clientId } = studio;
  const today = new Date().toISOString().slice(0, 10);
  // As such a node inserts and updates: the columns that it knows.
  const id = await addContract(api.db, studio.id, { clientId, endDate: today });
  const other = await addContract(api.db, studio.id, { clientId });
  const replace = pooled(
    "test_old_replace",
    "update contracts set end_date = $3, status = 'active' where organization_id = $1 and id = $2",
  );
  await api.db.query(replace, [studio.id, other, today]);
  const later = await startApi({ beside: api, clockOffsetMs: 3 * MS_PER_DAY });
  const get = (by: TestApi, contract: string) => studio.get(by, `/v1/contracts/${contract}`);
  assert.deepEqual([(await get(api, id)).status, (await get(api, other)).status], ["active", "active"]);
  assert.deepEqual([(await get(later, id)).status, (await get(later, other)).status], ["expired", "expired"]);
});

test("with another timezone the days begin at other instants, and what has begun by them changes at once", async () => {
  // In Los Angeles it is the evening of the last day, in Tokyo the day after.
  const now = "2026-12-01T04:00:00Z";
  const before = await serverAt("2026-11-20T12:00:00Z");
  const studio = await newStudio(
    before,
    [{ endDate: "2026-11-30" }, { endDate: "2026-12-01" }],
    "America/Los_Angeles",
  );
  const evening = await serverAt(now);
  assert.equal(await studio.total(evening, "active"), 2);
  await changeOrganization(evening.db, "test", studio.id, { timezone: "Asia/Tokyo" });
  assert.deepEqual([await studio.total(evening, "active"), await studio.total(evening, "expired")], [1, 1]);
  const later = await serverAt("2026-12-01T15:00:00Z");
  assert.equal((await studio.contract(later, 1)).updatedAt, "2026-12-01T15:00:00.000Z");
});

test("newer time-zone data, and the first start of a release that applies due changes, compute the next changes again", async () => {
  const before = await serverAt("2026-11-20T12:00:00Z");
  const studio = await newStudio(before, [{ endDate: "2026-11-30" }]);
  const forget = pooled(
    "test_forget_changes",
    "update contracts set next_change_at = $2 where organization_id = $1",
  );
  const lower = pooled("test_forget_due", "update organizations set due_at = $2 where id = $1");
  for (const stored of [null, "2026-12-01T04:00:00.000Z"]) {
    await api.db.query(forget, [studio.id, stored]);
    await api.db.query(lower, [studio.id, stored]);
    await api.db.query(
      pooled(
        "test_forget_version",
        "delete from facts where name in ('tzdata of contracts', 'known clocks of contracts')",
      ),
    );
    await recomputeContracts(before.db);
    const [row] = await api.db.query<{ next: string; due: string }>(
      pooled(
        "test_next_change",
        `select c.next_change_at as next, o.due_at as due from contracts c join organizations o on o.id = c.organization_id
         where o.id = $1`,
      ),
      [studio.id],
    );
    assert.deepEqual(row, { next: "2026-12-01T03:00:00.000Z", due: "2026-12-01T03:00:00.000Z" });
  }
});

test("what was due by the clock before a failover is applied at once by a server whose clock is behind", async () => {
  const midnight = Date.parse("2026-12-01T03:00:00.000Z");
  const behind = await serverAt(midnight - 10_000);
  const studio = await newStudio(behind, [{ endDate: "2026-11-30" }]);
  let transactions = 0;
  const counted: SharedDatabase = {
    clockOffsetMs: behind.served.clockOffsetMs,
    query: (statement, values) => behind.served.query(statement, values),
    for: (organizationId) => {
      const db = behind.served.for(organizationId);
      const transaction: typeof db.transaction = (work) => {
        assert.ok(++transactions < 5, "it goes on and on");
        return db.transaction(work);
      };
      return { ...db, query: db.query.bind(db), now: db.now.bind(db), transaction };
    },
  };
  const dueChanges = new DueChanges(counted);
  // The second joins the first, which is not told of an instant as late as its own.
  await Promise.all([
    dueChanges.applyUntil(studio.id, midnight),
    dueChanges.applyUntil(studio.id, midnight + 1),
  ]);
  assert.equal((await studio.contract(behind)).status, "expired");
});
