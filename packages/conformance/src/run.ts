import { accessChecks } from "./access-checks.ts";
import { calendarChecks } from "./calendar-checks.ts";
import { catalogChecks } from "./catalog-checks.ts";
import { type Check, Deviation, NothingToCheck, type Source } from "./check.ts";
import { clientChecks } from "./client-checks.ts";
import { Connection, type Exchange, Unreachable } from "./exchange.ts";
import { listChecks } from "./list-checks.ts";
import { Probe, Samples } from "./probe.ts";
import { wireChecks } from "./wire-checks.ts";
import { writeChecks } from "./write-checks.ts";

/** Every check, in the order in which they run. */
export const CHECKS: readonly Check[] = [
  ...accessChecks,
  ...wireChecks,
  ...listChecks,
  ...catalogChecks,
  ...calendarChecks,
  ...clientChecks,
  ...writeChecks,
];

export interface RunOptions {
  /** Where the server is, without `/v1`. */
  readonly url: string;
  /** A key of the organization that is read. */
  readonly key: string;
  /** Whether clients are created, changed and archived: only in an organization that nobody needs. */
  readonly writes?: boolean;
  /** What the specification says, what the settled details add, or both. */
  readonly only?: "specification" | "details" | undefined;
  /** Ids of checks, or their beginnings: `clients.` */
  readonly checks?: readonly string[];
  /** Called after each check. */
  readonly onResult?: (result: Result) => void;
  /** How the rate limit is waited for. */
  readonly wait?: (seconds: number) => Promise<void>;
}

export type Outcome = "passed" | "failed" | "skipped";

export interface Result {
  readonly id: string;
  readonly title: string;
  readonly source: Source;
  readonly says: string;
  readonly outcome: Outcome;
  /** What came instead, or why nothing could be looked at. */
  readonly reason?: string;
  readonly exchanges: readonly Exchange[];
  readonly milliseconds: number;
}

export interface Report {
  readonly url: string;
  readonly startedAt: string;
  readonly writes: boolean;
  readonly results: readonly Result[];
}

/** Why a run was not begun. */
export class NotBegun extends Error {}

/** An organization with more clients than this is somebody's. */
const MOST_CLIENTS = 200;

/** Runs the checks one after the other. Throws `NotBegun` if the server or the organization is not one to be checked. */
export async function runChecks(options: RunOptions): Promise<Report> {
  const { url, key, writes = false, onResult } = options;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new NotBegun("The url must be an http or https address.");
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new NotBegun("The key must be one word of visible ASCII characters.");
  const chosen = choose(options);
  if (chosen.length === 0) throw new NotBegun("No check has such an id.");
  const connection = new Connection(url, key, options.wait);
  const begun = new Date();
  const samples = new Samples(begun.getTime());
  try {
    await look(new Probe(connection, samples), writes);
    const results: Result[] = [];
    for (const check of chosen) {
      const result = await runCheck(check, new Probe(connection, samples));
      results.push(result);
      onResult?.(result);
    }
    return { url, startedAt: begun.toISOString(), writes, results };
  } catch (error) {
    if (error instanceof Unreachable) throw new NotBegun(`The server does not answer: ${error.message}.`);
    throw error;
  } finally {
    for (const id of samples.made)
      await connection.send("DELETE", `/v1/clients/${id}`).catch((error: unknown) => {
        if (!(error instanceof Unreachable)) throw error;
      });
  }
}

function choose({ writes = false, only, checks = [] }: RunOptions): readonly Check[] {
  return CHECKS.filter(
    (check) =>
      (writes || check.writes !== true) &&
      (only === undefined || (check.source === "details") === (only === "details")) &&
      (checks.length === 0 || checks.some((id) => check.id.startsWith(id))),
  );
}

/** What must be so before anything is checked. */
async function look(probe: Probe, writes: boolean): Promise<void> {
  const { status } = await probe.get("/v1/organization");
  if (status === 401) throw new NotBegun("The server does not know the key (401).");
  if (status === 402) throw new NotBegun("The organization's plan does not include the API (402).");
  if (status === 403) throw new NotBegun("The organization is not active (403).");
  if (!writes) return;
  const { body } = await probe.get("/v1/clients?limit=1");
  const total = Number((body as { total?: unknown } | undefined)?.total);
  if (total > MOST_CLIENTS)
    throw new NotBegun(
      `The organization has ${total} clients: checks that write are for one that nobody needs, with at most ${MOST_CLIENTS}.`,
    );
}

async function runCheck(check: Check, probe: Probe): Promise<Result> {
  const { id, title, source, says } = check;
  const begun = performance.now();
  const end = (outcome: Outcome, reason?: string): Result => ({
    ...{ id, title, source, says, outcome },
    ...(reason !== undefined && { reason }),
    exchanges: probe.exchanges,
    milliseconds: Math.round(performance.now() - begun),
  });
  try {
    await check.run(probe);
    return end("passed");
  } catch (error) {
    if (error instanceof Deviation) return end("failed", error.message);
    if (error instanceof NothingToCheck) return end("skipped", error.message);
    if (error instanceof Unreachable) return end("failed", `no answer came: ${error.message}`);
    // What came was so far from what was expected that the check itself stumbled over it.
    return end(
      "failed",
      `what came could not be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

export function count({ results }: Pick<Report, "results">): Readonly<Record<Outcome, number>> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}
