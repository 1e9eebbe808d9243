import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { migrate } from "../../src/db/migrate.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { CUT_OFF_MS } from "../../src/process/server-process.ts";
import { openStore } from "../../src/process/store.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import {
  newDirectory,
  type RunningServer,
  rollbook,
  serve,
  startProgram,
  takePort,
} from "../support/processes.ts";
import { addLocation } from "../support/records.ts";
import { signInOwner } from "../support/staff.ts";
import { copyData, templateData } from "../support/template.ts";
import { exchange, parseAnswers } from "../support/wire.ts";

/** A migrated database with a studio in it, to copy: most tests are not about its creation. */
let template = "";
let studio: Studio = { id: "", key: "" };

before(async () => {
  template = await mkdtemp(join(tmpdir(), "rollbook-template-"));
  await copyData(await templateData(), join(template, "data"));
  studio = await newStudio(join(template, "data"));
});

after(() => rm(template, { recursive: true, force: true }));

describe("the server as a process", { concurrency: 2, skip: process.platform === "win32" }, () => {
  test("SIGTERM and SIGINT: readiness fails first, requests in flight finish, PostgreSQL stops, exit 0", async (t) => {
    const dataDir = await copyTemplate(t);
    const { key } = await newStudio(dataDir);
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const server = await serve(t, { DATA_DIR: dataDir, DRAIN_MS: "1000" });
      assert.ok(existsSync(join(dataDir, "postgres", "postmaster.pid")));
      const slow = slowRequest(server, key);
      await slow.begun;

      server.child.kill(signal);
      await until("/readyz fails", async () => (await fetch(`${server.url}/readyz`)).status === 503);
      assert.equal((await fetch(`${server.url}/livez`)).status, 200);
      const late = await fetch(`${server.url}/v1/organization`, { headers: bearer(key) });
      assert.equal(late.status, 200);
      assert.equal(late.headers.get("connection"), "close");

      const answer = await slow.finish(`{"contactName":"Ana ${signal}"}`);
      assert.equal(answer.status, 201);
      const ended = await server.ended;
      assert.deepEqual([ended.code, ended.signal], [0, null], server.output());
      assert.equal(ended.stderr, "", "nothing is said on standard error: no warning, no deprecation");
      assert.ok(!existsSync(join(dataDir, "postgres", "postmaster.pid")), "PostgreSQL was left running");
    }
    const server = await serve(t, { DATA_DIR: dataDir });
    const clients = await getJson(server, "/v1/clients", key);
    assert.equal(clients.total, 2);
  });

  test("a console that waits for a change is answered when the server is asked to stop, and does not hold it up", async (t) => {
    const dataDir = await copyTemplate(t);
    const server = await serve(t, { DATA_DIR: dataDir, DRAIN_MS: "1000" });
    const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
    const db = store.open({ applicationName: "test" });
    const token = await signInOwner(db, studio.id, await store.keySecret());
    await db.close();
    await store.close();
    const read = (query: string) =>
      fetch(`${server.url}/app/v1/versions${query}`, { headers: { cookie: `rollbook=${token}` } });
    const { versions } = (await (await read("")).json()) as { versions: string };
    const waiting = read(`?after=${versions}&wait=30`);
    await read("");
    server.child.kill("SIGTERM");
    const answer = await waiting;
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("connection"), "close");
    assert.ok((await answer.text()).includes(`"${versions}"`));
    const { code } = await server.ended;
    assert.equal(code, 0);
  });

  test("a request that does not end is cut off, early enough for the process to end within ten seconds", async (t) => {
    // What is left of the ten seconds is for PostgreSQL to stop, which takes a fraction of one.
    assert.ok(CUT_OFF_MS <= 7_000);
    const dataDir = await copyTemplate(t);
    const server = await serve(t, { DATA_DIR: dataDir, DRAIN_MS: "0" });
    const { key } = studio;
    const head = `POST /v1/clients HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    const stuck = exchange(server.url, `${head}Content-Length: 100\r\n\r\n{`, { deadlineMs: 60_000 });
    await until("the request has arrived", async () => (await fetch(`${server.url}/livez`)).ok);
    server.child.kill("SIGTERM");
    const { code } = await server.ended;
    assert.equal(code, 0);
    await stuck;
  });

  test("every acknowledged write is there after the server and PostgreSQL were killed with SIGKILL", async (t) => {
    const dataDir = await copyTemplate(t);
    const server = await serve(t, { DATA_DIR: dataDir, RATE_LIMIT: "0" });
    const { key, id } = studio;
    const acknowledged: string[] = [];
    let isKilled = false;
    const write = async () => {
      while (!isKilled) {
        const response = await fetch(`${server.url}/v1/clients`, {
          method: "POST",
          headers: { ...bearer(key), "content-type": "application/json" },
          body: JSON.stringify({ contactName: `Client ${newId()}` }),
        }).catch(() => undefined);
        const body = (await response?.json().catch(() => undefined)) as { id?: string } | undefined;
        if (response?.status === 201 && body?.id) acknowledged.push(body.id);
      }
    };
    const writers = Array.from({ length: 8 }, write);
    await until("many writes are acknowledged", async () => acknowledged.length >= 200);
    const [postmaster = ""] = (await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")).split(
      "\n",
    );
    process.kill(Number(postmaster), "SIGKILL");
    server.child.kill("SIGKILL");
    await server.ended;
    isKilled = true;
    await Promise.all(writers);

    const again = await serve(t, { DATA_DIR: dataDir, RATE_LIMIT: "0" });
    const found = new Set<string>();
    for (let offset = 0; ; offset += 200) {
      const { data, total } = await getJson(again, `/v1/clients?limit=200&offset=${offset}`, key);
      for (const client of data) found.add(client.id);
      if (offset + 200 >= total) {
        assert.equal(found.size, total);
        break;
      }
    }
    assert.deepEqual(
      acknowledged.filter((client) => !found.has(client)),
      [],
    );
    const shown = JSON.parse((await rollbook(["org", "show", id, "--json"], { DATA_DIR: dataDir })).stdout);
    assert.equal(shown.id, id);
  });

  test("PostgreSQL killed under the server: 503 until it is back, which it is by itself, each logged once", async (t) => {
    const dataDir = await copyTemplate(t);
    const server = await serve(t, { DATA_DIR: dataDir, RATE_LIMIT: "0" });
    const seen = new Set<number>();
    const isAnswered = async () => {
      const response = await fetch(`${server.url}/v1/organization`, { headers: bearer(studio.key) });
      seen.add(response.status);
      if (response.status === 503) assert.match(response.headers.get("retry-after") ?? "", /^\d+$/);
      return response.status === 200 && (await fetch(`${server.url}/readyz`)).status === 200;
    };
    let kills = 0;
    // On a busy machine it may be back before the first of these requests is sent.
    while (!seen.has(503) && kills < 20) {
      await killPostmaster(dataDir);
      kills++;
      await until("requests are answered again", isAnswered);
    }
    assert.deepEqual([...seen].sort(), [200, 503]);
    const lines = () =>
      server
        .output()
        .split("\n")
        .filter((line) => /"level":"(error|warn)"|available again/.test(line))
        .map((line) => JSON.parse(line) as { level: string; msg: string })
        .map(({ level, msg }) => `${level}: ${msg.split(":")[0]}`);
    await until("the log says that it is back", async () => /available again/.test(lines().at(-1) ?? ""));
    // Once for each time that somebody noticed.
    const pair = ["error: the database is not available", "info: the database is available again"];
    const noticed = lines().length / pair.length;
    assert.ok(noticed >= 1 && noticed <= kills, `noticed ${noticed} of ${kills} times`);
    assert.deepEqual(lines(), Array.from({ length: noticed }, () => pair).flat());
  });

  test("a start that fails leaves nothing behind: a port in use stops PostgreSQL again, with exit 1", async (t) => {
    const dataDir = await copyTemplate(t);
    const taken = await takePort(t);
    const cases: [string, string[]][] = [
      [`Port ${taken} is in use already: choose another with --port.`, ["--port", taken]],
      [`Port ${taken} is in use already: choose another with --port.`, ["--port", taken, "--workers", "2"]],
      [
        `Port ${taken} is in use already: choose another with --admin-port.`,
        ["--port", "0", "--admin-port", taken],
      ],
    ];
    for (const [sentence, args] of cases) {
      const ended = await rollbook(["serve", "--no-demo", ...args], { DATA_DIR: dataDir });
      assert.equal(ended.code, 1);
      assert.equal(ended.stderr, `rollbook: ${sentence}\n`);
      assert.ok(!existsSync(join(dataDir, "postgres", "postmaster.pid")), "PostgreSQL was left running");
    }
  });

  test("a database that is newer than the program is refused with a sentence", async (t) => {
    const dataDir = await copyTemplate(t);
    const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
    const db = store.open({ applicationName: "test" });
    const text = "insert into schema_migrations (version, name) values (9999, 'of the future')";
    await db.query({ name: "test_future", text, lane: "pooled" });
    await store.close();
    for (const command of [
      ["serve", "--port", "0"],
      ["org", "list"],
    ]) {
      const { code, stdout, stderr } = await rollbook(command, { DATA_DIR: dataDir });
      assert.equal(code, 1);
      assert.doesNotMatch(stdout, /address/, "it does not serve");
      assert.match(
        stderr,
        /^rollbook: The database has schema version 9999, but .* run a newer rollbook\.\n$/,
      );
    }
    assert.ok(!existsSync(join(dataDir, "postgres", "postmaster.pid")), "PostgreSQL was left running");
  });

  test("the key secret lies beside the database, readable by its owner alone, and is made once", async (t) => {
    const dataDir = await newDirectory(t);
    const [mine, other] = await Promise.all([newStudio(dataDir), newStudio(dataDir)]);
    const path = join(dataDir, "key-secret");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const secret = await readFile(path, "utf8");
    const server = await serve(t, { DATA_DIR: dataDir });
    for (const { id, key } of [mine, other]) {
      assert.equal((await getJson(server, "/v1/organization", key)).id, id);
    }
    assert.equal(await readFile(path, "utf8"), secret);
  });

  test("a signal during the start ends it: exit 0, and PostgreSQL does not stay", async (t) => {
    const dataDir = await copyTemplate(t);
    const running = startProgram(["serve", "--port", "0", "--no-demo"], { DATA_DIR: dataDir });
    await until("PostgreSQL is being started", async () =>
      existsSync(join(dataDir, "postgres", "postmaster.pid")),
    );
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
    assert.ok(!existsSync(join(dataDir, "postgres", "postmaster.pid")), "PostgreSQL was left running");
  });
});

interface Studio {
  readonly id: string;
  readonly key: string;
}

/** An organization with one location and a key, made beside whatever runs on the directory. */
async function newStudio(dataDir: string): Promise<Studio> {
  const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  try {
    await migrate(store.connection);
    const db = store.open({ applicationName: "test" });
    const details = { name: "Studio", timezone: "America/Sao_Paulo", currency: "BRL", plan: "Pro" } as const;
    const { id } = await createOrganization(db, "test", details);
    const { key } = await mintKey(db, await store.keySecret(), "test", { organizationId: id });
    await addLocation(db, id);
    return { id, key };
  } finally {
    await store.close();
  }
}

async function copyTemplate(t: TestContext): Promise<string> {
  const directory = await newDirectory(t);
  await copyData(join(template, "data"), directory);
  await chmod(directory, 0o755);
  return join(directory, "data");
}

async function killPostmaster(dataDir: string): Promise<void> {
  const text = await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8");
  process.kill(Number(text.split("\n", 1)[0]), "SIGKILL");
}

/** A request whose body is kept back until it is asked for. */
function slowRequest(server: RunningServer, key: string) {
  let send = (_text: string) => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from(" "));
      send = (text) => {
        controller.enqueue(Buffer.from(text));
        controller.close();
      };
    },
  });
  const answer = fetch(`${server.url}/v1/clients`, {
    method: "POST",
    headers: { ...bearer(key), "content-type": "application/json" },
    body,
    duplex: "half",
  } as RequestInit);
  return {
    // Another request that is answered has come after this one.
    begun: fetch(`${server.url}/livez`).then(() => fetch(`${server.url}/livez`)),
    finish(text: string) {
      send(text);
      return answer;
    },
  };
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
async function getJson(server: RunningServer, path: string, key: string): Promise<any> {
  const { text } = await exchange(
    server.url,
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
  );
  const [answer] = parseAnswers(text);
  assert.equal(answer?.status, 200, text);
  return answer?.body;
}
