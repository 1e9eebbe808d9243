import { instantText } from "../../core/clock.ts";
import type { Database, ShortReads } from "../../db/database.ts";
import { isHere, isStaying } from "../../db/elsewhere.ts";
import { pooled, read } from "../../db/statements.ts";
import { type SealedSecret, type WebhookRow, webhookColumns } from "./queries.ts";
import type { AttemptOutcome } from "./rules.ts";
import type { DisabledReason } from "./values.ts";

/**
 * What the sender asks and stores. Every attempt is made under a lease: a token on the endpoint's row, without which nothing
 * that came of it is stored. What owners change meanwhile moves the row's revision, and a result of before does not count.
 */

/** Whether an endpoint, `e`, wants a change, `c`. */
export const isSubscribed = `(e.events is null or e.events && array[c.kind || '.' || c.type, c.kind || '.*'])`;

/** What there is to do. */
export interface FoundWork {
  /** Endpoints whose next message is due. */
  readonly isDue: boolean;
  readonly hasTests: boolean;
  /** Organizations that have endpoints with nothing due, and changes that have no number yet. */
  readonly unnumbered: readonly string[];
}

// Costs what is there to do: organizations with changes that have no number yet are found one by one in the log's key, and
// nothing at all is read of the log while no endpoint is active.
const workStatement = read(
  "find_webhook_work",
  `with recursive logged as (
     (select organization_id from change_log
      where exists (select from webhook_endpoints where state = 'active') order by organization_id limit 1)
     union all
     select (select l.organization_id from change_log l where l.organization_id > logged.organization_id
             order by l.organization_id limit 1)
     from logged where logged.organization_id is not null
   )
   select
     exists (select from webhook_endpoints e where e.state = 'active' and e.held_since is null
             and e.next_attempt_at <= $1::timestamptz
             and (e.leased_until is null or e.leased_until <= $1::timestamptz)
             and ${isStaying("e.organization_id")}) as "isDue",
     exists (select from webhook_endpoints e where e.test_id is not null and e.held_since is null
             and ${isStaying("e.organization_id")}) as "hasTests",
     array(select l.organization_id from logged l
           where ${isStaying("l.organization_id")}
             and exists (select from webhook_endpoints e where e.organization_id = l.organization_id
                         and e.state = 'active' and e.held_since is null and e.next_attempt_at is null)) as unnumbered`,
);

export async function findWork(db: ShortReads, now: number): Promise<FoundWork> {
  const [row] = await db.query<FoundWork>(workStatement, [instantText(now)]);
  if (!row) throw new Error("nothing was found, not even that nothing is to do");
  return row;
}

/** An endpoint that this process alone may send to, until the lease ends. */
export interface LeasedWebhook {
  readonly organizationId: string;
  readonly id: string;
  readonly token: string;
}

const leaseStatement = pooled(
  "lease_webhooks",
  `with due as (
     select organization_id, id from webhook_endpoints
     where state = 'active' and held_since is null and next_attempt_at <= $1::timestamptz
       and (leased_until is null or leased_until <= $1::timestamptz) and ${isStaying("organization_id")}
     order by next_attempt_at limit $2 for update skip locked
   )
   update webhook_endpoints e
   set lease_token = gen_random_uuid(), leased_until = $1::timestamptz + $3 * interval '1 second'
   from due where e.organization_id = due.organization_id and e.id = due.id
   returning e.organization_id as "organizationId", e.id, e.lease_token as token`,
);

/** Takes due endpoints, those that have waited longest first. */
export function leaseWebhooks(
  db: Database,
  now: number,
  limit: number,
  leaseSeconds: number,
): Promise<LeasedWebhook[]> {
  return db.query<LeasedWebhook>(leaseStatement, [instantText(now), limit, leaseSeconds]);
}

/** An endpoint as its message is made. */
export interface SendingWebhook extends WebhookRow {
  readonly revision: number;
}

