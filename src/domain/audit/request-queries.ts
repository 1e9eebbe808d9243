import { instantText } from "../../core/clock.ts";
import type { KeyClaim, KeyedAnswer, RecordedAnswer, StoredAnswer } from "../../core/stored-answer.ts";
import type { Database } from "../../db/database.ts";
import { isLockTimeout } from "../../db/statement-errors.ts";
import { pooled, read } from "../../db/statements.ts";

/**
 * Requests of the staff application are known again by the audit entry of what they did: it has their key, a hash of the
 * request and what the answer is made of again. There is no second table to keep in step. A key belongs to the person who
 * sent it, and is new again 24 hours after its request.
 */

/** The requests of person `$2` with key `$3` in organization `$1`. */
const isOfKey = "organization_id = $1 and actor = $2 and request_key = $3";
const KEPT = "interval '24 hours'";

// Requests with one key go one after the other: an entry is written at the end of a write, too late to let the second
// one wait before it has done everything again. The usual patience is set again when the lock is held. The person is left
// out of the lock, as nodes of the release before do; so that two nodes exclude each other whatever their release.
const lockStatement = pooled(
  "lock_request_key",
  `with patience as materialized (
     select current_setting('lock_timeout') as usual, set_config('lock_timeout', $3, true) as chosen
   ), held as materialized (
     select pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0)), usual from patience where chosen is not null
   )
   select set_config('lock_timeout', usual, true) as usual from held`,
);
// A statement of its own: it sees what was committed while the lock was waited for. An entry whose time is over lets its
// key go.
const takenStatement = pooled(
  "is_request_key_taken",
  `with released as (
     update audit set request_key = null, request_hash = null, result = null
     where ${isOfKey} and at <= $4::timestamptz - ${KEPT}
   )
   select 1 as taken from audit where ${isOfKey} and at > $4::timestamptz - ${KEPT}`,
);

/** Claims a key for the transaction: see `AnswerStore`. */
export async function claimRequest(
  tx: Database,
  claim: KeyClaim,
  patienceMs: number,
): Promise<"claimed" | "taken" | "busy"> {
  // Zero would be no limit.
  const patience = String(Math.max(1, Math.ceil(patienceMs)));
  try {
    // Sent together: the second one begins when the lock is held.
    const [, taken] = await Promise.all([
      tx.query(lockStatement, [claim.organizationId, claim.key, patience]),
      tx.query(takenStatement, keyValues(claim)),
    ]);
    return taken.length > 0 ? "taken" : "claimed";
  } catch (error) {
    if (isLockTimeout(error)) return "busy";
    throw error;
  }
}

// Whose entry it is says whose key it is: an entry that is not theirs, or not there, is no entry of this write.
const storeStatement = pooled(
  "store_request",
  `update audit set request_key = $3, request_hash = decode($5, 'hex'), result = $6
   where organization_id = $1 and actor = $2 and id = $4
   returning id`,
);

/** A request, with what is stored of its result. */
export interface KeptResult extends Pick<KeyClaim, "key" | "fingerprint"> {
  readonly result: unknown;
}

export function resultText(result: unknown): string {
  return JSON.stringify(result ?? null);
}

/** Stores the request with the audit entry of its write, unless that was written with it. */
export async function storeRequest(tx: Database, { claim, source }: KeyedAnswer): Promise<void> {
  if (source?.isStored) return;
  const { organizationId, owner, key, fingerprint } = claim;
  const values = [
    organizationId,
    owner,
    key,
    source?.auditId ?? null,
    fingerprint,
    resultText(source?.result),
  ];
  const stored = await tx.query(storeStatement, values);
  if (stored.length === 0) throw new Error("a write of the application has left no audit entry");
}

const findStatement = read(
  "find_request",
  `select id as "auditId", encode(request_hash, 'hex') as fingerprint, result
   from audit where ${isOfKey} and at > $4::timestamptz - ${KEPT}`,
);

/** What a request with this key did, if there was one. */
export async function findRequest(
  db: Database,
  claim: KeyClaim,
): Promise<(StoredAnswer & Pick<KeyClaim, "fingerprint">) | undefined> {
  const [row] = await db.query<RecordedAnswer & Pick<KeyClaim, "fingerprint">>(
    findStatement,
    keyValues(claim),
  );
  return (
    row && { status: 200, fingerprint: row.fingerprint, source: { auditId: row.auditId, result: row.result } }
  );
}

function keyValues({ organizationId, owner, key, now }: KeyClaim): unknown[] {
  return [organizationId, owner, key, instantText(now)];
}
