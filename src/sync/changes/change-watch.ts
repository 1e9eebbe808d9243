import type { ShortReads } from "../../db/database.ts";
import { findGrown } from "./queries.ts";

/** How often the feeds that are waited for are looked at. */
const EVERY_MS = 250;
/** How many wait at a process with one key at the most; the one that came first is then answered. */
const MOST_PER_KEY = 20;

export interface ChangeWatchOptions {
  readonly db: ShortReads;
  /** True from the moment the process is asked to stop: from then on nobody is kept waiting. */
  readonly isDraining: () => boolean;
  /** Called with a failure that no request is answered with. */
  readonly onError: (error: unknown) => void;
}

export interface ChangeWait {
  readonly organizationId: string;
  readonly keyId: string;
  /** The highest number that the waiting one knows. */
  readonly sequence: number;
  readonly waitMs: number;
  /** Aborted when they leave. */
  readonly left: AbortSignal | undefined;
}

interface PendingWait extends ChangeWait {
  readonly end: (hasGrown: boolean) => void;
}

/**
 * Tells whoever waits for a change that there may be one, whichever node made it. While anybody waits, one statement each
 * 250 ms asks for all organizations that are waited for; a write by this process asks at once. So a thousand who wait cost
 * about what one costs, nobody who waits has a connection to the database, and it works behind a pooler.
 */
export class ChangeWatch {
  readonly #options: ChangeWatchOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<PendingWait>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Whether somebody wrote while it was looking. */
  #isLateWrite = false;
  #isStopped = false;

  constructor(options: ChangeWatchOptions) {
    this.#options = options;
  }

  /** True as soon as there may be a change; false when the time is over, the caller leaves or the process stops. */
  next(wait: ChangeWait): Promise<boolean> {
    const { left, waitMs, keyId } = wait;
    if (this.#isStopped || this.#options.isDraining() || left?.aborted || waitMs <= 0)
      return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = () => waiter.end(false);
      const waiter: PendingWait = {
        ...wait,
        end: (hasGrown) => {
          clearTimeout(timer);
          left?.removeEventListener("abort", leave);
          this.#waiting.delete(waiter);
          resolve(hasGrown);
        },
      };
      const timer = setTimeout(leave, waitMs);
      left?.addEventListener("abort", leave, { once: true });
      const ofKey = [...this.#waiting].filter((other) => other.keyId === keyId);
      if (ofKey.length >= MOST_PER_KEY) ofKey[0]?.end(false);
      this.#waiting.add(waiter);
      // What came between the answer that they have and now.
      this.#lookAfter(0);
    });
  }

  /** To be called when this process has written something of an organization. */
  notice(organizationId: string): void {
    for (const waiter of this.#waiting) {
      if (waiter.organizationId !== organizationId) continue;
      if (this.#isLooking) this.#isLateWrite = true;
      else this.#lookAfter(0);
      return;
    }
  }

  /** Answers everybody, and keeps nobody waiting from now on. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const { end } of [...this.#waiting]) end(false);
  }

  #lookAfter(ms: number): void {
    if (this.#isLooking || this.#isStopped || this.#waiting.size === 0) return;
    if (this.#timer !== undefined && ms > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, ms);
  }

  async #look(): Promise<void> {
    if (this.#options.isDraining()) return this.stop();
    this.#isLooking = true;
    this.#isLateWrite = false;
    try {
      const lowest = new Map<string, number>();
      for (const { organizationId, sequence } of this.#waiting)
        lowest.set(organizationId, Math.min(sequence, lowest.get(organizationId) ?? sequence));
      const grown = await findGrown(this.#options.db, lowest);
      for (const waiter of [...this.#waiting]) if (grown.has(waiter.organizationId)) waiter.end(true);
    } catch (error) {
      // Whoever waits goes on to: the database may be back at the next look.
      this.#options.onError(error);
    }
    this.#isLooking = false;
    this.#lookAfter(this.#isLateWrite ? 0 : EVERY_MS);
  }
}
