import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseDatabaseUrl } from "../../src/db/address.ts";
import pg from "../../src/db/driver.ts";
import { findPostmaster } from "../../src/db/embedded/postmaster.ts";
import { TIMELINE } from "../../src/db/history.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { connectionTo } from "../../src/db/servers.ts";
import { expensive, pooled, read } from "../../src/db/statements.ts";
import { until } from "../support/poll.ts";
import { type OperatorsPostgres, startPostgres } from "../support/postgres.ts";

const skip = process.platform === "win32" && "PostgreSQL cannot be run here";
const OF_FIRST = "00000001";
const OF_SECOND = "00000002";
const lanes = {
  pipelined: read("test_timeline_read", `select ${TIMELINE} as timeline`),
  pooled: pooled("test_timeline_pooled", `select ${TIMELINE} as timeline`),
  expensive: expensive("test_timeline_expensive", `select ${TIMELINE} as timeline`),
};

async function start(t: TestContext, options?: Parameters<typeof startPostgres>[0]) {
  const server = await startPostgres({ ...options, settings: "-c hot_standby=on" });
  t.after(() => server.remove());
  return server;
}

/** All processes of the server, or it would go on with those that it has. */
async function signalAll({ cluster }: OperatorsPostgres, signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
  const postmaster = await findPostmaster(cluster);
  assert.ok(postmaster !== undefined, "the server is not there");
  process.kill(postmaster, signal);
  for (const line of execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).split("\n")) {
    const [pid, parent] = line.trim().split(" ").filter(Boolean).map(Number);
    if (pid !== undefined && parent === postmaster) process.kill(pid, signal);
  }
}

function addressOf(...servers: OperatorsPostgres[]) {
  const hosts = servers.map(({ cluster }) => encodeURIComponent(cluster)).join(",");
  return connectionTo(parseDatabaseUrl(`postgres://rollbook@/rollbook?host=${hosts}&connect_timeout=1`));
}

function open(t: TestContext, connection: ReturnType<typeof addressOf>) {
  const db = openDatabase({ connection, applicationName: "test", pipelines: 1, poolSize: 8 });
  t.after(() => db.close());
  const ask = async (lane: keyof typeof lanes) =>
    (await db.query<{ timeline: string }>(lanes[lane]))[0]?.timeline;
  return {
    ask,
    /** Several at once, so that several connections are open. */
    askAll: async () => {
      const names = ["pipelined", "pooled", "pooled", "pooled", "expensive"] as const;
      return [...new Set(await Promise.all(names.map(ask)))];
    },
    transaction: () => db.transaction((tx) => tx.query(lanes.pooled)),
    snapshot: () => db.snapshot((tx) => tx.query(lanes.pooled)),
  };
}

test("a primary that was frozen, replaced and woken is asked nothing, and what it was asked before is not answered", {
  skip,
}, async (t) => {
  const first = await start(t);
  await first.stop("fast");
  const second = await start(t, { copyOf: first.cluster, files: { "standby.signal": "" } });
  await first.startIfGone();
  const connection = addressOf(first, second);
  const idle = open(t, connection);
  const busy = open(t, connection);
  const watch = connection.servers?.watch({ onConflict: () => {}, onStray: () => {} });
  t.after(() => watch?.stop());
  assert.deepEqual([await idle.askAll(), await busy.askAll()], [[OF_FIRST], [OF_FIRST]]);
  // Has a connection of its own, which must be there before.
  await busy.snapshot();

  await signalAll(first, "SIGSTOP");
  t.after(() => signalAll(first, "SIGCONT").catch(() => {}));
  const underWay = Promise.allSettled([
    busy.ask("pipelined"),
    busy.ask("pooled"),
    busy.ask("expensive"),
    busy.transaction(),
    busy.snapshot(),
  ]);
  await second.promote();
  await until("the other one is used", async () => {
    const { config } = (await connection.servers?.find()) ?? {};
    return config?.host === second.cluster;
  });
  await signalAll(first, "SIGCONT");

  for (const outcome of await underWay) {
    assert.equal(outcome.status, "rejected", JSON.stringify(outcome));
    assert.equal((outcome as PromiseRejectedResult).reason.kind, "unavailable");
  }
  assert.deepEqual([await idle.askAll(), await busy.askAll()], [[OF_SECOND], [OF_SECOND]]);
});

test("a server that is a standby when a connection is opened is not asked, though it was the primary when it was chosen", {
  skip,
}, async (t) => {
  const first = await start(t);
  const connection = addressOf(first);
  const db = open(t, connection);
  await connection.servers?.find();
  await first.stop("fast");
  await writeFile(join(first.cluster, "standby.signal"), "");
  await first.startIfGone();
  for (const lane of ["pipelined", "pooled", "expensive"] as const)
    await assert.rejects(db.ask(lane), { kind: "unavailable" });
  const beside = new pg.Client({ host: first.cluster, user: "rollbook", database: "rollbook" });
  // The server goes before it does.
  beside.on("error", () => {});
  await beside.connect();
  await until("no connection to it stays open", async () => {
    const { rows } = await beside.query("select from pg_stat_activity where application_name = 'test'");
    return rows.length === 0;
  });
});
