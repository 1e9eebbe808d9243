import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { findWebhookRow, listLastAttempts, listWebhookRows, type WebhookRow } from "./queries.ts";
import type { Webhook, WebhookAttempt } from "./schema.ts";
import { isSubscribed } from "./sender-queries.ts";

/** So many events are counted; more than that is far behind in any case. */
const MOST_COUNTED = 10_000;

interface Behind {
  readonly webhookId: string;
  readonly eventsBehind: number;
  /** When the oldest event that is due happened. */
  readonly since?: string;
}

const behindStatement = pooled(
  "list_webhooks_behind",
  `select e.id as "webhookId", count(c.at) as "eventsBehind", min(c.at) as since
   from webhook_endpoints e
   left join lateral (
     select c.at from changes c
     where c.organization_id = e.organization_id and c.sequence > e.position and ${isSubscribed}
     order by c.sequence limit $2
   ) c on true
   where e.organization_id = $1
   group by e.id`,
);

/** All endpoints as owners see them, the oldest first. */
export async function listWebhooks(db: Database, organizationId: string): Promise<Webhook[]> {
  const [rows, behind, attempts, now] = await Promise.all([
    listWebhookRows(db, organizationId),
    db.query<Behind>(behindStatement, [organizationId, MOST_COUNTED]),
    listLastAttempts(db, organizationId),
    db.now(),
  ]);
  const behindOf = new Map(behind.map((one) => [one.webhookId, one]));
  return rows.map((row) => toWebhook(row, behindOf.get(row.id), attempts.get(row.id), now));
}

export async function findWebhook(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Webhook | undefined> {
  const row = await findWebhookRow(db, organizationId, id);
  if (!row) return undefined;
  const behind = await db.query<Behind>(behindStatement, [organizationId, MOST_COUNTED]);
  const attempts = await listLastAttempts(db, organizationId);
  const own = behind.find(({ webhookId }) => webhookId === id);
  return toWebhook(row, own, attempts.get(id), await db.now());
}

/** One that is locked. */
export async function readWebhook(tx: Database, organizationId: string, id: string): Promise<Webhook> {
  const webhook = await findWebhook(tx, organizationId, id);
  if (!webhook) throw new Error("a webhook that is locked is gone");
  return webhook;
}

function toWebhook(
  row: WebhookRow,
  { eventsBehind = 0, since }: Partial<Behind> = {},
  lastAttempt: WebhookAttempt | undefined,
  now: number,
): Webhook {
  const {
    secrets,
    sendsRecord,
    heldSince,
    position,
    pendingTo,
    pendingCount: _,
    nextAttemptAt,
    events,
    ...shown
  } = row;
  const oldSecretEndsAt = secrets[1]?.endsAt;
  return {
    ...shown,
    ...(events && { events: [...events] }),
    ...(sendsRecord && { include: "record" as const }),
    isHeld: heldSince !== undefined,
    sequence: position,
    eventsBehind,
    ...(since !== undefined && { secondsBehind: Math.max(0, Math.floor((now - Date.parse(since)) / 1_000)) }),
    // Without a failure it is due in this moment.
    ...(row.failingSince !== undefined && nextAttemptAt !== undefined && { nextAttemptAt }),
    ...(pendingTo !== undefined && { pendingSequence: pendingTo }),
    ...(oldSecretEndsAt !== undefined && Date.parse(oldSecretEndsAt) > now && { oldSecretEndsAt }),
    ...(lastAttempt && { lastAttempt }),
  };
}
