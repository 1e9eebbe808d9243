import type { Command } from "./command.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "migrate, then serve the API until SIGTERM or SIGINT",
  createsDatabase: true,
  endsBySignal: true,
  flags: { "no-demo": { help: "leave a new, empty built-in database empty" } },
  // Loaded when it is called for: the other commands start in a quarter of the time without it.
  run: async (call) => (await import("./serve-run.ts")).serve(call),
};
