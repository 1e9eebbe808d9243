import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Actor } from "../../src/core/actor.ts";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import { createDemo } from "../../src/data/demo/operations.ts";
import { demoStudio } from "../../src/data/demo/studio.ts";
import { pooled } from "../../src/db/statements.ts";
import { listAudit } from "../../src/domain/audit/queries.ts";
import { mintKey, revokeKey, rotateKey } from "../../src/domain/keys/operations.ts";
import { listKeys } from "../../src/domain/keys/queries.ts";
import { addLocation } from "../../src/domain/locations/operations.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { closeLocation } from "../../src/domain/sessions/location-operations.ts";
import { loadConfig } from "../../src/process/config.ts";
import { numberCommitted } from "../../src/sync/changes/numbering.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { databaseUrl, serve } from "../support/processes.ts";
import { runIn } from "../support/terminal.ts";

const OFFSET_DAYS = 400;
const api = await startApi();
const later = await startApi({ beside: api, clockOffsetMs: OFFSET_DAYS * MS_PER_DAY });
const earlier = await startApi({ beside: api, clockOffsetMs: -OFFSET_DAYS * MS_PER_DAY });
const limited = await startApi({
  beside: api,
  clockOffsetMs: OFFSET_DAYS * MS_PER_DAY,
  rate: { perMinute: 600, burst: 3 },
});

const SERVERS: readonly [TestApi, number][] = [
  [api, 0],
  [later, OFFSET_DAYS],
  [earlier, -OFFSET_DAYS],
];

/** Within a minute of so many days from now. */
function assertDaysAhead(instant: string | undefined, days: number, what: string): void {
  const off = Date.parse(instant ?? "") - Date.now() - days * MS_PER_DAY;
  assert.ok(Math.abs(off) < 60_000, `${what} is ${instant}`);
}

function timeOfId(id: string): string {
  return new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toISOString();
}

function statusOf(through: TestApi, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return through.call("GET", "/v1/organization", { headers }).then(({ status }) => status);
}

const BY: Actor = { name: "test", role: undefined, locationIds: undefined };

// The first test of the file: ids of one process never go back, so those of a server ahead must come after.
test("a client is created, replaced and archived at the time of the server's clock, and one instant is all of it", async () => {
  for (const [through, days] of [SERVERS[2], SERVERS[0], SERVERS[1]] as [TestApi, number][]) {
    const studio = await through.newOrganization();
    await addLocation(
      { db: through.db, actor: BY, organizationId: studio.id },
      { name: "Centro", timezone: "UTC" },
    );
    assertDaysAhead(studio.record.joinedAt, days, "joinedAt");
    const { body } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
    assertDaysAhead(body.createdAt, days, "createdAt");
    assert.equal(body.updatedAt, body.createdAt);
    assert.ok(Math.abs(Date.parse(timeOfId(body.id)) - Date.parse(body.createdAt)) < 10, timeOfId(body.id));
    assert.equal((await studio.get(`/v1/clients/${body.id}`)).text, JSON.stringify(body));
    const path = `/v1/clients/${body.id}`;
    const replaced = await studio.call("PUT", path, { body: { contactName: "Bia" } });
    assertDaysAhead(replaced.body.updatedAt, days, "updatedAt");
    assert.ok(replaced.body.updatedAt > body.updatedAt);
    assert.equal((await studio.call("DELETE", path)).status, 204);
    const { body: archived } = await studio.get(path);
    assertDaysAhead(archived.updatedAt, days, "updatedAt of an archived client");
    assert.ok(archived.updatedAt > replaced.body.updatedAt);
  }
});

test("the last birthdate is today by the server's clock", async () => {
  for (const [through, days] of SERVERS) {
    const studio = await through.newOrganization({ timezone: "UTC" });
    await addLocation(
      { db: through.db, actor: BY, organizationId: studio.id },
      { name: "Centro", timezone: "UTC" },
    );
    const born = (day: number) =>
      studio.call("POST", "/v1/clients", {
        body: { contactName: "Ana", birthdate: dateIn("UTC", Date.now() + day * MS_PER_DAY) },
      });
    assert.equal((await born(days - 1)).status, 201, `${days} days`);
    assert.equal((await born(days + 2)).status, 422, `${days} days`);
  }
});

