import { instantText } from "../core/clock.ts";
import type { KeyClaim, KeyedAnswer, StoredAnswer } from "../core/stored-answer.ts";
import type { Database } from "./database.ts";
import { isHere } from "./elsewhere.ts";
import { isLockTimeout } from "./statement-errors.ts";
import { pooled, read } from "./statements.ts";

/** How long a key is taken after its first request, by the clock that the requests are given. */
const KEPT = "interval '24 hours'";

// Waits for whoever is claiming the same key, up to a time of its own; the usual one is set again once the key is
// claimed, before the work begins. The row that is there is changed only if its time is over: then the key is new.
const claimStatement = pooled(
  "claim_idempotency_key",
  `with patience as materialized (
     select current_setting('lock_timeout') as usual, set_config('lock_timeout', $5, true) as chosen
   ), claimed as (
     insert into idempotency_keys as k (organization_id, key, fingerprint, created_at)
     select $1, $2, decode($3, 'hex'), $4::timestamptz from patience
     on conflict (organization_id, key) do update set
       fingerprint = excluded.fingerprint, created_at = excluded.created_at,
       status = null, etag = null, location = null, body = null, record_id = null
     where k.created_at <= excluded.created_at - ${KEPT}
     returning key
   )
   select set_config('lock_timeout', usual, true) as usual from claimed cross join patience`,
);

/**
 * Claims a key for the transaction. `taken`: an answer is stored under it. `busy`: another transaction has claimed it and
 * did not end in time; this one has failed by that.
 */
export async function claimKey(
  tx: Database,
  { organizationId, key, fingerprint, now }: KeyClaim,
  patienceMs: number,
): Promise<"claimed" | "taken" | "busy"> {
  // Zero would be no limit.
  const patience = String(Math.max(1, Math.ceil(patienceMs)));
  const values = [organizationId, key, fingerprint, instantText(now), patience];
  try {
    const rows = await tx.query(claimStatement, values);
    return rows.length > 0 ? "claimed" : "taken";
  } catch (error) {
    if (isLockTimeout(error)) return "busy";
    throw error;
  }
}

const storeStatement = pooled(
  "store_answer",
  `update idempotency_keys set status = $3, etag = $4, location = $5, body = convert_to($6, 'UTF8'), record_id = $7
   where organization_id = $1 and key = $2`,
);

/** Stores the answer under the key that the transaction has claimed. */
export async function storeAnswer(tx: Database, answer: KeyedAnswer): Promise<void> {
  const { claim, status, etag, location, body, recordId } = answer;
  await tx.query(storeStatement, [
    claim.organizationId,
    claim.key,
    status,
    etag ?? null,
    location ?? null,
    body ?? null,
    recordId ?? null,
  ]);
}

const findStatement = read(
  "find_stored_answer",
  `select encode(fingerprint, 'hex') as fingerprint, status, etag, location, convert_from(body, 'UTF8') as body from idempotency_keys
   where organization_id = $1 and key = $2 and created_at > $3::timestamptz - ${KEPT}`,
);

/** The answer that is stored under the key, with the request that it was the answer to. */
export async function findAnswer(
  db: Database,
  { organizationId, key, now }: KeyClaim,
): Promise<(StoredAnswer & Pick<KeyClaim, "fingerprint">) | undefined> {
  const [row] = await db.query<StoredAnswer & Pick<KeyClaim, "fingerprint">>(findStatement, [
    organizationId,
    key,
    instantText(now),
  ]);
  return row;
}

/** What a row of a recordset `n` has beside its record if it comes with an answer: see `answerRow`. */
export const ANSWER_COLUMNS =
  "answer_key text, answer_fingerprint text, answer_status smallint, answer_etag text, answer_location text, answer_body text";

/**
 * Stores the answers of those rows of `n` that the condition admits, for a statement that stores their records; `$1` is
 * the organization. A key that is taken is left out of what it returns, and the record must then be left out too.
 */
export function insertAnswers(condition: string): string {
  // In the order of their keys, so that two such statements wait for each other in one direction only.
  return `
    insert into idempotency_keys
      (organization_id, key, fingerprint, status, etag, location, body, record_id, created_at)
    select $1, n.answer_key, decode(n.answer_fingerprint, 'hex'), n.answer_status, n.answer_etag, n.answer_location,
      convert_to(n.answer_body, 'UTF8'), n.id, n.created_at
    from n where n.answer_key is not null and ${condition}
    order by n.answer_key
    on conflict (organization_id, key) do nothing
    returning key`;
}

export function answerRow({ claim, status, etag, location, body }: KeyedAnswer): Record<string, unknown> {
  return {
    answer_key: claim.key,
    answer_fingerprint: claim.fingerprint,
    answer_status: status,
    answer_etag: etag,
    answer_location: location,
    answer_body: body,
  };
}

// Rows that another process is removing, or that are being used again, are passed over.
const sweepStatement = pooled(
  "sweep_idempotency_keys",
  `with expired as (
     select organization_id, key from idempotency_keys
     where created_at <= $1::timestamptz - ${KEPT} and ${isHere("organization_id")}
     order by created_at limit $2 for update skip locked
   ), swept as (
     delete from idempotency_keys k using expired
     where k.organization_id = expired.organization_id and k.key = expired.key
     returning 1
   )
   select count(*) as count from swept`,
);

/** Removes keys whose time is over, at most so many, and returns how many. */
export async function sweepAnswers(db: Database, now: number, limit: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(sweepStatement, [instantText(now), limit]);
  return row?.count ?? 0;
}
