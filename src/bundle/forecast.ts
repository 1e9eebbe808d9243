import { announceEnd } from "../db/bulk-writes.ts";
import type { Database } from "../db/database.ts";

/** What a record takes to be replaced, until it is known from those that have been. */
const USUAL_MS_A_RECORD = 0.1;
/** What comes after the last record: resources, counters, the commit. */
const ENDING_MS = 300;
/** An import gets slower as the indexes grow. */
const CAUTION = 1.1;

/** Says when an import will have ended, to those who wait for the records that it has replaced. */
export class Forecast {
  readonly #tx: Database;
  readonly #total: number;
  #replaced = 0;
  #begunMs = 0;

  constructor(tx: Database, total: number) {
    this.#tx = tx;
    this.#total = total;
  }

  async begin(): Promise<void> {
    this.#begunMs = performance.now();
    if (this.#total > 0) await this.#announce(USUAL_MS_A_RECORD);
  }

  /** So many more are replaced. */
  async advance(count: number): Promise<void> {
    this.#replaced += count;
    await this.#announce((performance.now() - this.#begunMs) / this.#replaced);
  }

  async #announce(msARecord: number): Promise<void> {
    const rest = this.#total - this.#replaced;
    await announceEnd(this.#tx, rest * msARecord * CAUTION + ENDING_MS);
  }
}
