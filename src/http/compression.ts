import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from "node:zlib";
import { acceptWeights } from "./accept.ts";

/** The content codings that answers are sent in, the better one first. */
export const CONTENT_CODINGS = ["br", "gzip"] as const;
export type ContentCoding = (typeof CONTENT_CODINGS)[number];

/** Less fits into one packet anyway. */
const SMALLEST_BYTES = 1024;
/** Up to here it takes less time than to hand the work to another thread and back: 0.15 ms with br, 0.3 ms with gzip. */
const AT_ONCE_BYTES = 1 << 16;
/** At higher levels lists of records shrink by a tenth more, and take three to five times as long. */
const BR_LEVEL = {
  [constants.BROTLI_PARAM_QUALITY]: 1,
  // Looks back on 256 KiB, which is memory of each stream: lists repeat themselves sooner.
  [constants.BROTLI_PARAM_LGWIN]: 18,
};
const GZIP_LEVEL = { level: 1 };

interface EncodingChoice {
  readonly encoding: ContentCoding | undefined;
  readonly isIdentityRefused: boolean;
}

/** Callers send few different headers. */
const remembered = new Map<string, EncodingChoice>();
const MAX_REMEMBERED = 100;

/** The coding of a body of this length for a caller with this `Accept-Encoding`; undefined for the body as it is. */
export function chooseEncoding(header: string | undefined, bytes: number): ContentCoding | undefined {
  if (header === undefined) return undefined;
  let choice = remembered.get(header);
  if (!choice) {
    choice = chooseAmong(header, CONTENT_CODINGS);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(header, choice);
  }
  return bytes >= SMALLEST_BYTES || choice.isIdentityRefused ? choice.encoding : undefined;
}

/**
 * Of the codings that there are, the one with the highest weight, the first of equal ones. What `*` stands for is gzip, which
 * everybody reads:
 *
 *     gzip, deflate, br            → br
 *     gzip;q=1, br;q=0.5           → gzip
 *     identity, gzip;q=0.5         → as it is
 *     gzip, identity;q=0           → gzip, however short the body is
 *     identity;q=0, or deflate     → as it is: there is nothing better
 */
export function chooseAmong(header: string, available: readonly ContentCoding[]): EncodingChoice {
  const weights = acceptWeights(header);
  const any = weights.get("*");
  const identity = weights.get("identity") ?? (any === 0 ? 0 : undefined);
  let encoding: ContentCoding | undefined;
  let best = identity ?? 0;
  for (const name of available) {
    const weight = weights.get(name) ?? (name === "gzip" ? any : undefined) ?? 0;
    if (weight > best || (weight === best && weight > 0 && encoding === undefined)) {
      encoding = name;
      best = weight;
    }
  }
  return { encoding, isIdentityRefused: identity === 0 };
}

/** On another thread if it takes long: the event loop has others to answer meanwhile. */
export function compress(body: Buffer, encoding: ContentCoding): Buffer | Promise<Buffer> {
  if (body.length <= AT_ONCE_BYTES) return compressAtOnce(body, encoding);
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, compressed: Buffer) => (error ? reject(error) : resolve(compressed));
    if (encoding === "br") brotliCompress(body, { params: BR_LEVEL }, done);
    else gzip(body, GZIP_LEVEL, done);
  });
}

/** For what is compressed once and sent often: a page of the documentation is a sixth shorter. */
export function compressOnce(body: Buffer, encoding: ContentCoding): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, compressed: Buffer) => (error ? reject(error) : resolve(compressed));
    // At levels 10 and 11 it would take ten times as long.
    if (encoding === "br") brotliCompress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }, done);
    else gzip(body, { level: 9 }, done);
  });
}

/** For bodies that are known to be short. */
export function compressAtOnce(body: Buffer, encoding: ContentCoding): Buffer {
  return encoding === "br" ? brotliCompressSync(body, { params: BR_LEVEL }) : gzipSync(body, GZIP_LEVEL);
}

/** More than a piece shrinks to, so that nothing waits to be read. */
const READ_AHEAD_BYTES = 1 << 24;
/** Compresses a body that is written piece by piece. Each piece can be read as soon as it has arrived. */
export class PieceCompressor {
  readonly #stream;

  constructor(encoding: ContentCoding) {
    const ahead = { readableHighWaterMark: READ_AHEAD_BYTES };
    this.#stream =
      encoding === "br"
        ? createBrotliCompress({
            ...ahead,
            flush: constants.BROTLI_OPERATION_FLUSH,
            params: BR_LEVEL,
          })
        : createGzip({ ...ahead, ...GZIP_LEVEL, flush: constants.Z_SYNC_FLUSH });
  }

  /** The memory of the piece may be written to again afterwards. */
  async compress(piece: Buffer): Promise<Buffer> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(piece, (error) => (error ? reject(error) : resolve()));
    });
    return (this.#stream.read() as Buffer | null) ?? NOTHING;
  }

  async end(): Promise<Buffer> {
    this.#stream.end();
    return Buffer.concat(await this.#stream.toArray());
  }

  close(): void {
    this.#stream.destroy();
  }
}

const NOTHING = Buffer.alloc(0);
