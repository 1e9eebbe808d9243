import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { isUnavailable } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import { refreshInstants } from "../domain/calendar/refresh.ts";
import type { TzdataOptions } from "../domain/calendar/tzdata-work.ts";
import { recomputeContracts } from "../domain/contracts/recompute.ts";
import { noteMovedSchedules } from "../sync/changes/moved-schedules.ts";

/** After a failure, most often because another process has the part that is next. */
const PAUSE_MS = 2_000;

/** Takes newer time-zone data in while the server serves: what is not done when it stops is done after the next start. */
export class TzdataTask {
  readonly #stopped = new AbortController();
  readonly #done: Promise<void>;

  constructor(db: Database, logger: Logger) {
    this.#done = this.#run(db, logger);
  }

  /** Resolves once nothing more is asked of the database. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#done;
  }

  async #run(db: Database, logger: Logger): Promise<void> {
    const { signal } = this.#stopped;
    for (const { work, records } of WORKS) {
      for (let isOver = false; !isOver && !signal.aborted; ) {
        const begunAt = performance.now();
        try {
          const moved = await work(db, { isStopped: () => signal.aborted });
          const ms = Math.round(performance.now() - begunAt);
          isOver = true;
          if (moved > 0)
            logger.info({ ms }, `${moved} ${records} were looked at again by newer time-zone data`);
        } catch (err) {
          // That the database is unavailable is logged once, by whoever asks it for a caller.
          if (!isUnavailable(err))
            logger.warn({ err }, "newer time-zone data could not be applied; retrying");
          await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
        }
      }
    }
  }
}

const WORKS: { work: (db: Database, options: TzdataOptions) => Promise<number>; records: string }[] = [
  // First, as it asks by which data the stored sessions were computed so far.
  { work: noteMovedSchedules, records: "schedules" },
  { work: refreshInstants, records: "sessions" },
  { work: recomputeContracts, records: "organizations" },
];
