import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { clearables, Id, Instant, Int32, Int64, Line, OneOf, type Static, whole } from "../../core/fields.ts";
import { CURSOR_PATTERN, DURATION_PATTERN } from "../../core/patterns.ts";
import Type from "../../core/schema-type.ts";
import { CHANGE_KINDS, CHANGE_TYPES } from "../changes/values.ts";
import { ATTEMPT_FAILURES, DEFAULT_FLOOD, DISABLED_REASONS, MAX_SECRETS, WEBHOOK_STATES } from "./values.ts";

/** What a subscription can name: each event, and all events of a kind. */
const SUBSCRIBED_EVENTS = CHANGE_KINDS.flatMap((kind) => [
  `${kind}.*`,
  ...CHANGE_TYPES.map((type) => `${kind}.${type}`),
]);

const aboutUrl = {
  description: "Where events are sent: `https`, on port 443 or from 1024 up, and on the public internet.",
  examples: ["https://example.com/hooks/rollbook"],
};
const url = Type.String({ minLength: 1, maxLength: 2_000, pattern: "^[\\x21-\\x7e]*$", ...aboutUrl });
const name = Line(100, { minLength: 1, description: "What it is for.", examples: ["Newsletter"] });
const ABOUT_EVENTS =
  "Which events are sent, such as `client.updated`, or `client.*` for all of a kind. Absent: all.";
const events = Type.Array(OneOf(SUBSCRIBED_EVENTS), {
  minItems: 1,
  maxItems: SUBSCRIBED_EVENTS.length,
  description:
    "Which events are sent, such as `client.updated`, or `client.*` for all of a kind. Absent: all.",
});
const flood = Type.Integer({
  format: "int32",
  minimum: 1,
  maximum: 100_000,
  description: "If more events than this are due, one `feed.backlog` is sent instead of them.",
});
const include = OneOf(["record"], {
  description: "With `record`, each event has the record as it is when it is sent.",
});
const from = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: CURSOR_PATTERN,
  description:
    "A cursor of the feed: what came after it is sent. Or `start` for all there is, or `now` for what comes.",
  examples: ["now"],
});

/** One attempt to send a message, or a test. */
export const WebhookAttempt = Type.Object(
  {
    id: Id(),
    at: Instant("When it began."),
    event: Line(64, { description: "Such as `client.updated`.", examples: ["client.updated"] }),
    sequence: Type.Optional(Int64("The number of the change in the feed; absent of a test.")),
    try: Int32("Which attempt at this message it was, from 1 on."),
    status: Type.Optional(Int32("Of the answer, if there was one.")),
    failure: Type.Optional(OneOf(ATTEMPT_FAILURES, { description: "Why there was none that counts." })),
    milliseconds: Int32("How long it took."),
    excerpt: Type.Optional(
      Type.String({
        description: "How a failed answer begins. Not of addresses that only this server can reach.",
      }),
    ),
  },
  { $id: "WebhookAttempt" },
);

const exampleAttempt = {
  id: EXAMPLE_IDS.audit,
  at: "2026-11-15T09:30:00.000Z",
  event: "client.updated",
  sequence: 1842,
  try: 1,
  status: 200,
  milliseconds: 87,
};

export const WebhookAttemptList = whole("WebhookAttemptList", WebhookAttempt, exampleAttempt);

/** An endpoint as owners see it. Its secrets are nowhere. */
export const Webhook = Type.Object(
  {
    id: Id(),
    url: Type.String(aboutUrl),
    name: Type.Optional(name),
    events: Type.Optional(Type.Array(Type.String(), { description: ABOUT_EVENTS })),
    flood,
    include: Type.Optional(include),
    state: OneOf(WEBHOOK_STATES),
    reason: Type.Optional(
      OneOf(DISABLED_REASONS, {
        description:
          "Why it is disabled: by an `owner`; `failing` for 72 hours; `gone`, as the receiver answered 410; or `secret_lost`, " +
          "as its secret cannot be read with the key secret that the server has now.",
      }),
    ),
    isHeld: Type.Boolean({
      description: "Whether nothing is sent because of the organization's status or plan.",
    }),
    sequence: Int64("The number of the last change that was taken or passed over."),
    eventsBehind: Int32("How many events are due, up to 10,000."),
    secondsBehind: Type.Optional(Int64("How old the oldest of them is; absent if none is due.")),
    tries: Int32("How many attempts have failed one after the other."),
    failingSince: Type.Optional(Instant("When the first of them failed.")),
    nextAttemptAt: Type.Optional(Instant("When the message under way is retried.")),
    pendingSequence: Type.Optional(
      Int64("The number of the message under way, which `skipWebhook` passes over."),
    ),
    oldSecretEndsAt: Type.Optional(Instant("Until when messages are also signed with the secret before.")),
    lastAttempt: Type.Optional(WebhookAttempt),
    createdAt: Instant(),
  },
  { $id: "Webhook" },
);

const exampleWebhook = {
  id: EXAMPLE_IDS.webhook,
  url: "https://example.com/hooks/rollbook",
  name: "Newsletter",
  events: ["client.*"],
  flood: DEFAULT_FLOOD,
  state: "active" as const,
  isHeld: false,
  sequence: 1842,
  eventsBehind: 0,
  tries: 0,
  lastAttempt: exampleAttempt,
  createdAt: "2026-11-15T09:30:00.000Z",
};

export const WebhookList = whole("WebhookList", Webhook, exampleWebhook);

/** An endpoint with the secret that was just made. */
export const NewWebhook = Type.Object(
  {
    ...Webhook.properties,
    secret: Type.Optional(
      Type.String({
        description:
          "What messages are signed with. It is shown once: a repeat of the request answers without it.",
        examples: ["whsec_…"],
      }),
    ),
  },
  { $id: "NewWebhook" },
);

/** A test that was asked for. */
export const WebhookTest = Type.Object({
  webhookId: Id(),
  testId: Id("The id of the attempt that it becomes, in the list of attempts."),
});

export const RemovedWebhook = Type.Object({ webhookId: Id() });

/** What the operations take. */

const webhookId = Id("The webhook.", EXAMPLE_IDS.webhook);
const strict = { additionalProperties: false };

export const AddWebhook = Type.Object(
  {
    url,
    events: Type.Optional(events),
    name: Type.Optional(name),
    from: Type.Optional({ ...from, default: "now" }),
    flood: Type.Optional({ ...flood, default: DEFAULT_FLOOD }),
    include: Type.Optional(include),
  },
  strict,
);

export const EditWebhook = Type.Object(
  {
    webhookId,
    changes: Type.Object(
      {
        url: Type.Optional(url),
        flood: Type.Optional(flood),
        ...clearables({ events, name, include }),
      },
      { ...strict, minProperties: 1 },
    ),
  },
  strict,
);

export const RotateWebhook = Type.Object(
  {
    webhookId,
    overlap: Type.Optional(
      Type.String({
        maxLength: 7,
        pattern: DURATION_PATTERN,
        default: "24h",
        description: `How long messages are also signed with the old secret. At most ${MAX_SECRETS} secrets hold at a time.`,
        examples: ["24h"],
      }),
    ),
  },
  strict,
);

export const EnableWebhook = Type.Object({ webhookId, from: Type.Optional(from) }, strict);
export const ReplayWebhook = Type.Object({ webhookId, from }, strict);
export const NameWebhook = Type.Object({ webhookId }, strict);

export type Webhook = Static<typeof Webhook>;
export type WebhookAttempt = Static<typeof WebhookAttempt>;
