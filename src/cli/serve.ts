import cluster from "node:cluster";
import { archiveRequest } from "../process/config.ts";
import type { Store } from "../process/store.ts";
import type { Command } from "./command.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "migrate, then serve the API until SIGTERM or SIGINT",
  createsDatabase: true,
  endsBySignal: true,
  flags: { "no-demo": { help: "leave a new, empty built-in database empty" } },
  // Loaded when it is called for: the other commands start in a quarter of the time without it.
  run: async (call) => {
    const { createLogger, standardOutput } = await import("../process/logs.ts");
    const logger = createLogger(call.config, standardOutput());
    if (cluster.isWorker) return (await import("./serve-worker.ts")).serveAsWorker(call, logger);
    // PostgreSQL starts while the rest of the program is loaded; serve() hears of a failure when it asks again.
    const log = (message: string) => logger.info(message);
    const confirm = async (store: Store) => {
      await store.checkKeySecret();
      await (await import("../process/listening.ts")).requirePorts(call.config);
    };
    const archive = archiveRequest(call.config);
    call
      .store({ schema: "migrated", confirm, archive, ...(!process.stderr.isTTY && { log }) })
      .catch(() => {});
    await (await import("./serve-run.ts")).serve(call, logger);
  },
};
