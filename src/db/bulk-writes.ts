import type pg from "pg";
import { refusal } from "../core/errors.ts";
import type { Database } from "./database.ts";
import type { Owner } from "./fair-queue.ts";
import { runAlone } from "./rows-query.ts";
import { isLockTimeout } from "./statement-errors.ts";
import { pooled } from "./statements.ts";

const lockStatement = pooled(
  "lock_bulk_write",
  "select pg_advisory_xact_lock(hashtextextended('rollbook import ' || $1::uuid, 0))::text",
);

/**
 * One import at a time into an organization: of two with the same ids, the second replaces what the first made. Held to
 * the end of the transaction, so that writers who wait for one of its records can find out for what.
 */
export async function lockBulkWrite(tx: Database, organizationId: string): Promise<void> {
  await tx.query(lockStatement, [organizationId]);
}

const runningStatement = pooled(
  "find_running_bulk_write",
  `select true as "isRunning" from pg_locks l
   where l.locktype = 'advisory' and l.granted and l.objsubid = 1
     and l.database = (select oid from pg_database where datname = current_database())
     and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('rollbook import ' || $1::uuid, 0)`,
);

/** How a write begins while an import is known to run. */
const SHORT_LOCK_TIMEOUT = "; set local lock_timeout = '100ms'";
/** How long that is taken for granted. */
const KNOWN_FOR_MS = 2_000;
/** Fifty thousand records are replaced in about this time. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Which organizations have an import that holds records for longer than a write waits for a lock. When one write has
 * waited in vain, the others would as well, each with a connection of the organization's share, and behind them those
 * that the import does not concern. From then on they give their connection back soon.
 *
 * Example: an import replaces 200,000 clients, which takes 20 s. The first write to one of them waits for 1 s and is
 * refused. Those after it are refused after 100 ms. Writes to other clients go on all the time.
 */
export class BulkWrites {
  readonly #knownUntilMs = new Map<Owner, number>();

  /** How a transaction of the owner begins, after `begin`. */
  limitText(owner: Owner): string {
    const until = this.#knownUntilMs.get(owner);
    if (until === undefined) return "";
    if (performance.now() < until) return SHORT_LOCK_TIMEOUT;
    this.#knownUntilMs.delete(owner);
    return "";
  }

  /** Says why a lock was waited for in vain. The connection is free, outside of any transaction. */
  async explain(owner: Owner, connection: pg.ClientBase, error: unknown): Promise<unknown> {
    if (owner === undefined || !isLockTimeout(error)) return error;
    const [running] = await runAlone(connection, runningStatement, [owner]).catch(() => []);
    if (!running) return error;
    this.#knownUntilMs.set(owner, performance.now() + KNOWN_FOR_MS);
    return refusal("record_imported", { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
