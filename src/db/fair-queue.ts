import { refusal } from "../core/errors.ts";

/** Whose work it is: an organization's, or with `undefined` the program's own, which no share bounds. */
export type Owner = string | undefined;

interface QueuedRequest {
  readonly admit: () => void;
}

/** An organization with this many requests waiting is refused at once. */
const MAX_WAITING = 256;
/** With one connection more an organization may hold this many times the connections that are left free. */
const SHARE = 3;

/**
 * Stands before a fixed number of connections and hands them out so that no organization can starve another.
 *
 * An organization that holds none gets any connection that is free. For each further one, enough must stay free for
 * those who come later. Example with 8 connections: A alone gets 6, and 2 stay free. B comes and gets 1 at once; the
 * other stays free for C. As A gives connections back, B takes them, until A and B hold 3 each and 2 are free again.
 *
 * Organizations that wait take turns; within one, requests keep their order.
 */
export class FairQueue {
  readonly #held = new Map<Owner, number>();
  /** In the order of their next turn. */
  readonly #waiting = new Map<Owner, QueuedRequest[]>();
  readonly #timeoutMs: number;
  #free: number;
  #waitingCount = 0;

  constructor(size: number, timeoutMs: number) {
    this.#free = size;
    this.#timeoutMs = timeoutMs;
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** Resolves when the owner may use one connection more. Each `enter` that resolves is followed by one `leave`. */
  async enter(owner: Owner): Promise<void> {
    const line = this.#waiting.get(owner);
    if (!line && this.#mayTake(owner)) {
      this.#take(owner);
      return;
    }
    if (line && owner !== undefined && line.length >= MAX_WAITING) throw refusal("organization_busy");
    await this.#wait(owner, line ?? []);
  }

  leave(owner: Owner): void {
    const held = (this.#held.get(owner) ?? 0) - 1;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
    this.#free++;
    while (this.#admitNext());
  }

  #wait(owner: Owner, line: QueuedRequest[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: QueuedRequest = {
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#remove(owner, line.indexOf(waiter));
        reject(refusal("server_busy"));
      }, this.#timeoutMs);
      line.push(waiter);
      this.#waiting.set(owner, line);
      this.#waitingCount++;
    });
  }

  /** Gives a free connection to the first organization in turn that may have one. */
  #admitNext(): boolean {
    if (this.#free === 0) return false;
    for (const [owner, line] of this.#waiting) {
      if (!this.#mayTake(owner)) continue;
      const [waiter] = line;
      this.#remove(owner, 0);
      // To the end of the order.
      if (this.#waiting.delete(owner)) this.#waiting.set(owner, line);
      this.#take(owner);
      waiter?.admit();
      return true;
    }
    return false;
  }

  #mayTake(owner: Owner): boolean {
    if (this.#free === 0) return false;
    const held = this.#held.get(owner) ?? 0;
    return owner === undefined || held === 0 || held + 1 <= SHARE * (this.#free - 1);
  }

  #take(owner: Owner): void {
    this.#free--;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
  }

  #remove(owner: Owner, index: number): void {
    const line = this.#waiting.get(owner);
    if (!line) return;
    line.splice(index, 1);
    this.#waitingCount--;
    if (line.length === 0) this.#waiting.delete(owner);
  }
}
