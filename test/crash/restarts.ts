import { readdir, readlink } from "node:fs/promises";
import pg from "pg";
import { until } from "../support/poll.ts";
import { startPostgres } from "../support/postgres.ts";
import { drawer } from "./chance.ts";
import { Journal, type Pressure } from "./journal.ts";
import { check } from "./kills.ts";
import { pause, startLoad } from "./load.ts";
import { isGone, openEmbeddedSite, openExternalSite, type Site, workersOf } from "./site.ts";

export interface RestartReport {
  /** From the moment at which the restart was done, or asked of the built-in one, to the last failure. */
  readonly recoveredMs: number[];
  readonly acknowledged: number;
  readonly lost: number;
  readonly halfApplied: number;
  readonly tally: ReadonlyMap<string, number>;
  /** The program's database connections before and after. */
  readonly connections: readonly [before: number, after: number];
  readonly faults: string[];
}

interface RestartPlan extends Pressure {
  readonly seed: number;
  readonly workers: number;
}

/** What may be left of the pool besides what was there before: it grows with the load up to this. */
const POOL_SIZE = 8;
const PIPELINES = 2;

/** An operator's PostgreSQL, restarted with pg_ctl under load. */
export async function restartExternal(
  options: RestartPlan & { readonly modes: readonly ("fast" | "immediate")[] },
): Promise<RestartReport> {
  const postgres = await startPostgres();
  try {
    const { url: databaseUrl, connection } = postgres;
    const site = await openExternalSite({
      workers: options.workers,
      environment: { POOL_SIZE: String(POOL_SIZE), DRAIN_MS: "0" },
      databaseUrl,
      connection,
    });
    return await restartUnderLoad(
      site,
      options,
      options.modes.map((mode) => async () => {
        await postgres.restart(mode);
        return performance.now();
      }),
    );
  } finally {
    await postgres.remove();
  }
}

/** The built-in PostgreSQL, stopped under the program that needs it. */
export async function restartEmbedded(
  options: RestartPlan & { readonly signals: readonly ("SIGINT" | "SIGQUIT")[] },
): Promise<RestartReport> {
  const environment = { POOL_SIZE: String(POOL_SIZE), DRAIN_MS: "0" };
  const site = await openEmbeddedSite({ workers: options.workers, environment });
  return restartUnderLoad(
    site,
    options,
    options.signals.map((signal) => async () => {
      const pid = await site.postmaster();
      if (pid === undefined) throw new Error("PostgreSQL does not run");
      const askedAt = performance.now();
      process.kill(pid, signal);
      await until("the old server is gone", () => isGone(pid));
      return askedAt;
    }),
  );
}

async function restartUnderLoad(
  site: Site,
  { workers, seed, pauseMs }: RestartPlan,
  restarts: readonly (() => Promise<number>)[],
): Promise<RestartReport> {
  const draw = drawer(seed);
  const journal = new Journal();
  const recoveredMs: number[] = [];
  const faults: string[] = [];
  try {
    await site.start();
    const warm = await startLoad(site, journal, draw, { pauseMs });
    await pause(200);
    await warm.stop();
    const before = await countConnections(site);
    const socketsBefore = await countSockets(site);
    for (const restart of restarts) {
      const load = await startLoad(site, journal, draw, { pauseMs });
      try {
        await pause(draw() * 300);
        recoveredMs.push(await load.recovered(await restart()));
      } finally {
        await load.stop();
      }
    }
    const found = await check(site, journal, faults);
    const after = await countConnections(site);
    const most = workers * (POOL_SIZE + PIPELINES + 1);
    if (after > most) faults.push(`the program has ${after} connections, ${most} is all it may have`);
    // Those of callers close when they leave; what stays beside the database's connections was left behind.
    const allowed = socketsBefore - before + after;
    await until("no socket is left", async () => (await countSockets(site)) <= allowed).catch(() =>
      faults.push("sockets were left open"),
    );
    if (journal.tally.has("cut")) faults.push(`${journal.tally.get("cut")} requests were cut off`);
    if (journal.tally.has("refused")) faults.push(`${journal.tally.get("refused")} connections were refused`);
    return {
      recoveredMs,
      acknowledged: journal.acknowledged,
      lost: found.lost,
      halfApplied: found.halfApplied,
      tally: journal.tally,
      connections: [before, after],
      faults: [...faults, ...journal.faults],
    };
  } finally {
    await site.remove();
  }
}

async function countConnections({ connection }: Site): Promise<number> {
  const client = new pg.Client({ ...connection, application_name: "crash test" });
  await client.connect();
  const { rows } = await client.query<{ count: string }>(
    "select count(*) from pg_stat_activity where application_name like 'rollbook%'",
  );
  await client.end();
  return Number(rows[0]?.count);
}

/** The open sockets of the program's processes, as the system counts them. */
async function countSockets(site: Site): Promise<number> {
  const main = site.running().child.pid ?? 0;
  let count = 0;
  for (const pid of [main, ...(await workersOf(main))]) {
    for (const name of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => "");
      if (target.startsWith("socket:")) count++;
    }
  }
  return count;
}
