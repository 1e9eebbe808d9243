import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import type { Store } from "../../src/process/store.ts";
import { databaseUrl, type Environment, later, type RunningServer, type Scope, serve } from "./processes.ts";
import { addLocation } from "./records.ts";
import { openTestStore } from "./store.ts";

/** An organization with one location, and a key to call it with. */
export interface Studio {
  readonly key: string;
  readonly organizationId: string;
  readonly locationId: string;
}

/** The real program in a process of its own, on the database of the test run, and a studio in it. */
export interface Target extends Studio {
  readonly url: string;
  readonly server: RunningServer;
  readonly store: Store;
  readonly keySecret: string;
  newStudio(): Promise<Studio>;
  /** The metrics as they are now. Reading them begins a new span for those that are since the last reading. */
  metrics(): Promise<string>;
  residentBytes(): Promise<number>;
  openFiles(): Promise<number>;
  processorTime(): Promise<ProcessorTime>;
}

export async function openTarget(
  scope: Scope,
  environment: Environment = {},
  args: readonly string[] = [],
): Promise<Target> {
  const store = await openTestStore();
  later(scope, () => store.close());
  const keySecret = await store.keySecret();
  const server = await serve(
    scope,
    {
      DATABASE_URL: databaseUrl(store.connection),
      KEY_SECRET: keySecret,
      ADMIN_PORT: await freePort(),
      RATE_LIMIT: "0",
      ...environment,
    },
    args,
  );
  const db = store.open({ applicationName: "rollbook test" });
  const newStudio = async (): Promise<Studio> => {
    const { id: organizationId } = await createOrganization(db, "test", {
      name: "Studio Test",
      timezone: "America/Sao_Paulo",
      currency: "BRL",
      plan: "Pro",
    });
    const locationId = await addLocation(db, organizationId);
    const { key } = await mintKey(db, keySecret, "test", { organizationId });
    return { key, organizationId, locationId };
  };
  // The server is a primary and its workers.
  const sumOfProcesses = async (of: (pid: string) => Promise<number>): Promise<number> => {
    const primary = String(server.child.pid);
    const children = await readFile(`/proc/${primary}/task/${primary}/children`, "utf8");
    const each = await Promise.all([primary, ...children.split(" ").filter(Boolean)].map(of));
    return each.reduce((sum, one) => sum + one, 0);
  };
  return {
    url: server.url,
    server,
    store,
    keySecret,
    ...(await newStudio()),
    newStudio,
    metrics: async () => (await fetch(`${server.adminUrl}/metrics`)).text(),
    residentBytes: () =>
      sumOfProcesses(
        async (pid) =>
          1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]),
      ),
    openFiles: () => sumOfProcesses(async (pid) => (await readdir(`/proc/${pid}/fd`)).length),
    async processorTime() {
      return {
        ranMs: await sumOfProcesses(async (pid) => (await processorTime(pid)).ranMs),
        waitedMs: await sumOfProcesses(async (pid) => (await processorTime(pid)).waitedMs),
      };
    },
  };
}

/** How long the thread with the event loop ran so far, and how long it could have run but waited for a processor. */
export interface ProcessorTime {
  readonly ranMs: number;
  readonly waitedMs: number;
}

/** Of a process of this machine; nothing where the kernel does not count it. */
export async function processorTime(pid = "self"): Promise<ProcessorTime> {
  const counts = await readFile(`/proc/${pid}/schedstat`, "utf8").catch(() => "");
  const [ran = 0, waited = 0] = counts.split(" ").map((nanoseconds) => Number(nanoseconds) / 1e6);
  return { ranMs: ran, waitedMs: waited };
}

/**
 * How much of a time between two readings was the process's own, by its share of the processor meanwhile: on a machine with
 * a load of 8 an event loop that is held for 20 ms is late by some 80.
 */
export function ownPart(lateMs: number, before: ProcessorTime, after: ProcessorTime): number {
  const [ran, waited] = [after.ranMs - before.ranMs, after.waitedMs - before.waitedMs];
  return ran > 0 ? (lateMs * ran) / (ran + waited) : lateMs;
}

/** One reading out of the metrics: `metric(text, 'rollbook_event_loop_delay_seconds{quantile="1"}')`. */
export function metric(text: string, name: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  if (line === undefined) throw new Error(`there is no metric ${name}`);
  return Number(line.slice(name.length + 1));
}

export async function freePort(): Promise<string> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return String(typeof address === "object" ? address?.port : "");
}

/** A scope for programs that are no test. */
export class Closing implements Scope {
  readonly #works: (() => Promise<void>)[] = [];

  after(work: () => Promise<void>): void {
    this.#works.push(work);
  }

  async close(): Promise<void> {
    for (const work of this.#works.splice(0).reverse()) await work();
  }
}
