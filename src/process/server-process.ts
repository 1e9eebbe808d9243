import { createServer, type Server } from "node:http";
import { createServer as createListener, type Server as NetServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { buildServer } from "../api/server.ts";
import { tzdataVersion } from "../calendar/zones.ts";
import { AppError } from "../core/errors.ts";
import type { ShortReads } from "../db/database.ts";
import { listMigrations } from "../db/migrate.ts";
import { read } from "../db/statements.ts";
import { type Acceptor, Connections } from "../http/connections.ts";
import { type Config, programVersion, publicUrl } from "./config.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import type { Store } from "./store.ts";
import { Sweep } from "./sweep.ts";

/** A serving process: listening, and able to stop without cutting a request off. */
export interface Serving {
  readonly metrics: Metrics;
  readonly renderMetrics: () => Promise<string>;
  stop(acceptor?: Acceptor): Promise<void>;
}

/** A statement of the API may not hold its connection longer than a caller would wait. */
const STATEMENT_TIMEOUT_MS = 8_000;
/** A search that takes longer keeps others of its organization waiting, and a core of PostgreSQL busy. */
const EXPENSIVE_TIMEOUT_MS = 3_000;
/** A write that waits for another one gives its connection back after this time. */
const LOCK_TIMEOUT_MS = 1_000;
/** Requests that are still running this long after the stop began are cut off. */
export const CUT_OFF_MS = 6_500;
const IDLE_CHECK_MS = 50;

export async function startServing(config: Config, store: Store, logger: Logger): Promise<Serving> {
  const db = store.open({
    applicationName: "rollbook serve",
    poolSize: config.poolSize,
    snapshots: config.downloads,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    expensiveTimeoutMs: EXPENSIVE_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
  });
  const metrics = createMetrics({ version: programVersion(), tzdata: tzdataVersion() });
  metrics.watchPool(() => db.poolState());
  let draining = false;

  const app = buildServer({
    db,
    keySecret: await store.keySecret(),
    rate: config.rateLimit === 0 ? undefined : { perMinute: config.rateLimit, burst: config.rateBurst },
    publicUrl: publicUrl(config),
    version: programVersion(),
    hasApplication: config.console === "on",
    requireIfMatch: config.requireIfMatch,
    cacheBytes: config.cacheMegabytes * 1024 * 1024,
    downloads: { atOnce: config.downloads },
    logger,
    logsSuccesses: config.logRequests === "all",
    metrics,
    isReady: readiness(db, (await listMigrations()).at(-1)?.version ?? 0),
    isDraining: () => draining,
  });
  const connections = new Connections(app.server);
  await app.listen({ host: config.host, port: config.port });
  const sweep = new Sweep({ db, logger, onSwept: (rows) => metrics.observeSweep(rows) });

  return {
    metrics,
    renderMetrics: () => metrics.registry.metrics(),
    async stop(acceptor) {
      draining = true;
      const cutOff = setTimeout(() => app.server.closeAllConnections(), CUT_OFF_MS);
      // Balancers see /readyz fail and callers get Connection: close before any is refused.
      await delay(config.drainMs);
      await connections.stopListening(acceptor);
      // A request that was answered before that leaves its connection open and idle. What has come while the process
      // stood still is read before the look: timers come first in a turn of the loop, then reading, then this.
      const idle = setInterval(() => setImmediate(() => connections.closeIdle()), IDLE_CHECK_MS);
      await Promise.all([app.close(), sweep.stop()]);
      clearInterval(idle);
      clearTimeout(cutOff);
    },
  };
}

/** The port to listen on, known to be free: the configured one, or with port 0 any that is. */
export async function choosePort({ host, port }: Pick<Config, "host" | "port">): Promise<number> {
  const listener = createListener();
  await listen(listener, host, port, "--port");
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return typeof address === "object" && address ? address.port : port;
}

/** Serves `/metrics` to the operator, on loopback only. */
export async function startAdmin(port: number, render: () => Promise<string>): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    render().then(
      (text) =>
        response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await listen(server, "127.0.0.1", port, "--admin-port");
  return server;
}

async function listen(server: NetServer, host: string, port: number, flag: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    const sentence =
      cause.code === "EADDRINUSE"
        ? `Port ${port} is in use already: choose another with ${flag}.`
        : cause.code === "EACCES"
          ? `This user may not listen on port ${port}: choose another with ${flag}.`
          : `Cannot listen on ${host}, port ${port}: ${cause.code ?? cause.message}.`;
    throw new AppError("unavailable", sentence, { cause });
  });
}

const schemaVersionStatement = read(
  "schema_version",
  "select max(version) as version from schema_migrations",
);

function readiness(db: ShortReads, needed: number): () => Promise<boolean> {
  return async () => {
    const [row] = await db.query<{ version?: number }>(schemaVersionStatement);
    return (row?.version ?? 0) >= needed;
  };
}
