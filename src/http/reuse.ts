/**
 * Bodies that were computed before, each with the data version it was computed at. A body is sent again only
 * if the gate has just reported that very version for the organization, so a write by any node is seen by
 * the next request on every node. Memory is bounded: two generations, of which the older is dropped whole when
 * the younger is full; what is asked for again moves into the younger.
 */
export class ReusableBodies {
  readonly #maxBytes: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #youngBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(address: string, version: number): Buffer | undefined {
    const entry = this.#young.get(address) ?? this.#old.get(address);
    if (entry === undefined || entry.version !== version) return undefined;
    if (!this.#young.has(address)) this.#keep(address, entry);
    return entry.body;
  }

  keep(address: string, version: number, body: Buffer): void {
    // A body that would push out most others is cheaper to compute again.
    if (body.length * 8 <= this.#maxBytes) this.#keep(address, { version, body });
  }

  #keep(address: string, entry: Entry): void {
    const size = entry.body.length + address.length * 2 + ENTRY_OVERHEAD;
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
  readonly body: Buffer;
}

const ENTRY_OVERHEAD = 200;
