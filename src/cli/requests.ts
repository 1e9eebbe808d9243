import type { Command } from "./command.ts";
import { ORGANIZATION } from "./flag-values.ts";

/** For whoever builds on the API, and whom they ask. */
export const requestCommands: readonly Command[] = [
  {
    name: "requests",
    summary: "list what came with the keys of an organization in the last 7 days, and how it was answered",
    flags: {
      org: ORGANIZATION,
      key: { value: "ID", help: "only with this key" },
      failed: { help: "only what failed" },
      status: { value: "N", help: "only what was answered with this status, such as 422" },
      since: { value: "TIME", help: "from this time on, such as 2h, 2026-11-15 or 2026-11-15T09:30:00Z" },
      after: { value: "CURSOR", help: "the page after another one, by the nextCursor of that" },
      limit: { value: "N", help: "at most so many (default 100)" },
    },
    run: async (call) => (await import("./requests-run.ts")).showRequests(call),
  },
  {
    name: "explain",
    summary: "tell of a request by its X-Request-Id: what was asked, what was wrong, and what to do about it",
    arguments: ["REQUEST-ID"],
    run: async (call) => (await import("./requests-run.ts")).explainRequest(call),
  },
];
