import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pino } from "pino";
import { OrganizationCosts } from "../../src/api/organization-costs.ts";
import { latestVersion } from "../../src/db/migrate.ts";
import { describeState } from "../../src/db/statement-errors.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { createLogger } from "../../src/process/logs.ts";
import { createMetrics } from "../../src/process/metrics.ts";
import { startApi } from "../support/api.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { until } from "../support/poll.ts";
import { newDirectory, serve } from "../support/processes.ts";
import { CHEAP, newStaff } from "../support/staff.ts";
import { openTestStore } from "../support/store.ts";
import { freePort } from "../support/target.ts";
import { jsonIn } from "../support/terminal.ts";

const withoutPromtool = spawnSync("promtool", ["--version"]).status !== 0 && "promtool is not installed";

/** The value of a series, by its name and labels as they are printed. */
function readValue(text: string, series: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test("requests are counted by operation, and those that wait for news are not in the histogram of durations", async () => {
  const metrics = createMetrics({ version: "0.0.0" });
  const api = await startApi({ metrics, passwords: new Passwords(CHEAP), rate: { perMinute: 60, burst: 3 } });
  const studio = await api.newOrganization();
  const owner = await newStaff(api, studio.id);
  const { versions } = (await owner.read("versions")).body;
  await owner.read(`versions?after=${encodeURIComponent(versions)}&wait=1`);
  for (let i = 0; i < 5; i++) await studio.get("/v1/locations");
  await studio.get("/v1/nowhere");
  const text = await metrics.registry.metrics();
  const count = (labels: string) => readValue(text, `rollbook_request_duration_seconds_count{${labels}}`);
  assert.equal(count('method="GET",route="/v1/locations",status="200",operation="listLocations"'), 3);
  assert.equal(readValue(text, "rollbook_rate_limited_requests_total"), 2);
  assert.equal(readValue(text, 'rollbook_long_requests_total{operation="getVersions"}'), 2);
  assert.doesNotMatch(text, /rollbook_request_duration_seconds_count\{.*getVersions/);
  assert.equal(readValue(text, 'rollbook_cache_lookups_total{outcome="hit"}'), 1);
  assert.match(text, /^rollbook_cache_limit_bytes [1-9]/m);
  // Whatever callers ask for, and however many organizations there are, the number of series stays.
  assert.doesNotMatch(text, new RegExp(`nowhere|${studio.id}`));
});

test("a slow request is logged with the time that it spent in the queue, in PostgreSQL and on the event loop", async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger(
    { logLevel: "info" },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const api = await startApi({ logger, slowMs: 1 });
  const studio = await api.newOrganization();
  for (let i = 0; i < 20; i++) await studio.get(`/v1/clients?query=ana${i}`);
  const slow = lines.filter(({ msg, route }) => msg === "slow request" && route === "/v1/clients");
  assert.ok(slow.length > 0);
  for (const { organizationId, ms, queueMs, postgresMs, loopMs } of slow) {
    assert.equal(organizationId, studio.id);
    assert.ok(Number(postgresMs) > 0 && Number(queueMs) >= 0 && Number(loopMs) >= 0, JSON.stringify(slow[0]));
    assert.ok(Number(postgresMs) <= Number(ms) + 1);
  }
});

test("the log says which organizations took most of the time, the most expensive first", () => {
  const lines: { organizations: { organizationId: string; requests: number; percent: number }[] }[] = [];
  const costs = new OrganizationCosts(
    pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  );
  for (let i = 1; i <= 9; i++) for (let n = 0; n < i; n++) costs.add(`organization ${i}`, 1_000);
  costs.tell(5_000);
  costs.tell(0);
  costs.close();
  assert.equal(lines.length, 1);
  assert.deepEqual(
    lines[0]?.organizations.map(({ organizationId, requests, percent }) => [
      organizationId,
      requests,
      percent,
    ]),
    [9, 8, 7, 6, 5].map((i) => [`organization ${i}`, i, Math.round((i / 45) * 100)]),
  );
});

test("what the database refuses is logged in words", () => {
  assert.equal(describeState("53100"), "the disk is full (SQLSTATE 53100)");
  assert.equal(describeState("23514"), "a record breaks a constraint (SQLSTATE 23514)");
  assert.equal(describeState("P0001"), "something went wrong (SQLSTATE P0001)");
});

test("the metrics of a server can be read from elsewhere if ADMIN_HOST says so, and tell of database, schema and backup", async (t) => {
  const store = await openTestStore();
  t.after(() => store.close());
  const own = await newMigratedDatabase(store);
  const ADMIN_PORT = await freePort();
  const environment = { DATABASE_URL: own.url, KEY_SECRET: "a secret for nobody at all" };
  const server = await serve(t, { ...environment, ADMIN_PORT, ADMIN_HOST: "0.0.0.0" });
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const elsewhere = addresses.find(({ internal, family }) => !internal && family === "IPv4")?.address;
  const read = async () => {
    const answer = await fetch(`http://${elsewhere ?? "127.0.0.1"}:${ADMIN_PORT}/metrics`);
    assert.equal(answer.status, 200);
    return answer.text();
  };
  const before = await read();
  assert.equal(readValue(before, "rollbook_database_up"), 1);
  assert.equal(readValue(before, "rollbook_schema_version"), await latestVersion());
  assert.doesNotMatch(before, /^rollbook_backup_age_seconds/m);
  await jsonIn(environment, "backup", join(await newDirectory(t), "one.backup"));
  const after = await read();
  const age = readValue(after, 'rollbook_backup_age_seconds{kind="full"}') ?? Number.NaN;
  assert.ok(age >= 0 && age < 60, `${age}`);
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  if (withoutPromtool) return t.diagnostic(withoutPromtool);
  execFileSync("promtool", ["check", "metrics"], { input: await read(), stdio: ["pipe", "pipe", "pipe"] });
});

test("a database that takes no writes any more is one error in the log, and one info when it does again", async (t) => {
  const store = await openTestStore();
  t.after(() => store.close());
  const own = await newMigratedDatabase(store);
  const environment = { DATABASE_URL: own.url, KEY_SECRET: "a secret for nobody at all" };
  const details = ["--name", "Studio", "--timezone", "UTC", "--currency", "BRL"];
  const { id } = await jsonIn(environment, "org", "create", ...details);
  const { key } = await jsonIn(environment, "key", "mint", "--org", id);
  const server = await serve(t, { ...environment, ADMIN_PORT: await freePort() });
  const read = async () =>
    (await fetch(`${server.url}/v1/organization`, { headers: { authorization: `Bearer ${key}` } })).status;
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  const lines = () =>
    [
      ...server
        .output()
        .matchAll(/"level":"(error|warn)".*"msg":"([^"]*)|"msg":"(the database is available again)/g),
    ].map(([, level, said, back]) => (level ? `${level}: ${said}` : back));
  const { database = "" } = own.connection;
  const setReadOnly = async (value: "on" | "off") => {
    await own.query(
      `set transaction_read_only = off; alter database ${database} set default_transaction_read_only = ${value}`,
    );
    await own.query(
      // Other files' servers use the same PostgreSQL.
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'rollbook serve'",
    );
  };
  assert.deepEqual([await read(), await ready()], [200, 200]);

  await setReadOnly("on");
  await until("it is noticed", async () => (await read()) === 503);
  for (let request = 0; request < 20; request++) assert.equal(await read(), 503);
  assert.equal(await ready(), 503);
  assert.equal(lines().length, 1, lines().join("\n"));
  assert.match(lines()[0] ?? "", /^error: the database is not available: .* takes no writes/);
  const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
  assert.equal(readValue(metrics, "rollbook_database_up"), 0);
  assert.doesNotMatch(metrics, /^rollbook_schema_version/m);

  await setReadOnly("off");
  await until("it is told", async () => lines().length > 1);
  assert.deepEqual(lines().slice(1), ["the database is available again"]);
  assert.deepEqual([await read(), await ready()], [200, 200]);
});
