import { daysAfter } from "../../core/dates.ts";
import type { Database } from "../../db/database.ts";
import { dateIn, dayStart, findZone } from "../recurrence/zones.ts";
import { addKeyUsage, type UsedKey } from "./queries.ts";

/** How often what was counted is stored. */
const EVERY_MS = 60_000;

/** Whose requests came, and when. */
interface KeyUse {
  readonly keyId: string;
  readonly organizationId: string;
  readonly timezone: string;
  readonly now: number;
}

/** What was counted for one key since it was stored last, all of it on one day. */
interface DayCount {
  readonly day: string;
  /** The instant at which that day is over. */
  readonly endsAt: number;
  readonly organizationId: string;
  requests: number;
  refused: number;
}

/**
 * Counts the requests of each key by days of its organization. A request costs an addition in memory; what was counted is
 * added to the table with one statement a minute, and when the process stops; it is for all organizations and takes no share of
 * one. A process that is killed loses the last minute.
 */
export class KeyUsage {
  readonly #db: Pick<Database, "query">;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #today = new Map<string, DayCount>();
  /** Of days that are over, and what could not be stored. */
  #waiting: UsedKey[] = [];
  #storing: Promise<void> = Promise.resolve();

  constructor(db: Pick<Database, "query">, onError: (error: unknown) => void, everyMs = EVERY_MS) {
    this.#db = db;
    this.#onError = onError;
    this.#timer = setInterval(() => this.store(), everyMs).unref();
  }

  count(use: KeyUse, requests: number, refused: number): void {
    const known = this.#today.get(use.keyId);
    if (known && use.now < known.endsAt) {
      known.requests += requests;
      known.refused += refused;
      return;
    }
    if (known) this.#waiting.push({ keyId: use.keyId, ...known });
    this.#today.set(use.keyId, { ...dayOf(use), organizationId: use.organizationId, requests, refused });
  }

  /** Stores what was counted until now. */
  store(): Promise<void> {
    this.#storing = this.#storing.then(() => this.#store());
    return this.#storing;
  }

  /** Stores the rest, and counts nothing that would be stored later. */
  stop(): Promise<void> {
    clearInterval(this.#timer);
    return this.store();
  }

  async #store(): Promise<void> {
    const counted = [...this.#today].map(([keyId, count]) => ({ keyId, ...count }));
    this.#today.clear();
    const used = [...this.#waiting, ...counted];
    this.#waiting = [];
    if (used.length === 0) return;
    try {
      await addKeyUsage(this.#db, used);
    } catch (error) {
      this.#waiting.push(...used);
      this.#onError(error);
    }
  }
}

function dayOf({ timezone, now }: KeyUse): Pick<DayCount, "day" | "endsAt"> {
  const day = dateIn(timezone, now);
  const zone = findZone(timezone) ?? findZone("UTC");
  return { day, endsAt: zone ? dayStart(zone, daysAfter(day, 1)) : now };
}
