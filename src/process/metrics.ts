import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import prometheus from "prom-client";
import type { NamedOperation, RequestMetrics } from "../api/server.ts";
import type { ArchiveState } from "../db/embedded/archive-state.ts";
import type { CacheState } from "../http/cache.ts";
import type { KeyOutcome } from "../http/idempotency.ts";
import { watchArchive } from "./archive-metrics.ts";
import { Durations } from "./durations.ts";
import { WebhookMetrics } from "./webhook-metrics.ts";

/** What the operator can watch; served as Prometheus text on the admin port. */
export interface Metrics extends RequestMetrics {
  /** Takes what asks the database for its state; it fails when that cannot be reached. */
  watchDatabase(ask: () => Promise<DatabaseState>): void;
  /** Takes what looks at the archive of the built-in PostgreSQL. */
  watchArchive(ask: () => Promise<ArchiveState | undefined>): void;
  observeQueued(milliseconds: number): void;
  watchPool(state: () => { total: number; idle: number; waiting: number }): void;
  observeSweep(rows: number): void;
  readonly webhooks: WebhookMetrics;
  /** Entries of change feeds that were numbered before anybody asked, and that were removed. */
  observeFeed(numbered: number, removed: number): void;
  readonly registry: prometheus.Registry;
}

export interface DatabaseState {
  readonly schemaVersion: number;
  /** Absent if there has been none. */
  readonly backupAgeSeconds?: number | undefined;
}

