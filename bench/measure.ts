/** Comparisons: both sides in turn, again and again, so that what disturbs the machine disturbs both. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ceiling, Recorded } from "./ceiling.ts";
import type { Dataset, OpenDataset } from "./data.ts";
import type { Job, LoadMessage, LoadReply, LoadResult } from "./load.ts";
import {
  ask,
  type Cores,
  canMeasureCpu,
  cpuSpent,
  cpuTimes,
  family,
  type Placement,
  startNode,
  stop,
} from "./processes.ts";
import { fetchRaw, type Program, type ProgramOptions, type Running, startProgram } from "./program.ts";

/** What callers ask for in one round of one row. */
export interface Workload {
  readonly key: string;
  readonly targets: readonly string[];
  readonly bodies?: readonly string[];
  readonly idempotencyKeys?: readonly string[];
  readonly ifNoneMatch?: string;
  readonly status?: number;
  readonly connections?: number;
  readonly leastBytes?: number;
  readonly once?: boolean;
  /** Between an answer and the next request. */
  readonly pauseMs?: number;
}

/** One side in one round. CPU times are microseconds for each request; 0 where they cannot be read. */
export interface Slice {
  readonly requests: number;
  readonly perSecond: number;
  readonly serverUs: number;
  readonly postgresUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytesPerRequest: number;
  /** Share of the time in which the generator, and PostgreSQL, kept a core busy. */
  readonly generatorBusy: number;
  readonly postgresBusy: number;
}

export interface Side {
  readonly server: Running;
  readonly dataset: OpenDataset;
  /** Asked for before the clock starts; a row whose requests can be sent only once gives other ones each time. */
  readonly workload: (round: number) => Promise<Workload>;
}

export interface Plan {
  readonly quick: boolean;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmSeconds: number;
  readonly memoryRequests: number;
}

export const CONNECTIONS = 32;
const MOST_WARM_UPS = 6;

/** What a row is given to measure with. */
export class Bench {
  readonly plan: Plan;
  readonly placement: Placement;
  readonly #open: (clients: number) => Promise<OpenDataset>;
  readonly #load: ChildProcess;
  readonly #running: { stop(): Promise<void> }[] = [];

