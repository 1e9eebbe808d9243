import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { until } from "../support/poll.ts";
import { type OperatorsPostgres, startPostgres } from "../support/postgres.ts";
import { serve } from "../support/processes.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

const skip = process.platform === "win32" && "PostgreSQL cannot be run here";
const started: OperatorsPostgres[] = [];
after(async () => {
  for (const server of started) await server.remove();
});

async function start(copyOf?: OperatorsPostgres, files: Record<string, string> = {}) {
  await copyOf?.stop("fast");
  const server = await startPostgres({
    ...(copyOf && { copyOf: copyOf.cluster }),
    files,
    settings: "-c hot_standby=on",
  });
  started.push(server);
  await copyOf?.startIfGone();
  return server;
}

const environmentOf = (...servers: OperatorsPostgres[]) => ({
  DATABASE_URL: `postgres://rollbook@/rollbook?host=${servers.map(({ cluster }) => encodeURIComponent(cluster)).join(",")}`,
  KEY_SECRET: "the same secret on every node",
});

async function servingConnections({ connection }: OperatorsPostgres): Promise<number> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query(
    "select from pg_stat_activity where application_name = 'rollbook serve'",
  );
  await client.end();
  return rows.length;
}

test("when another server is promoted beside the one in use nobody writes, and once one is left all goes on there", {
  skip,
}, async (t) => {
  const first = await start();
  const second = await start(first, { "standby.signal": "" });
  const environment = environmentOf(first, second);
  const server = await serve(t, environment);
  const details = ["--name", "Studio", "--timezone", "UTC", "--currency", "BRL", "--location", "Centro"];
  const { id } = await jsonIn(environment, "org", "create", ...details);
  const { key } = await jsonIn(environment, "key", "mint", "--org", id);
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  const create = async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ contactName: "Ana" });
    return (await fetch(`${server.url}/v1/clients`, { method: "POST", headers, body })).status;
  };
  const errors = () => server.output().match(/^.*"level":"error".*$/gm) ?? [];
  assert.deepEqual([await ready(), await create()], [200, 201]);

  await second.promote();
  await until("nobody may write any more", async () => (await create()) === 503);
  assert.equal(await ready(), 503);
  assert.equal(errors().length, 1, server.output());
  assert.match(
    errors()[0] ?? "",
    /"msg":"the database is not available: Several servers of DATABASE_URL take writes, the socket in \S+ \(timeline 1\) and the socket in \S+ \(timeline 2\)/,
  );
  const doctor = await runIn(environment, "doctor");
  assert.equal(doctor.code, 1);
  assert.match(
    doctor.stdout,
    /^WRONG {2}Servers: Beside .* \(timeline 2\), which is the one to use, .* takes writes: stop it/m,
  );

  await first.stop("fast");
  await until("the server goes on", async () => (await ready()) === 200);
  assert.ok((await servingConnections(second)) > 0);

  // As a machine does that is started again with nobody at it.
  await first.startIfGone();
  await until("it is told", async () => errors().length === 2);
  assert.match(
    errors()[1] ?? "",
    /"msg":"Beside .* \(timeline 2\), which is the one to use, .* \(timeline 1\) takes writes/,
  );
  assert.deepEqual([await ready(), await servingConnections(first)], [200, 0]);

  // The older one alone lacks what was written since.
  await second.stop("fast");
  await until("the newer one is missed", async () => (await ready()) === 503);
  assert.equal(await servingConnections(first), 0);
  await second.startIfGone();
  await until("the newer one is used again", async () => (await ready()) === 200);
});

test("a process that starts takes the newest timeline; two that have the same are both refused", {
  skip,
}, async () => {
  const first = await start();
  const second = await start(first, { "standby.signal": "" });
  await second.promote();
  const { id } = await jsonIn(
    environmentOf(first, second),
    ...["org", "create", "--name", "Studio", "--timezone", "UTC", "--currency", "BRL"],
  );
  const listed = async (server: OperatorsPostgres) =>
    (await jsonIn(environmentOf(server), "org", "list")).data.map((one: { id: string }) => one.id);
  assert.deepEqual([await listed(first), await listed(second)], [[], [id]]);

  const third = await start(second);
  const both = environmentOf(second, third);
  assertEnded(
    await runIn(both, "org", "list"),
    1,
    /Several servers of DATABASE_URL take writes, .* \(timeline 2\) and .* \(timeline 2\), .*: nothing is written until/,
  );
  assert.match((await runIn(both, "doctor")).stdout, /^WRONG {2}Database: Several servers/m);
  // Two names of one server are one server.
  assert.equal((await runIn(environmentOf(second, second), "org", "list")).code, 0);
});
