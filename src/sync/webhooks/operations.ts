import { randomBytes } from "node:crypto";
import { instantText } from "../../core/clock.ts";
import { changedMembers, differences } from "../../core/differences.ts";
import { parseDuration } from "../../core/duration.ts";
import { refusal } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { type CallRules, judgeUrl } from "../../core/network-addresses.ts";
import { accountWrite, type OpenAccount, type Outcome } from "../../domain/writes/recorded-write.ts";
import type { StaffCall } from "../../domain/writes/staff-write.ts";
import { findReceiver } from "./delivery.ts";
import { findPlace } from "./feed-place.ts";
import {
  askForTest,
  countWebhooks,
  deleteWebhook,
  disableWebhookRow,
  enableWebhookRow,
  insertWebhook,
  lockWebhook,
  moveWebhook,
  type SealedSecret,
  type WebhookRow,
  type WebhookSettings,
  writeWebhookSecrets,
  writeWebhookSettings,
} from "./queries.ts";
import type {
  AddWebhook,
  EditWebhook,
  EnableWebhook,
  NameWebhook,
  ReplayWebhook,
  RotateWebhook,
  Webhook,
} from "./schema.ts";
import { composeSecret, NONCE_BYTES, SECRET_BYTES, sealSecret } from "./signatures.ts";
import { DEFAULT_FLOOD, MAX_SECRETS, MAX_WEBHOOKS } from "./values.ts";
import { readWebhook } from "./webhook-reads.ts";

type NewSecret = Webhook & { readonly secret: string };

/** What an operation works in: it locks the endpoint alone. */
type OpenWebhooks = OpenAccount & Pick<StaffCall, "keySecret">;

export const addWebhook = accountWrite(
  "addWebhook",
  async (open: OpenWebhooks, input: Static<typeof AddWebhook>): Promise<Outcome<NewSecret>> => {
    const { tx, organizationId, now, at } = open;
    const { url, name, events, from = "now", flood = DEFAULT_FLOOD, include } = input;
    if ((await countWebhooks(tx, organizationId)) >= MAX_WEBHOOKS)
      throw refusal("too_many_webhooks", { params: { count: MAX_WEBHOOKS } });
    const id = newId(now);
    const { secret, sealed } = newSecret(open, id);
    const settings = { url, name, events, flood, sendsRecord: include === "record" };
    const position = await findPlace(tx, open.keySecret, organizationId, from);
    await insertWebhook(tx, organizationId, { ...settings, id, secrets: [{ sealed }], position, at });
    const result = { ...(await readWebhook(tx, organizationId, id)), secret };
    return { result, entry: { subject: id, details: shownSettings(settings) } };
  },
);

export const editWebhook = accountWrite(
  "editWebhook",
  async (open: OpenWebhooks, { webhookId, changes }: Static<typeof EditWebhook>) => {
    const { tx, organizationId, at } = open;
    const row = await lockKnown(open, webhookId);
    const settings = settingsAfter(row, changes);
    const details = differences(shownSettings(settingsOf(row)), shownSettings(settings));
    if (changedMembers(settingsOf(row), settings).length > 0)
      await writeWebhookSettings(tx, organizationId, row.id, settings, at);
    return { result: await readWebhook(tx, organizationId, row.id), entry: { subject: row.id, details } };
  },
);

/**
 * A new secret. Messages are signed with the old one as well until the overlap ends, so that the receiver can be changed over.
 * An endpoint whose secrets could not be read goes on.
 */
export const rotateWebhook = accountWrite(
  "rotateWebhook",
  async (
    open: OpenWebhooks,
    { webhookId, overlap = "24h" }: Static<typeof RotateWebhook>,
  ): Promise<Outcome<NewSecret>> => {
    const { tx, organizationId, now, at } = open;
    const row = await lockKnown(open, webhookId);
    const isLost = row.reason === "secret_lost";
    const { secret, sealed } = newSecret(open, row.id);
    const overlapSeconds = parseDuration(overlap) ?? 0;
    const endsAt = instantText(now + overlapSeconds * 1_000);
    const old = isLost ? [] : row.secrets.filter((one) => endOf(one, endsAt) > at);
    const secrets = [{ sealed }, ...old.map((one) => ({ sealed: one.sealed, endsAt: endOf(one, endsAt) }))];
    await writeWebhookSecrets(tx, organizationId, row.id, secrets.slice(0, MAX_SECRETS));
    if (isLost) await enableWebhookRow(tx, organizationId, row.id, at);
    const result = { ...(await readWebhook(tx, organizationId, row.id)), secret };
    return { result, entry: { subject: row.id, details: { overlapSeconds } } };
  },
);

/** Goes on where it stopped, or from a place of the feed. */
export const enableWebhook = accountWrite(
  "enableWebhook",
  async (open: OpenWebhooks, { webhookId, from }: Static<typeof EnableWebhook>) => {
    const { tx, organizationId, at } = open;
    const position =
      from === undefined ? undefined : await findPlace(tx, open.keySecret, organizationId, from);
    const row = await lockKnown(open, webhookId);
    await enableWebhookRow(tx, organizationId, row.id, at);
    if (position !== undefined) await moveWebhook(tx, organizationId, row.id, position, at);
    const details = position === undefined ? {} : { from: row.position, to: position };
    return { result: await readWebhook(tx, organizationId, row.id), entry: { subject: row.id, details } };
  },
);

