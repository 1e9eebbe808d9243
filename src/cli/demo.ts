import type { Command } from "./command.ts";

export const demoCommand: Command = {
  name: "demo",
  summary: "create a demo organization; its key is shown once, on standard output alone",
  createsDatabase: true,
  run: async (call) => (await import("./demo-run.ts")).demonstrate(call),
};
