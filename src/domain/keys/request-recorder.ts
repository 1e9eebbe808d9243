import { newId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { insertRequests, type PackedRequest, type RequestRow, trimRequests } from "./request-rows.ts";

/** How often what was recorded is stored. A process that is killed loses what came since. */
const EVERY_MS = 1_000;
/** After a failure it is tried again by so many rounds later. */
const ROUNDS_AFTER_FAILURE = 10;
/** Of one key, in one round; of what failed and of what did not. Further ones are counted. */
const MOST_OF_KEY = 100;
/** Of all keys in one round, likewise: what keeping them costs is bounded, however many come. */
const MOST_OF_ROUND = 1_000;
/** In memory, likewise. */
const MOST_HELD = 20_000;
/** In one round, likewise. Of more keys than that the later ones wait, and their rows have more in them. */
const MOST_ROWS = 100;
/** Of one key in the database, likewise: the newest. */
export const MOST_STORED = 50_000;
/** After about so many more of a key its oldest are removed. */
const TRIM_EVERY = 10_000;

type RecorderDatabase = Pick<Database, "query" | "now">;

/** Whose request it was. */
interface KeyOwner {
  readonly keyId: string;
  readonly organizationId: string;
}

/** What came with one key since the last round. */
interface RecentRequests extends KeyOwner {
  readonly entries: PackedRequest[];
  leftOut: number;
}

/**
 * Keeps what came with each key and how it was answered. A request costs an entry in memory, or with a busy key an addition;
 * one statement a second stores all keys, and takes no organization's share of the connections: it is for all of them. What that
 * costs is mostly its rows, so their number is bounded: with thousands of keys each has its turn every few seconds.
 *
 * Example: within a second a key has 350 requests, of which 3 fail. Two rows are stored: 3 failures, and 100 of the others with
 * the number of those that are left out, 247.
 */
export class RequestRecorder {
  readonly #db: RecorderDatabase;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #failed = new Map<string, RecentRequests>();
  readonly #others = new Map<string, RecentRequests>();
  /** What could not be stored. */
  #waiting: RequestRow[] = [];
  #held = { failed: 0, others: 0 };
  #inRound = { failed: 0, others: 0 };
  #restRounds = 0;
  #storing: Promise<void> = Promise.resolve();

  constructor(db: RecorderDatabase, onError: (error: unknown) => void, everyMs = EVERY_MS) {
    this.#db = db;
    this.#onError = onError;
    this.#timer = setInterval(() => {
      this.#inRound = { failed: 0, others: 0 };
      if (this.#restRounds > 0) this.#restRounds--;
      else if (this.#failed.size > 0 || this.#others.size > 0 || this.#waiting.length > 0) this.store();
    }, everyMs).unref();
  }

  /** `pack` is called only if the request is kept. */
  add(owner: KeyOwner, failed: boolean, pack: () => PackedRequest): void {
    const all = failed ? this.#failed : this.#others;
    let gathered = all.get(owner.keyId);
    if (!gathered) {
      const { keyId, organizationId } = owner;
      gathered = { keyId, organizationId, entries: [], leftOut: 0 };
      all.set(keyId, gathered);
    }
    const kind = failed ? "failed" : "others";
    const isFull =
      gathered.entries.length >= MOST_OF_KEY ||
      this.#inRound[kind] >= MOST_OF_ROUND ||
      this.#held[kind] >= MOST_HELD;
    if (isFull) gathered.leftOut++;
    else {
      this.#inRound[kind]++;
      gathered.entries.push(pack());
      this.#held[kind]++;
    }
  }

  /** Stores what was recorded until now. */
  store(): Promise<void> {
    this.#storing = this.#storing.then(() => this.#store());
    return this.#storing;
  }

  /** Stores the rest. */
  stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#storing = this.#storing.then(() => this.#store(Number.POSITIVE_INFINITY));
    return this.#storing;
  }

  async #store(mostRows = MOST_ROWS): Promise<void> {
    this.#inRound = { failed: 0, others: 0 };
    if (this.#waiting.length + this.#failed.size + this.#others.size === 0) return;
    try {
      const now = await this.#db.now();
      const room = mostRows - this.#waiting.length;
      this.#waiting.push(
        ...takeRows(this.#failed, true, now, room),
        ...takeRows(this.#others, false, now, room),
      );
      await insertRequests(this.#db, this.#waiting, now);
      const stored = this.#waiting;
      this.#waiting = [];
      for (const { failed, kept } of stored) this.#held[failed ? "failed" : "others"] -= kept;
      for (const row of stored) await this.#trim(row);
    } catch (error) {
      this.#restRounds = ROUNDS_AFTER_FAILURE;
      this.#onError(error);
    }
  }

  async #trim(row: RequestRow): Promise<void> {
    // By chance, so that nobody has to remember how much was stored of which key.
    if (Math.random() * TRIM_EVERY < row.kept) await trimRequests(this.#db, row, MOST_STORED);
  }
}

/** Takes out what came with those keys that wait longest. */
function takeRows(
  gathered: Map<string, RecentRequests>,
  failed: boolean,
  now: number,
  most: number,
): RequestRow[] {
  const rows: RequestRow[] = [];
  for (const { keyId, organizationId, entries, leftOut } of gathered.values()) {
    if (rows.length >= most) break;
    gathered.delete(keyId);
    rows.push({
      ...{ organizationId, keyId, failed, id: newId(now) },
      ...{ kept: entries.length, leftOut, entries },
    });
  }
  return rows;
}