export const disableWebhook = accountWrite(
  "disableWebhook",
  async (open: OpenWebhooks, { webhookId }: Static<typeof NameWebhook>) => {
    const { tx, organizationId } = open;
    const row = await lockKnown(open, webhookId);
    await disableWebhookRow(tx, organizationId, row.id);
    return { result: await readWebhook(tx, organizationId, row.id), entry: { subject: row.id } };
  },
);

/** Sends what came after a place of the feed, whether or not it was sent before. */
export const replayWebhook = accountWrite(
  "replayWebhook",
  async (open: OpenWebhooks, { webhookId, from }: Static<typeof ReplayWebhook>) => {
    const { tx, organizationId, at } = open;
    const position = await findPlace(tx, open.keySecret, organizationId, from);
    const row = await lockKnown(open, webhookId);
    await moveWebhook(tx, organizationId, row.id, position, at);
    const details = { from: row.position, to: position };
    return { result: await readWebhook(tx, organizationId, row.id), entry: { subject: row.id, details } };
  },
);

/** Passes over the message that the receiver does not take. */
export const skipWebhook = accountWrite(
  "skipWebhook",
  async (open: OpenWebhooks, { webhookId }: Static<typeof NameWebhook>) => {
    const { tx, organizationId, at } = open;
    const row = await lockKnown(open, webhookId);
    if (row.pendingTo === undefined) throw refusal("nothing_to_skip");
    await moveWebhook(tx, organizationId, row.id, row.pendingTo, at);
    const details = { sequence: row.pendingTo, count: row.pendingCount ?? 1, tries: row.tries };
    return { result: await readWebhook(tx, organizationId, row.id), entry: { subject: row.id, details } };
  },
);

/** Has a serving process send `webhook.test`. No transaction waits for a receiver. */
export const testWebhook = accountWrite(
  "testWebhook",
  async (open: OpenWebhooks, { webhookId }: Static<typeof NameWebhook>) => {
    const { tx, organizationId, now } = open;
    const row = await lockKnown(open, webhookId);
    if (row.heldSince !== undefined) throw refusal("webhook_held");
    const testId = newId(now);
    await askForTest(tx, organizationId, row.id, testId);
    return { result: { webhookId: row.id, testId }, entry: { subject: row.id, details: { testId } } };
  },
);

export const removeWebhook = accountWrite(
  "removeWebhook",
  async (open: OpenWebhooks, { webhookId }: Static<typeof NameWebhook>) => {
    const { tx, organizationId } = open;
    const row = await lockKnown(open, webhookId);
    await deleteWebhook(tx, organizationId, row.id);
    return {
      result: { webhookId: row.id },
      entry: { subject: row.id, details: shownSettings(settingsOf(row)) },
    };
  },
);

async function lockKnown({ tx, organizationId }: OpenWebhooks, id: string): Promise<WebhookRow> {
  const row = await lockWebhook(tx, organizationId, id.toLowerCase());
  if (!row) throw refusal("no_webhook");
  return row;
}

/**
 * Refuses an address that may not be called as it leads now. It is judged again before each attempt. A name may take seconds
 * to resolve: it is done before a transaction is open.
 */
export async function requireCallable(url: string | undefined, rules: CallRules): Promise<void> {
  if (url === undefined) return;
  const fault = judgeUrl(url, rules);
  const found = fault === undefined ? await findReceiver(url, rules) : undefined;
  const why = fault ?? (found === "unresolved" ? found : found === "refused" ? "not_public" : undefined);
  if (why !== undefined) throw refusal("address_refused", { params: { why }, facts: { why } });
}

function newSecret(
  { keySecret, organizationId }: OpenWebhooks,
  webhookId: string,
): { readonly secret: string; readonly sealed: string } {
  const secret = composeSecret(randomBytes(SECRET_BYTES));
  const place = { organizationId, webhookId };
  return { secret, sealed: sealSecret(secret, keySecret, place, randomBytes(NONCE_BYTES)) };
}

/** Until when an old secret holds: as it was set, or for the overlap that begins now. */
function endOf({ endsAt }: SealedSecret, overlapEndsAt: string): string {
  return endsAt !== undefined && endsAt < overlapEndsAt ? endsAt : overlapEndsAt;
}

function settingsOf({ url, name, events, flood, sendsRecord }: WebhookRow): WebhookSettings {
  return { url, name, events, flood, sendsRecord };
}

function settingsAfter(row: WebhookRow, changes: Static<typeof EditWebhook>["changes"]): WebhookSettings {
  const { url = row.url, flood = row.flood, name, events, include } = changes;
  return {
    url,
    flood,
    name: name === undefined ? row.name : (name ?? undefined),
    events: events === undefined ? row.events : (events ?? undefined),
    sendsRecord: include === undefined ? row.sendsRecord : include === "record",
  };
}

/** As owners give it, but for the query of the address: many a receiver has a secret there. */
function shownSettings({ url, name, events, flood, sendsRecord }: WebhookSettings) {
  return {
    url: url.split("?")[0] ?? "",
    ...(name !== undefined && { name }),
    ...(events !== undefined && { events }),
    flood,
    ...(sendsRecord && { include: "record" }),
  };
}
