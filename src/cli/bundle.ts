import type { Command } from "./command.ts";
import { ORGANIZATION } from "./flag-values.ts";
import { SHEET_FLAGS } from "./sheet-flags.ts";

export const bundleCommands: readonly Command[] = [
  {
    name: "import",
    summary: "bring in a bundle, or clients from a spreadsheet, whole or not at all (- reads standard input)",
    arguments: ["FILE"],
    ifInterrupted: "Nothing was imported.",
    flags: {
      org: {
        value: "ID",
        help: "put the records there; without it, where the file's organization line says",
      },
      "dry-run": { help: "check everything, write nothing" },
      ...SHEET_FLAGS,
    },
    run: async (call) => (await import("./bundle-run.ts")).importFile(call),
  },
  {
    name: "export",
    summary: "write an organization's bundle to standard output",
    ifInterrupted: "The export is not complete.",
    flags: {
      org: ORGANIZATION,
      out: { value: "FILE", help: "write to this file instead" },
    },
    run: async (call) => (await import("./bundle-run.ts")).exportFile(call),
  },
];
