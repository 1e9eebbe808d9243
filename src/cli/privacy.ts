import type { Command } from "./command.ts";

export const privacyCommands: readonly Command[] = [
  {
    name: "privacy list",
    summary: "the evidence of erased people, one JSON object a line; keep it outside of the backups",
    flags: {
      org: { value: "ID", help: "only this organization" },
      document: { value: "VALUE", help: "only who had this id document" },
      email: { value: "ADDRESS", help: "only who had this e-mail address" },
    },
    run: async (call) => (await import("./privacy-run.ts")).listEvidence(call),
  },
  {
    name: "privacy reapply",
    summary: "erase again whom a restored backup has brought back (-: standard input)",
    arguments: ["FILE"],
    ifInterrupted: "Not everybody in the file was erased again; run it once more.",
    run: async (call) => (await import("./privacy-run.ts")).reapplyFile(call),
  },
];
