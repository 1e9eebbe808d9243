import cluster, { type Worker } from "node:cluster";
import type { Logger } from "pino";
import prometheus from "prom-client";
import type { Config } from "./config.ts";
import type { Serving } from "./serve.ts";

/** How long a worker that died at once is left alone before the next try. */
const RESTART_PAUSE_MS = 500;

export interface Workers {
  readonly ready: Promise<void>;
  stop(): Promise<void>;
  renderMetrics(): Promise<string>;
}

/** Runs `config.workers` processes that share the port; one that dies is replaced. */
export function startWorkers(config: Config, logger: Logger): Workers {
  let stopping = false;
  const aggregator = new prometheus.AggregatorRegistry();
  const leave = new Map<Worker, Promise<void>>();

  const start = (): Promise<void> => {
    const worker = cluster.fork();
    const startedAt = Date.now();
    leave.set(
      worker,
      new Promise((resolve) => {
        worker.once("exit", (code, signal) => {
          leave.delete(worker);
          resolve();
          if (stopping) return;
          logger.error({ worker: worker.id, status: code, signal }, "a worker died; starting another");
          const pause = Date.now() - startedAt < 5_000 ? RESTART_PAUSE_MS : 0;
          setTimeout(() => {
            if (!stopping) void start();
          }, pause);
        });
      }),
    );
    return new Promise((resolve) => worker.once("listening", () => resolve()));
  };

  return {
    ready: Promise.all(Array.from({ length: config.workers }, start)).then(() => {}),
    async stop() {
      stopping = true;
      const left = [...leave.values()];
      for (const worker of leave.keys()) worker.send("stop");
      await Promise.all(left);
    },
    renderMetrics: () => aggregator.clusterMetrics(),
  };
}

/** The worker's side: stops when the primary says so, or is gone. */
export function obeyPrimary(serving: Serving, stop: () => Promise<void>): void {
  prometheus.AggregatorRegistry.setRegistries(serving.metrics.registry);
  process.on("message", (message) => {
    if (message === "stop") void stop();
  });
  process.on("disconnect", () => void stop());
}
