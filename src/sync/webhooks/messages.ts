import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { cursorKey, cursorWriter } from "../changes/cursors.ts";
import { numberSome } from "../changes/numbering.ts";
import { showEntries } from "../changes/operations.ts";
import { type FeedEntry, findMarkOf, readChanges } from "../changes/queries.ts";
import { messageId } from "./rules.ts";
import {
  countDueEvents,
  findDueEvents,
  type LeasedWebhook,
  openLease,
  type PendingMessage,
  restWebhook,
  type SendingWebhook,
  setPending,
  type TestedWebhook,
} from "./sender-queries.ts";
import { BACKLOG_EVENT, TEST_EVENT } from "./values.ts";

/** A message as it is sent, but for its signature. */
export interface WebhookMessage {
  /** `webhook-id` */
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

export interface PreparedMessage extends WebhookMessage {
  /** The endpoint as the message was made. */
  readonly row: SendingWebhook;
  /** Where the endpoint is in the feed once it is taken. */
  readonly sequence: number;
}

/** What messages are made with. */
export interface MessageSource {
  readonly leaseSeconds: number;
  /** Of the server: cursors are authenticated with it. */
  readonly keySecret: string;
  readonly publicUrl: string;
}

/**
 * The next message of a leased endpoint: the one under way, if there is one, else the next event that it wants, or one
 * message for all of them if they are more than it wants one by one. Undefined if nothing is due, or the lease is lost.
 */
export async function findMessage(
  db: Database,
  webhook: LeasedWebhook,
  source: MessageSource,
): Promise<PreparedMessage | undefined> {
  const { leaseSeconds } = source;
  let row = await openLease(db, webhook, await db.now(), leaseSeconds);
  while (row) {
    const pending = pendingOf(row);
    if (pending) {
      const message = await makeMessage(db, webhook, row, pending, source);
      if (message) return message;
    }
    const next = await findPending(db, webhook, row, source);
    if (next === "nothing") return undefined;
    const now = await db.now();
    row = await setPending(db, webhook, next, row, { now, leaseSeconds });
  }
  return undefined;
}

/** A message that is nobody's event. */
export async function testMessage(
  db: Database,
  { organizationId, id: webhookId, testId }: TestedWebhook,
  now: number,
): Promise<WebhookMessage> {
  const { state } = await readChanges(db, organizationId, { after: 0, limit: 1 });
  const timestamp = instantText(now);
  const body = JSON.stringify({ type: TEST_EVENT, timestamp, organizationId, data: { webhookId } });
  return { id: messageId(state.restoreId, organizationId, `test_${testId}`), event: TEST_EVENT, body };
}

function pendingOf({ pendingTo, pendingCount }: SendingWebhook): PendingMessage | undefined {
  return pendingTo === undefined ? undefined : { to: pendingTo, count: pendingCount };
}

/** What is to be sent next. */
async function findPending(
  db: Database,
  webhook: LeasedWebhook,
  row: SendingWebhook,
  source: MessageSource,
): Promise<PendingMessage | "nothing"> {
  for (;;) {
    const { organizationId } = webhook;
    // All that is there counts: a part of an import would be told of as if it were the whole.
    const seen = await readChanges(db, organizationId, { after: row.position, limit: 1 });
    if (seen.state.isBehind) {
      const mayBeMore = await numberSome(db, organizationId);
      // However long it takes, the lease holds.
      if (!(await openLease(db, webhook, await db.now(), source.leaseSeconds))) return "nothing";
      if (mayBeMore) continue;
    }
    const { state } = seen.state.isBehind
      ? await readChanges(db, organizationId, { after: row.position, limit: 1 })
      : seen;
    const { next, count } = await findDueEvents(db, webhook, state.sequence);
    if (next !== undefined && count > row.flood)
      return { to: state.sequence, count: await countDueEvents(db, webhook, state.sequence) };
    if (next !== undefined) return { to: next };
    if (await restWebhook(db, webhook, state.sequence, row)) return "nothing";
    // The feed has gone on, or the endpoint is another's.
    if (!(await openLease(db, webhook, await db.now(), source.leaseSeconds))) return "nothing";
  }
}

/** Undefined if what it tells of is not in the feed any more, as a later change of the same record stands for it. */
async function makeMessage(
  db: Database,
  webhook: LeasedWebhook,
  row: SendingWebhook,
  { to, count }: PendingMessage,
  source: MessageSource,
): Promise<PreparedMessage | undefined> {
  const { organizationId } = webhook;
  const [{ state, entries }, markOfNumber] = await Promise.all([
    readChanges(db, organizationId, { after: to - 1, limit: 1 }),
    findMarkOf(db, organizationId, to),
  ]);
  const { restoreId, mark } = state;
  const cursorOf = cursorWriter(cursorKey(source.keySecret), { organizationId, restoreId, mark });
  // On another timeline the same number tells of another change.
  const past = `${restoreId}/${markOfNumber}`;
  const cursor = cursorOf(to);
  if (count !== undefined) {
    const after = cursorOf(row.position);
    const timestamp = instantText(await db.now());
    const data = { after, cursor, count };
    const body = JSON.stringify({ type: BACKLOG_EVENT, timestamp, organizationId, data });
    const id = messageId(past, organizationId, `${to}_backlog`);
    return { id, event: BACKLOG_EVENT, body, row, sequence: to };
  }
  const [entry] = entries;
  if (entry?.sequence !== to) return undefined;
  const event = `${entry.kind}.${entry.type}`;
  const shown = await showEntries(db, organizationId, {
    entries: [entry],
    cursorOf,
    hasRecords: row.sendsRecord,
  });
  const url = addressOf(entry, source.publicUrl);
  const data = { cursor, ...shown[0], ...(url !== undefined && { url }) };
  const body = JSON.stringify({ type: event, timestamp: entry.changedAt, organizationId, data });
  return { id: messageId(past, organizationId, `${to}`), event, body, row, sequence: to };
}

/** Where records are had by their id. */
const PATHS: Partial<Readonly<Record<FeedEntry["kind"], (id: string) => string>>> = {
  organization: () => "/v1/organization",
  serviceType: (id) => `/v1/service-types/${id}`,
  plan: (id) => `/v1/plans/${id}`,
  client: (id) => `/v1/clients/${id}`,
  contract: (id) => `/v1/contracts/${id}`,
};

function addressOf({ kind, id, type }: FeedEntry, publicUrl: string): string | undefined {
  const path = type === "deleted" ? undefined : PATHS[kind]?.(id);
  return path === undefined ? undefined : `${publicUrl}${path}`;
}
