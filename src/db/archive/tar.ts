import { malformed } from "../../core/errors.ts";

/** Archives in the ustar format, with what a copy of a cluster needs: directories and files. `tar` reads them. */
const BLOCK = 512;
const NAME_BYTES = 100;

export interface TarEntry {
  readonly name: string;
  /** Absent for a directory. */
  readonly size?: number;
}

export function tarHeader({ name, size }: TarEntry): Buffer {
  const header = Buffer.alloc(BLOCK);
  const full = size === undefined ? `${name}/` : name;
  if (Buffer.byteLength(full) > NAME_BYTES) throw new Error(`the name ${name} is too long for the archive`);
  header.write(full, 0, "utf8");
  writeOctal(header, 100, 8, size === undefined ? 0o700 : 0o600);
  writeOctal(header, 108, 8, 0);
  writeOctal(header, 116, 8, 0);
  writeOctal(header, 124, 12, size ?? 0);
  writeOctal(header, 136, 12, 0);
  header.write(size === undefined ? "5" : "0", 156, "latin1");
  header.write("ustar\0" + "00", 257, "latin1");
  writeOctal(header, 148, 8, checksum(header));
  return header;
}

/** What fills the last block of an entry. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

export const TAR_END = Buffer.alloc(2 * BLOCK);

/** Reads an archive to its end; an archive without an end is refused. */
export async function readTar(
  source: AsyncIterable<Buffer>,
  take: (entry: TarEntry, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const bytes = new ByteReader(source);
  for (;;) {
    const header = await bytes.read(BLOCK);
    if (header.every((byte) => byte === 0)) break;
    if (readOctal(header, 148, 8) !== checksum(header)) throw damaged();
    const name = header.subarray(0, NAME_BYTES).toString("utf8").replace(/\0.*$/s, "").replace(/\/$/, "");
    const isDirectory = header[156] === "5".charCodeAt(0);
    const size = readOctal(header, 124, 12);
    // A copy that somebody else has made must not write outside of its place.
    if (name === "" || name.startsWith("/") || name.split("/").includes("..")) throw damaged();
    await take(isDirectory ? { name } : { name, size }, bytes.readInPieces(size));
    await bytes.read(tarPadding(size).length);
  }
  await bytes.drain();
}

class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async read(size: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.readInPieces(size)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async *readInPieces(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#held.length === 0 && !(await this.#next())) throw damaged();
      const piece = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** To the end, so that what decrypts and decompresses has checked everything. */
  async drain(): Promise<void> {
    while (await this.#next());
  }

  async #next(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    this.#held = done ? Buffer.alloc(0) : value;
    return !done;
  }
}

function damaged(): Error {
  return malformed("The base copy is damaged or incomplete.");
}

function writeOctal(header: Buffer, at: number, length: number, value: number): void {
  header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
}

function readOctal(header: Buffer, at: number, length: number): number {
  return Number.parseInt(header.subarray(at, at + length).toString("latin1"), 8);
}

/** The sum of all bytes, with spaces where the sum itself stands. */
function checksum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 32 : (header[at] ?? 0);
  return sum;
}
