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
// Held for the moment of the statement, which is a transaction of its own.
const runningStatement = pooled(
  "is_bulk_write_running",
  `select not pg_try_advisory_xact_lock_shared(hashtextextended('rollbook import ' || $1::uuid, 0)) as running`,
);

/**
 * One import at a time into an organization: of two with the same ids, the second replaces what the first made. Held to
 * the end of the transaction, so that writers who wait for one of its records can find out for what.
 */
export async function lockBulkWrite(tx: Database, organizationId: string): Promise<void> {
  await tx.query(lockStatement, [organizationId]);
}

/** How a write begins while an import is known to run. */
const SHORT_LOCK_TIMEOUT = "; set local lock_timeout = '100ms'";
/** How long that is taken for granted. */
const KNOWN_FOR_MS = 2_000;

/**
 * Which organizations have an import that holds records for longer than a write waits for a lock. Most imports are over
 * by then, so waiting is worth it; but when one write has waited in vain, the others would as well, each with a
 * connection of the organization's share, and behind them those that the import does not concern.
 *
 * Example: an import replaces 200,000 clients, which takes 30 s. The first write to one of them waits for 1 s and is
 * refused. From then on such writes are refused after 100 ms, and all others go on.
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
    const [found] = await runAlone<{ running: boolean }>(connection, runningStatement, [owner]).catch(
      () => [],
    );
    if (!found?.running) {
      this.#knownUntilMs.delete(owner);
      return error;
    }
    this.#knownUntilMs.set(owner, performance.now() + KNOWN_FOR_MS);
    return refusal("record_imported", { cause: error });
  }
}
