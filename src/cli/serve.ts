import cluster from "node:cluster";
import type { Server } from "node:http";
import type { Logger } from "pino";
import { obeyPrimary, startWorkers } from "../cluster.ts";
import type { Config } from "../config.ts";
import { createLogger } from "../logs.ts";
import { publicUrl, startAdmin, startServing } from "../serve.ts";
import type { Store } from "../store.ts";
import type { Command } from "./command.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "migrate, then serve the API until SIGTERM or SIGINT",
  run: async ({ config, store }) => {
    const logger = createLogger(config, process.stdout.isTTY === true);
    const opened = await store();
    if (cluster.isWorker) await serveAsWorker(config, opened, logger);
    else if (config.workers > 1) await serveWithWorkers(config, logger);
    else await serveAlone(config, opened, logger);
  },
};

async function serveAlone(config: Config, store: Store, logger: Logger): Promise<void> {
  const serving = await startServing(config, store, logger);
  const admin = await openAdmin(config, () => serving.metrics.registry.metrics());
  logger.info(
    { address: `http://${config.host}:${serving.port}` },
    `serving; reference at ${publicUrl(config)}/docs`,
  );
  await stopSignal(logger);
  await serving.stop();
  admin?.close();
}

async function serveWithWorkers(config: Config, logger: Logger): Promise<void> {
  const workers = startWorkers(config, logger);
  const admin = await openAdmin(config, workers.renderMetrics);
  await workers.ready;
  logger.info(
    { address: `http://${config.host}:${config.port}` },
    `serving with ${config.workers} workers; reference at ${publicUrl(config)}/docs`,
  );
  await stopSignal(logger);
  await workers.stop();
  admin?.close();
}

async function serveAsWorker(config: Config, store: Store, logger: Logger): Promise<void> {
  // A Ctrl-C reaches the whole process group; when workers stop is the primary's decision.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => {});
  const serving = await startServing(config, store, logger);
  await new Promise<void>((resolve, reject) => {
    let stopped: Promise<void> | undefined;
    obeyPrimary(serving, () => {
      stopped ??= serving.stop().then(resolve, reject);
      return stopped;
    });
  });
  process.disconnect?.();
}

async function openAdmin(config: Config, render: () => Promise<string>): Promise<Server | undefined> {
  return config.adminPort === undefined ? undefined : startAdmin(config.adminPort, render);
}

function stopSignal(logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => {
        logger.info({ signal }, "stopping");
        resolve();
      });
    }
  });
}
