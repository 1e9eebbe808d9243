import type { Logger } from "pino";
import { followPrimary, primary, REPORT_FILE } from "../process/cluster.ts";
import { shareMetrics } from "../process/cluster-metrics.ts";
import { startServing } from "../process/server-process.ts";
import { startWatchdog } from "../process/watchdog.ts";
import type { CommandCall } from "./command.ts";
import { offerDemo } from "./demo-run.ts";

/** Answers requests until the primary says stop, or is gone. */
export async function serveAsWorker({ config, store, out }: CommandCall, logger: Logger): Promise<void> {
  const orders = followPrimary();
  const opening = await orders.opening;
  if (!opening) return;
  const own = { ...config, port: opening.port };
  const opened = await store({ log: (message) => logger.info(message) });
  const serving = await startServing(own, opened, logger, opening.suspensions);
  orders.onSuspend((suspension) => serving.stalls.suspend(suspension));
  shareMetrics(serving.metrics.registry);
  // Begins when the worker serves: loading the program is one long turn.
  startWatchdog(config.stallSeconds, serving.stalls, REPORT_FILE);
  orders.onDemo(() => {
    offerDemo(own, opened, out).catch((err: unknown) =>
      logger.error({ err }, "the demo organization could not be made"),
    );
  });
  orders.tellServing();
  const { isOrphan } = await orders.stopped;
  await serving.stop({
    acceptor: config.workers > 1 ? primary : undefined,
    // The next server may be starting, and needs the port.
    drainMs: isOrphan ? 0 : undefined,
  });
  if (process.connected) process.disconnect();
}
