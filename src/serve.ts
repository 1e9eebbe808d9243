import { createServer, type Server } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { tzdataVersion } from "./calendar/zones.ts";
import { type Config, programVersion } from "./config.ts";
import { type Database, read } from "./db/database.ts";
import { listMigrations } from "./db/migrate.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { buildServer } from "./server.ts";
import type { Store } from "./store.ts";

/** A serving process: listening, and able to stop without cutting a request off. */
export interface Serving {
  readonly port: number;
  readonly metrics: Metrics;
  stop(): Promise<void>;
}

/** A statement of the API may not hold its connection longer than a caller would wait. */
const STATEMENT_TIMEOUT_MS = 8_000;
/** Requests that are still running this long after the drain began are cut off. */
const DRAIN_DEADLINE_MS = 7_000;

export async function startServing(config: Config, store: Store, logger: Logger): Promise<Serving> {
  const db = store.open({
    applicationName: "rollbook serve",
    poolSize: config.poolSize,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
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
    reuseBytes: config.reuseMegabytes * 1024 * 1024,
    logger,
    metrics,
    isReady: readiness(db, (await listMigrations()).at(-1)?.version ?? 0),
    isDraining: () => draining,
  });
  await app.listen({ host: config.host, port: config.port });

  return {
    port: portOf(app),
    metrics,
    async stop() {
      draining = true;
      // Balancers see /readyz fail and callers are told to close their connections before any is refused.
      await new Promise((resolve) => setTimeout(resolve, config.drainMs));
      const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_DEADLINE_MS);
      await app.close();
      clearTimeout(cut);
    },
  };
}

/** Serves `/metrics` to the operator, on loopback only. */
export async function startAdmin(port: number, render: () => Promise<string>): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    render().then(
      (text) =>
        response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

/** The address callers use: as configured, else this machine under the name that works in a browser. */
export function publicUrl(config: Pick<Config, "publicUrl" | "port">): string {
  return config.publicUrl ?? `http://localhost:${config.port}`;
}

const schemaVersion = read("schema_version", "select max(version) as version from schema_migrations");

function readiness(db: Database, needed: number): () => Promise<boolean> {
  return async () => {
    const [row] = await db.query<{ version?: number }>(schemaVersion);
    return (row?.version ?? 0) >= needed;
  };
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === "object" && address ? address.port : 0;
}
