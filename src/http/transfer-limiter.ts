import type { ServerResponse } from "node:http";
import { refusal } from "../core/errors.ts";
import { FILE_LIMIT } from "../core/limits.ts";

/** Whose transfer it is, the widest share first: an organization, then whoever calls for it. */
export type TransferOwner = readonly [organizationId: string, callerId: string];

export interface TransferLimits {
  /** How many at a time: in all, of one organization, and of one of its callers. */
  readonly atOnce: readonly [all: number, ofOrganization: number, ofCaller: number];
  /** How far a caller may be behind the slowest pace before another one gets the place, in milliseconds. */
  readonly lagMs: number;
  /** How long a request waits for a place, in milliseconds. */
  readonly patienceMs: number;
}

/** Waiting ends in a place once the slow ones have fallen behind, and before callers give up. */
export const TRANSFER_PATIENCE: Pick<TransferLimits, "lagMs" | "patienceMs"> = {
  lagMs: 3_000,
  patienceMs: 10_000,
};

/** How long the largest upload may take to arrive, in milliseconds: over 1.4 Mbit/s. */
export const LONGEST_ARRIVAL_MS = 120_000;
const SLOWEST_BYTES_PER_MS = FILE_LIMIT.bytes / LONGEST_ARRIVAL_MS;

/** An organization with this many requests waiting is refused at once. */
const MAX_WAITING = 64;
/** How often those who wait look for somebody who has fallen behind. */
const LOOK_MS = 100;
const RETRY_AFTER_SECONDS = 5;

/**
 * Lets few files be sent or received at a time, so that nobody keeps others waiting by being slow. An organization has a
 * share of the places, and each of its callers a share of that. Who finds the share full waits, and gets the place of the
 * slowest transfer in it that has fallen behind; organizations with fewer transfers are first in line.
 *
 * Example with 4 places, 3 of an organization, 2 of a caller: A's key reads two files very slowly. Its third request waits
 * until one of these is 3 s behind, which is then cut off. Requests of B get the two places that are left, and A's other
 * key one of them; while all four are taken, B's next request gets the place of A's slowest as soon as that is 3 s behind.
 */
export class TransferLimiter {
  readonly #limits: TransferLimits;
  readonly #refusal: "downloads_taken" | "uploads_taken";
  readonly #running = new Set<Transfer>();
  readonly #waiting = new Map<Transfer, (isAdmitted: boolean) => void>();
  #looking: NodeJS.Timeout | undefined;

  constructor(limits: TransferLimits, taken: "downloads_taken" | "uploads_taken") {
    this.#limits = limits;
    this.#refusal = taken;
  }

  /** Runs the work once there is a place for it. Who leaves meanwhile is waited for no longer. */
  async run<Result>(
    owner: TransferOwner,
    raw: ServerResponse,
    work: (transfer: Transfer) => Promise<Result>,
  ): Promise<Result> {
    const transfer = new Transfer(owner);
    if (!(await this.#enter(transfer, raw)))
      throw refusal(this.#refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    try {
      return await work(transfer);
    } finally {
      this.#running.delete(transfer);
      this.#admitWaiting();
    }
  }

  async #enter(transfer: Transfer, raw: ServerResponse): Promise<boolean> {
    if (sharing(this.#waiting.keys(), transfer.owner, 1).length >= MAX_WAITING) return false;
    let isAdmitted = false;
    let decide = (_isAdmitted: boolean): void => undefined;
    const decided = new Promise<boolean>((resolve) => {
      decide = (verdict) => {
        isAdmitted = verdict;
        this.#waiting.delete(transfer);
        resolve(verdict);
      };
    });
    this.#waiting.set(transfer, decide);
    this.#admitWaiting();
    if (isAdmitted) return true;
    const giveUp = () => decide(false);
    const timer = setTimeout(giveUp, this.#limits.patienceMs);
    raw.once("close", giveUp);
    this.#looking ??= setInterval(() => this.#admitWaiting(), LOOK_MS);
    try {
      return await decided;
    } finally {
      clearTimeout(timer);
      raw.off("close", giveUp);
      if (this.#waiting.size === 0) {
        clearInterval(this.#looking);
        this.#looking = undefined;
      }
    }
  }

  #admitWaiting(): void {
    const held = ({ owner }: Transfer) => sharing(this.#running, owner, 1).length;
    const inTurn = [...this.#waiting.keys()].sort((a, b) => held(a) - held(b));
    const next = inTurn.find((transfer) => this.#makeRoom(transfer));
    if (!next) return;
    this.#running.add(next);
    this.#waiting.get(next)?.(true);
    this.#admitWaiting();
  }

  /** Whether there is a place in each share, if need be that of a transfer that has fallen behind. */
  #makeRoom({ owner }: Transfer): boolean {
    for (const depth of [2, 1, 0] as const) {
      const others = sharing(this.#running, owner, depth);
      if (others.length < this.#limits.atOnce[depth]) continue;
      const slowest = slowestOf(others, this.#limits.lagMs);
      if (!slowest) return false;
      // Which also makes room in the wider shares.
      this.#running.delete(slowest);
      slowest.giveWay();
    }
    return true;
  }
}

/** The transfers that have so much of their owner in common. */
function sharing(transfers: Iterable<Transfer>, owner: TransferOwner, depth: 0 | 1 | 2): Transfer[] {
  const found: Transfer[] = [];
  for (const transfer of transfers)
    if (owner.slice(0, depth).every((name, index) => transfer.owner[index] === name)) found.push(transfer);
  return found;
}

function slowestOf(transfers: readonly Transfer[], lagMs: number): Transfer | undefined {
  let slowest: Transfer | undefined;
  // Who is not awaited has done their part.
  for (const transfer of transfers)
    if (transfer.isAwaited && transfer.lagMs() >= lagMs && !(slowest && slowest.pace() <= transfer.pace()))
      slowest = transfer;
  return slowest;
}

/** How a caller keeps up with a file that is sent to them, or that they send. */
export class Transfer {
  readonly owner: TransferOwner;
  /** What is to be done when another one gets the place. */
  giveWay: () => void = () => undefined;
  /** Both since the caller was last in time: what went quickly before says nothing of now. */
  #bytes = 0;
  #waitedMs = 0;
  #waitingSince: number | undefined;

  constructor(owner: TransferOwner) {
    this.owner = owner;
  }

  get isAwaited(): boolean {
    return this.#waitingSince !== undefined;
  }

  /** From now on the caller is waited for. */
  waitForCaller(): void {
    this.#waitingSince = performance.now();
  }

  /** The caller has sent or taken so many bytes, and is not waited for until the next part. */
  advance(bytes: number): void {
    this.#waitedMs = this.#waited();
    this.#waitingSince = undefined;
    this.#bytes += bytes;
    if (this.lagMs() > 0) return;
    this.#bytes = 0;
    this.#waitedMs = 0;
  }

  /** How far the caller is behind the slowest pace. */
  lagMs(): number {
    return this.#waited() - this.#bytes / SLOWEST_BYTES_PER_MS;
  }

  pace(): number {
    return this.#bytes / this.#waited();
  }

  #waited(): number {
    return this.#waitedMs + (this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince);
  }
}
