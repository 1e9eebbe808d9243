import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { buildServer } from "../api/server.ts";
import { isUnavailable } from "../core/errors.ts";
import { lastBackupStatement } from "../data/backup/last-backup.ts";
import type { OpenDatabase, ShortReads } from "../db/database.ts";
import { readArchiveState } from "../db/embedded/archive-state.ts";
import { nameDatabase } from "../db/history.ts";
import { latestVersion } from "../db/migrate.ts";
import { read } from "../db/statements.ts";
import { tzdataVersion } from "../domain/recurrence/zones.ts";
import { type Acceptor, Connections } from "../http/connections.ts";
import { StallGuard, type Suspension } from "../http/stalls.ts";
import { readWebhookFigures } from "../sync/webhooks/sender-queries.ts";
import { WebhookSender } from "../sync/webhooks/webhook-sender.ts";
import { type Config, callRules, organizationLimits, programVersion, publicUrl } from "./config.ts";
import { FeedTask } from "./feed-task.ts";
import { cacheMegabytes } from "./memory.ts";
import { createMetrics, type DatabaseState, type Metrics } from "./metrics.ts";
import type { ToldMetric } from "./otlp.ts";
import type { Store } from "./store.ts";
import { Sweep } from "./sweep.ts";
import { TzdataTask } from "./tzdata-task.ts";

/** A serving process: listening, and able to stop without cutting a request off. */
export interface Serving {
  readonly metrics: Metrics;
  readonly stalls: StallGuard;
  /** `drainMs` is how long it is known as not ready before it refuses connections: as configured unless given. */
  stop(options?: {
    readonly acceptor?: Acceptor | undefined;
    readonly drainMs?: number | undefined;
  }): Promise<void>;
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

export async function startServing(
  config: Config,
  store: Store,
  logger: Logger,
  suspensions: readonly Suspension[],
): Promise<Serving> {
  const stalls = new StallGuard(Date.now);
  for (const suspension of suspensions) stalls.suspend(suspension);
  const metrics = createMetrics({ version: programVersion(), tzdata: tzdataVersion() });
  const db = store.open({
    applicationName: "rollbook serve",
    onQueued: (milliseconds) => metrics.observeQueued(milliseconds),
    poolSize: config.poolSize,
    snapshots: config.downloads,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    expensiveTimeoutMs: EXPENSIVE_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
  });
  metrics.watchPool(() => db.poolState());
  metrics.webhooks.watch(() => readWebhookFigures(db));
  metrics.watchDatabase(() => databaseState(db));
  const { dataDir } = store;
  if (dataDir && store.embedded?.archiving) metrics.watchArchive(() => readArchiveState(dataDir));
  const keySecret = await store.keySecret();
  const telemetry =
    config.otlpEndpoint && (await openTelemetry(config, config.otlpEndpoint, metrics, logger));
  let draining = false;
  let sender: WebhookSender | undefined;
  let watch: { stop(): void } | undefined;

  const app = buildServer({
    db,
    keySecret,
    rate: config.rateLimit === 0 ? undefined : { perMinute: config.rateLimit, burst: config.rateBurst },
    limits: organizationLimits(config),
    publicUrl: publicUrl(config),
    callRules: callRules(config),
    mcpOrigins: config.mcp === "on" && config.mcpOrigins,
    version: programVersion(),
    hasApplication: config.console === "on",
    requireIfMatch: config.requireIfMatch,
    cacheBytes: cacheMegabytes(config) * 1024 * 1024,
    downloads: { atOnce: config.downloads },
    logger,
    logsSuccesses: config.logRequests === "all",
    slowMs: config.slowMs,
    metrics,
    tracing: telemetry || undefined,
    stalls,
    onWritten: () => sender?.wake(),
    isReady: readiness(db, await latestVersion()),
    nameDatabase: () => nameDatabase(db),
    isDraining: () => draining,
    watchDatabase: (report) => {
      watch = store.connection.servers?.watch({
        onConflict: report,
        onStray: (sentence) => logger.error(sentence),
      });
    },
  });
  const connections = new Connections(app.server);
  // One process alone takes its connections itself: several are given them by the primary.
  await app.listen({ host: config.host, port: config.port, exclusive: config.workers === 1 });
  const sweep = new Sweep({ db, logger, onSwept: (rows) => metrics.observeSweep(rows) });
  const feed = new FeedTask({
    db,
    logger,
    keptDays: config.changesDays,
    onDone: (numbered, removed) => metrics.observeFeed(numbered, removed),
  });
  const tzdata = new TzdataTask(db, logger);
  sender = new WebhookSender({
    db,
    keySecret,
    publicUrl: publicUrl(config),
    version: programVersion(),
    rules: callRules(config),
    onAttempt: (outcome) => metrics.webhooks.observe(outcome),
    onError: (err) => {
      // That the database is unavailable is logged once, by whoever asks it for a caller.
      if (!isUnavailable(err)) logger.warn({ err }, "webhooks could not be sent; retrying");
    },
  });

  return {
    metrics,
    stalls,
    async stop({ acceptor, drainMs = config.drainMs } = {}) {
      draining = true;
      watch?.stop();
      const cutOff = setTimeout(() => app.server.closeAllConnections(), CUT_OFF_MS);
      // Balancers see /readyz fail and callers get Connection: close before any is refused.
      await delay(drainMs);
      await connections.stopListening(acceptor);
      // A request that was answered before that leaves its connection open and idle. What has come while the process
      // stalled is read before the check: timers come first in a turn of the loop, then reading, then this.
      const idle = setInterval(() => setImmediate(() => connections.closeIdle()), IDLE_CHECK_MS);
      await Promise.all([app.close(), sender?.stop(), sweep.stop(), feed.stop(), tzdata.stop()]);
      clearInterval(idle);
      clearTimeout(cutOff);
      if (telemetry) await telemetry.stop();
    },
  };
}

/** Loaded where a collector is named, and nowhere else. */
async function openTelemetry(config: Config, endpoint: string, metrics: Metrics, logger: Logger) {
  const { Telemetry } = await import("./telemetry.ts");
  return new Telemetry({
    settings: {
      ...{
        endpoint,
        headers: config.otlpHeaders,
        serviceName: config.otelServiceName,
        resource: config.otelResource,
      },
      ...{ sampler: config.otelSampler, ratio: config.otelSamplerRatio, everyMs: config.otelIntervalMs },
      sendsTraces: config.otelTraces === "otlp",
      sendsMetrics: config.otelMetrics === "otlp",
    },
    version: programVersion(),
    logger,
    readMetrics: async () => (await metrics.registry.getMetricsAsJSON()) as unknown as ToldMetric[],
  });
}

const schemaVersionStatement = read(
  "schema_version",
  `select max(version) as version, current_setting('transaction_read_only') = 'off' as "takesWrites"
   from schema_migrations`,
);

async function databaseState(db: OpenDatabase): Promise<DatabaseState> {
  const [schema] = await db.query<{ version?: number }>(schemaVersionStatement);
  const [backup] = await db.query<{ lastBackup: string }>(lastBackupStatement);
  const now = await db.now();
  return {
    schemaVersion: schema?.version ?? 0,
    backupAgeSeconds: backup && (now - Date.parse(backup.lastBackup)) / 1000,
  };
}

function readiness(db: ShortReads, needed: number): () => Promise<boolean> {
  return async () => {
    const [row] = await db.query<{ version?: number; takesWrites: boolean }>(schemaVersionStatement);
    // All but a few answers write something: one that is read-only is as good as gone.
    return row?.takesWrites === true && (row.version ?? 0) >= needed;
  };
}
