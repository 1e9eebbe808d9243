import cluster from "node:cluster";
import type { Logger } from "pino";
import { beatForPrimary, followPrimary, primary, startWorkers } from "../process/cluster.ts";
import { type Config, clockWarning, publicUrl } from "../process/config.ts";
import { choosePort, startAdmin, startServing } from "../process/server-process.ts";
import type { Store } from "../process/store.ts";
import { startWatchdog } from "../process/watchdog.ts";
import type { CommandCall } from "./command.ts";
import { offerDemo } from "./demo-run.ts";
import { Interrupted } from "./signals.ts";

/** Serves until it is asked to stop. */
export async function serve(
  { config, flags, store, signal, out }: CommandCall,
  logger: Logger,
): Promise<void> {
  if (cluster.isWorker) return serveAsWorker(config, await store(), logger);
  const stopAsked = stopSignal(signal, logger);
  const opened = await store();
  const chosen = { ...config, port: await choosePort(config) };
  const untilStopped = async () => {
    const warning = clockWarning(config);
    if (warning) logger.warn(warning);
    announce(chosen, logger);
    startWatchdog(config.stallSeconds);
    if (!flags["no-demo"]) await offerDemo(chosen, opened, out);
    await stopAsked;
  };
  if (config.workers > 1) await serveWithWorkers(chosen, logger, untilStopped);
  else await serveAlone(chosen, opened, logger, untilStopped);
}

async function serveAlone(
  config: Config,
  store: Store,
  logger: Logger,
  untilStopped: () => Promise<void>,
): Promise<void> {
  const serving = await startServing(config, store, logger);
  try {
    await withAdmin(config, serving.renderMetrics, untilStopped);
  } finally {
    await serving.stop();
  }
}

async function serveWithWorkers(
  config: Config,
  logger: Logger,
  untilStopped: () => Promise<void>,
): Promise<void> {
  const workers = startWorkers(config, logger);
  try {
    await workers.ready;
    await withAdmin(config, workers.renderMetrics, untilStopped);
  } finally {
    await workers.stop();
  }
}

async function serveAsWorker(config: Config, store: Store, logger: Logger): Promise<void> {
  const serving = await startServing(config, store, logger);
  beatForPrimary(config.stallSeconds);
  await new Promise<void>((resolve) => followPrimary(serving, resolve));
  await serving.stop(primary);
  if (process.connected) process.disconnect();
}

function announce(config: Config, logger: Logger): void {
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  logger.info(
    { address: `http://${host}:${config.port}` },
    `serving; reference at ${publicUrl(config)}/docs`,
  );
}

async function withAdmin(
  config: Config,
  renderMetrics: () => Promise<string>,
  work: () => Promise<void>,
): Promise<void> {
  const admin =
    config.adminPort === undefined ? undefined : await startAdmin(config.adminPort, renderMetrics);
  try {
    await work();
  } finally {
    admin?.close();
    admin?.closeAllConnections();
  }
}

function stopSignal(stop: AbortSignal, logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      const { reason } = stop;
      logger.info({ ...(reason instanceof Interrupted && { signal: reason.signal }) }, "stopping");
      resolve();
    };
    if (stop.aborted) end();
    else stop.addEventListener("abort", end, { once: true });
  });
}
