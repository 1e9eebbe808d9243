import { GRACE_DAYS } from "../domain/organizations/values.ts";
import type { Command } from "./command.ts";

/** What is done to an organization as a whole. */
export const wholeOrganizationCommands: readonly Command[] = [
  {
    name: "org export",
    summary: "write one organization whole, to import it on another server (-: standard output)",
    arguments: ["ID"],
    flags: {
      complete: {
        value: "FILE",
        help: "with staff, keys, trail, money and feed as they are stored; it has personal data",
        needed: true,
      },
    },
    ifInterrupted: "Nothing was exported.",
    run: async (call) => (await import("./organization-files-run.ts")).exportWhole(call),
  },
  {
    name: "org import",
    summary: "bring in an organization that another server has exported (-: standard input)",
    flags: {
      complete: { value: "FILE", help: "what org export --complete has written", needed: true },
      "other-secret": {
        help: "though this server has another key secret: keys, links and webhook secrets must be made again",
      },
    },
    ifInterrupted: "Nothing was imported.",
    run: async (call) => (await import("./organization-files-run.ts")).importWhole(call),
  },
  {
    name: "org delete",
    summary: "close an organization now, and delete all that it has after some days of grace",
    arguments: ["ID"],
    flags: {
      confirm: { value: "NAME", help: "the name that the organization has", needed: true },
      days: {
        value: "DAYS",
        help: `how long it can be kept yet (default ${GRACE_DAYS}; 0: until the servers begin, within the hour)`,
      },
    },
    run: async (call) => (await import("./organization-deletion-run.ts")).deleteWhole(call),
  },
  {
    name: "org restore",
    summary: "keep an organization that is to be deleted, while its days of grace last",
    arguments: ["ID"],
    run: async (call) => (await import("./organization-deletion-run.ts")).keepWhole(call),
  },
];
