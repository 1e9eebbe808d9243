import { until } from "../support/poll.ts";
import type { Running } from "../support/processes.ts";
import { Caller } from "./caller.ts";
import { drawer, pick } from "./chance.ts";
import { Journal, type Pressure } from "./journal.ts";
import { pause, startLoad } from "./load.ts";
import { childrenOf, type EmbeddedSite, isGone, openEmbeddedSite, type Site, workersOf } from "./site.ts";
import { type JournalVerdict, verifyJournal } from "./verify-journal.ts";

/** What is killed with SIGKILL. "machine" is the server and PostgreSQL together, as when the power fails. */
export type Victim = "server" | "worker" | "postmaster" | "backend" | "machine";

export const VICTIMS: readonly Victim[] = ["server", "worker", "postmaster", "backend", "machine"];

export interface Kill {
  readonly victim: Victim;
  readonly workers: number;
  /** From the kill to the moment after which nothing failed any more, the restart of the server included. */
  readonly recoveredMs: number;
}

export interface KillReport {
  readonly kills: Kill[];
  readonly acknowledged: number;
  readonly inDoubt: number;
  /** Acknowledged by a retry with the same Idempotency-Key, after the answer to an earlier try was lost. */
  readonly replays: number;
  readonly appliedInDoubt: number;
  readonly lost: number;
  readonly halfApplied: number;
  readonly tally: ReadonlyMap<string, number>;
  readonly faults: string[];
}

export interface KillPlan extends Pressure {
  readonly seed: number;
  readonly workers: number;
  readonly victims: readonly Victim[];
  readonly onKill?: (kill: Kill) => void;
}

/** Kills one victim after the other while clients are written, and reckons after each. */
export async function killUnderLoad(plan: KillPlan): Promise<KillReport> {
  const draw = drawer(plan.seed);
  const journal = new Journal();
  const kills: Kill[] = [];
  const faults: string[] = [];
  let last = { lost: 0, halfApplied: 0, appliedInDoubt: 0 };
  const site = await openEmbeddedSite({ workers: plan.workers, environment: { DRAIN_MS: "0" } });
  try {
    await site.start();
    for (const victim of plan.victims) {
      try {
        const recoveredMs = await writeAndKill(site, journal, victim, draw, plan);
        const kill = { victim, workers: plan.workers, recoveredMs };
        kills.push(kill);
        plan.onKill?.(kill);
        last = await check(site, journal, faults);
      } catch (error) {
        faults.push(`after the kill of a ${victim}: ${error instanceof Error ? error.message : error}`);
      }
      if (faults.length > 0) break;
    }
  } finally {
    await site.remove();
  }
  return {
    kills,
    acknowledged: journal.acknowledged,
    inDoubt: journal.creationsInDoubt.size + [...journal.clients.values()].filter((c) => c.inDoubt).length,
    replays: journal.replays,
    ...last,
    tally: journal.tally,
    faults: [...faults, ...journal.faults],
  };
}

async function writeAndKill(
  site: EmbeddedSite,
  journal: Journal,
  victim: Victim,
  draw: () => number,
  { pauseMs }: Pressure,
): Promise<number> {
  const load = await startLoad(site, journal, draw, { pauseMs });
  try {
    await pause(draw() * 400);
    const killedAt = performance.now();
    await kill(site, victim, draw);
    return await load.recovered(killedAt);
  } finally {
    await load.stop();
  }
}

export async function kill(site: EmbeddedSite, victim: Victim, draw: () => number): Promise<void> {
  const server = site.running();
  const postmaster = await site.postmaster();
  if (victim === "postmaster" || victim === "machine") await killNow(postmaster);
  if (victim === "backend") {
    await killNow(pick(await childrenOf(postmaster ?? 0), draw));
    // PostgreSQL goes when one of its processes was killed; until then nothing has failed yet.
    await until("PostgreSQL has noticed", () => isGone(postmaster ?? 0));
  }
  if (victim === "worker") await killNow(pick(await workersOf(server.child.pid ?? 0), draw));
  if (victim === "server" || victim === "machine") {
    await killServer(server);
    await site.start();
  }
}

/** All at once: a primary would start another worker, and a worker without its primary would stop in order. */
export async function killServer({ child, ended }: Running): Promise<void> {
  child.kill("SIGSTOP");
  for (const pid of await workersOf(child.pid ?? 0)) process.kill(pid, "SIGKILL");
  child.kill("SIGKILL");
  await ended;
}

/** Reckons, and holds the list that callers see against it. */
export async function check(site: Site, journal: Journal, faults: string[]): Promise<JournalVerdict> {
  const { studio, connection } = site;
  const found = await verifyJournal(connection, studio.organizationId, journal, studio);
  faults.push(...found.faults);
  const caller = new Caller({ port: site.port, key: studio.key, connections: 1 });
  const listed = await caller.send("GET", "/v1/clients?limit=1");
  caller.close();
  // The studio has had one client from the beginning.
  const total = listed.kind === "answered" ? listed.body?.total : undefined;
  if (total !== found.stored + 1) faults.push(`${total} clients are listed, ${found.stored + 1} are stored`);
  return found;
}

/** Whoever waits for the disk dies only when that has answered. */
export async function killNow(pid: number | undefined): Promise<void> {
  if (pid === undefined) throw new Error("there is no such process to kill");
  process.kill(pid, "SIGKILL");
  await until("the killed process is gone", () => isGone(pid));
}
