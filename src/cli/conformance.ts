import type { Command } from "./command.ts";

/** For whoever claims to speak this API, this server included. */
export const conformanceCommand: Command = {
  name: "conformance",
  summary: "check whether a server speaks this API, against the specification and what was settled beside it",
  flags: {
    url: { value: "URL", help: "of the server, without /v1 (default PUBLIC_URL)" },
    key: {
      value: "KEY",
      help: "of the organization that is read (default ROLLBOOK_KEY, which no list of processes shows)",
    },
    write: { help: "also create, change and archive clients: for an organization that nobody needs" },
    only: { value: "WHICH", help: "specification, or details: what was settled beside it" },
    check: { value: "ID", help: "only checks whose id begins so, such as clients." },
    junit: { value: "FILE", help: "write the report as JUnit's XML too" },
  },
  run: async (call) => (await import("./conformance-run.ts")).checkConformance(call),
};
