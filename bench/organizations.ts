/**
 * What the number of organizations on a server costs: `npm run bench -- organizations [--quick]`. Two servers take turns: one
 * with a small organization and a large one, and one with the same two and thousands of small ones beside them.
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { MS_PER_DAY } from "../src/core/dates.ts";
import { averageOrganizations } from "../src/db/average-organizations.ts";
import type { Database, OpenDatabase } from "../src/db/database.ts";
import { listMigrations, migrate } from "../src/db/migrate.ts";
import { openConnection } from "../src/db/server-connection.ts";
import { replanned } from "../src/db/statements.ts";
import { refreshInstants } from "../src/domain/calendar/refresh.ts";
import { recomputeContracts } from "../src/domain/contracts/recompute.ts";
import { mintKey } from "../src/domain/keys/operations.ts";
import { listOrganizations, organizationIds } from "../src/domain/organizations/queries.ts";
import { tzdataVersion } from "../src/domain/recurrence/zones.ts";
import { openStore } from "../src/process/store.ts";
import { compactChanges } from "../src/sync/changes/compaction.ts";
import { listUnnumbered } from "../src/sync/changes/numbering.ts";
import { findWork } from "../src/sync/webhooks/sender-queries.ts";
import {
  recordId,
  type StudioIds,
  type StudioSize,
  studioIds,
  writeStudios,
} from "../test/support/studio-rows.ts";
import { copyData } from "../test/support/template.ts";
import { windows } from "./calendar-windows.ts";
import { type BenchOrganization, type OpenDataset, picker, spelled, withoutIndexes } from "./data.ts";
import { Bench, median, type Plan, type Slice, type Workload } from "./measure.ts";
import { choosePlacement, cpuSpent, cpuTimes, memoryOf, moveTo } from "./processes.ts";
import { fetchRaw, startProgram } from "./program.ts";
import { table } from "./report.ts";
import type { Figure } from "./row.ts";
import { timed } from "./timed-database.ts";

const { values: flags } = parseArgs({
  options: { quick: { type: "boolean", default: false }, rounds: { type: "string" } },
});

const SMALL_SIZE: StudioSize = { clients: 200, contracts: 40, sessions: 20, bookings: 40, schedules: 20 };
const LARGE_SIZE: StudioSize = flags.quick
  ? { clients: 20_000, contracts: 2_000, sessions: 2_000, bookings: 4_000, schedules: 200 }
  : { clients: 1_000_000, contracts: 20_000, sessions: 20_000, bookings: 40_000, schedules: 200 };
const OTHERS = flags.quick ? 500 : 5_000;
const [SMALL, LARGE, FIRST_OTHER] = [1, 2, 3];
/** How many of the others are written by one statement a table. */
const OTHERS_AT_ONCE = 500;
/** To be raised when what is loaded changes. */
const LOADER = 1;
const STAMP = "organizations.json";
const MOST = 1.3;
const CONNECTIONS = 8;
const PLAN: Plan = {
  quick: flags.quick,
  rounds: Number(flags.rounds ?? 5),
  seconds: flags.quick ? 0.4 : 1,
  warmSeconds: flags.quick ? 1 : 3,
  memoryRequests: 0,
};

interface Studio extends BenchOrganization {
  readonly size: StudioSize;
  readonly ids: StudioIds;
}

interface Loaded {
  readonly small: Studio;
  readonly large: Studio;
  /** Keys of the others. */
  readonly keys: readonly string[];
}

const root = join(tmpdir(), "rollbook-bench", `organizations-${OTHERS}`);
const folders = { one: join(root, "one"), many: join(root, "many") };
const log = (line: string) => process.stderr.write(`${line}\n`);
const placement = choosePlacement();

