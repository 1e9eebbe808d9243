import { refusal } from "../core/errors.ts";

/** One part of a form as it arrives. Its bytes must be taken before the next part is asked for. */
export interface FormPart {
  /** `file` of `Content-Disposition: form-data; name="file"`. */
  readonly name: string;
  readonly bytes: AsyncGenerator<Buffer>;
}

/** What stands before the bytes of a part is short. */
const MAX_HEAD_BYTES = 4096;
const LINE_BREAK = Buffer.from("\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");

/** The boundary of a `multipart/form-data` type (RFC 7578); undefined if it is another type or has none. */
export function boundaryOf(contentType: string): string | undefined {
  const found = /^multipart\/form-data\s*;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*$/i.exec(
    contentType,
  );
  return found?.[1] ?? found?.[2];
}

/** The parts of a form, one after the other, whatever pieces it arrives in. Nothing of a part is held but its head. */
export async function* readParts(chunks: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<FormPart> {
  const source = new DelimitedBytes(chunks);
  // The line break before the first boundary may be missing: it ends what stands before the form.
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  source.putBack(LINE_BREAK);
  await drain(source.until(delimiter));
  for (;;) {
    const end = await source.take(2);
    if (end.equals(Buffer.from("--"))) break;
    if (!end.equals(LINE_BREAK)) throw formMalformed();
    source.putBack(LINE_BREAK);
    const head = await source.gather(HEAD_END, MAX_HEAD_BYTES);
    const bytes = source.until(delimiter);
    yield { name: nameOf(head), bytes };
    await drain(bytes);
  }
  await source.drain();
}

function nameOf(head: Buffer): string {
  const disposition = /\r\ncontent-disposition:[ \t]*form-data([^\r\n]*)/i.exec(head.toString("latin1"))?.[1];
  const name = /;[ \t]*name="([^"]*)"/i.exec(disposition ?? "")?.[1];
  if (name === undefined) throw formMalformed();
  return name;
}

/** Bytes that are cut where a delimiter stands. */
class DelimitedBytes {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  putBack(bytes: Buffer): void {
    this.#held = Buffer.concat([bytes, this.#held]);
  }

  /** What stands before the delimiter, which is passed over. */
  async *until(delimiter: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(delimiter);
      if (at >= 0) {
        const last = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end of what has arrived may be the beginning of the delimiter.
      const certain = Math.max(this.#held.length - delimiter.length + 1, 0);
      if (certain > 0) {
        const piece = this.#held.subarray(0, certain);
        this.#held = this.#held.subarray(certain);
        yield piece;
      }
      await this.#more();
    }
  }

  /** The same in one piece, if it is not longer than that. */
  async gather(delimiter: Buffer, maxBytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of this.until(delimiter)) {
      pieces.push(Buffer.from(piece));
      length += piece.length;
      if (length > maxBytes) throw formMalformed();
    }
    return Buffer.concat(pieces);
  }

  async take(length: number): Promise<Buffer> {
    while (this.#held.length < length) await this.#more();
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  /** Passes over what follows the last part. */
  async drain(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next();
    if (next.done) throw formMalformed();
    this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value]);
  }
}

async function drain(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes);
}

function formMalformed(): Error {
  return refusal("form_malformed");
}
