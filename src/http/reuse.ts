/** A body as it is kept: small ones as text with one character a byte, which one write sends with its headers. */
export type KeptBody = Buffer | string;

/**
 * Bodies that were computed before, each with the data version it was computed at. A body is sent again only
 * if the gate has just reported that very version for the organization, so a write by any node is seen by
 * the next request on every node.
 *
 * Memory is bounded: two generations, of which the older is dropped whole when the younger is full; what is asked
 * for again moves into the younger. And only what is asked for a second time is kept at all: most addresses are
 * asked for once, and keeping their bodies would push out those that are not.
 */
export class ReusableBodies {
  readonly #maxBytes: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #youngBytes = 0;
  #asked = new Set<string>();
  #askedBefore = new Set<string>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(address: string, version: number): KeptBody | undefined {
    const young = this.#young.get(address);
    if (young !== undefined) return young.version === version ? young.body : undefined;
    const old = this.#old.get(address);
    if (old === undefined || old.version !== version) return undefined;
    this.#store(address, old);
    return old.body;
  }

  /** Keeps a body, which may come in pieces. */
  keep(address: string, version: number, body: readonly Buffer[]): void {
    const bytes = lengthOf(body);
    // A body that would push out most others is cheaper to compute again.
    if (bytes * 8 > this.#maxBytes || !this.#isAskedAgain(address)) return;
    // Put together anew: of a buffer that is part of a larger one, all of the larger one would be kept.
    const whole = Buffer.concat(body, bytes);
    this.#store(address, { version, body: bytes < SMALL_BYTES ? whole.toString("latin1") : whole });
  }

  #isAskedAgain(address: string): boolean {
    if (this.#young.has(address) || this.#old.has(address)) return true;
    if (this.#asked.has(address) || this.#askedBefore.has(address)) return true;
    if (this.#asked.size >= MAX_ASKED) {
      this.#askedBefore = this.#asked;
      this.#asked = new Set();
    }
    this.#asked.add(address);
    return false;
  }

  #store(address: string, entry: Entry): void {
    const replaced = this.#young.get(address);
    if (replaced) this.#youngBytes -= sizeOf(address, replaced);
    const size = sizeOf(address, entry);
    if (this.#youngBytes + size > this.#maxBytes / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(address, entry);
    this.#youngBytes += size;
  }
}

interface Entry {
  readonly version: number;
  readonly body: KeptBody;
}

const SMALL_BYTES = 16 * 1024;
/** Addresses that were asked for once are remembered up to this number, twice. */
const MAX_ASKED = 20_000;
const ENTRY_OVERHEAD = 200;

function sizeOf(address: string, { body }: Entry): number {
  return body.length + address.length * 2 + ENTRY_OVERHEAD;
}

export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
