import type { Logger } from "pino";
import { ArchiveTask } from "../process/archive-task.ts";
import { startWorkers } from "../process/cluster.ts";
import { type Config, clockWarning, publicUrl } from "../process/config.ts";
import { choosePort, startAdmin } from "../process/listening.ts";
import type { CommandCall } from "./command.ts";
import { Interrupted } from "./signals.ts";

/**
 * Serves until it is asked to stop. This process has PostgreSQL and starts those that answer requests: what they load is
 * kept out of it, and so are requests, so that nothing can hold it up.
 */
export async function serve(
  { config, flags, store, signal, hurry }: CommandCall,
  logger: Logger,
): Promise<void> {
  const stopAsked = stopSignal(signal, logger);
  const workers = startWorkers(config, logger);
  let archive: ArchiveTask | undefined;
  hurry.addEventListener("abort", () => workers.kill());
  try {
    const opened = await store();
    // What is wrong with it is said once, here.
    await opened.keySecret();
    if (opened.embedded?.archiving) archive = new ArchiveTask(opened, config, logger);
    const chosen = { ...config, port: await choosePort(config) };
    await Promise.race([workers.open(chosen.port), stopAsked]);
    await withAdmin(config, workers.renderMetrics, async () => {
      const warning = clockWarning(config);
      if (warning) logger.warn(warning);
      if (!signal.aborted) announce(chosen, logger);
      if (!flags["no-demo"]) workers.offerDemo();
      await stopAsked;
    });
  } finally {
    await Promise.all([workers.stop(), archive?.stop()]);
  }
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
  const admin = config.adminPort === undefined ? undefined : await startAdmin(config, renderMetrics);
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
