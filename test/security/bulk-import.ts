import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { Caller, quantile, requestText } from "../support/caller.ts";
import { newId } from "../support/ids.ts";
import { databaseUrl, rollbook } from "../support/processes.ts";
import type { Studio, Target } from "../support/target.ts";

export interface BulkImportOptions {
  /** How many clients the importing organization has. */
  readonly clients: number;
  /** Of how many of them the file says something new: one in this many. */
  readonly changedEvery: number;
  /** Who writes to those clients meanwhile, and how often each of them does. */
  readonly writers: number;
  readonly writesEveryMs: number;
  /** How long the other organization is measured without the import. */
  readonly baselineSeconds: number;
  /** Where the file is written. */
  readonly directory: string;
}

/** How requests of one sort fared. */
export interface Fared {
  readonly requests: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** How many were refused or failed. */
  readonly failed: number;
  /** How many of those failed again after they had waited as `Retry-After` said. */
  readonly failedAgain: number;
}

export interface BulkImportReport {
  readonly importSeconds: number;
  readonly replaced: number;
  readonly baseline: Fared;
  readonly beside: Fared;
  readonly writers: Fared;
}

/** How another organization, and whoever writes the very clients, fare while an organization is imported again. */
export async function measureBulkImport(
  target: Target,
  options: BulkImportOptions,
): Promise<BulkImportReport> {
  const environment = { DATABASE_URL: databaseUrl(target.store.connection), KEY_SECRET: target.keySecret };
  const importer = await target.newStudio();
  const ids = Array.from({ length: options.clients }, () => newId());
  const importFile = async (path: string) => {
    const { code, stdout, stderr } = await rollbook(
      ["import", path, "--org", importer.organizationId, "--json"],
      environment,
    );
    if (code !== 0) throw new Error(`the import failed: ${stderr}`);
    return JSON.parse(stdout) as { kinds: { client: { replaced: number } } };
  };
  const first = join(options.directory, "first.ndjson");
  const again = join(options.directory, "again.ndjson");
  await writeBundle(first, importer, ids, () => "");
  await writeBundle(again, importer, ids, (n) => (n % options.changedEvery === 0 ? " changed" : ""));
  await importFile(first);

  // The first requests find nothing prepared.
  await callVictim(target, 50 * options.baselineSeconds);
  const baseline = fared(await callVictim(target, options.baselineSeconds * 1_000));
  let isOver = false;
  const begun = performance.now();
  const importing = importFile(again).finally(() => {
    isOver = true;
  });
  const [summary, beside, ...writes] = await Promise.all([
    importing,
    callVictim(target, () => isOver),
    ...Array.from({ length: options.writers }, (_, n) =>
      writeClients(target, importer, ids, n, options, () => isOver),
    ),
  ]);
  return {
    importSeconds: (performance.now() - begun) / 1_000,
    replaced: summary.kinds.client.replaced,
    baseline,
    beside: fared(beside),
    writers: fared(writes.flat()),
  };
}

interface Answered {
  readonly status: number;
  readonly milliseconds: number;
  /** Whether it is a request that was refused before. */
  readonly isRepeated?: boolean;
}

async function writeBundle(
  path: string,
  { locationId }: Studio,
  ids: readonly string[],
  suffix: (n: number) => string,
): Promise<void> {
  await pipeline(function* () {
    for (const [n, id] of ids.entries()) {
      const contactName = `Member ${n.toString(36)} of the studio${suffix(n)}`;
      const contactEmail = `member${n}@example.com`;
      const idDocument = { type: "other", value: `M-${n}` };
      const line = { kind: "client", id, contactName, contactEmail, idDocument, locationIds: [locationId] };
      yield `${JSON.stringify(line)}\n`;
    }
  }, createWriteStream(path));
}

const VICTIM_PACE_MS = 20;

/** One caller of another organization, at a steady pace: reads, searches and writes. */
async function callVictim(target: Target, end: number | (() => boolean)): Promise<Answered[]> {
  const caller = await Caller.open(target.url);
  const { key, locationId } = target;
  const body = { contactName: "Victim", locationIds: [locationId] };
  const requests = [
    requestText({ path: "/v1/clients?limit=10", key }),
    requestText({ method: "POST", path: "/v1/clients", key, body }),
    requestText({ path: "/v1/clients?query=victim&limit=10", key }),
    requestText({ path: "/v1/locations", key }),
  ];
  const answers: Answered[] = [];
  const begun = performance.now();
  const isOver = () => (typeof end === "number" ? performance.now() - begun >= end : end());
  for (let n = 0; !isOver(); n++) {
    const { status, milliseconds } = await caller.ask(requests[n % requests.length] ?? "");
    answers.push({ status, milliseconds });
    await delay(Math.max(0, VICTIM_PACE_MS - milliseconds));
  }
  caller.close();
  return answers;
}

/** Writes clients of the file, one after the other, spread over all of it. */
async function writeClients(
  { url }: Target,
  { key, locationId }: Studio,
  ids: readonly string[],
  writer: number,
  { writers, writesEveryMs }: BulkImportOptions,
  isOver: () => boolean,
): Promise<Answered[]> {
  let caller = await Caller.open(url);
  const answers: Answered[] = [];
  // A stride that shares no factor with a round number visits all of them.
  const stride = 7_919;
  await delay((writer * writesEveryMs) / writers);
  for (let n = 0; !isOver(); n++) {
    const id = ids[((writer + n * writers) * stride) % ids.length];
    const body = { contactName: `Written ${n} by ${writer}`, locationIds: [locationId] };
    const text = requestText({ method: "PUT", path: `/v1/clients/${id}`, key, body });
    const { status, head, milliseconds } = await caller.ask(text);
    answers.push({ status, milliseconds });
    const retryAfter = /^retry-after: (\d+)/im.exec(head)?.[1];
    if (retryAfter === undefined) await delay(Math.max(0, writesEveryMs - milliseconds));
    else {
      // The server closes a connection that is silent for that long.
      caller.close();
      await delay(Number(retryAfter) * 1_000);
      caller = await Caller.open(url);
      const again = await caller.ask(text);
      answers.push({ status: again.status, milliseconds: again.milliseconds, isRepeated: true });
    }
  }
  caller.close();
  return answers;
}

function fared(answers: readonly Answered[]): Fared {
  const times = answers.map(({ milliseconds }) => milliseconds);
  return {
    requests: answers.length,
    p99Ms: quantile(times, 0.99),
    longestMs: Math.max(0, ...times),
    failed: answers.filter(({ status, isRepeated }) => status >= 400 && !isRepeated).length,
    failedAgain: answers.filter(({ status, isRepeated }) => status >= 400 && isRepeated).length,
  };
}