test("a key of ninety days is expired four hundred days later, with a rate limit and without", async () => {
  const { id } = await api.newOrganization();
  const lifetimeSeconds = 90 * 86_400;
  const key = await mintKey(api.db, api.keySecret, "test", { organizationId: id, lifetimeSeconds });
  const endless = await mintKey(api.db, api.keySecret, "test", { organizationId: id });
  assertDaysAhead(key.expiresAt, 90, "expiresAt");
  for (const [through, status] of [
    [api, 200],
    [earlier, 200],
    [later, 401],
    [limited, 401],
  ] as const) {
    assert.equal(await statusOf(through, key.key), status);
    assert.equal(await statusOf(through, endless.key), 200);
    // By the smaller statement, for a key that has been used.
    assert.equal(await statusOf(through, key.key), status);
  }
  const stateBy = async (through: TestApi) =>
    (await listKeys(through.db, id)).find((one) => one.id === key.id)?.status;
  assert.deepEqual([await stateBy(api), await stateBy(later)], ["active", "expired"]);
  await assert.rejects(rotateKey(later.db, api.keySecret, "test", key.id, 60), { kind: "conflict" });
});

test("the rate limit measures time that passes and knows no offset", async () => {
  const { key } = await api.newOrganization();
  const besides = await startApi({ beside: api, rate: { perMinute: 1, burst: 3 } });
  const ahead = await startApi({
    beside: api,
    rate: { perMinute: 1, burst: 3 },
    clockOffsetMs: OFFSET_DAYS * MS_PER_DAY,
  });
  const answers = [];
  for (const through of [besides, ahead, besides, ahead, besides]) answers.push(await statusOf(through, key));
  assert.deepEqual(answers, [200, 200, 200, 429, 429]);
});

test("keys are minted, used, rotated and revoked, and audit entries made, at the time of the clock", async () => {
  const studio = await later.newOrganization();
  const minted = await mintKey(later.db, api.keySecret, "test", {
    organizationId: studio.id,
    lifetimeSeconds: 86_400,
  });
  assertDaysAhead(minted.createdAt, OFFSET_DAYS, "createdAt");
  assertDaysAhead(minted.expiresAt, OFFSET_DAYS + 1, "expiresAt");
  assert.equal(await statusOf(later, minted.key), 200);
  const find = async () => (await listKeys(later.db, studio.id)).find(({ id }) => id === minted.id);
  const used = await until("the use is noted", async () => (await find())?.lastUsedAt);
  assertDaysAhead(used, OFFSET_DAYS, "lastUsedAt");
  await rotateKey(later.db, api.keySecret, "test", minted.id, 3600);
  assertDaysAhead((await find())?.expiresAt, OFFSET_DAYS + 1 / 24, "expiresAt of a rotated key");
  assertDaysAhead((await revokeKey(later.db, "test", minted.id)).revokedAt, OFFSET_DAYS, "revokedAt");
  const { data } = await listAudit(later.db, studio.id, 100);
  assert.deepEqual(
    data.map(({ action }) => action),
    ["revokeKey", "rotateKey", "mintKey", "mintKey", "organization.create"],
  );
  for (const { at, action, id } of data) {
    assertDaysAhead(at, OFFSET_DAYS, action);
    assertDaysAhead(timeOfId(id), OFFSET_DAYS, `the id of ${action}`);
  }
});

