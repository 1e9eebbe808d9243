import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { MOVE_STEPS, type MoveStep, moveOrganization } from "../../src/data/move/operations.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { until } from "../support/poll.ts";
import { type OperatorsPostgres, startPostgres } from "../support/postgres.ts";
import {
  type Environment,
  newDirectory,
  type RunningServer,
  type Scope,
  serve,
  startProgram,
} from "../support/processes.ts";
import { startReceiver } from "../support/receiver.ts";
import { signInOwner } from "../support/staff.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

/** Two servers, each one PostgreSQL and one node, and organizations that move from the first to the second. */

const skip = process.platform === "win32" && "PostgreSQL cannot be run here";

const KEY_SECRET = "the same secret on every server";

interface Place {
  readonly postgres: OperatorsPostgres;
  readonly environment: Environment;
  readonly node: RunningServer;
}

const works: (() => Promise<void>)[] = [];
const scope: Scope = { after: (work) => void works.push(work) };
after(async () => {
  for (const work of works.reverse()) await work();
});

let source: Place;
let target: Place;

async function startPlace(settings: string): Promise<Place> {
  const postgres = await startPostgres({ settings });
  scope.after(() => postgres.remove());
  const environment = {
    DATABASE_URL: postgres.url,
    KEY_SECRET,
    RATE_LIMIT: "0",
    WEBHOOK_NETS: "127.0.0.0/8",
    WEBHOOK_HTTP: "1",
  };
  // What a superuser grants before a move.
  await askAs("postgres", postgres, "alter role rollbook replication");
  const own: Scope = { after: (work) => scope.after(work) };
  const place = { postgres, environment, node: await serve(own, environment) };
  // All clusters of a test run begin as copies of one.
  await ask(place, "update facts set value = gen_random_uuid()::text where name = 'history'");
  return place;
}

before(async () => {
  if (skip) return;
  // No more processes than the test needs.
  source = await startPlace("-c wal_level=logical -c max_wal_senders=6");
  target = await startPlace("-c max_sync_workers_per_subscription=3");
});

interface Studio {
  readonly id: string;
  readonly key: string;
}

async function newStudio(): Promise<Studio> {
  const details = ["--name", "Studio", "--timezone", "UTC", "--currency", "BRL", "--location", "Centro"];
  const { id } = await jsonIn(source.environment, "org", "create", ...details);
  const { key } = await jsonIn(source.environment, "key", "mint", "--org", id);
  return { id, key };
}

/** Any other role needs a password for what it subscribes to, which these servers have none of. */
const superuserUrl = ({ postgres }: Place) => postgres.url.replace("rollbook@", "postgres@");

const moveArguments = ({ id }: Studio) => [
  "org",
  "move",
  id,
  "--to",
  superuserUrl(target),
  "--url",
  target.node.url,
];

/** A caller who goes where the organization is, and sends a request again until it is answered. */
class Follower {
  base: string;
  readonly #key: string;
  redirects = 0;

  constructor(base: string, key: string) {
    this.base = base;
    this.#key = key;
  }

  async send(method: string, path: string, body?: object, idempotencyKey?: string) {
    for (;;) {
      const answer = await fetch(this.base + path, {
        method,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body && { "content-type": "application/json" }),
          ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
        },
        ...(body && { body: JSON.stringify(body) }),
      }).catch(() => undefined);
      if (answer?.status === 307) {
        const location = answer.headers.get("location") ?? "";
        assert.equal(location, target.node.url + path);
        this.base = target.node.url;
        this.redirects++;
      } else if (answer === undefined || answer.status === 503 || answer.status === 409) await delay(20);
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
      else return { status: answer.status, body: (await answer.json()) as any };
    }
  }
}

const status = async ({ node }: Place, { key }: Studio) =>
  (
    await fetch(`${node.url}/v1/organization`, {
      redirect: "manual",
      headers: { authorization: `Bearer ${key}` },
    })
  ).status;

async function ask<Row extends object>(
  { postgres }: Pick<Place, "postgres">,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  return askAs("rollbook", postgres, text, values);
}

async function askAs<Row extends object>(
  user: string,
  { connection }: OperatorsPostgres,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ ...connection, user });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** What a move makes on the servers beside rows. */