await ensureLoaded();
moveTo(placement.others);
const sides = { one: await open(folders.one), many: await open(folders.many) };
const bench = new Bench(PLAN, placement, async (which) => (which === 0 ? sides.one : sides.many));
const figures: Figure[] = [];
try {
  const servers = { one: await bench.program(sides.one), many: await bench.program(sides.many) };
  // What a server looks at after its first start with new data is a row of its own.
  await Promise.all([sides.one, sides.many].map(tzdataTakenIn));
  for (const [title, workload] of workloads()) {
    for (const which of ["small", "large"] as const) {
      const of = (side: Side) => (round: number) =>
        Promise.resolve({ connections: CONNECTIONS, ...workload(side.loaded[which], round + 1) });
      const pair = [
        { server: servers.many, dataset: sides.many, workload: of(sides.many) },
        { server: servers.one, dataset: sides.one, workload: of(sides.one) },
      ];
      // What all requests pass is compiled by the first row.
      const [many = [], one = []] = await bench.interleave(
        pair,
        figures.length === 0 ? PLAN.warmSeconds : PLAN.seconds / 2,
      );
      const ratio = leastCpu(many) / leastCpu(one);
      const size = sides.many.loaded[which].size.clients.toLocaleString("en");
      figures.push({
        ...{ title: `${title}, ${size} clients`, values: [ratio], unit: "× CPU", target: `≤ ${MOST} ×` },
        ...{ reached: ratio <= MOST, ours: many, ceiling: one },
      });
      log(`${title}, ${which}: ${ratio.toFixed(2)}`);
    }
  }
  figures.push(...(await measureColdCalendars(servers.many.port, servers.many.pids())));
  await bench.clear();
  figures.push(...(await measureWork()), ...(await measureStarts()));
} finally {
  await bench.close();
  await Promise.all([sides.one.close(), sides.many.close()]);
}
process.stdout.write(`\n${table(figures)}\n`);
process.exitCode = figures.every(({ reached }) => reached) ? 0 : 1;

/** Of the server and of PostgreSQL, for a request: whatever else the machine does makes it more. */
function leastCpu(slices: readonly Slice[]): number {
  return Math.min(...slices.map(({ serverUs, postgresUs }) => serverUs + postgresUs));
}

type Side = OpenDataset & { readonly loaded: Loaded };

/** What is asked of both servers, of the same organizations. Rounds are counted from 0, the one that warms up. */
function workloads(): [string, (studio: Studio, round: number) => Workload][] {
  const many = (targetOf: (n: number) => string) => Array.from({ length: 500 }, (_, n) => targetOf(n));
  return [
    ["the organization", ({ key }) => ({ key, targets: ["GET /v1/organization"] })],
    [
      "one client",
      ({ key, id, size }, round) => ({
        key,
        targets: many(
          (n) => `GET /v1/clients/${recordId(id, "client", 1 + ((round * 500 + n) % size.clients))}`,
        ),
      }),
    ],
    [
      "a page of clients, another each time",
      ({ key, size }, round) => {
        const pick = picker(round);
        return {
          key,
          targets: many((n) =>
            spelled(`GET /v1/clients?limit=20&offset=${pick(Math.min(size.clients, 1_000) - 20)}`, n),
          ),
        };
      },
    ],
    [
      "active clients of a location",
      ({ key, ids, size }, round) => ({
        key,
        // A third of a million are counted for each.
        connections: size.clients > 100_000 ? 1 : CONNECTIONS,
        targets: many((n) =>
          spelled(`GET /v1/clients?limit=20&status=active&locationId=${ids.locationId}`, round * 500 + n),
        ),
      }),
    ],
    [
      "a search for one client",
      ({ key, size }, round) => {
        const pick = picker(round);
        return {
          key,
          targets: many((n) => spelled(`GET /v1/clients?query=client${pick(size.clients)}%40example`, n)),
        };
      },
    ],
    [
      "contracts of a client",
      ({ key, ids }, round) => ({
        key,
        targets: many((n) => spelled(`GET /v1/contracts?clientId=${ids.clientId}`, round * 500 + n)),
      }),
    ],
    [
      "a week of the calendar, another each time",
      ({ key }, round) => ({ key, targets: windows(500, Date.now() + round * MS_PER_DAY, 7) }),
    ],
    [
      "create a client",
      ({ key, ids }, round) => ({
        key,
        targets: many(() => "POST /v1/clients"),
        bodies: many((n) =>
          JSON.stringify({ contactName: `New ${round} ${n}`, locationIds: [ids.locationId] }),
        ),
        status: 201,
      }),
    ],
  ];
}

