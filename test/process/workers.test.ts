import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { Caller, requestText } from "../support/caller.ts";
import { until } from "../support/poll.ts";
import { databaseUrl, newDirectory, type RunningServer, rollbook, serve } from "../support/processes.ts";
import { openTestStore } from "../support/store.ts";
import { copyData, templateData } from "../support/template.ts";

// The PostgreSQL of the test run stands for the operator's own: reached by DATABASE_URL, over its socket.
const store = await openTestStore();
const db = store.open({ applicationName: "test" });
after(() => store.close());
const KEY_SECRET = await store.keySecret();
const DATABASE_URL = databaseUrl(store.connection);
/** Stalls for good without a core of the machine for it. */
const HANG = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
/** A program that hangs when it gets SIGUSR2, or looks at a certain text: neither is its own doing. */
const HANGS = `
  process.on('SIGUSR2', () => ${HANG});
  const { normalize } = String.prototype;
  String.prototype.normalize = function (form) {
    if (String(this) === 'háng') ${HANG};
    return normalize.call(this, form);
  };`;
const HANGING = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HANGS)}`,
  STALL_SECONDS: "2",
};

describe("several processes on one database", { concurrency: 2, skip: process.platform === "win32" }, () => {
  test("two workers admit no more than burst + rate × time together, and are measured together", async (t) => {
    const ADMIN_PORT = await freePort();
    const rate = { RATE_LIMIT: "1200", RATE_BURST: "30" };
    const server = await serve(t, { DATABASE_URL, KEY_SECRET, ADMIN_PORT, ...rate }, ["--workers", "2"]);
    const key = await newKey();
    const begun = performance.now();
    let admitted = 0;
    let asked = 0;
    const request = requestText({ path: "/v1/organization", key });
    const hammer = async (caller: Caller) => {
      do {
        asked++;
        const { status } = await caller.ask(request);
        if (status === 200) admitted++;
        else assert.equal(status, 429);
        const most = 30 + (20 * (performance.now() - begun)) / 1000;
        assert.ok(admitted <= most, `${admitted} admitted, at most ${most} allowed`);
      } while (admitted < 40);
    };
    const callers = await Promise.all(Array.from({ length: 16 }, () => Caller.open(server.url)));
    await Promise.all(callers.map(hammer));
    // Each connection was answered by the worker that holds it, so both did work.
    const held = await Promise.all((await workersOf(server)).map((pid) => countConnections(pid, server)));
    assert.equal(held.length, 2);
    assert.ok(
      held.every((count) => count > 0),
      `the workers hold ${held.join(" and ")} connections`,
    );
    assert.equal((held[0] ?? 0) + (held[1] ?? 0), 16);
    for (const caller of callers) caller.close();

    const metrics = await scrape(server);
    const counts = [
      ...metrics.matchAll(
        /^rollbook_request_duration_seconds_count\{.*route="\/v1\/organization".*\} (\d+)$/gm,
      ),
    ];
    assert.equal(
      counts.reduce((sum, [, count]) => sum + Number(count), 0),
      asked,
    );
    assert.match(metrics, /^rollbook_gate_batch_requests_count \d+$/m);
    assert.match(metrics, /^rollbook_pool_connections\{state="total"\} \d+$/m);
    assert.match(metrics, /^rollbook_event_loop_delay_seconds\{quantile="0.99"\} [\d.e-]+$/m);
    assert.match(metrics, /^rollbook_info\{.*version="[^"]+".*\} 1$/m);
  });

  test("a worker that is killed is replaced, and the server goes on; SIGTERM ends all with exit 0", async (t) => {
    const server = await serve(t, { DATABASE_URL, KEY_SECRET }, ["--workers", "2"]);
    const before = await workersOf(server);
    assert.equal(before.length, 2);
    process.kill(before[0] ?? 0, "SIGKILL");
    const now = await until("there are two workers again", async () => {
      const workers = await workersOf(server);
      return workers.length === 2 && !workers.includes(before[0] ?? 0) && workers;
    });
    assert.match(server.output(), /a worker died; starting another/);
    for (let i = 0; i < 10; i++) {
      assert.equal((await fetch(`${server.url}/readyz`, { headers: { connection: "close" } })).status, 200);
    }
    server.child.kill("SIGTERM");
    const { code, stderr } = await server.ended;
    assert.equal(code, 0);
    assert.equal(stderr, "");
    for (const worker of now) assert.throws(() => process.kill(worker, 0), { code: "ESRCH" });
  });

  test("a caller whose connection goes to a worker that is killed is told at once, and does not wait for an answer", async (t) => {
    const server = await serve(t, { DATABASE_URL, KEY_SECRET }, ["--workers", "2"]);
    let goesOn = true;
    let unanswered = 0;
    const keepAsking = async () => {
      while (goesOn) {
        const signal = AbortSignal.timeout(20_000);
        const asked = fetch(`${server.url}/livez`, { headers: { connection: "close" }, signal });
        await asked.then(
          (response) => response.text(),
          (error: Error) => {
            if (error.name === "TimeoutError") unanswered++;
          },
        );
      }
    };
    const callers = Array.from({ length: 12 }, keepAsking);
    for (let kill = 0; kill < 6; kill++) {
      const [victim = 0] = await workersOf(server);
      process.kill(victim, "SIGKILL");
      await until("there are two workers again", async () => {
        const workers = await workersOf(server);
        return workers.length === 2 && !workers.includes(victim);
      });
    }
    goesOn = false;
    await Promise.all(callers);
    assert.equal(unanswered, 0);
  });

  test("a worker whose event loop stalls is replaced, with one line in the log, and the server goes on", async (t) => {
    const server = await serve(t, { DATABASE_URL, KEY_SECRET, ...HANGING }, ["--workers", "2"]);
    const [hung = 0] = await workersOf(server);
    process.kill(hung, "SIGUSR2");
    const now = await until("there are two other workers", async () => {
      const workers = await workersOf(server);
      return workers.length === 2 && !workers.includes(hung) && workers;
    });
    await until("both serve", async () => (await fetch(`${server.url}/readyz`)).status === 200);
    const errors = server
      .output()
      .split("\n")
      .filter((line) => line.includes('"level":"error"'));
    assert.equal(errors.length, 1, errors.join("\n"));
    assert.match(errors[0] ?? "", /a worker's event loop stalled for 2 s; starting another/);
    assert.equal(now.length, 2);
  });

  test("a request that holds the event loop up is named in the log, the server goes on, and that caller gets 503 for that operation", async (t) => {
    const server = await serve(t, { DATABASE_URL, KEY_SECRET, ...HANGING });
    const [key, other] = [await newKey(), await newKey()];
    const search = (by: string, text: string) =>
      fetch(`${server.url}/v1/clients?query=${text}`, {
        headers: { authorization: `Bearer ${by}`, "x-request-id": "the-one" },
      });
    const [hung = 0] = await workersOf(server);
    await assert.rejects(search(key, "h%C3%A1ng"));
    await until("another process serves", async () => {
      const answer = await fetch(`${server.url}/readyz`).catch(() => undefined);
      return answer?.status === 200;
    });
    assert.equal((await workersOf(server)).includes(hung), false);
    const [line = "", ...more] = server.output().match(/^.*"level":"error".*$/gm) ?? [];
    assert.deepEqual(more, []);
    const { msg, operation, organizationId, reqId } = JSON.parse(line);
    assert.equal(msg, "a worker's event loop stalled for 2 s; starting another");
    assert.deepEqual([operation, reqId], ["listClients", "the-one"]);

    const again = await search(key, "ana");
    assert.equal(again.status, 503);
    assert.match(again.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);
    assert.match(((await again.json()) as { detail: string }).detail, /^This operation stopped the server/);
    assert.equal((await search(other, "ana")).status, 200, "another caller is answered");
    const own = await fetch(`${server.url}/v1/organization`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(own.status, 200, "another operation of the same caller is answered");
    assert.equal(((await own.json()) as { id: string }).id, organizationId);
    server.child.kill("SIGTERM");
    assert.equal((await server.ended).code, 0);
  });

  test("a server whose process stalls is stopped by a signal all the same, and its built-in PostgreSQL", async (t) => {
    const DATA_DIR = join(await newDirectory(t), "data");
    await copyData(await templateData(), DATA_DIR);
    const server = await serve(t, { DATA_DIR, ...HANGING, STALL_SECONDS: "0" });
    const [hung = 0] = await workersOf(server);
    process.kill(hung, "SIGUSR2");
    for (let signals = 0; signals < 3; signals++) {
      server.child.kill("SIGTERM");
      await until("it is read", async () => server.output().includes('"stopping"'));
    }
    await server.ended;
    assert.ok(!isRunning(hung));
    assert.ok(!existsSync(join(DATA_DIR, "postgres", "postmaster.pid")), "PostgreSQL was left running");
  });

  test("a server whose primary is killed leaves: its worker, and its built-in PostgreSQL", async (t) => {
    const DATA_DIR = join(await newDirectory(t), "data");
    await copyData(await templateData(), DATA_DIR);
    const server = await serve(t, { DATA_DIR, DRAIN_MS: "0" });
    const [worker = 0] = await workersOf(server);
    server.child.kill("SIGKILL");
    await until("the worker is gone", async () => !isRunning(worker));
    assert.ok(!existsSync(join(DATA_DIR, "postgres", "postmaster.pid")), "PostgreSQL was left running");
  });

  test("a process that was stopped for longer than its event loop may stall is not taken for one that hangs", async (t) => {
    const server = await serve(t, { DATABASE_URL, KEY_SECRET, ...HANGING }, ["--workers", "2"]);
    const workers = await workersOf(server);
    const [kept = 0, hung = 0] = workers;
    // The primary and its workers together, as a machine that sleeps would stop them.
    const all = [server.child.pid ?? 0, ...workers];
    for (const pid of all) process.kill(pid, "SIGSTOP");
    const stoppedAt = performance.now();
    await until("the time is over", async () => performance.now() - stoppedAt > 2_500);
    for (const pid of all) process.kill(pid, "SIGCONT");
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    assert.deepEqual(await workersOf(server), workers);
    // One that hangs now is replaced, so it was looked at all workers since; the other one is still the same.
    process.kill(hung, "SIGUSR2");
    const now = await until("the one that hangs is replaced", async () => {
      const all = await workersOf(server);
      return all.length === 2 && !all.includes(hung) && all;
    });
    assert.ok(now.includes(kept));
    assert.equal(server.output().match(/event loop stalled/g)?.length, 1);
  });

  test("workers leave when their primary is killed", async (t) => {
    const server = await serve(t, { DATABASE_URL, KEY_SECRET, DRAIN_MS: "0" }, ["--workers", "2"]);
    const workers = await workersOf(server);
    server.child.kill("SIGKILL");
    await until("the workers are gone", async () => workers.every((pid) => !isRunning(pid)));
  });

  test("two servers on one DATABASE_URL serve the same keys, and one process has its metrics too", async (t) => {
    const ADMIN_PORT = await freePort();
    const one = await serve(t, { DATABASE_URL, KEY_SECRET, ADMIN_PORT });
    const two = await serve(t, { DATABASE_URL, KEY_SECRET });
    const key = await newKey();
    for (const { url } of [one, two]) {
      const response = await fetch(`${url}/v1/organization`, { headers: { authorization: `Bearer ${key}` } });
      assert.equal(response.status, 200);
      const body = (await response.json()) as { $schema: string };
      assert.equal(body.$schema, `http://localhost:${new URL(url).port}/schemas/Organization.json`);
    }
    const metrics = await scrape(one);
    assert.match(
      metrics,
      /^rollbook_request_duration_seconds_count\{method="GET",route="\/v1\/organization",status="200",operation="getOrganization"\} 1$/m,
    );
    assert.equal((await fetch(`${one.adminUrl}/`)).status, 404);
    assert.equal((await fetch(`${one.url}/metrics`)).status, 404);
  });
});