async function leftovers(place: Place): Promise<string[]> {
  const rows = await ask<{ name: string }>(
    place,
    `select 'publication' as name from pg_publication union all select 'subscription' from pg_subscription
     union all select 'slot' from pg_replication_slots union all select distinct 'guard' from pg_trigger where tgname like 'move\\_%\\_delete'`,
  );
  return rows.map(({ name }) => name).sort();
}

test("an organization moves while it is written to and followed: nothing is lost, nothing is there twice, cursors and keys go on", {
  skip,
}, async (t) => {
  const studio = await newStudio();
  const bystander = await newStudio();
  await new Follower(source.node.url, bystander.key).send("POST", "/v1/clients", { contactName: "Bia" });
  const made = new Map<string, string>();
  let isOver = false;
  let longestMs = 0;
  const write = async (writer: number) => {
    const caller = new Follower(source.node.url, studio.key);
    for (let number = 0; !isOver; number++) {
      const name = `Client ${writer} ${number}`;
      const key = randomUUID();
      const begunAt = performance.now();
      const answer = await caller.send("POST", "/v1/clients", { contactName: name }, key);
      longestMs = Math.max(longestMs, performance.now() - begunAt);
      assert.equal(answer.status, 201);
      made.set(name, answer.body.id);
      if (number % 7 === 0) {
        await delay(30);
        const again = await caller.send("POST", "/v1/clients", { contactName: name }, key);
        assert.deepEqual([again.status, again.body.id], [201, answer.body.id], "a repeat makes nothing");
      }
      await delay(10);
    }
    return caller.redirects;
  };
  const seen: string[] = [];
  const reader = new Follower(source.node.url, studio.key);
  let cursor = "";
  const readOn = async (wait: number) => {
    const page = await reader.send("GET", `/v1/changes?limit=50&wait=${wait}${cursor && `&after=${cursor}`}`);
    assert.equal(page.status, 200, JSON.stringify(page.body));
    cursor = page.body.nextCursor;
    for (const { kind, type, id } of page.body.data)
      if (kind === "client" && type === "created") seen.push(id);
    return page.body.data.length > 0 || page.body.hasMore;
  };
  const follow = async () => {
    while (!isOver) await readOn(1);
  };
  // One who stops reading before the move and goes on after it.
  const late = await new Follower(source.node.url, studio.key).send("GET", "/v1/changes?limit=1");
  const all = Promise.all([follow(), ...[1, 2, 3].map(write)]);
  await delay(500);
  const map = join(await newDirectory(t), "organizations.map");
  await writeFile(map, "# hosts\nstudio.example.com cell1\nother.example.com cell1\n");
  const routes = ["--map", map, "--host", "studio.example.com", "--backend", "cell2"];
  const { pauseMs } = await jsonIn(source.environment, ...moveArguments(studio), ...routes).finally(
    async () => {
      await delay(500);
      isOver = true;
    },
  );
  const [, ...redirects] = await all;
  assert.deepEqual(redirects, [1, 1, 1], "each writer was led to the target once");
  while (await readOn(0));

  assert.equal(await readFile(map, "utf8"), "# hosts\nstudio.example.com cell2\nother.example.com cell1\n");
  assert.equal(seen.length, new Set(seen).size, "no entry of the feed comes twice");
  assert.deepEqual(seen.toSorted(), [...made.values()].toSorted());
  const stored = await ask<{ id: string; name: string }>(
    target,
    "select id, contact_name as name from clients where organization_id = $1",
    [studio.id],
  );
  assert.deepEqual(stored.map(({ id }) => id).sort(), [...made.values()].sort());
  const goesOn = await new Follower(target.node.url, studio.key).send(
    "GET",
    `/v1/changes?after=${late.body.nextCursor}`,
  );
  assert.equal(goesOn.status, 200, "a cursor of before is one of the target's");
  assert.deepEqual(
    await ask(target, "select from clients where organization_id = $1", [bystander.id]),
    [],
    "nobody else's rows go along",
  );
  assert.deepEqual([await status(source, bystander), await status(target, bystander)], [200, 401]);
  assert.deepEqual(await leftovers(target), []);
  assert.deepEqual(await leftovers(source), ["guard"]);

  assert.equal(await status(source, studio), 307);
  await jsonIn(source.environment, "org", "move", studio.id, "--remove-copy");
  assert.deepEqual([await status(source, studio), await status(target, studio)], [401, 200]);
  assert.deepEqual(await leftovers(source), []);
  t.diagnostic(
    `${made.size} clients written; writes waited for ${pauseMs} ms, the longest took ${Math.round(longestMs)} ms`,
  );
  assert.ok(pauseMs < 10_000, `nobody could write for ${pauseMs} ms`);
});