describe("twenty years ahead", () => {
  const YEARS = 20;
  const tables = pooled(
    "test_time_columns",
    `select c.table_name as "table", c.column_name as "column", o.column_name as "owner"
     from information_schema.columns c
     join information_schema.columns o on o.table_schema = c.table_schema and o.table_name = c.table_name
       and o.column_name = case c.table_name when 'organizations' then 'id' else 'organization_id' end
     where c.table_schema = 'public' and c.data_type = 'timestamp with time zone'
       -- Their epoch says that it is still to be computed when an invoice is due.
       and c.column_name not in ('next_invoice_at', 'due_at')
     order by 1, 2`,
  );

  test("every time that any writer stores is of that time, in whatever column", async () => {
    const future = await startApi({ beside: api, clockOffsetMs: YEARS * 365 * MS_PER_DAY });
    const { db, keySecret } = future;
    const studio = await future.newOrganization();
    const { result: location } = await addLocation(
      { db, actor: BY, organizationId: studio.id },
      { name: "Centro", timezone: "UTC" },
    );
    const withKey = (contactName: string) => ({
      body: { contactName },
      headers: { "idempotency-key": contactName },
    });
    const { body } = await studio.call("POST", "/v1/clients", withKey("Ana"));
    await studio.call("PUT", `/v1/clients/${body.id}`, withKey("Bia"));
    await closeLocation({ db, actor: BY, organizationId: studio.id }, { locationId: location.id });
    const demo = await createDemo(db, keySecret, "test");
    assert.ok(demo.today > dateIn("UTC", Date.now() + (YEARS - 1) * 365 * MS_PER_DAY), demo.today);
    // Records that bring no time of their own, stored and then replaced.
    const id = newId();
    let people = 0;
    const some = demoStudio({ today: demo.today }).filter(({ kind }) =>
      kind === "client"
        ? people++ < 20
        : !["contract", "session", "booking", "waiting", "invoice", "payment"].includes(kind),
    );
    const bare = some.map((record) => {
      const members = Object.entries(record).filter(([name]) => !/^(created|updated)At$/.test(name));
      const rest: Record<string, unknown> = Object.fromEntries(members);
      return record.kind === "organization" ? { ...rest, id } : rest;
    });
    await importRecords(db, bare, { actor: "test" });
    const renamed = bare.map((record) =>
      record.name === undefined ? record : { ...record, name: `${record.name} 2` },
    );
    await importRecords(db, renamed, { actor: "test" });

    // What triggers note has the time of PostgreSQL until it gets its number.
    for (const owner of [studio.id, demo.organization.id, id]) await numberCommitted(db, owner);

    const seen = new Set<string>();
    const columns = await api.db.query<{ table: string; column: string; owner: string }>(tables);
    for (const { table, column, owner } of columns) {
      const [row] = await api.db.query<{ first?: string; count: number }>(
        pooled(
          "",
          `select min(${column}) as first, count(${column}) as count from ${table} where ${owner} = any($1::uuid[])`,
        ),
        [[studio.id, demo.organization.id, id]],
      );
      if (!row?.first) continue;
      seen.add(`${table}.${column}`);
      assert.ok(
        Date.parse(row.first) > Date.now() + 10 * 365 * MS_PER_DAY,
        `${table}.${column} has ${row.first}`,
      );
    }
    const written = [
      "audit.at",
      "changes.at",
      "clients.updated_at",
      "contracts.created_at",
      "keys.created_at",
    ];
    for (const name of [...written, "idempotency_keys.created_at"]) assert.ok(seen.has(name), name);
  });
});

test("a server whose clock is moved says so, and a command too", async (t) => {
  const environment = { DATABASE_URL: databaseUrl(api.store.connection), KEY_SECRET: api.keySecret };
  const studio = await api.newOrganization();
  await addLocation(
    { db: api.db, actor: BY, organizationId: studio.id },
    { name: "Centro", timezone: "UTC" },
  );
  const server = await serve(t, { ...environment, CLOCK_OFFSET: "-3d" });
  const answer = await fetch(`${server.url}/v1/clients`, {
    method: "POST",
    headers: { authorization: `Bearer ${studio.key}`, "content-type": "application/json" },
    body: JSON.stringify({ contactName: "Ana" }),
  });
  assertDaysAhead(((await answer.json()) as { createdAt: string }).createdAt, -3, "createdAt");
  assert.match(server.output(), /"level":"warn".*The clock is 3d behind because of CLOCK_OFFSET/);
  const listed = await runIn(environment, "key", "list", "--org", studio.id, "--clock-offset", "+36h");
  assert.equal(listed.code, 0);
  assert.match(listed.stderr, /^rollbook: The clock is 36h ahead because of CLOCK_OFFSET/);
  assert.equal((await runIn(environment, "key", "list", "--org", studio.id)).stderr, "");
});

test("an offset is a duration with or without a sign, of at most twenty years", () => {
  const offsets: Readonly<Record<string, number | undefined>> = {
    "": 0,
    "0": 0,
    "-0s": 0,
    "+36h": 36 * 3_600_000,
    "36h": 36 * 3_600_000,
    "-3d": -3 * MS_PER_DAY,
    "+7300d": 7300 * MS_PER_DAY,
    "+7301d": undefined,
    "+-3d": undefined,
    "3 d": undefined,
    "-3": undefined,
    "1.5h": undefined,
    tomorrow: undefined,
  };
  for (const [text, ms] of Object.entries(offsets)) {
    const load = () => loadConfig({}, { CLOCK_OFFSET: text }).clockOffsetMs;
    if (ms === undefined) assert.throws(load, /^AppError: CLOCK_OFFSET must be 0 or a duration/, text);
    else assert.equal(load(), ms, text);
  }
});
