import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError } from "../../core/errors.ts";
import type { Fault, FaultContent } from "../../core/faults.ts";
import { countValues, measure, repeatedMembers } from "../../core/json.ts";
import { LINE_LIMIT, MAX_DEPTH } from "../../core/limits.ts";

/** What a record was put together of: what is to change, and the stored record as it was written at `at`. */
export interface MergedRecord {
  readonly at: string;
  readonly patch: unknown;
}

/** One line of a bundle: its record, or why it cannot be read. */
export type Entry =
  | {
      readonly line: number;
      readonly value: unknown;
      /** Its length in the file, if it comes from one. */
      readonly bytes?: number;
      readonly faults?: readonly Fault[];
      /** What it was put together of, if a client that is there was changed in part. */
      readonly merged?: MergedRecord;
    }
  | { readonly line: number; readonly unreadable: FaultContent };

const LINE_FEED = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The lines of a bundle, compressed or not, some at a time. Empty ones are passed over. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry[]> {
  const lines = new LineCutter();
  for await (const chunk of inflate(chunks)) {
    const entries = lines.cut(chunk);
    if (entries.length > 0) yield entries;
  }
  yield lines.end();
}

/** Cuts bytes at line feeds. It holds one line at most, and of one that is too long nothing. */
class LineCutter {
  #line = 1;
  #parts: Buffer[] = [];
  #bytes = 0;

  cut(chunk: Uint8Array): Entry[] {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const entries: Entry[] = [];
    let start = 0;
    for (let end = buffer.indexOf(LINE_FEED); end >= 0; end = buffer.indexOf(LINE_FEED, start)) {
      this.#add(buffer.subarray(start, end));
      this.#close(entries);
      start = end + 1;
    }
    this.#add(buffer.subarray(start));
    return entries;
  }

  end(): Entry[] {
    const entries: Entry[] = [];
    this.#close(entries);
    return entries;
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > LINE_LIMIT.bytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #close(entries: Entry[]): void {
    const line = this.#line++;
    const tooLong = this.#bytes > LINE_LIMIT.bytes;
    const [first] = this.#parts;
    const bytes = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    if (tooLong)
      entries.push({ line, unreadable: { code: "line_too_long", params: { limit: LINE_LIMIT.text } } });
    else {
      const entry = readLine(
        line,
        line === 1 && bytes.subarray(0, 3).equals(BOM) ? bytes.subarray(3) : bytes,
      );
      if (entry) entries.push(entry);
    }
  }
}

function readLine(line: number, bytes: Buffer): Entry | undefined {
  if (!isUtf8(bytes)) return { line, unreadable: { code: "line_not_utf8" } };
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.trim() === "" ? undefined : { line, unreadable: { code: "line_not_json" } };
  }
  const faults = keptEveryMember(text, value) ? [] : repeatedMembers(text, "");
  const entry = { line, value, bytes: bytes.length };
  return faults.length > 0 ? { ...entry, faults } : entry;
}

function keptEveryMember(text: string, value: unknown): boolean {
  const { depth, values } = measure(text);
  return depth <= MAX_DEPTH && countValues(value) === values;
}

/** A gzip file is known by its first two bytes, whatever its name. */
async function* inflate(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const begun: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < 2) {
    const next = await iterator.next();
    if (next.done) break;
    begun.push(next.value);
    bytes += next.value.length;
  }
  const head = Buffer.concat(begun);
  const all = following(head, iterator);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* all;
  const source = Readable.from(all, { objectMode: false });
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  source.on("error", (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (!code.startsWith("Z_")) throw error;
    throw new AppError("malformed", "The file is damaged: it is compressed, but does not unpack whole.");
  } finally {
    source.destroy();
  }
}

async function* following(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