/** How often the trail of a server says that the organization has moved. */
const recorded = async (place: Place, { id }: Studio) =>
  (
    await ask(
      place,
      "select from audit where action = 'organization.move' and subject = $1 and organization_id is null and details->>'to' = $2",
      [id, target.node.url],
    )
  ).length;

test("what was under way at the departure goes on: webhooks come once and from the new place, keys answer as before, the staff are told where", {
  skip,
}, async (t) => {
  const studio = await newStudio();
  const receiver = await startReceiver(t);
  receiver.respond(() => ({ status: 500 }));
  const hook = ["--org", studio.id, "--url", receiver.url, "--events", "client.created"];
  await jsonIn(source.environment, "webhook", "add", ...hook);
  const here = new Follower(source.node.url, studio.key);
  const there = new Follower(target.node.url, studio.key);
  const key = randomUUID();
  const first = await here.send("POST", "/v1/clients", { contactName: "Ana" }, key);
  const clients = [first.body.id];
  for (const contactName of ["Bia", "Caio"])
    clients.push((await here.send("POST", "/v1/clients", { contactName })).body.id);
  const { body: feed } = await here.send("GET", "/v1/changes?limit=1");
  await receiver.waitFor(1);
  const db = openDatabase({ connection: source.postgres.connection, applicationName: "test" });
  const cookie = `rollbook=${await signInOwner(db, studio.id, KEY_SECRET)}`;
  await db.close();
  const askAsStaff = ({ node }: Place) =>
    fetch(`${node.url}/app/v1/versions`, { redirect: "manual", headers: { cookie } });
  assert.deepEqual([(await askAsStaff(source)).status, (await askAsStaff(target)).status], [200, 401]);

  await jsonIn(source.environment, ...moveArguments(studio));
  receiver.respond(() => ({ status: 204 }));

  const again = await there.send("POST", "/v1/clients", { contactName: "Ana" }, key);
  assert.deepEqual([again.status, again.body], [201, first.body]);
  clients.push((await there.send("POST", "/v1/clients", { contactName: "Duda" })).body.id);
  const created = async () => {
    const { body } = await there.send("GET", `/v1/changes?after=${feed.nextCursor}`);
    return body.data.filter(({ kind }: { kind: string }) => kind === "client");
  };
  await until("the feed has all of them", async () => (await created()).length >= clients.length);
  assert.deepEqual(
    (await created()).map(({ id }: { id: string }) => id),
    clients,
  );

  const refused = await askAsStaff(source);
  assert.deepEqual([refused.status, refused.headers.get("location")], [307, null]);
  const { code, detail } = (await refused.json()) as { code: string; detail: string };
  assert.deepEqual(
    [code, detail],
    ["moved", `The organization has moved to ${target.node.url}. Go on there.`],
  );
  assert.equal((await askAsStaff(target)).status, 200, "their sign-in came along");

  const delivered = async () =>
    (
      await ask<{ id: string }>(
        target,
        "select status from webhook_attempts where organization_id = $1 and status = 204",
        [studio.id],
      )
    ).length;
  await until("all of it is delivered", async () => (await delivered()) >= clients.length);
  const succeeded = receiver.received.slice(-clients.length);
  assert.deepEqual(
    succeeded.map(({ body }) => body.data.id),
    clients,
    "each once, in their order",
  );
  const attempts = await ask(target, "select from webhook_attempts where organization_id = $1", [studio.id]);
  assert.equal(attempts.length, receiver.received.length, "the new place knows of each request");
  assert.deepEqual([await recorded(source, studio), await recorded(target, studio)], [1, 1]);
  await jsonIn(source.environment, "org", "move", studio.id, "--remove-copy");
});