test("DATABASE_URL needs KEY_SECRET, and says so", async () => {
  for (const command of [
    ["serve", "--port", "0"],
    ["key", "mint", "--org", "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31"],
  ]) {
    const { code, stdout, stderr } = await rollbook(command, { DATABASE_URL });
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /^rollbook: KEY_SECRET must be set together with DATABASE_URL[^\n]*\n$/);
  }
  assert.equal((await rollbook(["migrate"], { DATABASE_URL })).code, 0);
});

test("a database that cannot be reached is explained in one sentence, without its password", async () => {
  const unreachable = `postgres://user:s3cret@localhost:${await freePort()}/rollbook`;
  const { code, stderr } = await rollbook(["org", "list"], { DATABASE_URL: unreachable, KEY_SECRET });
  assert.equal(code, 1);
  assert.match(stderr, /^rollbook: The database cannot be reached: .*ECONNREFUSED[^\n]*\.\n$/);
  assert.doesNotMatch(stderr, /s3cret/);
});

async function newKey(): Promise<string> {
  const details = { name: "Studio", timezone: "America/Sao_Paulo", currency: "BRL", plan: "Pro" } as const;
  const { id } = await createOrganization(db, "test", details);
  return (await mintKey(db, KEY_SECRET, "test", { organizationId: id })).key;
}

async function scrape(server: RunningServer): Promise<string> {
  const response = await fetch(`${server.adminUrl}/metrics`);
  assert.equal(response.status, 200);
  return response.text();
}

/** The processes that it has started from its own program: not PostgreSQL. */
async function workersOf(server: RunningServer): Promise<number[]> {
  const { pid } = server.child;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  const pids = children.trim().split(" ").filter(Boolean).map(Number);
  const programs = await Promise.all(pids.map((child) => readlink(`/proc/${child}/exe`).catch(() => "")));
  return pids.filter((_, place) => programs[place] === process.execPath);
}

/** How many connections to the server's port a process holds. */
async function countConnections(pid: number, server: RunningServer): Promise<number> {
  const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, "0");
  const rows = (await readFile("/proc/net/tcp", "utf8")).split("\n").map((row) => row.trim().split(/\s+/));
  const ESTABLISHED = "01";
  const sockets = new Set(
    rows
      .filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === ESTABLISHED)
      .map((row) => `socket:[${row[9]}]`),
  );
  const files = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => "")));
  return targets.filter((target) => sockets.has(target)).length;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<string> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return String(typeof address === "object" ? address?.port : "");
}
