import type { Database } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { pooled, read } from "../../db/statements.ts";
import type { WebhookAttempt } from "./schema.ts";
import type { DisabledReason } from "./values.ts";

/** A secret as it is stored, and until when it holds; the newest holds until another is made. */
export interface SealedSecret {
  readonly sealed: string;
  readonly endsAt?: string;
}

/** An endpoint as it is stored. */
export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly name?: string;
  readonly events?: readonly string[];
  readonly flood: number;
  readonly sendsRecord: boolean;
  readonly secrets: readonly SealedSecret[];
  readonly state: "active" | "disabled";
  readonly reason?: DisabledReason;
  readonly position: number;
  readonly pendingTo?: number;
  readonly pendingCount?: number;
  readonly tries: number;
  readonly failingSince?: string;
  readonly nextAttemptAt?: string;
  readonly heldSince?: string;
  readonly createdAt: string;
}

export const webhookColumns = `
  e.id, e.url, e.name, e.events, e.flood, e.sends_record as "sendsRecord", e.secrets, e.state, e.reason, e.position,
  e.pending_to as "pendingTo", e.pending_count as "pendingCount", e.tries, e.failing_since as "failingSince",
  e.next_attempt_at as "nextAttemptAt", e.held_since as "heldSince", e.created_at as "createdAt"`;

const listStatement = read(
  "list_webhooks",
  `select ${webhookColumns} from webhook_endpoints e where e.organization_id = $1 order by e.id`,
);

/** All endpoints of an organization, the oldest first. */
export function listWebhookRows(db: Database, organizationId: string): Promise<WebhookRow[]> {
  return db.query<WebhookRow>(listStatement, [organizationId]);
}

const findStatement = read(
  "find_webhook",
  `select ${webhookColumns} from webhook_endpoints e where e.organization_id = $1 and e.id = $2`,
);

export async function findWebhookRow(
  db: Database,
  organizationId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  const [row] = await db.query<WebhookRow>(findStatement, [organizationId, id]);
  return row;
}

const lockStatement = pooled(
  "lock_webhook",
  `select ${webhookColumns} from webhook_endpoints e where e.organization_id = $1 and e.id = $2 for update`,
);

export async function lockWebhook(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(lockStatement, [organizationId, id]);
  return row;
}

// The row is not changed: those who only refer to it go on.
const lockOrganizationStatement = pooled(
  "lock_organization_for_webhooks",
  `select id from organizations where id = $1 for no key update`,
);

// A statement of its own: its snapshot lies after the lock, so it sees what the one who held it has added.
const countStatement = pooled(
  "count_webhooks",
  `select count(*) as count from webhook_endpoints where organization_id = $1`,
);

/** How many endpoints there are; nobody adds one until the transaction ends. */
export async function countWebhooks(tx: Database, organizationId: string): Promise<number> {
  await tx.query(lockOrganizationStatement, [organizationId]);
  const [row] = await tx.query<{ count: number }>(countStatement, [organizationId]);
  return row?.count ?? 0;
}

export interface NewWebhookRow {
  readonly id: string;
  readonly url: string;
  readonly name: string | undefined;
  readonly events: readonly string[] | undefined;
  readonly flood: number;
  readonly sendsRecord: boolean;
  readonly secrets: readonly SealedSecret[];
  readonly position: number;
  readonly at: string;
}

// Due at once: whatever is there is sent, and if nothing is, the sender finds that out.
const insertStatement = pooled(
  "insert_webhook",
  `insert into webhook_endpoints (organization_id, id, url, name, events, flood, sends_record, secrets, state, position,
     next_attempt_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'active', $9, $10, $10)`,
);

export async function insertWebhook(tx: Database, organizationId: string, row: NewWebhookRow): Promise<void> {
  await tx.query(insertStatement, [
    organizationId,
    row.id,
    row.url,
    row.name ?? null,
    row.events ?? null,
    row.flood,
    row.sendsRecord,
    JSON.stringify(row.secrets),
    row.position,
    row.at,
  ]);
}

/** What an owner sets of an endpoint. */
export interface WebhookSettings {
  readonly url: string;
  readonly name: string | undefined;
  readonly events: readonly string[] | undefined;
  readonly flood: number;
  readonly sendsRecord: boolean;
}

// The message under way is prepared again, by what holds now.
const settingsStatement = pooled(
  "write_webhook_settings",
  `update webhook_endpoints
   set url = $3, name = $4, events = $5, flood = $6, sends_record = $7, revision = revision + 1, pending_to = null,
     pending_count = null, tries = 0, failing_since = null,
     next_attempt_at = case when state = 'active' then $8::timestamptz end
   where organization_id = $1 and id = $2`,
);

export async function writeWebhookSettings(
  tx: Database,
  organizationId: string,
  id: string,
  { url, name, events, flood, sendsRecord }: WebhookSettings,
  at: string,
): Promise<void> {
  await tx.query(settingsStatement, [
    organizationId,
    id,
    url,
    name ?? null,
    events ?? null,
    flood,
    sendsRecord,
    at,
  ]);
}