test("a transaction that writes for long keeps nobody waiting: the move gives up, says who it is, and is made later", {
  skip,
}, async (t) => {
  const studio = await newStudio();
  const caller = new Follower(source.node.url, studio.key);
  const { body: client } = await caller.send("POST", "/v1/clients", { contactName: "Ana" });
  const connect = async (connection: pg.ClientConfig) => {
    const opened = new pg.Client(connection);
    await opened.connect();
    t.after(() => opened.end());
    return opened;
  };
  const [from, to] = [source.postgres.connection, target.postgres.connection];
  const servers = { source: await connect(from), target: await connect({ ...to, user: "postgres" }) };
  const holder = await connect({ ...from, application_name: "an import" });
  const watcher = await connect(from);
  const isLong = async () => {
    const { rows } = await watcher.query(
      "select from pg_stat_activity where application_name = 'an import' and clock_timestamp() - xact_start > '1 s'",
    );
    return rows.length > 0;
  };
  const hold = async () => {
    await holder.query("begin");
    await holder.query("update clients set contact_name = 'Bia' where id = $1", [client.id]);
    await until("it is a long transaction", isLong);
  };
  let holding: Promise<void> | undefined;
  let waiting = 0;
  let written = 0;
  const moving = moveOrganization(servers, {
    organizationId: studio.id,
    url: target.node.url,
    checkAddress: async () => {},
    sourceUrl: source.postgres.url,
    // Asked before the organization leaves, and after each table has its guard.
    now: async () => {
      holding ??= hold();
      await holding;
      return Date.now();
    },
    say: () => {},
    record: () => assert.fail("it did not leave"),
    patienceMs: 3_000,
  });
  let isOver = false;
  const ended = moving.finally(() => {
    isOver = true;
  });
  ended.catch(() => {});
  while (!isOver) {
    const { rows } = await watcher.query("select from pg_locks where locktype = 'advisory' and not granted");
    waiting += rows.length;
    assert.equal((await caller.send("POST", "/v1/clients", { contactName: "Caio" })).status, 201);
    written++;
  }
  const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
  await assert.rejects(ended, {
    kind: "unavailable",
    message: new RegExp(
      `^A transaction has written to the organization for \\d+ s, process ${rows[0]?.pid} of .* \\(an import\\)\\. It is still at the source`,
    ),
  });
  assert.deepEqual([waiting, written > 0], [0, true], "nobody waits for the one who leaves");
  assert.deepEqual(
    await ask(source, "select is_closing from organization_moves where organization_id = $1", [studio.id]),
    [{ is_closing: false }],
    "webhooks go on",
  );
  await holder.query("commit");
  await jsonIn(source.environment, ...moveArguments(studio));
  assert.deepEqual([await status(source, studio), await status(target, studio)], [307, 200]);
  assert.equal(
    (await new Follower(target.node.url, studio.key).send("GET", `/v1/clients/${client.id}`)).body
      .contactName,
    "Bia",
  );
  assert.equal(await countClients(target, studio), 1 + written);
  await jsonIn(source.environment, "org", "move", studio.id, "--remove-copy");
  assert.deepEqual([await leftovers(source), await leftovers(target)], [[], []]);
});

/** Runs the command until it says a step, and kills something at that very moment. */
async function killAt(
  studio: Studio,
  step: MoveStep,
  kill: (command: () => void) => Promise<void>,
): Promise<void> {
  const running = startProgram(moveArguments(studio), source.environment);
  await until(`the command says ${step}`, async () => {
    assert.equal(running.child.exitCode, null, `the command ended before ${step}: ${running.output()}`);
    return running.output().includes(`${step}: `);
  });
  await kill(() => running.child.kill("SIGKILL"));
  await running.ended;
}

/** Exactly one of the servers has it, at once or when the row that says so has arrived. */
async function findOwner(studio: Studio, where: string): Promise<Place> {
  return until(`somebody has the organization after ${where}`, async () => {
    const [here, there] = [await status(source, studio), await status(target, studio)];
    assert.ok(here !== 200 || there !== 200, `both have it after ${where}`);
    if (here !== 200 && there !== 200) return false;
    const owner = here === 200 ? source : target;
    const answer = await new Follower(owner.node.url, studio.key).send("POST", "/v1/clients", {
      contactName: "Ana",
    });
    assert.equal(answer.status, 201);
    return owner;
  });
}

const hasLeft = async ({ id }: Studio) =>
  (
    await ask(
      source,
      `select from organization_moves m join organization_departures d on d.move_id = m.id
       where m.organization_id = $1`,
      [id],
    )
  ).length > 0;

const countClients = async (place: Place, { id }: Studio) =>
  (await ask(place, "select from clients where organization_id = $1", [id])).length;

