import { rmSync } from "node:fs";
import { chmod, mkdtemp, readFile, readlink, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../../src/db/embedded/supervisor.ts";
import { migrate } from "../../src/db/migrate.ts";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import { ClientInserts, createClient } from "../../src/domain/clients/operations.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { openStore } from "../../src/process/store.ts";
import { until } from "../support/poll.ts";
import { type Environment, type Running, startProgram } from "../support/processes.ts";
import { addContract, addLocation, addPlan, addServiceType } from "../support/records.ts";
import { signInOwner } from "../support/staff.ts";
import { copyData, templateData } from "../support/template.ts";
import { LONGEST_WAIT_MS } from "./caller.ts";
import { beginClientLog, type ClientLog } from "./verify-journal.ts";

/** A studio in a database, to write to. */
export interface Studio {
  readonly organizationId: string;
  readonly key: string;
  readonly locationIds: readonly string[];
  readonly serviceTypeId: string;
  /** The cookie of an owner who is signed in. */
  readonly cookie: string;
  /** Where it stood before anyone wrote. */
  readonly log: ClientLog;
}

/** The program as an operator has it installed: a place for its data, a port, and the means to start it again. */
export interface Site {
  readonly port: number;
  readonly studio: Studio;
  /** For looking into the database past the program. */
  readonly connection: ConnectionSettings;
  running(): Running;
  /** Starts it, with more in its environment if that is given. */
  start(more?: Environment): Promise<void>;
  /** Ends it as an operator would, and says with which code it went. */
  stop(): Promise<number | null>;
  /** Ends what is left and removes the data. */
  remove(): Promise<void>;
}

export interface EmbeddedSite extends Site {
  readonly cluster: string;
  postmaster(): Promise<number | undefined>;
  /** The database alone, while the server is stopped. */
  openData(): Promise<{ close(): Promise<void> }>;
}

export interface SiteOptions {
  readonly workers: number;
  readonly environment?: Environment;
}

/** With the built-in PostgreSQL, in a directory of its own or the one given. */
export async function openEmbeddedSite(options: SiteOptions & { place?: string }): Promise<EmbeddedSite> {
  const place = options.place ?? (await newPlace());
  const dataDir = join(place, "data");
  const cluster = join(dataDir, "postgres");
  const connection = { host: cluster, port: 5432, user: "rollbook", database: "rollbook" };
  template ??= makeTemplate();
  const { path, studio } = await template;
  await copyData(path, dataDir);
  const site = await openSite(options, studio, { DATA_DIR: dataDir }, connection);
  const postmaster = () => pidIn(join(cluster, "postmaster.pid"));
  return {
    ...site,
    cluster,
    postmaster,
    openData: () => openEmbedded({ dataDir }),
    async remove() {
      await site.remove();
      const pid = await postmaster();
      if (pid !== undefined && !(await isGone(pid))) {
        process.kill(pid, "SIGQUIT");
        await until("PostgreSQL is gone", () => isGone(pid));
      }
      await rm(place, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A data directory with a studio in it, to copy: to make one takes longer than to break it. */
let template: Promise<{ path: string; studio: Studio }> | undefined;

async function makeTemplate(): Promise<{ path: string; studio: Studio }> {
  const place = await newPlace();
  process.once("exit", () => rmSync(place, { recursive: true, force: true }));
  const path = join(place, "data");
  await copyData(await templateData(), path);
  return { path, studio: await newStudio({ dataDir: path, databaseUrl: undefined, keySecret: undefined }) };
}

/** A directory that the account of PostgreSQL may pass. */
export async function newPlace(within = tmpdir()): Promise<string> {
  const place = await mkdtemp(join(within, "rollbook-crash-"));
  await chmod(place, 0o755);
  return place;
}

/** On an operator's own PostgreSQL; with a studio, a further node for it. */
export async function openExternalSite(
  options: SiteOptions & { databaseUrl: string; connection: ConnectionSettings; studio?: Studio },
): Promise<Site> {
  const keySecret = "a secret for nobody but this test";
  const { databaseUrl, connection } = options;
  const place = { dataDir: "unused", databaseUrl, keySecret };
  const studio = options.studio ?? (await newStudio(place, connection));
  return openSite(options, studio, { DATABASE_URL: databaseUrl, KEY_SECRET: keySecret }, connection);
}

async function openSite(
  options: SiteOptions,
  studio: Studio,
  environment: Environment,
  connection: ConnectionSettings,
): Promise<Site> {
  const port = await freePort();
  const adminPort = await freePort();
  const whole: Environment = {
    ...environment,
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    WORKERS: String(options.workers),
    LOG_LEVEL: "error",
    // On, so that its statements are part of it all, and never reached.
    RATE_LIMIT: "600000",
    RATE_BURST: "1000000",
    ...options.environment,
  };
  let running: Running | undefined;
  const started = (): Running => {
    if (!running) throw new Error("it has not been started");
    return running;
  };
  const hasEnded = () => running === undefined || hasExited(running);
  return {
    port,
    studio,
    connection,
    running: started,
    async start(more = {}) {
      const next = startProgram(["serve", "--no-demo"], { ...whole, ...more });
      running = next;
      await until("the server is ready", async () => {
        if (hasExited(next)) throw new Error(`the server ended: ${next.output()}`);
        // The admin port opens when every worker listens: a worker that dies before that ends the program.
        return (await readiness(port)) === "ready" && isOpen(adminPort);
      });
    },
    async stop() {
      const { child, ended } = started();
      child.kill("SIGTERM");
      return (await ended).code;
    },
    async remove() {
      if (hasEnded()) return;
      const { child, ended } = started();
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** What the server says of itself over a new connection: "ready" if it is. */
export async function readiness(port: number): Promise<string> {
  const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
  return fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: "close" }, signal }).then(
    async (response) => (await response.text()).trim(),
    (error: Error) => String(error.cause ?? error),
  );
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

export function hasExited({ child }: Running): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** The processes that a process has started, on Linux. */
/** The processes that a server has started from its own program: not PostgreSQL. */
export async function workersOf(pid: number): Promise<number[]> {
  const children = await childrenOf(pid);
  const programs = await Promise.all(children.map((child) => readlink(`/proc/${child}/exe`).catch(() => "")));
  return children.filter((_, place) => programs[place] === process.execPath);
}

export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

/** Whether a process has ended, on Linux; it may be that nobody has taken note of it yet. */
export async function isGone(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text === "" || /\) [ZX] /.test(text);
}

async function pidIn(path: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(path, "utf8").catch(() => ""), 10);
  return pid > 0 ? pid : undefined;
}

/** With an operator's PostgreSQL, how it is reached without the choice among hosts that the store makes. */
export async function newStudio(
  place: Parameters<typeof openStore>[0],
  connection?: ConnectionSettings,
): Promise<Studio> {
  const store = await openStore(place);
  try {
    await migrate(store.connection);
    const db = store.open({ applicationName: "crash test" });
    const details = { name: "Studio", timezone: "America/Sao_Paulo", currency: "BRL", plan: "Pro" } as const;
    const { id: organizationId } = await createOrganization(db, "crash test", details);
    const { key } = await mintKey(db, await store.keySecret(), "crash test", { organizationId });
    const locationIds: string[] = [];
    for (const name of ["Centro", "Praia", "Serra"])
      locationIds.push(await addLocation(db, organizationId, { name }));
    const serviceTypeId = await addServiceType(db, organizationId);
    const cookie = `rollbook=${await signInOwner(db, organizationId, await store.keySecret())}`;
    const planId = await addPlan(db, organizationId);
    const facts = { now: await db.now(), today: "2026-01-01", locationIds };
    const inserts = new ClientInserts(db);
    const input = { contactName: "Bruno", locationIds };
    const { id: clientId } = await createClient(db, inserts, organizationId, input, facts);
    for (const status of ["active", "paused"] as const)
      await addContract(db, organizationId, { clientId, planId, status });
    const log = await beginClientLog(connection ?? store.connection, organizationId);
    return { organizationId, key, locationIds, serviceTypeId, cookie, log };
  } finally {
    await store.close();
  }
}

async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
