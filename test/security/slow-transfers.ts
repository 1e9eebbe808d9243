import { connect } from "node:net";
import { replanned } from "../../src/db/statements.ts";
import { Caller, quantile, requestText } from "../support/caller.ts";
import { loadCrowd } from "../support/crowd.ts";
import { fileForm } from "../support/forms.ts";
import { newId } from "../support/ids.ts";
import { signInOwner } from "../support/staff.ts";
import type { Studio, Target } from "../support/target.ts";

export interface SlowTransfersReport {
  readonly figures: readonly SlowTransfersFigure[];
  /** How often slow readers and writers were refused, and cut off. */
  readonly attack: { refused: number; cutOff: number };
}

/** What the victim saw of one kind of request. */
export interface SlowTransfersFigure {
  readonly kind: string;
  readonly baselineP99Ms: number;
  readonly attackedP99Ms: number;
  readonly requests: number;
  /** By status, of all that were no success. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface SlowTransfersOrder {
  /** Slow readers, and as many slow writers. */
  readonly slow: number;
  readonly rounds: number;
  /** Of each part of a round. */
  readonly seconds: number;
}

/** What the server takes for its own address, which writes of the application must come from. */
export const ORIGIN = "http://localhost:8080";
const VICTIM_CLIENTS = 2_000;
const fatten = replanned("update clients set notes = repeat('😀', 9000) where organization_id = $1");

/**
 * How an organization downloads, uploads and reads alone, and beside one whose callers take and send files as slowly as they
 * can. Both by turns, so that whatever else the machine does falls on both.
 */
export async function measureSlowTransfers(
  target: Target,
  order: SlowTransfersOrder,
): Promise<SlowTransfersReport> {
  const db = target.store.open({ applicationName: "rollbook test" });
  const attacker = await target.newStudio();
  for (const [studio, clients] of [
    [attacker, 400],
    [target, VICTIM_CLIENTS],
  ] as const)
    await loadCrowd(db, studio.organizationId, { clients, contracts: 0, locationIds: [studio.locationId] });
  await db.query(fatten, [attacker.organizationId]);
  const cookieOf = async ({ organizationId }: Studio) =>
    `rollbook=${await signInOwner(db, organizationId, target.keySecret)}`;

  const kinds = victimRequests(target, await cookieOf(target));
  const seen = kinds.map(() => ({ baseline: [] as number[], attacked: [] as number[] }));
  const failures = kinds.map((): Record<string, number> => ({}));
  const measure = async (part: "baseline" | "attacked") => {
    const until = performance.now() + order.seconds * 1000;
    await Promise.all(
      kinds.map(async ({ next }, index) => {
        const caller = await Caller.open(target.url);
        do {
          const { status, milliseconds } = await caller.ask(await next());
          seen[index]?.[part].push(milliseconds);
          const failed = failures[index];
          if (failed && status >= 300) failed[status] = (failed[status] ?? 0) + 1;
        } while (performance.now() < until);
        caller.close();
      }),
    );
  };
  const attack = { refused: 0, cutOff: 0 };
  const attackerCookie = await cookieOf(attacker);
  // The first requests of all open connections and prepare statements.
  await measure("baseline");
  for (const times of seen) times.baseline.length = 0;
  for (let round = 0; round < order.rounds; round++) {
    await measure("baseline");
    const stop = await startAttack(target.url, attacker, attackerCookie, order.slow, attack);
    await measure("attacked");
    await stop();
  }
  return {
    attack,
    figures: kinds.map(({ kind }, index) => {
      const { baseline = [], attacked = [] } = seen[index] ?? {};
      return {
        kind,
        baselineP99Ms: quantile(baseline, 0.99),
        attackedP99Ms: quantile(attacked, 0.99),
        requests: baseline.length + attacked.length,
        failures: failures[index] ?? {},
      };
    }),
  };
}

/** Two callers for downloads: there is more than one place for them. */
function victimRequests({ key }: Studio, cookie: string) {
  const download = async () => downloadText(key, "text/csv");
  let n = 0;
  return [
    { kind: "download", next: download },
    { kind: "download beside", next: download },
    { kind: "upload", next: async () => uploadText(cookie, await fileForm(`Nome\n${"Ana\n".repeat(50)}`)) },
    {
      kind: "GET a page",
      next: async () => requestText({ path: `/v1/clients?limit=20&offset=${n++ % 900}`, key }),
    },
  ];
}

function downloadText(key: string, type: string): string {
  return requestText({ path: "/v1/clients", key }).replace("Host: a", `Host: a\r\nAccept: ${type}`);
}

function uploadText(cookie: string, { raw, type }: Awaited<ReturnType<typeof fileForm>>): Buffer {
  const head = [
    "POST /app/v1/readSheet HTTP/1.1",
    "Host: a",
    `Cookie: ${cookie}`,
    `Origin: ${ORIGIN}`,
    `Idempotency-Key: ${newId()}`,
    `Content-Type: ${type}`,
    `Content-Length: ${raw.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), raw]);
}

const READ_BYTES = 2_048;
const SENT_BYTES = 512;
const EVERY_MS = 100;

/** Each takes or sends a file in drops, and begins again as soon as it is cut off. Resolves when all have begun. */
async function startAttack(
  url: string,
  { key }: Studio,
  cookie: string,
  slow: number,
  counts: SlowTransfersReport["attack"],
): Promise<() => Promise<void>> {
  const { hostname, port } = new URL(url);
  const form = uploadText(cookie, await fileForm(`Nome\n${"Ana\n".repeat(500_000)}`));
  const wholeList = Buffer.from(downloadText(key, "application/x-ndjson"));
  let isOver = false;
  const keepDripping = async (request: Buffer, onBegun: () => void) => {
    while (!isOver) {
      const socket = connect(Number(port), hostname).on("error", () => {});
      const closed = new Promise((resolve) => socket.once("close", resolve));
      let sent = 0;
      let head = "";
      const dripping = setInterval(() => {
        // The head at once.
        const end = sent === 0 ? 1_000 : sent + SENT_BYTES;
        if (sent < request.length && socket.writable) socket.write(request.subarray(sent, end));
        sent = end;
        const taken: Buffer | null = socket.read(READ_BYTES) ?? socket.read();
        if (taken && head.length < "HTTP/1.1 200".length) head += taken.toString("latin1");
        if (isOver || /^HTTP\/1\.1 [45]/.test(head)) socket.destroy();
        onBegun();
      }, EVERY_MS);
      await closed;
      clearInterval(dripping);
      if (head.startsWith("HTTP/1.1 503")) counts.refused++;
      else if (!isOver) counts.cutOff++;
    }
  };
  const running: Promise<void>[] = [];
  const begun = Array.from(
    { length: 2 * slow },
    (_, n) =>
      new Promise<void>((resolve) => {
        running.push(keepDripping(n % 2 ? form : wholeList, resolve));
      }),
  );
  await Promise.all(begun);
  return async () => {
    isOver = true;
    await Promise.all(running);
  };
}
