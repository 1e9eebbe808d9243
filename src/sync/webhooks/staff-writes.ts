import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { repeatedBy, staffWrite } from "../../domain/writes/staff-write.ts";
import {
  addWebhook,
  disableWebhook,
  editWebhook,
  enableWebhook,
  removeWebhook,
  replayWebhook,
  requireCallable,
  rotateWebhook,
  skipWebhook,
  testWebhook,
} from "./operations.ts";
import {
  AddWebhook,
  EditWebhook,
  EnableWebhook,
  NameWebhook,
  NewWebhook,
  RemovedWebhook,
  ReplayWebhook,
  RotateWebhook,
  Webhook,
  WebhookTest,
} from "./schema.ts";
import { MAX_WEBHOOKS } from "./values.ts";
import { findWebhook } from "./webhook-reads.ts";

const tag = "Webhooks";
const role = "owner";
const webhookId = EXAMPLE_IDS.webhook;
const known = refusal("no_webhook");
const address = refusal("address_refused", { params: { why: "not_public" }, facts: { why: "not_public" } });
const place = refusal("cursor_gone");
const repeat = repeatedBy(findWebhook);

export const webhookWrites = [
  staffWrite({
    name: "addWebhook",
    role,
    // Whoever is at somebody else's computer must not be able to lead the studio's data away.
    needsPassword: true,
    tag,
    summary: "Send events to an address",
    description:
      "From now on, or from a place of the feed. The secret that messages are signed with is shown once. At most " +
      `${MAX_WEBHOOKS}.`,
    input: AddWebhook,
    example: { url: "https://example.com/hooks/rollbook", events: ["client.*"], name: "Newsletter" },
    result: NewWebhook,
    secrets: ["secret"],
    refusals: [address, refusal("too_many_webhooks", { params: { count: MAX_WEBHOOKS } }), place],
    prepare: ({ callRules }, { url }) => requireCallable(url, callRules),
    perform: addWebhook,
    repeat,
  }),
  staffWrite({
    name: "editWebhook",
    role,
    needsPassword: true,
    tag,
    summary: "Change an endpoint",
    description:
      "What is not sent stays; `null` clears. A message under way is prepared again by what holds then, and tried at once.",
    input: EditWebhook,
    example: { webhookId, changes: { events: ["client.*", "contract.*"] } },
    result: Webhook,
    refusals: [known, address],
    prepare: ({ callRules }, { changes }) => requireCallable(changes.url, callRules),
    perform: editWebhook,
    repeat,
  }),
  staffWrite({
    name: "rotateWebhook",
    role,
    needsPassword: true,
    tag,
    summary: "Make a new secret",
    description:
      "The new secret is shown once. Until the overlap ends, messages are signed with the old one as well, so that the " +
      "receiver can be changed over. An endpoint whose secret was lost goes on.",
    input: RotateWebhook,
    example: { webhookId, overlap: "24h" },
    result: NewWebhook,
    secrets: ["secret"],
    refusals: [known],
    perform: rotateWebhook,
    repeat,
  }),
  staffWrite({
    name: "enableWebhook",
    role,
    tag,
    summary: "Send again",
    description:
      "Goes on where it stopped, or from a place of the feed. After a long time each record has its last change alone.",
    input: EnableWebhook,
    example: { webhookId },
    result: Webhook,
    refusals: [known, place],
    perform: enableWebhook,
    repeat,
  }),
  staffWrite({
    name: "disableWebhook",
    role,
    tag,
    summary: "Stop sending",
    description: "Nothing is lost: `enableWebhook` goes on where it stopped.",
    input: NameWebhook,
    example: { webhookId },
    result: Webhook,
    refusals: [known],
    perform: disableWebhook,
    repeat,
  }),
  staffWrite({
    name: "replayWebhook",
    role,
    tag,
    summary: "Send events again",
    description: "Those after a place of the feed, under the same `webhook-id` as before.",
    input: ReplayWebhook,
    example: { webhookId, from: "start" },
    result: Webhook,
    refusals: [known, place],
    perform: replayWebhook,
    repeat,
  }),
  staffWrite({
    name: "skipWebhook",
    role,
    tag,
    summary: "Pass over one message",
    description: "The one under way, which the receiver does not take. The next one is sent at once.",
    input: NameWebhook,
    example: { webhookId },
    result: Webhook,
    refusals: [known, refusal("nothing_to_skip")],
    perform: skipWebhook,
    repeat,
  }),
  staffWrite({
    name: "testWebhook",
    role,
    tag,
    summary: "Send a test",
    description:
      "A serving process sends `webhook.test` once, whatever else is due. What came of it is the attempt with this id.",
    input: NameWebhook,
    example: { webhookId },
    result: WebhookTest,
    refusals: [known, refusal("webhook_held")],
    perform: testWebhook,
  }),
  staffWrite({
    name: "removeWebhook",
    role,
    tag,
    summary: "Remove an endpoint",
    description: "With its attempts and its place in the feed.",
    input: NameWebhook,
    example: { webhookId },
    result: RemovedWebhook,
    refusals: [known],
    perform: removeWebhook,
  }),
];
