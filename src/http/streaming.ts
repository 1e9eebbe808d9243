import { isTurnOver, nextTurn } from "../core/event-loop-turns.ts";

/**
 * A body written piece by piece. Its first piece begins with the opening, which holds the `$schema` link. The memory of
 * a piece may be written to again when the next one is asked for.
 */
export class ByteStream {
  readonly write: (opening: string) => AsyncIterable<Buffer>;
  /** What stays in memory until it is written, if that is more than what is known of the organization anyway. */
  readonly records: unknown;
  constructor(write: (opening: string) => AsyncIterable<Buffer>, records?: unknown) {
    this.write = write;
    this.records = records;
  }
}

/** A body below this size is gathered whole, so that it can be cached. */
const STREAM_FROM_BYTES = 1 << 18;

/** Gathers a short body whole; of a long one the pieces are handed on. */
export async function gather(
  pieces: AsyncIterable<Buffer>,
): Promise<{ whole: Buffer[]; pieces?: never } | { whole?: never; pieces: AsyncIterable<Buffer> }> {
  const iterator = pieces[Symbol.asyncIterator]();
  const begun: Buffer[] = [];
  for (let length = 0; length < STREAM_FROM_BYTES; ) {
    const next = await iterator.next();
    if (next.done) return { whole: begun };
    begun.push(Buffer.from(next.value));
    length += next.value.length;
  }
  return { pieces: following(begun, iterator) };
}

async function* following(begun: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* begun;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** How many characters are sent at a time. */
const PIECE_LENGTH = 1 << 15;

/** Text as bytes, written in turns of the event loop. */
export async function* inTurns(texts: Iterable<string>): AsyncGenerator<Buffer> {
  let text = "";
  for (const more of texts) {
    text += more;
    if (text.length >= PIECE_LENGTH) {
      yield Buffer.from(text);
      text = "";
    }
    if (isTurnOver()) await nextTurn();
  }
  yield Buffer.from(text);
}