const openLeaseStatement = pooled(
  "open_webhook_lease",
  `update webhook_endpoints e set leased_until = $4::timestamptz + $5 * interval '1 second'
   where e.organization_id = $1 and e.id = $2 and e.lease_token = $3
     and e.state = 'active' and e.held_since is null and ${isStaying("e.organization_id")}
   returning ${webhookColumns}, e.revision`,
);

/** The leased endpoint as it is now, with its lease begun again; undefined if it is to be sent to no more. */
export async function openLease(
  tx: Database,
  { organizationId, id, token }: LeasedWebhook,
  now: number,
  leaseSeconds: number,
): Promise<SendingWebhook | undefined> {
  const [row] = await tx.query<SendingWebhook>(openLeaseStatement, [
    organizationId,
    id,
    token,
    instantText(now),
    leaseSeconds,
  ]);
  return row;
}

/** What is due at an endpoint. */
export interface DueEvents {
  /** The number of the next event; absent if there is none. */
  readonly next?: number;
  /** How many there are, counted up to one more than the endpoint wants one by one. */
  readonly count: number;
}

// Holes in the numbers are many after a compaction, so the distance to the end only tells that it cannot be a flood.
const dueStatement = pooled(
  "find_due_webhook_events",
  `with e as (select events, position, flood from webhook_endpoints where organization_id = $1 and id = $2)
   select min(sequence) as next, count(*) as count
   from (
     select c.sequence from e
     join changes c on c.organization_id = $1 and c.sequence > e.position and c.sequence <= $3
     where ${isSubscribed}
     order by c.sequence
     limit (select case when $3::bigint - position > flood then flood + 1 else 1 end from e)
   ) due`,
);

/** Up to a number of the feed. */
export async function findDueEvents(
  db: Database,
  { organizationId, id }: LeasedWebhook,
  head: number,
): Promise<DueEvents> {
  const [row] = await db.query<DueEvents>(dueStatement, [organizationId, id, head]);
  return row ?? { count: 0 };
}

const countDueStatement = pooled(
  "count_due_webhook_events",
  `select count(*) as count
   from webhook_endpoints e
   join changes c on c.organization_id = e.organization_id and c.sequence > e.position and c.sequence <= $3
   where e.organization_id = $1 and e.id = $2 and ${isSubscribed}`,
);

/** All of them. */
export async function countDueEvents(
  db: Database,
  { organizationId, id }: LeasedWebhook,
  head: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(countDueStatement, [organizationId, id, head]);
  return row?.count ?? 0;
}

const pendingStatement = pooled(
  "set_pending_webhook_message",
  `update webhook_endpoints e
   set pending_to = $4, pending_count = $5, leased_until = $6::timestamptz + $7 * interval '1 second'
   where e.organization_id = $1 and e.id = $2 and e.lease_token = $3 and e.revision = $8
     and e.state = 'active' and e.held_since is null
   returning ${webhookColumns}, e.revision`,
);

/** The message that is sent until it is taken, or passed over. */
export interface PendingMessage {
  readonly to: number;
  /** Of a flood. */
  readonly count?: number | undefined;
}

/** The endpoint with its next message, its lease begun again; undefined if the token or what it was does not stand. */
export async function setPending(
  db: Database,
  { organizationId, id, token }: LeasedWebhook,
  pending: PendingMessage | undefined,
  { revision }: SendingWebhook,
  { now, leaseSeconds }: { readonly now: number; readonly leaseSeconds: number },
): Promise<SendingWebhook | undefined> {
  const [row] = await db.query<SendingWebhook>(pendingStatement, [
    organizationId,
    id,
    token,
    pending?.to ?? null,
    pending?.count ?? null,
    instantText(now),
    leaseSeconds,
    revision,
  ]);
  return row;
}