/** The first calendar that a process shows of each organization, and what it keeps in memory of all of them. */
async function measureColdCalendars(port: number, pids: readonly number[]): Promise<Figure[]> {
  const [warmed, cold] = [sides.many.loaded.keys.slice(0, 100), sides.many.loaded.keys.slice(100)];
  const from = new Date(Date.now() - MS_PER_DAY).toISOString();
  const to = new Date(Date.now() + 6 * MS_PER_DAY).toISOString();
  const read = async (keys: readonly string[], path: string) => {
    for (const key of keys) {
      const { status, body } = await fetchRaw(port, path, key);
      if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
    }
  };
  const calendar = `/v1/calendar?from=${from}&to=${to}`;
  const residentMB = () => pids.reduce((sum, pid) => sum + memoryOf(pid).resident, 0) / 1e6;
  await read(warmed, calendar);
  const before = cpuTimes(pids);
  await read(cold, calendar);
  const coldMs = cpuSpent(before, cpuTimes(pids)) / 1000 / cold.length;
  const memory = [residentMB()];
  for (let turn = 0; turn < 2; turn++) {
    for (const path of ["/v1/locations", "/v1/plans", "/v1/clients?limit=50", calendar])
      await read(sides.many.loaded.keys, path);
    memory.push(residentMB());
  }
  return [
    {
      title: `the first calendar of each of ${OTHERS.toLocaleString("en")} organizations`,
      ...{ values: [coldMs], unit: "ms CPU", target: "≤ 2 ms", reached: coldMs <= 2 },
    },
    {
      title: "resident memory after all organizations were read once, and after twice more",
      values: memory,
      ...{ unit: "MB", target: "flat", reached: (memory.at(-1) ?? 0) <= (memory[0] ?? 0) * 1.15 },
    },
  ];
}

/** What processes do of their own accord, on the server with many organizations. */
async function measureWork(): Promise<Figure[]> {
  const found: Figure[] = [];
  const { one, many } = { one: databaseOf(sides.one), many: databaseOf(sides.many) };
  const compare = async (title: string, work: (db: OpenDatabase) => Promise<unknown>, most: number) => {
    const times: { one: number[]; many: number[] } = { one: [], many: [] };
    for (let round = 0; round <= PLAN.rounds; round++)
      for (const [side, db] of Object.entries({ one, many }) as ["one" | "many", OpenDatabase][]) {
        const begun = performance.now();
        await work(db);
        if (round > 0) times[side].push(performance.now() - begun);
      }
    const [ms, oneMs] = [Math.min(...times.many), Math.min(...times.one)];
    const note = `${ms.toFixed(1)} ms against ${oneMs.toFixed(1)} ms`;
    const ratio = ms / oneMs;
    found.push({
      ...{ title, values: [ratio], unit: "×", target: `≤ ${most} ×`, reached: ratio <= most, note },
    });
  };
  await compare("who has changes without a number, every 10 s", listUnnumbered, 2);
  await compare(
    "what there is to send to webhooks, every 250 ms",
    async (db) => findWork(db, await db.now()),
    2,
  );
  await compare(
    "a page of 100 organizations, against one of two",
    (db) => listOrganizations(db, { limit: 100 }),
    50,
  );
  const begun = performance.now();
  for await (const id of organizationIds(many))
    await compactChanges(many, id, { keptDays: 90, isStopped: () => false });
  const eachMs = (performance.now() - begun) / (OTHERS + 2);
  found.push({
    title: "the daily look at the feed, of each organization",
    ...{ values: [eachMs], unit: "ms", target: "≤ 10 ms", reached: eachMs <= 10 },
  });
  // One transaction after another, beside requests: how long each may keep somebody waiting.
  for (const [what, work, forgotten] of [
    ["all sessions", refreshInstants, ""],
    ["organizations of zones whose clocks stay", recomputeContracts, ""],
    ["organizations, the clocks of all zones moved", recomputeContracts, "known clocks of contracts"],
  ] as const) {
    const transactions: number[] = [];
    await forgetTzdata(many, forgotten);
    const begunAt = performance.now();
    await work(timed(many, transactions), { version: "9999a" });
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(2);
    await forgetTzdata(many);
    const longest = Math.max(...transactions);
    found.push({
      title: `newer time-zone data, ${what}: the longest transaction`,
      ...{ values: [longest], unit: "ms", target: "≤ 250 ms", reached: longest <= 250 },
      note: `${transactions.length} transactions, ${seconds} s in all`,
    });
  }
  await Promise.all([one.close(), many.close()]);
  return found;
}

async function measureStarts(): Promise<Figure[]> {
  const times = { one: [] as number[], many: [] as number[] };
  for (let round = 0; round < PLAN.rounds; round++)
    for (const side of ["one", "many"] as const) {
      const begun = performance.now();
      const program = await startProgram({ dataDir: folders[side], cores: placement.server });
      times[side].push(performance.now() - begun);
      await program.stop();
    }
  const values = times.many.map((ms, round) => ms / (times.one[round] ?? Number.NaN));
  const note = `${median(times.many).toFixed(0)} ms against ${median(times.one).toFixed(0)} ms`;
  return [
    { title: "a start", values, unit: "×", target: `≤ ${MOST} ×`, reached: median(values) <= MOST, note },
  ];
}

