import type { Command } from "./command.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "say what is wrong with this installation",
  flags: { backups: { value: "FOLDER", help: "where backups are kept, to read the newest" } },
  run: async (call) => (await import("./doctor-run.ts")).doctor(call),
};