// The head is locked, so nothing gets a number meanwhile: whoever numbers afterwards makes the endpoint due again, by a
// trigger of the head. If the feed has gone on, there is no rest.
const restStatement = pooled(
  "rest_webhook",
  `with head as materialized (select sequence from change_heads where organization_id = $1 for update)
   update webhook_endpoints
   set position = greatest(position, $4), next_attempt_at = null, lease_token = null, leased_until = null
   where organization_id = $1 and id = $2 and lease_token = $3 and revision = $5
     and (select sequence from head) = $4
   returning id`,
);

/** Nothing is due up to the end of the feed: all of it is passed over, and the lease ends. False if that is not the end. */
export async function restWebhook(
  db: Database,
  { organizationId, id, token }: LeasedWebhook,
  head: number,
  { revision }: SendingWebhook,
): Promise<boolean> {
  return (await db.query(restStatement, [organizationId, id, token, head, revision])).length > 0;
}

const releaseStatement = pooled(
  "release_webhook",
  `update webhook_endpoints
   set lease_token = null, leased_until = null,
     next_attempt_at = case when next_attempt_at <= $4::timestamptz then $4::timestamptz else next_attempt_at end
   where organization_id = $1 and id = $2 and lease_token = $3`,
);

/** Lets others go on. What is due stays so, behind those that have waited longer. */
export async function releaseWebhook(
  db: Database,
  { organizationId, id, token }: LeasedWebhook,
  now: number,
): Promise<void> {
  await db.query(releaseStatement, [organizationId, id, token, instantText(now)]);
}

const disableLostStatement = pooled(
  "disable_lost_webhook",
  `update webhook_endpoints
   set state = 'disabled', reason = 'secret_lost', next_attempt_at = null, lease_token = null, leased_until = null
   where organization_id = $1 and id = $2 and lease_token = $3`,
);

/** Its secrets cannot be read. */
export async function disableLostWebhook(
  tx: Database,
  { organizationId, id, token }: LeasedWebhook,
): Promise<void> {
  await tx.query(disableLostStatement, [organizationId, id, token]);
}

/** An attempt that was made. */
export interface MadeAttempt extends AttemptOutcome {
  readonly id: string;
  readonly at: string;
  readonly event: string;
  /** Absent of a test. */
  readonly sequence?: number;
  readonly try: number;
}

const attemptRow = `id, at, event, sequence, try, status, failure, milliseconds, excerpt`;

function attemptValues(attempt: MadeAttempt): unknown[] {
  const { id, at, event, sequence, status, failure, milliseconds, excerpt } = attempt;
  return [id, at, event, sequence, attempt.try, status, failure, milliseconds, excerpt].map(
    (value) => value ?? null,
  );
}

/** What an attempt changes of its endpoint. */
export interface AttemptResult {
  /** The endpoint as the message was made. */
  readonly revision: number;
  /** Set by a success. */
  readonly position?: number;
  readonly tries: number;
  readonly failingSince?: number | undefined;
  /** Absent if it is disabled. */
  readonly nextAttemptAt?: number | undefined;
  readonly reason?: DisabledReason | undefined;
}

const resultStatement = pooled(
  "store_webhook_result",
  `with stored as (
     update webhook_endpoints
     set position = coalesce($13::bigint, position),
       pending_to = case when $13::bigint is null then pending_to end,
       pending_count = case when $13::bigint is null then pending_count end,
       tries = $14, failing_since = $15, next_attempt_at = $16,
       state = case when $17::text is null then state else 'disabled' end, reason = $17,
       lease_token = case when $13::bigint is not null then lease_token end,
       leased_until = case when $13::bigint is not null then leased_until end
     where organization_id = $1 and id = $2 and lease_token = $3 and revision = $18
     returning organization_id, id
   )
   insert into webhook_attempts (organization_id, webhook_id, ${attemptRow})
   select organization_id, id, $4::uuid, $5::timestamptz, $6, $7::bigint, $8::int, $9::int, $10, $11::int, $12 from stored
   returning id`,
);

