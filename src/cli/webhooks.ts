import { type Command, type CommandCall, type Flag, textFlag } from "./command.ts";
import { ORGANIZATION } from "./flag-values.ts";
import { edit, one, texts } from "./operation-commands.ts";

const url: Flag = { value: "URL", help: "where events are sent: https, on the public internet" };
const name: Flag = { value: "NAME", help: "what it is for" };
const events: Flag = { value: "EVENT,EVENT", help: 'such as client.updated or plan.*; "" for all' };
const flood: Flag = {
  value: "N",
  help: "if more events than this are due, one stands for them (default 1000)",
};
const include: Flag = { value: "record", help: 'send the record with each event; "" for not' };
const from: Flag = { value: "CURSOR|start|now", help: "a place of the feed" };
const overlap: Flag = { value: "DURATION", help: "how long both secrets hold (default 24h)" };
const dryRun: Flag = { help: "commit nothing, and say what would change" };

export const webhookCommands: readonly Command[] = [
  {
    name: "webhook add",
    summary: "send events to an address; the secret is shown once, on standard output alone",
    flags: {
      org: ORGANIZATION,
      url: { ...url, needed: true },
      name,
      events,
      from: { ...from, help: `${from.help} (default now)` },
      flood,
      include,
      "dry-run": dryRun,
    },
    run: async (call) =>
      (await import("./webhooks-run.ts")).showNewSecret(call, "addWebhook", {
        ...members(call),
        ...texts(call, ["from"]),
      }),
  },
  {
    name: "webhook list",
    summary: "list the webhooks of an organization: their state, and how far they are behind",
    flags: { org: ORGANIZATION },
    run: async (call) => (await import("./webhooks-run.ts")).showWebhooks(call),
  },
  {
    name: "webhook attempts",
    summary: "list what was sent lately, and what came of it",
    arguments: ["ID"],
    flags: { org: ORGANIZATION },
    run: async (call) => (await import("./webhooks-run.ts")).showAttempts(call),
  },
  edit("webhook edit", "change a webhook; it is tried at once", "editWebhook", "webhookId", {
    flags: { url, name, events, flood, include },
    input: cleared,
  }),
  {
    name: "webhook rotate",
    summary: "make a new secret; messages are signed with both until the overlap ends",
    arguments: ["ID"],
    flags: { org: ORGANIZATION, overlap, "dry-run": dryRun },
    run: async (call) =>
      (await import("./webhooks-run.ts")).showNewSecret(call, "rotateWebhook", {
        webhookId: call.arguments[0],
        ...texts(call, ["overlap"]),
      }),
  },
  one("webhook enable", "send again, from where it stopped", {
    operation: "enableWebhook",
    id: "webhookId",
    flags: { from, "dry-run": dryRun },
    input: (call) => texts(call, ["from"]),
  }),
  one("webhook disable", "stop sending; nothing is lost", {
    operation: "disableWebhook",
    id: "webhookId",
    flags: { "dry-run": dryRun },
  }),
  one("webhook replay", "send again what came after a place of the feed", {
    operation: "replayWebhook",
    id: "webhookId",
    flags: { from: { ...from, needed: true }, "dry-run": dryRun },
    input: (call) => texts(call, ["from"]),
  }),
  one("webhook skip", "pass over the one message that the receiver does not take", {
    operation: "skipWebhook",
    id: "webhookId",
    flags: { "dry-run": dryRun },
  }),
  {
    name: "webhook test",
    summary: "have a serving process send webhook.test, and show what came of it",
    arguments: ["ID"],
    flags: { org: ORGANIZATION },
    run: async (call) => (await import("./webhooks-run.ts")).sendTest(call),
  },
  one("webhook remove", "remove a webhook with its attempts and its place in the feed", {
    operation: "removeWebhook",
    id: "webhookId",
    flags: { "dry-run": dryRun },
  }),
];

/** For whoever builds a receiver. */
export const listenCommand: Command = {
  name: "listen",
  summary: "post the changes that come from now on, signed, to an address on this machine",
  flags: {
    url: { value: "URL", help: "of the API (default PUBLIC_URL); the key is in ROLLBOOK_KEY" },
    "forward-to": { value: "URL", help: "such as http://localhost:3000/hooks", needed: true },
  },
  endsBySignal: true,
  run: async (call) => (await import("./listen-run.ts")).listen(call),
};

/** What the flags set. */
function members(call: CommandCall): Record<string, unknown> {
  const list = textFlag(call, "events");
  const number = textFlag(call, "flood");
  return {
    ...texts(call, ["url", "name", "include"]),
    ...(list !== undefined && {
      events: list
        .split(",")
        .map((event) => event.trim())
        .filter((event) => event !== ""),
    }),
    ...(number !== undefined && { flood: Number(number) }),
  };
}

/** The same where what is given empty is taken away. */
function cleared(call: CommandCall): Record<string, unknown> {
  const given = Object.entries(members(call));
  return Object.fromEntries(
    given.map(([member, value]) => [
      member,
      value === "" || (Array.isArray(value) && value.length === 0) ? null : value,
    ]),
  );
}