const secretsStatement = pooled(
  "write_webhook_secrets",
  `update webhook_endpoints set secrets = $3 where organization_id = $1 and id = $2`,
);

export async function writeWebhookSecrets(
  tx: Database,
  organizationId: string,
  id: string,
  secrets: readonly SealedSecret[],
): Promise<void> {
  await tx.query(secretsStatement, [organizationId, id, JSON.stringify(secrets)]);
}

const positionStatement = pooled(
  "move_webhook",
  `update webhook_endpoints
   set position = $3, revision = revision + 1, pending_to = null, pending_count = null, tries = 0, failing_since = null,
     next_attempt_at = case when state = 'active' then $4::timestamptz end
   where organization_id = $1 and id = $2`,
);

/** Goes on after another event, at once. */
export async function moveWebhook(
  tx: Database,
  organizationId: string,
  id: string,
  position: number,
  at: string,
): Promise<void> {
  await tx.query(positionStatement, [organizationId, id, position, at]);
}

const enableStatement = pooled(
  "enable_webhook",
  `update webhook_endpoints
   set state = 'active', reason = null, revision = revision + 1, tries = 0, failing_since = null, next_attempt_at = $3
   where organization_id = $1 and id = $2`,
);

/** What stands goes on, a message under way first. */
export async function enableWebhookRow(
  tx: Database,
  organizationId: string,
  id: string,
  at: string,
): Promise<void> {
  await tx.query(enableStatement, [organizationId, id, at]);
}

const disableStatement = pooled(
  "disable_webhook",
  `update webhook_endpoints
   set state = 'disabled', reason = 'owner', revision = revision + 1, next_attempt_at = null
   where organization_id = $1 and id = $2`,
);

export async function disableWebhookRow(tx: Database, organizationId: string, id: string): Promise<void> {
  await tx.query(disableStatement, [organizationId, id]);
}

const testStatement = pooled(
  "ask_webhook_test",
  `update webhook_endpoints set test_id = $3 where organization_id = $1 and id = $2`,
);

/** Has a sender send a test. One that was asked for and not sent yet is replaced. */
export async function askForTest(
  tx: Database,
  organizationId: string,
  id: string,
  testId: string,
): Promise<void> {
  await tx.query(testStatement, [organizationId, id, testId]);
}

const deleteStatement = pooled(
  "delete_webhook",
  `delete from webhook_endpoints where organization_id = $1 and id = $2`,
);

export async function deleteWebhook(tx: Database, organizationId: string, id: string): Promise<void> {
  await tx.query(deleteStatement, [organizationId, id]);
}

const attemptColumns = `a.id, a.at, a.event, a.sequence, a.try, a.status, a.failure, a.milliseconds, a.excerpt`;

const attemptsStatement = read(
  "list_webhook_attempts",
  `select ${attemptColumns} from webhook_attempts a
   where a.organization_id = $1 and a.webhook_id = $2 order by a.id desc limit $3`,
);

/** The newest attempts of an endpoint first. */
export function listAttempts(
  db: Database,
  organizationId: string,
  webhookId: string,
  limit: number,
): Promise<WebhookAttempt[]> {
  return db.query<WebhookAttempt>(attemptsStatement, [organizationId, webhookId, limit]);
}

const lastAttemptsStatement = read(
  "list_last_webhook_attempts",
  `select e.id as "webhookId", ${attemptColumns}
   from webhook_endpoints e
   cross join lateral (
     select * from webhook_attempts a
     where a.organization_id = e.organization_id and a.webhook_id = e.id order by a.id desc limit 1
   ) a
   where e.organization_id = $1`,
);

/** The newest attempt of each endpoint that has one. */
export async function listLastAttempts(
  db: Database,
  organizationId: string,
): Promise<ReadonlyMap<string, WebhookAttempt>> {
  const rows = await db.query<WebhookAttempt & { webhookId: string }>(lastAttemptsStatement, [
    organizationId,
  ]);
  return new Map(rows.map(({ webhookId, ...attempt }) => [webhookId, attempt]));
}

const sweepStatement = pooled(
  "sweep_webhook_attempts",
  `with old as (
     select organization_id, webhook_id, id from webhook_attempts
     where at < $1 and ${isHere("organization_id")} order by at limit $2 for update skip locked
   ), removed as (
     delete from webhook_attempts a using old
     where a.organization_id = old.organization_id and a.webhook_id = old.webhook_id and a.id = old.id
     returning a.id
   )
   select count(*) as count from removed`,
);

/** Removes some of the attempts from before an instant and returns how many. */
export async function sweepAttempts(db: Database, before: string, limit: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(sweepStatement, [before, limit]);
  return row?.count ?? 0;
}

const attemptStatement = read(
  "find_webhook_attempt",
  `select ${attemptColumns} from webhook_attempts a
   where a.organization_id = $1 and a.webhook_id = $2 and a.id = $3`,
);

export async function findAttempt(
  db: Database,
  organizationId: string,
  webhookId: string,
  id: string,
): Promise<WebhookAttempt | undefined> {
  const [attempt] = await db.query<WebhookAttempt>(attemptStatement, [organizationId, webhookId, id]);
  return attempt;
}
