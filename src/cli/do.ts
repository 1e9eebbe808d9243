import type { Command } from "./command.ts";
import { ORGANIZATION } from "./flag-values.ts";

export const doCommand: Command = {
  name: "do",
  summary: "carry out an operation of the staff application as the operator",
  arguments: ["OPERATION"],
  flags: {
    org: ORGANIZATION,
    data: { value: "JSON|@FILE", help: "its input, as JSON or in a file (@-: standard input)", needed: true },
    "dry-run": { help: "commit nothing, and say what would change" },
  },
  ifInterrupted: "Whether it was carried out is in: rollbook audit",
  // Loaded when it is called for: it knows every operation, and so every schema.
  run: async (call) => (await import("./do-run.ts")).carryOut(call),
};