/**
 * Stores what came of an attempt, and the attempt itself. After a success the lease goes on, for the next message. False if
 * the token or what the message was made of does not stand any more: nothing is stored then.
 */
export async function storeResult(
  db: Database,
  { organizationId, id, token }: LeasedWebhook,
  attempt: MadeAttempt,
  result: AttemptResult,
): Promise<boolean> {
  const instant = (ms: number | undefined) => (ms === undefined ? null : instantText(ms));
  const rows = await db.query(resultStatement, [
    organizationId,
    id,
    token,
    ...attemptValues(attempt),
    result.position ?? null,
    result.tries,
    instant(result.failingSince),
    instant(result.nextAttemptAt),
    result.reason ?? null,
    result.revision,
  ]);
  return rows.length > 0;
}

/** An endpoint of which a test was asked for. */
export interface TestedWebhook {
  readonly organizationId: string;
  readonly id: string;
  readonly url: string;
  readonly secrets: readonly SealedSecret[];
  readonly testId: string;
}

// Taken once, whatever comes of it: a test is not repeated. Of an organization the one that was asked for first.
const takeTestsStatement = pooled(
  "take_webhook_tests",
  `with asked as (
     select organization_id, id, test_id from webhook_endpoints e
     where test_id is not null and held_since is null and organization_id <> all ($2::uuid[])
       and ${isStaying("organization_id")}
       and test_id = (select first.test_id from webhook_endpoints first
                      where first.organization_id = e.organization_id and first.test_id is not null
                      order by first.test_id limit 1)
     order by test_id limit $1 for update skip locked
   )
   update webhook_endpoints e set test_id = null from asked
   where e.organization_id = asked.organization_id and e.id = asked.id
   returning e.organization_id as "organizationId", e.id, e.url, e.secrets, asked.test_id as "testId"`,
);

/** Takes tests to be sent, one of each organization but of `busy` ones. */
export function takeTests(db: Database, limit: number, busy: readonly string[]): Promise<TestedWebhook[]> {
  return db.query<TestedWebhook>(takeTestsStatement, [limit, busy]);
}

const storeTestStatement = pooled(
  "store_webhook_test",
  `insert into webhook_attempts (organization_id, webhook_id, ${attemptRow})
   select organization_id, id, $3::uuid, $4::timestamptz, $5, $6::bigint, $7::int, $8::int, $9, $10::int, $11
   from webhook_endpoints where organization_id = $1 and id = $2
   on conflict do nothing`,
);

export async function storeTest(
  db: Database,
  { organizationId, id }: Pick<TestedWebhook, "organizationId" | "id">,
  attempt: MadeAttempt,
): Promise<void> {
  await db.query(storeTestStatement, [organizationId, id, ...attemptValues(attempt)]);
}

/** How the endpoints of all organizations do, by state. */
export interface WebhookFigures {
  readonly state: "active" | "failing" | "disabled" | "held";
  readonly endpoints: number;
  readonly eventsBehind: number;
  readonly secondsBehind: number;
}

const figuresStatement = pooled(
  "read_webhook_figures",
  `select s.state, count(*) as endpoints, sum(s.behind)::bigint as "eventsBehind",
     coalesce(max(extract(epoch from $1::timestamptz - s.since)), 0)::float8 as "secondsBehind"
   from (
     select
       case when e.state = 'disabled' then 'disabled' when e.held_since is not null then 'held'
         when e.failing_since is not null then 'failing' else 'active' end as state,
       greatest(coalesce(h.sequence, 0) - e.position, 0) as behind,
       (select c.at from changes c where c.organization_id = e.organization_id and c.sequence > e.position
        order by c.sequence limit 1) as since
     from webhook_endpoints e left join change_heads h on h.organization_id = e.organization_id
     where ${isHere("e.organization_id")}
   ) s group by s.state`,
);

export async function readWebhookFigures(db: Database): Promise<WebhookFigures[]> {
  return db.query<WebhookFigures>(figuresStatement, [instantText(await db.now())]);
}