function databaseOf({ store }: OpenDataset): OpenDatabase {
  return store.open({ applicationName: "rollbook bench", poolSize: 2 });
}

async function tzdataTakenIn(side: OpenDataset): Promise<void> {
  const db = databaseOf(side);
  const done = replanned("select from facts where name = 'tzdata of contracts' and value = $1");
  while ((await db.query(done, [tzdataVersion()])).length === 0) await delay(500);
  await db.close();
}

async function forgetTzdata(db: Database, known = ""): Promise<void> {
  await db.query(replanned("delete from facts where value like '9999a%' or name = $1"), [known]);
}

async function open(dataDir: string): Promise<Side> {
  const { loaded } = JSON.parse(await readFile(join(dataDir, STAMP), "utf8")) as { loaded: Loaded };
  const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  return {
    ...{
      clients: loaded.large.size.clients,
      studio: loaded.large,
      daily: loaded.large,
      booked: loaded.large,
    },
    ...{ writes: loaded.small, dataDir, store, loaded },
    connect: () => openConnection(store.connection, "rollbook bench"),
    close: () => store.close(),
  };
}

/** Loads both unless they are there: the one first, whose copy is filled with the others. */
async function ensureLoaded(): Promise<void> {
  const stamp = JSON.stringify([LOADER, SMALL_SIZE, LARGE_SIZE, (await listMigrations()).at(-1)?.name]);
  const stored = await readFile(join(folders.many, STAMP), "utf8").then(JSON.parse, () => undefined);
  if (stored?.stamp === stamp) return;
  const begun = Date.now();
  const draft = `${root}.${process.pid}`;
  const [one, many] = [join(draft, "one"), join(draft, "many")];
  const loaded = await fill(one, [
    { first: SMALL, last: SMALL, size: SMALL_SIZE },
    { first: LARGE, last: LARGE, size: LARGE_SIZE },
  ]);
  await writeFile(join(one, STAMP), JSON.stringify({ stamp, loaded: { ...loaded, keys: [] } }));
  await copyData(one, many);
  const others = Array.from({ length: OTHERS / OTHERS_AT_ONCE }, (_, part) => {
    const first = FIRST_OTHER + part * OTHERS_AT_ONCE;
    return { first, last: first + OTHERS_AT_ONCE - 1, size: SMALL_SIZE };
  });
  const { keys } = await fill(many, others);
  await writeFile(join(many, STAMP), JSON.stringify({ stamp, loaded: { ...loaded, keys } }));
  await rm(root, { recursive: true, force: true });
  await rename(draft, root);
  log(`loaded in ${((Date.now() - begun) / 1000).toFixed(0)} s into ${root}`);
}

interface Part {
  readonly first: number;
  readonly last: number;
  readonly size: StudioSize;
}

/** Writes organizations with a key each; the first two are the small one and the large one. */
async function fill(dataDir: string, parts: readonly Part[]): Promise<Loaded> {
  const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  try {
    await migrate(store.connection);
    const client = await openConnection(store.connection, "rollbook bench");
    await client.query("set maintenance_work_mem = '256MB'");
    const tables = ["clients", "client_locations", "contracts", "sessions", "bookings"];
    await withoutIndexes(client, tables, async () => {
      for (const { size, ...numbers } of parts) await writeStudios(client, numbers, size);
    });
    await client.query("vacuum analyze");
    const db = store.open({ applicationName: "rollbook bench", poolSize: 2 });
    const secret = await store.keySecret();
    const studios: Studio[] = [];
    for (const { first, last, size } of parts)
      for (let number = first; number <= last; number++) {
        const ids = studioIds(number);
        const { key } = await mintKey(db, secret, "bench", { organizationId: ids.organizationId });
        studios.push({ id: ids.organizationId, key, locationIds: [ids.locationId], size, ids });
      }
    await client.query("vacuum analyze keys");
    await client.end();
    // As the sweep does within the hour.
    await averageOrganizations(db);
    const [small, large] = studios as [Studio, Studio];
    return { small, large, keys: studios.map(({ key }) => key) };
  } finally {
    await store.close();
  }
}
