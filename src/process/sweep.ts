import type { Logger } from "pino";
import { instantText } from "../core/clock.ts";
import { MS_PER_DAY, MS_PER_HOUR } from "../core/dates.ts";
import { sweepImported } from "../data/spreadsheet/undo-queries.ts";
import type { Database } from "../db/database.ts";
import { sweepAnswers } from "../db/stored-answers.ts";
import { sweepSignIns } from "../domain/staff/queries.ts";
import { sweepAttempts } from "../sync/webhooks/queries.ts";
import { ATTEMPT_DAYS } from "../sync/webhooks/values.ts";

/** How many rows one statement removes: more would hold a connection, and its locks, for long. */
const ROWS_AT_ONCE = 1_000;

export interface SweepOptions {
  readonly db: Database;
  readonly logger: Logger;
  /** Called with how many stored answers were removed. */
  readonly onSwept: (rows: number) => void;
  readonly everyMs?: number;
  readonly rowsAtOnce?: number;
}

/**
 * Removes stored answers, sign-ins and attempts to reach webhooks whose time is over, once an hour. Nothing depends on it
 * but the size of the tables: what has expired is not used. Every process does it, each at its own time of the hour; rows
 * that another one is removing are passed over.
 */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout;
  #current: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#everyMs = options.everyMs ?? MS_PER_HOUR;
    this.#timer = this.#after(Math.random() * this.#everyMs);
  }

  /** Resolves once nothing more is asked of the database. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#current;
  }

  #after(ms: number): NodeJS.Timeout {
    const run = () => {
      this.#current = this.#run();
    };
    return setTimeout(run, ms).unref();
  }

  async #run(): Promise<void> {
    const { db, logger, onSwept, rowsAtOnce = ROWS_AT_ONCE } = this.#options;
    try {
      const now = await db.now();
      for (let rows = rowsAtOnce; rows === rowsAtOnce && !this.#isStopped; ) {
        rows = await sweepAnswers(db, now, rowsAtOnce);
        onSwept(rows);
      }
      for (let rows = rowsAtOnce; rows === rowsAtOnce && !this.#isStopped; )
        rows = await sweepSignIns(db, now, rowsAtOnce);
      for (let rows = rowsAtOnce; rows === rowsAtOnce && !this.#isStopped; )
        rows = await sweepImported(db, now, rowsAtOnce);
      const oldest = instantText(now - ATTEMPT_DAYS * MS_PER_DAY);
      for (let rows = rowsAtOnce; rows === rowsAtOnce && !this.#isStopped; )
        rows = await sweepAttempts(db, oldest, rowsAtOnce);
    } catch (err) {
      logger.warn({ err }, "expired idempotency keys, sign-ins and attempts could not be removed");
    }
    if (!this.#isStopped) this.#timer = this.#after(this.#everyMs);
  }
}
