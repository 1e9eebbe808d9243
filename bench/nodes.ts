/**
 * One, two and four nodes on one PostgreSQL, each with callers and an organization of its own: `npm run bench -- nodes`. What a
 * request costs a node and PostgreSQL in CPU time, so that it can be said how many nodes one PostgreSQL carries on machines that
 * are larger than this one.
 */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { OpenDatabase } from "../src/db/database.ts";
import { findPostmaster } from "../src/db/embedded/postmaster.ts";
import { migrate } from "../src/db/migrate.ts";
import { ClientInserts, createClient } from "../src/domain/clients/operations.ts";
import { mintKey } from "../src/domain/keys/operations.ts";
import { createOrganization } from "../src/domain/organizations/operations.ts";
import { openStore } from "../src/process/store.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { addLocation } from "../test/support/records.ts";
import type { Job, LoadMessage, LoadReply, LoadResult } from "./load.ts";
import { median } from "./measure.ts";
import { ask, cpuSpent, cpuTimes, family, startNode, stop } from "./processes.ts";
import { type Program, startProgram } from "./program.ts";

const USAGE = `npm run bench -- nodes [--rounds N] [--seconds N]

  --rounds   how often each number of nodes has its turn (3)
  --seconds  how long a turn is (4)
`;

const NODES = [1, 2, 4] as const;
const MOST_NODES = 4;
const CLIENTS = 500;
const CALLERS = 32;
/** Of CPU time for each node, until its code is compiled. */
const WARM_SECONDS = 1;
const MOST_WARM_UPS = 20;
const GOAL = 1.15;

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (flags.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

interface Turn {
  readonly nodeUs: number;
  readonly postgresUs: number;
  readonly requests: number;
  readonly perSecond: number;
}

interface Organization {
  readonly key: string;
  readonly locationId: string;
  readonly clientIds: readonly string[];
}

const postgres = await startPostgres({ settings: "-c max_connections=200" });
const keySecret = randomBytes(16).toString("hex");
const turns = new Map<number, Turn[]>(NODES.map((count) => [count, []]));
try {
  const store = await openStore({ dataDir: "unused", databaseUrl: postgres.url, keySecret });
  await migrate(store.connection);
  const db = store.open({ applicationName: "rollbook bench" });
  const organizations: Organization[] = [];
  for (let n = 0; n < MOST_NODES; n++) organizations.push(await makeOrganization(db));
  await store.close();
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const count of NODES) turns.get(count)?.push(await measure(organizations.slice(0, count)));
    process.stderr.write(`round ${round + 1}, load ${loadavg()[0]?.toFixed(1)}\n`);
  }
} finally {
  await postgres.remove();
}
report();

async function makeOrganization(db: OpenDatabase): Promise<Organization> {
  const details = { name: "Studio", timezone: "America/Sao_Paulo", currency: "BRL", plan: "Pro" } as const;
  const { id } = await createOrganization(db, "bench", details);
  const { key } = await mintKey(db, keySecret, "bench", { organizationId: id });
  const locationId = await addLocation(db, id);
  const facts = { now: await db.now(), today: "2026-01-01", locationIds: [locationId] };
  const inserts = new ClientInserts(db);
  const made = await Promise.all(
    Array.from({ length: CLIENTS }, (_, n) =>
      createClient(db, inserts, id, { contactName: `Ana ${n}`, locationIds: [locationId] }, facts),
    ),
  );
  return { key, locationId, clientIds: made.map((client) => client.id) };
}

