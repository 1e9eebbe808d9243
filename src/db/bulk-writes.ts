import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { HeldByImport } from "../core/held-by-import.ts";
import type { Database } from "./database.ts";
import type { Owner } from "./fair-queue.ts";
import { runAlone } from "./rows-query.ts";
import { isLockTimeout } from "./statement-errors.ts";
import { pooled, type Statement } from "./statements.ts";

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

// Others see nothing that a transaction has written, but they see what its connection is called.
const announceStatement = pooled(
  "announce_bulk_write_end",
  "select set_config('application_name', 'rollbook import, ' || $1::bigint || ' ms left', true)",
);

/**
 * Says to those who wait for a record of an import how long that will be, as far as it is known. Said again after every
 * few records, as what was said last is taken for what is left now.
 */
export async function announceEnd(tx: Database, inMs: number): Promise<void> {
  await tx.query(announceStatement, [Math.ceil(inMs)]);
}

// A row if an import runs. PostgreSQL shows what a connection is called only to who may see it.
const runningStatement = pooled(
  "find_running_bulk_write",
  `select substring(a.application_name from ', ([0-9]{1,9}) ms left$')::integer as "restMs"
   from pg_locks l left join pg_stat_activity a on a.pid = l.pid
   where l.locktype = 'advisory' and l.granted and l.objsubid = 1
     and l.database = (select oid from pg_database where datname = current_database())
     and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('rollbook import ' || $1::uuid, 0)`,
);

interface RunningBulkWrite {
  /** Absent if it is not known. */
  readonly restMs?: number;
}

type QueryRunning = (statement: Statement, values: readonly unknown[]) => Promise<RunningBulkWrite[]>;

/** How a write begins while an import is known to run. */
const SHORT_LOCK_TIMEOUT = "; set local lock_timeout = '100ms'";
/** How long that is taken for granted. */
const KNOWN_FOR_MS = 2_000;
/** How often it is asked meanwhile whether the import has ended. */
const LOOK_EVERY_MS = 100;
/** So many of an organization wait at the most. They come all at once then, and the queue for connections is bounded. */
const MOST_WAITING = 200;

/**
 * Which organizations have an import that holds records for longer than a write waits for a lock. Most imports are over
 * by then, so waiting is worth it; but when one write has waited in vain, the others would as well, each with a
 * connection of the organization's share, and behind them those that the import does not concern. From then on they give
 * their connection back at once, and wait without one if the import says that it will soon have ended.
 *
 * Example: an import replaces 200,000 clients, which takes 20 s. The first write to one of them waits for 1 s and is
 * refused, with `Retry-After: 19`. Those after it are refused after 100 ms, until the end is 5 s away. Those that come
 * from then on are carried out when the import has ended. Writes to other clients go on all the time.
 */
export class BulkWrites {
  readonly #query: QueryRunning;
  readonly #patienceMs: number;
  readonly #knownUntilMs = new Map<Owner, number>();
  readonly #waiting = new Map<Owner, number>();
  /** The next answer to whether an import still runs: all who wait share it. */
  readonly #looks = new Map<Owner, Promise<boolean>>();

  /** `query` runs on a connection of the program's own. An import whose end is farther away than `patienceMs` is not awaited. */
  constructor(query: QueryRunning, patienceMs: number) {
    this.#query = query;
    this.#patienceMs = patienceMs;
  }

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
    const [running] = await runAlone<RunningBulkWrite>(connection, runningStatement, [owner]).catch(() => []);
    if (!running) {
      this.#knownUntilMs.delete(owner);
      return error;
    }
    this.#knownUntilMs.set(owner, performance.now() + KNOWN_FOR_MS);
    const { restMs } = running;
    if (restMs === undefined) return new HeldByImport({ cause: error });
    const isSoon = restMs <= this.#patienceMs && (this.#waiting.get(owner) ?? 0) < MOST_WAITING;
    return new HeldByImport({
      cause: error,
      retryAfterSeconds: Math.max(1, Math.ceil(restMs / 1_000)),
      ...(isSoon && { ended: () => this.#waitForEnd(owner) }),
    });
  }

  async #waitForEnd(owner: Owner): Promise<void> {
    const deadline = performance.now() + this.#patienceMs;
    this.#waiting.set(owner, (this.#waiting.get(owner) ?? 0) + 1);
    try {
      while (performance.now() < deadline && (await this.#look(owner)));
    } finally {
      const others = (this.#waiting.get(owner) ?? 1) - 1;
      if (others > 0) this.#waiting.set(owner, others);
      else this.#waiting.delete(owner);
    }
  }

  #look(owner: Owner): Promise<boolean> {
    const next = this.#looks.get(owner) ?? this.#lookLater(owner).finally(() => this.#looks.delete(owner));
    this.#looks.set(owner, next);
    return next;
  }

  /** Whether an import still runs, a moment later. */
  async #lookLater(owner: Owner): Promise<boolean> {
    await delay(LOOK_EVERY_MS);
    const isRunning = (await this.#query(runningStatement, [owner])).length > 0;
    if (!isRunning) this.#knownUntilMs.delete(owner);
    return isRunning;
  }
}