export function createMetrics(info: Readonly<Record<string, string>>): Metrics {
  const registry = new prometheus.Registry();
  const registers = [registry];
  prometheus.collectDefaultMetrics({ register: registry, prefix: "rollbook_" });
  // Gauges that are named like counters; each is there by kind as well.
  for (const name of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`rollbook_nodejs_active_${name}_total`);

  const durations = new Durations(
    "rollbook_request_duration_seconds",
    "Time to answer a request, by operation, route template and status. Without those that last as long as the caller wants.",
    (method, route) => operationNames().get(nameKey(method, route)) ?? "none",
  );
  let listOperations: () => readonly NamedOperation[] = () => [];
  let names: ReadonlyMap<string, string> = new Map();
  const operationNames = () => {
    const operations = listOperations();
    if (operations.length !== names.size)
      names = new Map(
        operations.map(({ method, path, operationId }) => [nameKey(method, path), operationId]),
      );
    return names;
  };
  registry.registerMetric(durations as unknown as prometheus.Metric);
  const long = new prometheus.Counter({
    name: "rollbook_long_requests_total",
    help: "Answered requests that lasted as long as the caller wanted: waits for news, and downloads.",
    labelNames: ["operation"],
    registers,
  });
  const limited = new prometheus.Counter({
    name: "rollbook_rate_limited_requests_total",
    help: "Requests that were refused with 429.",
    registers,
  });
  const full = new prometheus.Counter({
    name: "rollbook_storage_full_requests_total",
    help: "Requests that were refused because their organization stores as many records as it may.",
    registers,
  });
  const queued = new prometheus.Histogram({
    name: "rollbook_queue_duration_seconds",
    help: "Time that statements and transactions waited for a database connection.",
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const batch = new prometheus.Histogram({
    name: "rollbook_gate_batch_requests",
    help: "Requests that were let in or refused by one statement of the gate.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const keyed = new prometheus.Counter({
    name: "rollbook_keyed_writes_total",
    help: "Writes with an Idempotency-Key: carried out and stored, replayed, refused, or still in progress.",
    labelNames: ["outcome"],
    registers,
  });
  // Found once: to look a label up costs more than to count.
  const keyedBy: Readonly<Record<KeyOutcome, { inc(): void }>> = {
    stored: keyed.labels("stored"),
    replayed: keyed.labels("replayed"),
    refused: keyed.labels("refused"),
    in_progress: keyed.labels("in_progress"),
  };
  const feedEntries = new prometheus.Counter({
    name: "rollbook_change_entries_total",
    help: "Entries of change feeds that were numbered before anybody asked for them, and superseded ones that were removed.",
    labelNames: ["work"],
    registers,
  });
  for (const work of ["numbered", "removed"]) feedEntries.inc({ work }, 0);
  const swept = new prometheus.Counter({
    name: "rollbook_idempotency_keys_swept_total",
    help: "Expired Idempotency-Keys that were removed.",
    registers,
  });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const loop = new prometheus.Gauge({
    name: "rollbook_event_loop_delay_seconds",
    help: "How late the event loop ran since the last reading.",
    labelNames: ["quantile"],
    registers,
    aggregator: "max",
    collect() {
      for (const [quantile, seconds] of delays(delay)) this.set({ quantile }, seconds);
      delay.reset();
    },
  });
  // Quantiles that are measured elsewhere: a summary to Prometheus, which prom-client would measure itself.
  Object.assign(loop, { type: "summary" });
  new prometheus.Gauge({
    name: "rollbook_info",
    help: "Versions of the program and of its time-zone data.",
    labelNames: Object.keys(info),
    registers,
    aggregator: "first",
  }).set(info, 1);

  return {
    registry,
    webhooks: new WebhookMetrics(registers),
    observeRequest({ method, route, status, milliseconds, isLong }) {
      if (status === 429) limited.inc();
      if (!isLong || status >= 400) durations.observe(method, route, status, milliseconds / 1000);
      else long.inc({ operation: operationNames().get(nameKey(method, route)) ?? "none" });
    },
    observeStorageFull() {
      full.inc();
    },
    observeQueued(milliseconds) {
      queued.observe(milliseconds / 1000);
    },
    watchOperations(list) {
      listOperations = list;
    },
    watchCache: (state) => watchCache(registers, state),
    watchDatabase: (ask) => watchDatabase(registers, ask),
    watchArchive: (ask) => watchArchive(registers, ask),
    observeGateBatch(requests) {
      batch.observe(requests);
    },
    observeKeyedWrite(outcome) {
      keyedBy[outcome].inc();
    },
    observeSweep(rows) {
      swept.inc(rows);
    },
    observeFeed(numbered, removed) {
      feedEntries.inc({ work: "numbered" }, numbered);
      feedEntries.inc({ work: "removed" }, removed);
    },
    watchPool(state) {
      new prometheus.Gauge({
        name: "rollbook_pool_connections",
        help: "Database connections of the pool, and requests that wait for one.",
        labelNames: ["state"],
        registers,
        collect() {
          for (const [name, count] of Object.entries(state())) this.set({ state: name }, count);
        },
      });
    },
  };
}

function delays(histogram: IntervalHistogram): [string, number][] {
  return [
    ["0.5", histogram.percentile(50) / 1e9],
    ["0.99", histogram.percentile(99) / 1e9],
    ["1", histogram.max / 1e9],
  ];
}

/** HEAD is GET without the body, and `:id` is how the router writes `{id}`. */
function nameKey(method: string, route: string): string {
  return `${method === "HEAD" ? "GET" : method} ${route.replace(/\{(\w+)\}/g, ":$1")}`;
}

function watchCache(registers: prometheus.Registry[], state: () => CacheState): void {
  new prometheus.Gauge({
    name: "rollbook_cache_bytes",
    help: "Memory that cached responses take.",
    registers,
    collect() {
      this.set(state().bytes);
    },
  });
  new prometheus.Gauge({
    name: "rollbook_cache_limit_bytes",
    help: "Memory that cached responses may take (CACHE_MB).",
    registers,
    collect() {
      this.set(state().maxBytes);
    },
  });
  new prometheus.Counter({
    name: "rollbook_cache_lookups_total",
    help: "Responses that were looked for in the cache, and found or not.",
    labelNames: ["outcome"],
    registers,
    collect() {
      const { hits, misses } = state();
      this.reset();
      this.inc({ outcome: "hit" }, hits);
      this.inc({ outcome: "miss" }, misses);
    },
  });
  new prometheus.Counter({
    name: "rollbook_cache_dropped_bytes_total",
    help: "Cached responses that were dropped to make room for others.",
    registers,
    collect() {
      this.reset();
      this.inc(state().droppedBytes);
    },
  });
}

/** How long the metrics wait for the database. */
const DATABASE_ANSWER_MS = 2_000;

function watchDatabase(registers: prometheus.Registry[], ask: () => Promise<DatabaseState>): void {
  // Asked once for the three of them.
  let asked: Promise<DatabaseState | undefined> | undefined;
  const look = () => {
    asked ??= Promise.race([
      ask().catch(() => undefined),
      delay(DATABASE_ANSWER_MS, undefined, { ref: false }),
    ]).finally(() => setImmediate(() => (asked = undefined)));
    return asked;
  };
  new prometheus.Gauge({
    name: "rollbook_database_up",
    help: "Whether the database answers.",
    registers,
    aggregator: "min",
    async collect() {
      this.set((await look()) ? 1 : 0);
    },
  });
  new prometheus.Gauge({
    name: "rollbook_schema_version",
    help: "The version of the database's schema.",
    registers,
    aggregator: "max",
    async collect() {
      const state = await look();
      if (state) this.set(state.schemaVersion);
      // Without labels a gauge begins at 0, which no schema is.
      else this.remove();
    },
  });
  new prometheus.Gauge({
    name: "rollbook_backup_age_seconds",
    help: "Time since the last backup that succeeded; absent if there has been none.",
    // Without labels a gauge begins at 0, which would be a backup of this moment.
    labelNames: ["kind"],
    registers,
    aggregator: "min",
    async collect() {
      this.reset();
      const age = (await look())?.backupAgeSeconds;
      if (age !== undefined) this.set({ kind: "full" }, age);
    },
  });
}
