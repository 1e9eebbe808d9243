import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { startPostgres } from "../support/postgres.ts";
import { fill, mount, unmount } from "../support/small-disk.ts";
import { Caller } from "./caller.ts";
import { drawer } from "./chance.ts";
import { Journal } from "./journal.ts";
import { check } from "./kills.ts";
import { pause, startLoad } from "./load.ts";
import { newPlace, openEmbeddedSite, openExternalSite, type Site } from "./site.ts";

const run = promisify(execFile);

export interface DiskReport {
  readonly acknowledged: number;
  readonly lost: number;
  readonly halfApplied: number;
  readonly tally: ReadonlyMap<string, number>;
  /** Reads while the fault lasted, and how many of them were answered with 200. */
  readonly reads: { readonly asked: number; readonly answered: number };
  /** Writes acknowledged while the fault lasted. */
  readonly acknowledgedMeanwhile: number;
  readonly refusedMeanwhile: number;
  readonly recoveredMs: number;
  readonly faults: string[];
}

/** Fills the disk under a server that is written to and read, waits, and gives the space back. */
export async function fillDisk(options: {
  seed: number;
  workers: number;
  fullForMs: number;
  /** Writes on until PostgreSQL has no room for its log either, and stops. */
  logToo?: boolean;
}): Promise<DiskReport> {
  const place = await mkdtemp(join(tmpdir(), "rollbook-disk-"));
  await mount(place, DISK_MEGABYTES);
  try {
    const site = await openEmbeddedSite({ workers: options.workers, place: await newPlace(place) });
    const ballast = join(place, "ballast");
    return await disturb(site, options.seed, {
      async begin() {
        await fill(ballast);
        if (options.logToo) await useUpLog(site);
      },
      lastsMs: options.fullForMs,
      end: () => rm(ballast),
    });
  } finally {
    await unmount(place);
    await rm(place, { recursive: true, force: true });
  }
}

/** Why flushing cannot be made to fail here; nothing if it can. */
export async function whyNoFaultLibrary(): Promise<string | undefined> {
  if (process.platform !== "linux") return "needs Linux, to put a library before the system's";
  return run("cc", ["--version"]).then(
    () => undefined,
    () => "needs a C compiler (cc), for the library that makes flushing fail",
  );
}

/**
 * Lets every flush to the disk fail with an error of the device, as a dying disk would, and then heal. The server
 * is an operator's, whose service manager starts it again whenever it goes.
 */
export async function failFlushes(options: {
  seed: number;
  workers: number;
  failForMs: number;
}): Promise<DiskReport> {
  const place = await mkdtemp(join(tmpdir(), "rollbook-flush-"));
  await chmod(place, 0o755);
  const failing = join(place, "failing");
  const library = join(place, "failing-flush.so");
  await run("cc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE]);
  const postgres = await startPostgres({
    environment: { LD_PRELOAD: library, FAIL_WHILE: failing },
    // Its own way of starting again hangs when that fails, too.
    settings: "-c restart_after_crash=off",
  });
  let isManaged = true;
  const manager = (async () => {
    while (isManaged) {
      await postgres.startIfGone().catch(() => {});
      await pause(100);
    }
  })();
  try {
    const { url: databaseUrl, connection } = postgres;
    const site = await openExternalSite({ workers: options.workers, databaseUrl, connection });
    return await disturb(site, options.seed, {
      begin: () => writeFile(failing, ""),
      lastsMs: options.failForMs,
      end: () => rm(failing),
    });
  } finally {
    isManaged = false;
    await manager;
    await postgres.remove();
    await rm(place, { recursive: true, force: true });
  }
}

const SOURCE = fileURLToPath(new URL("../../../test/crash/failing-flush.c", import.meta.url));
const DISK_MEGABYTES = 200;
/** What callers may notice of a fault before it is complete: requests under way when it begins. */
const SETTLING_MS = 300;

async function disturb(
  site: Site,
  seed: number,
  fault: { begin(): Promise<unknown>; lastsMs: number; end(): Promise<unknown> },
): Promise<DiskReport> {
  const journal = new Journal();
  const faults: string[] = [];
  const reader = new Caller({ port: site.port, key: site.studio.key, connections: 4 });
  const reads = { asked: 0, answered: 0 };
  try {
    await site.start();
    const load = await startLoad(site, journal, drawer(seed), { writers: 8 });
    try {
      await pause(300);
      await fault.begin();
      await pause(SETTLING_MS);
      const before = journal.acknowledged;
      const refusedBefore = journal.tally.get("503") ?? 0;
      const until = performance.now() + fault.lastsMs;
      while (performance.now() < until) {
        const outcome = await reader.send("GET", "/v1/clients?limit=20");
        reads.asked++;
        if (outcome.kind === "answered" && outcome.status === 200) reads.answered++;
        else if (outcome.kind !== "answered" || outcome.status !== 503)
          faults.push(`a read: ${JSON.stringify(outcome)}`);
        await pause(20);
      }
      const acknowledgedMeanwhile = journal.acknowledged - before;
      const refusedMeanwhile = (journal.tally.get("503") ?? 0) - refusedBefore;
      const endedAt = performance.now();
      await fault.end();
      const recoveredMs = await load.recovered(endedAt);
      await load.stop();
      const found = await check(site, journal, faults);
      return {
        acknowledged: journal.acknowledged,
        lost: found.lost,
        halfApplied: found.halfApplied,
        tally: journal.tally,
        reads,
        acknowledgedMeanwhile,
        refusedMeanwhile,
        recoveredMs,
        faults: [...faults, ...journal.faults],
      };
    } finally {
      await fault.end().catch(() => {});
      await load.stop();
    }
  } finally {
    reader.close();
    await site.remove();
  }
}

/** Writes to PostgreSQL's log what nobody needs, until it cannot. */
async function useUpLog({ connection }: Site): Promise<void> {
  const client = new pg.Client({ ...connection, application_name: "crash test" });
  client.on("error", () => {});
  await client.connect();
  try {
    for (;;) await client.query("select pg_logical_emit_message(false, 'crash test', repeat('x', 1000000))");
  } catch {
    // It is gone.
  } finally {
    await client.end().catch(() => {});
  }
}