  constructor(plan: Plan, placement: Placement, open: (clients: number) => Promise<OpenDataset>) {
    this.plan = plan;
    this.placement = placement;
    this.#open = open;
    this.#load = startNode([fileURLToPath(new URL("load.js", import.meta.url))], {
      cores: placement.others,
      ipc: true,
    });
  }

  dataset(clients: number): Promise<OpenDataset> {
    return this.#open(clients);
  }

  async program(dataset: OpenDataset, options: Partial<ProgramOptions> = {}): Promise<Program> {
    const program = await startProgram({
      dataDir: dataset.dataDir,
      cores: this.placement.server,
      ...options,
    });
    this.#running.push(program);
    return program;
  }

  /** R: the program's own answers to these requests, sent from memory. */
  async memory(
    program: Program,
    { key, targets }: Workload,
    shared: { readonly workers?: number; readonly cores?: Cores } = {},
  ): Promise<Running> {
    const answers: Recorded[] = [];
    for (const url of new Set(targets.map(pathOf))) {
      const { headers, body } = await fetchRaw(program.port, url, key);
      answers.push({ url, headers: contentHeaders(headers), body });
    }
    const { workers, cores } = shared;
    return this.#ceiling({ kind: "memory", answers, ...(workers !== undefined && { workers }) }, cores);
  }

  /** P: one query for the same rows. Its headers are those of an answer of the program. */
  async query(
    kind: Exclude<Ceiling["kind"], "memory">,
    program: Program,
    dataset: OpenDataset,
    organization: Dataset["studio"],
  ): Promise<Running> {
    const { headers } = await fetchRaw(program.port, "/v1/clients?limit=1", organization.key);
    return this.#ceiling({
      kind,
      dataDir: dataset.dataDir,
      organizationId: organization.id,
      locationId: organization.locationIds[0] ?? "",
      headers: contentHeaders(headers),
    });
  }

  async #ceiling(ceiling: Ceiling, cores: Cores = this.placement.server): Promise<Running> {
    const child = startNode([fileURLToPath(new URL("ceiling.js", import.meta.url))], {
      cores,
      ipc: true,
    });
    const { port } = await ask<{ port: number }>(child, ceiling);
    const pid = child.pid ?? 0;
    const running = { port, pid, pids: () => family(pid), stop: () => stop(child) };
    this.#running.push(running);
    return running;
  }

  /** Warms every side up, then measures them in turn, round by round. Answers by side, then by round. */
  async interleave(sides: readonly Side[], warmSeconds = this.plan.warmSeconds): Promise<Slice[][]> {
    const { plan } = this;
    for (const side of sides) await this.warmUp(side, warmSeconds);
    const slices: Slice[][] = sides.map(() => []);
    for (let round = 0; round < plan.rounds; round++) {
      for (const [index, side] of sides.entries()) {
        slices[index]?.push(await this.slice(side, round, plan.seconds));
      }
    }
    return slices;
  }

  /**
   * Lets a side run until each of its server's processes has had the warm-up's seconds of CPU, within reason: what is
   * compiled, and so what is measured, depends on the work done and not on the clock.
   */
  async warmUp(side: Side, warmSeconds = this.plan.warmSeconds): Promise<void> {
    const neededUs = warmSeconds * 1e6 * side.server.pids().length;
    const deadline = Date.now() + MOST_WARM_UPS * warmSeconds * 1000;
    for (let spentUs = 0; spentUs < neededUs && Date.now() < deadline; ) {
      const { requests, serverUs } = await this.slice(side, -1, warmSeconds);
      spentUs += canMeasureCpu ? requests * serverUs : neededUs;
    }
  }

  async slice({ server, dataset, workload }: Side, round: number, seconds: number): Promise<Slice> {
    const { connections = CONNECTIONS, status = 200, leastBytes = 50, ...asked } = await workload(round);
    const job: Job = { port: server.port, seconds, connections, status, leastBytes, ...asked };
    const before = { server: cpuTimes(server.pids()), postgres: cpuTimes(postgresPids(dataset)) };
    const result = await this.load(job, () => {
      before.server = cpuTimes(server.pids());
      before.postgres = cpuTimes(postgresPids(dataset));
    });
    const serverUs = cpuSpent(before.server, cpuTimes(server.pids()));
    const postgresUs = cpuSpent(before.postgres, cpuTimes(postgresPids(dataset)));
    return {
      requests: result.requests,
      perSecond: result.requests / result.seconds,
      serverUs: serverUs / result.requests,
      postgresUs: postgresUs / result.requests,
      p50Ms: result.p50Ms,
      p99Ms: result.p99Ms,
      bytesPerRequest: result.bytes / result.requests,
      generatorBusy: result.cpuSeconds / result.seconds,
      postgresBusy: postgresUs / 1e6 / result.seconds,
    };
  }

  async load(job: Job, whenReady: () => void = () => {}): Promise<LoadResult> {
    await ask<LoadReply>(this.#load, { prepare: job } satisfies LoadMessage);
    whenReady();
    const result = await ask<LoadResult>(this.#load, { go: true } satisfies LoadMessage);
    if (result.failure !== undefined) throw new Error(`a request failed: ${result.failure}`);
    return result;
  }

  /** Stops what a row has started. */
  async clear(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((running) => running.stop()));
  }

  async close(): Promise<void> {
    await this.clear();
    await stop(this.#load);
  }
}

function pathOf(target: string): string {
  return target.slice(target.indexOf(" ") + 1);
}

/** All headers but those that node:http adds by itself. */
function contentHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [name = "", value = ""] = raw.slice(i, i + 2);
    if (!/^(date|connection|keep-alive|content-length|transfer-encoding)$/i.test(name))
      kept.push(name, value);
  }
  return kept;
}

/** Every process of the PostgreSQL that runs on the data. */
function postgresPids({ dataDir }: OpenDataset): number[] {
  const pid = Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n", 1)[0]);
  return family(pid);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function medianOf(slices: readonly Slice[], value: (slice: Slice) => number): number {
  return median(slices.map(value));
}

/** What two sides are compared by, round by round. */
export function ratios(
  ours: readonly Slice[],
  theirs: readonly Slice[],
  value: (slice: Slice) => number,
): number[] {
  return ours.map((slice, round) => value(slice) / value(theirs[round] as Slice));
}
