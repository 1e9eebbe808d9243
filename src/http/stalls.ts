import type { FastifyRequest } from "fastify";
import { type AppError, refusal } from "../core/errors.ts";
import type { Caller } from "./caller.ts";

/** A request that is being carried out. */
export interface RequestUnderWay {
  readonly operation: string;
  readonly organizationId: string;
  /** The key or the member of the staff; "" if nobody is known yet. */
  readonly callerId: string;
  readonly requestId: string;
  /** Whether it does nothing but wait, most of the time. */
  readonly waits: boolean;
}

/** Whom an operation is refused for a while, because it has held the event loop up. */
export interface Suspension {
  readonly operation: string;
  readonly callerId: string;
  /** In milliseconds, by the clock of the machine. */
  readonly until: number;
}

const SLOTS = 64;
const SLOT_BYTES = 320;
/** Words at the beginning: the beats of the event loop, one that never changes, and requests that found no slot. */
const HEADER_BYTES = 16;
const BEATS = 0;
const NEVER = 1;
const UNSEEN = 2;

/**
 * What is known of requests that hold the event loop up: which ones are under way, in memory that a thread can read while
 * the loop stalls, and whom an operation is refused after that.
 *
 * A slot is a length, which is 0 when it is free, the place in the order of arrival, and a text:
 *
 *     94 | 7 | listClients 019a8f2e-… 019a8f31-… 0 5b0c7d1e-…
 */
export class StallGuard {
  readonly shared = new SharedArrayBuffer(HEADER_BYTES + SLOTS * SLOT_BYTES);
  readonly #words = new Int32Array(this.shared);
  readonly #bytes = Buffer.from(this.shared);
  readonly #free = Array.from({ length: SLOTS }, (_, slot) => SLOTS - 1 - slot);
  readonly #suspensions = new Map<string, number>();
  /** The clock of the machine. */
  readonly #clock: () => number;
  #order = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Called by the event loop while it turns. */
  beat(): void {
    Atomics.add(this.#words, BEATS, 1);
  }

  /** Notes a request down, and gives what `end` takes. */
  begin(operation: string, request: FastifyRequest, caller: Caller, waits: boolean): number {
    const slot = this.#free.pop();
    if (slot === undefined) {
      this.#words[UNSEEN] = (this.#words[UNSEEN] ?? 0) + 1;
      return -1;
    }
    const begin = HEADER_BYTES + slot * SLOT_BYTES;
    const text = `${operation} ${caller.organizationId} ${callerIdOf(caller)} ${waits ? 1 : 0} ${request.id}`;
    const length = this.#bytes.write(text, begin + 8, SLOT_BYTES - 8, "latin1");
    this.#words[begin / 4 + 1] = this.#order++;
    this.#words[begin / 4] = length;
    return slot;
  }

  end(slot: number): void {
    if (slot < 0) this.#words[UNSEEN] = (this.#words[UNSEEN] ?? 0) - 1;
    else {
      this.#words[(HEADER_BYTES + slot * SLOT_BYTES) / 4] = 0;
      this.#free.push(slot);
    }
  }

  suspend({ operation, callerId, until }: Suspension): void {
    this.#suspensions.set(`${operation} ${callerId}`, until);
  }

  /** Why the caller may not call the operation now, if that is so. */
  refusalOf(operation: string, caller: Caller): AppError | undefined {
    if (this.#suspensions.size === 0) return undefined;
    const name = `${operation} ${callerIdOf(caller)}`;
    const until = this.#suspensions.get(name);
    if (until === undefined) return undefined;
    const seconds = Math.ceil((until - this.#clock()) / 1000);
    if (seconds > 0) return refusal("operation_suspended", { retryAfterSeconds: seconds });
    this.#suspensions.delete(name);
    return undefined;
  }
}

/** The other side of the memory, for the thread that looks at it. */
export class StallReader {
  readonly #words: Int32Array;
  readonly #bytes: Buffer;

  constructor(shared: SharedArrayBuffer) {
    this.#words = new Int32Array(shared);
    this.#bytes = Buffer.from(shared);
  }

  /** Lets the time pass, and gives the beats so far. */
  countBeats(afterMs: number): number {
    Atomics.wait(this.#words, NEVER, 0, afterMs);
    return Atomics.load(this.#words, BEATS);
  }

  /** The requests that are under way, the last one first, and whether these are all. */
  underWay(): { requests: RequestUnderWay[]; isAll: boolean } {
    const found: { order: number; text: string }[] = [];
    for (let slot = 0; slot < SLOTS; slot++) {
      const begin = HEADER_BYTES + slot * SLOT_BYTES;
      const length = this.#words[begin / 4] ?? 0;
      if (length === 0) continue;
      const text = this.#bytes.toString("latin1", begin + 8, begin + 8 + length);
      found.push({ order: this.#words[begin / 4 + 1] ?? 0, text });
    }
    const requests = found
      .sort((a, b) => b.order - a.order)
      .map(({ text }): RequestUnderWay => {
        const [operation = "", organizationId = "", callerId = "", waits, ...id] = text.split(" ");
        return { operation, organizationId, callerId, waits: waits === "1", requestId: id.join(" ") };
      });
    return { requests, isAll: this.#words[UNSEEN] === 0 };
  }
}

/** The id of the key or of the member of the staff. */
function callerIdOf(caller: Caller): string {
  const { keyId, staffId } = caller as Caller & { readonly keyId?: string; readonly staffId?: string };
  return keyId ?? staffId ?? "";
}
