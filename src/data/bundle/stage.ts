import type { Database } from "../../db/database.ts";
import type { CheckedRecord } from "./intake.ts";
import type { StagedKind, StagedRow } from "./record-tables.ts";
import { analyzeStaged, stageRows } from "./stage-queries.ts";

/** How much is sent to PostgreSQL at once: this many records, or fewer if they are this long. */
const BATCH_RECORDS = 1_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** The third step of an import: puts checked records into the temporary tables, a batch at a time. */
export class Staging {
  readonly #tx: Database;
  readonly #pending = new Map<StagedKind, StagedRow[]>();
  readonly #counts = new Map<StagedKind, number>();
  #pendingRecords = 0;
  #pendingBytes = 0;
  #underWay: Promise<void> = Promise.resolve();

  constructor(tx: Database) {
    this.#tx = tx;
  }

  /** How many records of each kind are staged. */
  get counts(): ReadonlyMap<StagedKind, number> {
    return this.#counts;
  }

  /** `bytes` is the length of the record's line. Waits when a batch is full. */
  async add({ kind, row }: CheckedRecord, bytes: number): Promise<void> {
    const rows = this.#pending.get(kind) ?? [];
    rows.push(row);
    this.#pending.set(kind, rows);
    this.#pendingRecords++;
    this.#pendingBytes += bytes;
    if (this.#pendingRecords >= BATCH_RECORDS || this.#pendingBytes >= BATCH_BYTES) await this.#flush();
  }

  /** After the last record: waits until all are stored. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#underWay;
    for (const [kind, count] of this.#counts) if (count >= BATCH_RECORDS) await analyzeStaged(this.#tx, kind);
  }

  /** Hands a batch over. It is stored while the next lines are read; no more than one is under way. */
  async #flush(): Promise<void> {
    for (const [kind, rows] of this.#pending) {
      await this.#underWay;
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + rows.length);
      this.#underWay = stageRows(this.#tx, kind, rows);
      // If the import fails for another reason, the result of the last batch does not matter.
      this.#underWay.catch(() => {});
    }
    this.#pending.clear();
    this.#pendingRecords = 0;
    this.#pendingBytes = 0;
  }
}
