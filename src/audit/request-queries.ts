import type { KeyClaim, KeyedAnswer, RecordedAnswer, StoredAnswer } from "../core/stored-answer.ts";
import type { Database } from "../db/database.ts";
import { isLockTimeout } from "../db/statement-errors.ts";
import { pooled, read } from "../db/statements.ts";

/**
 * Requests of the staff application are known again by the audit entry of what they did: it has their key, a hash of the
 * request and what the answer is made of again. There is no second table to keep in step, and nothing that expires.
 */

// Requests with one key go one after the other: an entry is written at the end of a write, too late to let the second
// one wait before it has done everything again. The usual patience is set again when the lock is held.
const lockStatement = pooled(
  "lock_request_key",
  `with patience as materialized (
     select current_setting('lock_timeout') as usual, set_config('lock_timeout', $3, true) as chosen
   ), held as materialized (
     select pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0)), usual from patience where chosen is not null
   )
   select set_config('lock_timeout', usual, true) as usual from held`,
);
// A statement of its own: it sees what was committed while the lock was waited for.
const takenStatement = pooled(
  "is_request_key_taken",
  "select 1 as taken from audit where organization_id = $1 and request_key = $2",
);

/** Claims a key for the transaction: see `AnswerStore`. */
export async function claimRequest(
  tx: Database,
  { organizationId, key }: KeyClaim,
  patienceMs: number,
): Promise<"claimed" | "taken" | "busy"> {
  // Zero would be no limit.
  const patience = String(Math.max(1, Math.ceil(patienceMs)));
  try {
    await tx.query(lockStatement, [organizationId, key, patience]);
  } catch (error) {
    if (isLockTimeout(error)) return "busy";
    throw error;
  }
  return (await tx.query(takenStatement, [organizationId, key])).length > 0 ? "taken" : "claimed";
}

const storeStatement = pooled(
  "store_request",
  `update audit set request_key = $3, request_hash = decode($4, 'hex'), result = $5
   where organization_id = $1 and id = $2`,
);

/** Stores the request with the audit entry of its write. */
export async function storeRequest(tx: Database, { claim, source }: KeyedAnswer): Promise<void> {
  if (!source) throw new Error("a write of the application has no audit entry");
  const { organizationId, key, fingerprint } = claim;
  const result = JSON.stringify(source.result ?? null);
  await tx.query(storeStatement, [organizationId, source.auditId, key, fingerprint, result]);
}

const findStatement = read(
  "find_request",
  `select id as "auditId", encode(request_hash, 'hex') as fingerprint, result
   from audit where organization_id = $1 and request_key = $2`,
);

/** What a request with this key did, if there was one. */
export async function findRequest(
  db: Database,
  { organizationId, key }: KeyClaim,
): Promise<(StoredAnswer & Pick<KeyClaim, "fingerprint">) | undefined> {
  const [row] = await db.query<RecordedAnswer & Pick<KeyClaim, "fingerprint">>(findStatement, [
    organizationId,
    key,
  ]);
  return (
    row && { status: 200, fingerprint: row.fingerprint, source: { auditId: row.auditId, result: row.result } }
  );
}