test("after a kill of the command at any step one server has the organization, and the command run again finishes or takes it back", {
  skip,
}, async () => {
  for (const step of MOVE_STEPS) {
    const studio = await newStudio();
    await killAt(studio, step, async (command) => command());
    const owner = await findOwner(studio, step);
    // On a busy machine the kill may come when the command has gone on by another step.
    const isAtSource = !(await hasLeft(studio));
    assert.equal(owner, isAtSource ? source : target, step);
    if (MOVE_STEPS.indexOf(step) >= MOVE_STEPS.indexOf("left")) assert.equal(isAtSource, false, step);
    if (isAtSource && MOVE_STEPS.indexOf(step) % 2 === 0) {
      await jsonIn(source.environment, "org", "move", studio.id, "--to", superuserUrl(target), "--back-out");
      assert.equal(await findOwner(studio, `${step} and a way back`), source);
      assert.equal(await countClients(target, studio), 0);
    } else {
      await jsonIn(source.environment, ...moveArguments(studio));
      assert.equal(await findOwner(studio, `${step} and the end`), target);
      assert.equal(await countClients(target, studio), 2);
      await jsonIn(source.environment, "org", "move", studio.id, "--remove-copy");
      assert.deepEqual([await recorded(source, studio), await recorded(target, studio)], [1, 1], step);
    }
    assert.deepEqual([await leftovers(source), await leftovers(target)], [[], []], step);
  }
});

test("a command that names another target than the move has is refused, and one that is done is never taken back", {
  skip,
}, async () => {
  const studio = await newStudio();
  const other = await startPostgres();
  try {
    // All clusters of a test run begin as copies of one.
    await askAs("rollbook", other, "update facts set value = gen_random_uuid()::text where name = 'history'");
    const wrongUrl = other.url.replace("rollbook@", "postgres@");
    const refused = async (sentence: RegExp, ...flags: string[]) =>
      assertEnded(await runIn(source.environment, "org", "move", studio.id, ...flags), 1, sentence);
    const anotherTarget = /is being moved to the database of .*, or has been: --to names another one/;
    await killAt(studio, "copied", async (command) => command());
    await refused(anotherTarget, "--to", wrongUrl, "--url", target.node.url);
    await refused(anotherTarget, "--to", wrongUrl, "--back-out");
    await jsonIn(source.environment, ...moveArguments(studio));
    for (const flags of [["--url", target.node.url], ["--back-out"]])
      await refused(anotherTarget, "--to", wrongUrl, ...flags);
    // Nobody is led to a server that does not have it; another address of the one that has it can be named at any time.
    const wrongAddress = ["--to", superuserUrl(target), "--url", source.node.url];
    await refused(/does not serve the database of --to: name the public address/, ...wrongAddress);
    const isNamed = target.node.url.includes("localhost");
    const again = target.node.url.replace(/localhost|127.0.0.1/, isNamed ? "127.0.0.1" : "localhost");
    await jsonIn(source.environment, "org", "move", studio.id, "--to", superuserUrl(target), "--url", again);
    const led = await fetch(`${source.node.url}/v1/organization`, {
      redirect: "manual",
      headers: { authorization: `Bearer ${studio.key}` },
    });
    assert.deepEqual([led.status, led.headers.get("location")], [307, `${again}/v1/organization`]);
    const isDone = /The move is done: the organization went to http/;
    await refused(isDone, "--to", superuserUrl(target), "--back-out");
    assert.equal(await findOwner(studio, "all that"), target);
  } finally {
    await other.remove();
  }
  await jsonIn(source.environment, "org", "move", studio.id, "--remove-copy");
});

test("after a crash of either PostgreSQL one server has the organization, and the command run again finishes", {
  skip,
}, async () => {
  for (const step of ["subscribed", "left"] as const)
    for (const place of [source, target]) {
      const studio = await newStudio();
      const where = `${step} and a crash of the ${place === source ? "source" : "target"}`;
      await killAt(studio, step, async (command) => {
        await place.postgres.stop("immediate");
        command();
      });
      await place.postgres.startIfGone();
      await findOwner(studio, where);
      await jsonIn(source.environment, ...moveArguments(studio));
      assert.equal(await findOwner(studio, `${where} and the end`), target);
      assert.equal(await countClients(target, studio), 2);
      await jsonIn(source.environment, "org", "move", studio.id, "--remove-copy");
      assert.deepEqual([await leftovers(source), await leftovers(target)], [[], []], where);
    }
});
