import type { Logger } from "pino";
import { MS_PER_DAY, MS_PER_HOUR } from "../core/dates.ts";
import { isUnavailable } from "../core/errors.ts";
import type { OpenDatabase } from "../db/database.ts";
import { organizationIds } from "../domain/organizations/queries.ts";
import { clearLog, compactChanges } from "../sync/changes/compaction.ts";
import { isWholePart, listUnnumbered, numberChanges } from "../sync/changes/numbering.ts";

const NUMBER_EVERY_MS = 10_000;

export interface FeedTaskOptions {
  readonly db: OpenDatabase;
  readonly logger: Logger;
  readonly keptDays: number;
  /** Called with how many entries were numbered, and how many were removed. */
  readonly onDone: (numbered: number, removed: number) => void;
  readonly numberEveryMs?: number;
  readonly compactEveryMs?: number;
}

/**
 * Numbers changes that nobody has read, so that whoever comes first finds little left to do, and removes superseded entries
 * whose time is over. Nothing depends on it but the size of the tables, and how fast a page is read. Every process does it; what another one is numbering
 * is left to it.
 */
export class FeedTask {
  readonly #options: FeedTaskOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: FeedTaskOptions) {
    this.#options = options;
    const { numberEveryMs = NUMBER_EVERY_MS, compactEveryMs = MS_PER_DAY } = options;
    this.#repeat(Math.random() * numberEveryMs, numberEveryMs, () => this.#number());
    this.#repeat(Math.random() * Math.min(MS_PER_HOUR, compactEveryMs), compactEveryMs, () =>
      this.#compact(),
    );
  }

  /** Resolves once nothing more is asked of the database. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  #repeat(firstMs: number, everyMs: number, work: () => Promise<void>): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const running = work()
        .catch((err: unknown) => {
          if (!isUnavailable(err)) this.#options.logger.warn({ err }, "the change feed could not be tended");
        })
        .finally(() => {
          this.#running.delete(running);
          if (!this.#isStopped) this.#repeat(everyMs, everyMs, work);
        });
      this.#running.add(running);
    }, firstMs).unref();
    this.#timers.add(timer);
  }

  async #number(): Promise<void> {
    const { db, onDone } = this.#options;
    for (const id of await listUnnumbered(db))
      for (let isWhole = true; isWhole && !this.#isStopped; ) {
        const numbered = await numberChanges(db.for(id), id, { skipsLocked: true });
        onDone(numbered, 0);
        isWhole = isWholePart(numbered);
      }
    if (!this.#isStopped) await clearLog(db);
  }

  async #compact(): Promise<void> {
    const { db, keptDays, onDone } = this.#options;
    for await (const id of organizationIds(db)) {
      if (this.#isStopped) return;
      onDone(0, await compactChanges(db, id, { keptDays, isStopped: () => this.#isStopped }));
    }
  }
}
