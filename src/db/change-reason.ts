import type { ChangeReason } from "../core/reasons.ts";
import type { Database } from "./database.ts";
import { pooled } from "./statements.ts";

/** What the transaction has said, as the triggers copy it. */
export const SAID_REASON = "nullif(current_setting('rollbook.reason', true), '')::jsonb";

/**
 * The settings `rollbook.reason` and `rollbook.reasons` of a transaction are copied by the triggers of the change feed into what
 * they note (migration 0016). They last until the transaction ends, and so are safe behind a pooler.
 *
 * For a statement that may be its own transaction: a part of its `with`, which sets the reason if the parameter is not null.
 * It is carried out with the rows of the statement if those are asked for under `REASON_SAID`; triggers run after them.
 */
export const sayReason = (parameter: string) =>
  `said as materialized (select set_config('rollbook.reason', ${parameter}::text, true) where ${parameter}::text is not null)`;
/** The same for a statement that stores records of several requests: an object of reasons by the ids of the records. */
export const sayReasons = (parameter: string) =>
  `said as materialized (select set_config('rollbook.reasons', ${parameter}::text, true) where ${parameter}::text is not null)`;

export const REASON_SAID = "(select count(*) from said) >= 0";

const setStatement = pooled("set_change_reason", "select set_config('rollbook.reason', $1, true)");

/** Says whose changes are made from here to the end of the transaction. */
export async function setReason(tx: Database, reason: ChangeReason): Promise<void> {
  await tx.query(setStatement, [JSON.stringify(reason)]);
}

/** The work of a transaction, whose changes all have this reason unless a part of it says otherwise. */
export function reasoned<Result>(
  reason: ChangeReason,
  work: (tx: Database) => Promise<Result>,
): (tx: Database) => Promise<Result> {
  return async (tx) => {
    // Sent together with the first statement of the work.
    const said = setReason(tx, reason);
    said.catch(() => {});
    const result = await work(tx);
    await said;
    return result;
  };
}

/** A database whose transactions all have this reason. */
export function withReason(db: Database, reason: ChangeReason): Database {
  return {
    query: (statement, values) => db.query(statement, values),
    transaction: (work) => db.transaction(reasoned(reason, work)),
    snapshot: (work) => db.snapshot(work),
    now: () => db.now(),
    clockOffsetMs: db.clockOffsetMs,
  };
}

const currentStatement = pooled(
  "find_change_reason",
  "select coalesce(current_setting('rollbook.reason', true), '') as reason",
);

/** Does a part of a transaction whose changes have another reason than the rest of it. */
export async function underReason<Result>(
  tx: Database,
  reason: ChangeReason,
  work: () => Promise<Result>,
): Promise<Result> {
  const [before] = await tx.query<{ reason: string }>(currentStatement);
  await setReason(tx, reason);
  const result = await work();
  await tx.query(setStatement, [before?.reason ?? ""]);
  return result;
}
