import type { ContentCoding } from "./compression.ts";

/** A cached body: small ones as text with one character a byte, which one write sends with its headers. */
export type CachedBody = Buffer | string;

/** The headers that belong to a body, and are cached with it. */
export interface BodyHeaders {
  readonly etag?: string | undefined;
  readonly link?: string | undefined;
  /** JSON unless it says so. */
  readonly type?: string;
  /** Further names and values, one after the other. */
  readonly more?: readonly string[] | undefined;
}

export interface CachedResponse {
  readonly version: number;
  readonly body: CachedBody;
  readonly headers: BodyHeaders;
  /** What the body was compressed to, if anybody wanted that. */
  readonly compressed: Map<ContentCoding, Buffer>;
}

export interface CacheState {
  readonly maxBytes: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  /** Of bodies that made room for others. Many of them, and few hits, say that the cache is too small. */
  readonly droppedBytes: number;
}

/**
 * Response bodies, each with the data version it was computed at. A body is used only if the gate has just reported
 * the same version for the organization, so a write by any node is seen by the next request on every node.
 *
 * Memory is bounded by two generations: when the younger is full, the older is dropped and the younger takes its place;
 * a hit in the older moves the body into the younger. A body is stored only at the second request for its address:
 * most addresses are requested once, and storing their bodies would push out those that are requested often.
 */
export class ResponseCache {
  readonly #maxBytes: number;
  #young = new Map<string, CachedResponse>();
  #old = new Map<string, CachedResponse>();
  #youngBytes = 0;
  #oldBytes = 0;
  #hits = 0;
  #misses = 0;
  #droppedBytes = 0;
  /** Fingerprints of addresses that were requested; each takes the place that its value gives it. */
  readonly #asked = new Uint32Array(ASKED_PLACES);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(address: string, version: number): CachedResponse | undefined {
    const young = this.#young.get(address);
    const found = young ?? this.#old.get(address);
    if (found === undefined || found.version !== version) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    if (young === undefined) this.#put(address, found);
    return found;
  }

  /** How full it is, and what it was good for since the process began. */
  state(): CacheState {
    return {
      maxBytes: this.#maxBytes,
      bytes: this.#youngBytes + this.#oldBytes,
      hits: this.#hits,
      misses: this.#misses,
      droppedBytes: this.#droppedBytes,
    };
  }

  /** Stores a body, which may be text or come in pieces. */
  store(address: string, version: number, body: string | readonly Buffer[], headers: BodyHeaders): void {
    const bytes = typeof body === "string" ? body.length : lengthOf(body);
    // A body that would push out most others is cheaper to compute again.
    if (bytes * 8 > this.#maxBytes || !this.#isAskedAgain(address)) return;
    // Copied: a slice of a larger buffer would keep all of that buffer in memory.
    const whole = typeof body === "string" ? Buffer.from(body) : Buffer.concat(body);
    const kept = whole.length < SMALL_BYTES ? whole.toString("latin1") : whole;
    this.#put(address, { version, body: kept, headers, compressed: new Map() });
  }

  /** Stores what a cached body was compressed to. */
  storeCompressed(address: string, entry: CachedResponse, encoding: ContentCoding, bytes: Buffer): void {
    if (this.#young.get(address) !== entry) return;
    entry.compressed.set(encoding, bytes);
    this.#youngBytes += bytes.length;
  }

  // Two addresses may share a fingerprint or a place: then a body is stored too early or too late, which is harmless.
  #isAskedAgain(address: string): boolean {
    const mark = fingerprint(address);
    const place = mark % ASKED_PLACES;
    if (this.#asked[place] === mark) return true;
    this.#asked[place] = mark;
    return this.#young.has(address) || this.#old.has(address);
  }

  #put(address: string, entry: CachedResponse): void {
    const [young, old] = [this.#young.get(address), this.#old.get(address)];
    if (young && this.#young.delete(address)) this.#youngBytes -= sizeOf(address, young);
    if (old && this.#old.delete(address)) this.#oldBytes -= sizeOf(address, old);
    const size = sizeOf(address, entry);
    if (this.#youngBytes + size > this.#maxBytes / 2) {
      this.#droppedBytes += this.#oldBytes;
      this.#old = this.#young;
      this.#oldBytes = this.#youngBytes;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(address, entry);
    this.#youngBytes += size;
  }
}

/** Up to here a body is written together with its headers as one text; above, bytes of its own are faster. */
const SMALL_BYTES = 4 * 1024;
const ASKED_PLACES = 1 << 16;
const ENTRY_OVERHEAD = 200;

function sizeOf(address: string, { body, compressed }: CachedResponse): number {
  return body.length + lengthOf([...compressed.values()]) + address.length * 2 + ENTRY_OVERHEAD;
}

export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** FNV-1a, never 0. */
function fingerprint(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
}
