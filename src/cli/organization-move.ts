import type { Command } from "./command.ts";
import { readId } from "./flag-values.ts";

/** Moves organizations between servers. What it needs is loaded when it is called. */
export const organizationMoveCommand: Command = {
  name: "org move",
  summary: "move an organization to another server while it is used; run again, it goes on where it was",
  arguments: ["ID"],
  flags: {
    to: { value: "URL", help: "the database of the target, as DATABASE_URL would have it there" },
    url: { value: "URL", help: "the public address of the target, where callers are sent" },
    from: {
      value: "URL",
      help: "the database of the source, as the target's PostgreSQL reaches it (default DATABASE_URL)",
    },
    "back-out": { help: "take back a move that has not arrived; needs --to" },
    "remove-copy": { help: "remove the old copy of an organization that has moved away" },
    map: {
      value: "FILE",
      help: "a map of HAProxy, in which --host is led to --backend once the organization is there",
    },
    host: { value: "HOSTS", help: "host names of the organization, with commas" },
    backend: { value: "NAME", help: "the target's backend in HAProxy" },
  },
  ifInterrupted:
    "The organization has one owner. Run the command again to go on, or with --back-out to take the move back.",
  run: async (call) => {
    const { runMove } = await import("./organization-move-run.ts");
    await runMove(call, readId(call.arguments[0] ?? "", "ID"));
  },
};
