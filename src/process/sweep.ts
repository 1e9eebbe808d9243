import type { Logger } from "pino";
import { instantText } from "../core/clock.ts";
import { MS_PER_DAY, MS_PER_HOUR } from "../core/dates.ts";
import { deleteOrganizationPart } from "../data/backup/delete-organization.ts";
import { sweepImported } from "../data/spreadsheet/undo-queries.ts";
import { averageOrganizations } from "../db/average-organizations.ts";
import type { Database } from "../db/database.ts";
import { sweepAnswers } from "../db/stored-answers.ts";
import { oldestRequest, sweepRequests } from "../domain/keys/request-rows.ts";
import { findOrganizationsToDelete } from "../domain/organizations/deletion-queries.ts";
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
 * Removes stored answers, sign-ins, attempts to reach webhooks, recorded requests, and organizations that are to be deleted,
 * whose time is over, once an hour. What has expired is not used before that either. Every process does it, each at its own time of the hour; rows
 * that another one is removing are passed over. At its end it looks whether the planner knows of very many organizations.
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

  /** One that cannot be deleted keeps no other from it. */
  async #delete(organizationId: string, rowsAtOnce: number): Promise<void> {
    const { db, logger } = this.#options;
    logger.info({ organizationId }, "deleting an organization whose time of grace is over");
    try {
      let from: number | undefined = 0;
      while (from !== undefined && !this.#isStopped)
        from = await deleteOrganizationPart(db, organizationId, { from, rowsAtOnce });
      if (from === undefined)
        logger.info({ organizationId }, "the organization is deleted, or another process is at it");
    } catch (err) {
      logger.warn({ err, organizationId }, "an organization could not be deleted; the next sweep goes on");
    }
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
      for (let rows = rowsAtOnce; rows === rowsAtOnce && !this.#isStopped; )
        rows = await sweepRequests(db, oldestRequest(now), rowsAtOnce);
      for (const organizationId of await findOrganizationsToDelete(db, now))
        await this.#delete(organizationId, rowsAtOnce);
      await averageOrganizations(db);
    } catch (err) {
      logger.warn(
        { err },
        "expired idempotency keys, sign-ins, attempts, recorded requests and organizations could not be removed, or statistics renewed",
      );
    }
    if (!this.#isStopped) this.#timer = this.#after(this.#everyMs);
  }
}