/** Fresh nodes, one for each organization, which are asked all at once. */
async function measure(organizations: readonly Organization[]): Promise<Turn> {
  const nodes: Program[] = [];
  const generators: ChildProcess[] = [];
  try {
    for (const _ of organizations) {
      const env = { DATABASE_URL: postgres.url, KEY_SECRET: keySecret };
      nodes.push(await startProgram({ dataDir: "unused", cores: undefined, env }));
      generators.push(
        startNode([fileURLToPath(new URL("load.js", import.meta.url))], { cores: undefined, ipc: true }),
      );
    }
    const jobs = nodes.map(({ port }, n) => jobFor(port, organizations[n] as Organization));
    const run = async (seconds: number) => {
      const prepare = (n: number): LoadMessage => ({ prepare: { ...(jobs[n] as Job), seconds } });
      await Promise.all(generators.map((generator, n) => ask<LoadReply>(generator, prepare(n))));
      const postmaster = (await findPostmaster(postgres.cluster)) ?? 0;
      const look = () => ({
        nodes: cpuTimes(nodes.flatMap((node) => node.pids())),
        postgres: cpuTimes(family(postmaster)),
      });
      const before = look();
      const go: LoadMessage = { go: true };
      const results = await Promise.all(generators.map((generator) => ask<LoadResult>(generator, go)));
      const after = look();
      for (const { failure } of results)
        if (failure !== undefined) throw new Error(`a request failed: ${failure}`);
      const requests = results.reduce((sum, result) => sum + result.requests, 0);
      return {
        nodeUs: cpuSpent(before.nodes, after.nodes) / requests,
        postgresUs: cpuSpent(before.postgres, after.postgres) / requests,
        requests,
        perSecond: requests / seconds,
      };
    };
    for (
      let [turns, spentUs] = [0, 0];
      turns < MOST_WARM_UPS && spentUs < WARM_SECONDS * 1e6 * nodes.length;
      turns++
    ) {
      const { nodeUs, requests } = await run(1);
      spentUs += nodeUs * requests;
    }
    return await run(Number(flags.seconds));
  } finally {
    await Promise.all(generators.map(stop));
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

/** Of ten requests eight read a client, one a page of them, and one replaces a client. */
function jobFor(port: number, { key, locationId, clientIds }: Organization): Job {
  const targets: string[] = [];
  const bodies: string[] = [];
  for (const [n, id] of clientIds.entries()) {
    const isWrite = n % 10 === 0;
    const isPage = n % 10 === 5;
    targets.push(isWrite ? `PUT /v1/clients/${id}` : `GET /v1/clients${isPage ? "?limit=50" : `/${id}`}`);
    if (isWrite) bodies[n] = JSON.stringify({ contactName: `Ana ${n}`, locationIds: [locationId] });
  }
  const load = { connections: CALLERS, seconds: 0 };
  return { port, key, targets, bodies, status: 200, leastBytes: 50, ...load };
}

function report(): void {
  const of = (count: number, part: keyof Turn) => (turns.get(count) ?? []).map((turn) => turn[part]);
  const say = (line: string) => process.stdout.write(`${line}\n`);
  for (const count of NODES) {
    const ratios = of(count, "nodeUs").map((us, round) => us / (of(1, "nodeUs")[round] ?? us));
    const both = of(count, "nodeUs").map(
      (us, round) =>
        (us + (of(count, "postgresUs")[round] ?? 0)) /
        ((of(1, "nodeUs")[round] ?? us) + (of(1, "postgresUs")[round] ?? 0)),
    );
    say(
      `${count} node(s): ${Math.round(median(of(count, "nodeUs")))} µs of CPU a request in a node, ` +
        `${Math.round(median(of(count, "postgresUs")))} µs in PostgreSQL, ${Math.round(median(of(count, "perSecond")))} requests a second; ` +
        `against one node ${spread(ratios)} × in the nodes, ${spread(both)} × with PostgreSQL`,
    );
  }
  const [nodeUs, postgresUs] = [median(of(MOST_NODES, "nodeUs")), median(of(MOST_NODES, "postgresUs"))];
  say(
    `a core of PostgreSQL carries ${(nodeUs / postgresUs).toFixed(1)} cores of nodes and ${Math.round(1e6 / postgresUs)} such requests a second`,
  );
  const worst = median(of(MOST_NODES, "nodeUs").map((us, round) => us / (of(1, "nodeUs")[round] ?? us)));
  say(
    `${MOST_NODES} nodes against one: ${worst.toFixed(2)} × (goal ≤ ${GOAL} ×${worst <= GOAL ? "" : ", not reached"})`,
  );
}

function spread(values: readonly number[]): string {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
}
