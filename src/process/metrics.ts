import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import prometheus from "prom-client";
import type { RequestMetrics } from "../api/server.ts";
import type { KeyOutcome } from "../http/idempotency.ts";
import { Durations } from "./durations.ts";

/** What the operator can watch; served as Prometheus text on the admin port. */
export interface Metrics extends RequestMetrics {
  watchPool(state: () => { total: number; idle: number; waiting: number }): void;
  observeSweep(rows: number): void;
  readonly registry: prometheus.Registry;
}

export function createMetrics(info: Readonly<Record<string, string>>): Metrics {
  const registry = new prometheus.Registry();
  const registers = [registry];
  prometheus.collectDefaultMetrics({ register: registry, prefix: "rollbook_" });

  const durations = new Durations(
    "rollbook_request_duration_seconds",
    "Time to answer a request, by route template and status.",
  );
  registry.registerMetric(durations as unknown as prometheus.Metric);
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
  const swept = new prometheus.Counter({
    name: "rollbook_idempotency_keys_swept_total",
    help: "Expired Idempotency-Keys that were removed.",
    registers,
  });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  new prometheus.Gauge({
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
  new prometheus.Gauge({
    name: "rollbook_info",
    help: "Versions of the program and of its time-zone data.",
    labelNames: Object.keys(info),
    registers,
    aggregator: "first",
  }).set(info, 1);

  return {
    registry,
    observeRequest(method, route, status, milliseconds) {
      durations.observe(method, route, status, milliseconds / 1000);
    },
    observeGateBatch(requests) {
      batch.observe(requests);
    },
    observeKeyedWrite(outcome) {
      keyedBy[outcome].inc();
    },
    observeSweep(rows) {
      swept.inc(rows);
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
