import { Batches } from "../../db/batches.ts";
import type { ShortReads } from "../../db/database.ts";
import { findStaffVersions } from "./queries.ts";

/** How often the versions of waited-for organizations are looked at. */
const EVERY_MS = 500;
/** How many of one organization wait at a process at the most; whoever comes then is answered at once. */
const MOST_WAITING = 200;

export interface VersionWatchOptions {
  readonly db: ShortReads;
  /** True from the moment the process is asked to stop: from then on nobody is kept waiting. */
  readonly isDraining: () => boolean;
  /** Called with a failure that no request is answered with. */
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number | undefined;
  readonly mostWaiting?: number | undefined;
}

/** What somebody waits for. */
export interface VersionWait {
  /** The versions that they know. */
  readonly after: string | undefined;
  readonly waitMs: number;
  /** Aborted when they leave. */
  readonly left: AbortSignal | undefined;
}

/** Answers with the versions given, or those that are known already. */
type EndWait = (versions?: string) => void;

interface Waiter extends VersionWait {
  readonly organizationId: string;
  readonly resolve: (versions: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers as soon as the data of an organization is at other versions than a caller knows, whichever node wrote it.
 *
 * While anybody waits, one statement each half second asks for the versions of all organizations that are waited for.
 * So 200 consoles of one organization cost as much as one, nobody who waits has a connection to the database, and it works
 * behind a pooler, which loses what `listen` would wait for.
 */
export class VersionWatch {
  readonly #options: VersionWatchOptions;
  readonly #arrivals = new Batches<Waiter>((waiters) => this.#receive(waiters));
  /** By organization: who waits, each with what ends the wait. */
  readonly #waiting = new Map<string, Map<Waiter, EndWait>>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isStopped = false;

  constructor(options: VersionWatchOptions) {
    this.#options = options;
  }

  /** How many wait. */
  get waitingCount(): number {
    let count = 0;
    for (const waiters of this.#waiting.values()) count += waiters.size;
    return count;
  }

  /** The versions as soon as they are not `after`, or when the time is over, the caller leaves or the process stops. */
  next(organizationId: string, wait: VersionWait): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#arrivals.add({ ...wait, organizationId, resolve, reject });
    });
  }

  /** Answers everybody with what they know, and keeps nobody waiting from now on. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const waiters of [...this.#waiting.values()]) for (const end of [...waiters.values()]) end();
  }

  /** Requests that came together are looked at together. */
  async #receive(waiters: readonly Waiter[]): Promise<() => void> {
    try {
      const found = await this.#find(new Set(waiters.map(({ organizationId }) => organizationId)));
      return () => {
        for (const waiter of waiters) this.#admit(waiter, found.get(waiter.organizationId));
      };
    } catch (error) {
      return () => {
        for (const { reject } of waiters) reject(error);
      };
    }
  }

  #admit(waiter: Waiter, versions: string | undefined): void {
    const { organizationId, after, waitMs, left, resolve, reject } = waiter;
    const { isDraining, mostWaiting = MOST_WAITING } = this.#options;
    if (versions === undefined) {
      reject(new Error("an organization has no versions"));
      return;
    }
    const others = this.#waiting.get(organizationId) ?? new Map<Waiter, EndWait>();
    const isEnding = this.#isStopped || isDraining() || left?.aborted === true;
    if (versions !== after || waitMs <= 0 || isEnding || others.size >= mostWaiting) {
      resolve(versions);
      return;
    }
    const end: EndWait = (latest = versions) => {
      clearTimeout(timer);
      left?.removeEventListener("abort", leave);
      others.delete(waiter);
      if (others.size === 0) this.#waiting.delete(organizationId);
      resolve(latest);
    };
    const leave = () => end();
    const timer = setTimeout(leave, waitMs);
    left?.addEventListener("abort", leave, { once: true });
    others.set(waiter, end);
    this.#waiting.set(organizationId, others);
    this.#lookLater();
  }

  #lookLater(): void {
    if (this.#timer !== undefined || this.#isLooking || this.#isStopped || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, this.#options.everyMs ?? EVERY_MS);
  }

  async #look(): Promise<void> {
    if (this.#options.isDraining()) return this.stop();
    this.#isLooking = true;
    try {
      const found = await this.#find(this.#waiting.keys());
      for (const [organizationId, versions] of found)
        for (const [waiter, end] of [...(this.#waiting.get(organizationId) ?? [])])
          if (waiter.after !== versions) end(versions);
    } catch (error) {
      // Whoever waits goes on to: the database may be back at the next look.
      this.#options.onError(error);
    }
    this.#isLooking = false;
    this.#lookLater();
  }

  #find(organizationIds: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    return findStaffVersions(this.#options.db, [...organizationIds]);
  }
}
