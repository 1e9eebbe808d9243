import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, gunzipSync } from "node:zlib";
import { conflict, malformed, unavailable } from "../../core/errors.ts";
import { AgeError, decryptedReads, isAge, type RandomReads } from "../../db/archive/age.ts";
import { latestVersion } from "../../db/migrate.ts";
import {
  type BackupHeader,
  CLOSING_BYTES,
  COUNTS_MARK,
  closing,
  FORMAT_VERSION,
  HEADER_MARK,
  HEADER_MAX_BYTES,
  headerLine,
  OPENING,
  ROWS_END,
  type RowCounts,
  tableLine,
} from "./format.ts";
import type { TableColumns } from "./tables.ts";

/** A backup that has been found whole, and of a version that this program can restore. */
export interface CheckedBackup {
  readonly header: BackupHeader;
  readonly bytes: number;
  readonly sha256: string;
  /**
   * Hands over the rows of each table, in the file's order, and returns how many there are by the file's own
   * account. The checksum is held against the bytes once more: a disk may read differently the second time.
   */
  readTables(load: (table: TableColumns, rows: AsyncIterable<Buffer>) => Promise<void>): Promise<RowCounts>;
}

const BLOCK_BYTES = 256 * 1024;

/**
 * Reads the whole file once and refuses what is not a backup, is damaged, or is newer than the program. An encrypted one needs
 * the text of the file with its private key; it is decrypted as it is read, so that nothing of it is on a disk.
 */
export async function checkBackup(file: FileHandle, identity?: string): Promise<CheckedBackup> {
  const content = await readsOf(file, identity);
  const opening = await content.read(0, OPENING.length);
  if (!opening.equals(OPENING)) throw malformed("This file is not a Rollbook backup.");
  const end = content.size - CLOSING_BYTES;
  const hash = createHash("sha256");
  for await (const block of readBlocks(content, 0, end)) hash.update(block);
  const sha256 = hash.digest("hex");
  const stands = await content.read(Math.max(end, 0), CLOSING_BYTES);
  if (end < OPENING.length || !stands.equals(closing(sha256))) throw damaged();
  const header = await readHeader(content, end);
  return {
    header,
    bytes: (await file.stat()).size,
    sha256,
    readTables: (load) => readTables(content, end, sha256, header, load),
  };
}

/** Nobody without the private key can say more of it. */
export async function isEncryptedBackup(file: FileHandle): Promise<boolean> {
  return isAge(await readBlock(file, 0, 64));
}

async function readsOf(file: FileHandle, identity: string | undefined): Promise<RandomReads> {
  const { size } = await file.stat();
  const plain: RandomReads = { size, read: (position, length) => readBlock(file, position, length) };
  if (!(await isEncryptedBackup(file))) return plain;
  if (identity === undefined)
    throw conflict(
      "The backup is encrypted: restore it, or read it with backup --verify, with --identity and the file of its private key.",
    );
  const explained = <Result>(work: Promise<Result>) =>
    work.catch((error: unknown) => {
      throw error instanceof AgeError
        ? malformed(`The backup cannot be decrypted: ${error.message}.`)
        : error;
    });
  const { size: contentSize, read } = await explained(decryptedReads(plain, identity));
  return { size: contentSize, read: (position, length) => explained(read(position, length)) };
}

/** Reads all of a backup as a restore would, and returns its rows: each table has as many as the file says. */
export async function countRows(backup: CheckedBackup): Promise<RowCounts> {
  const counted: Record<string, number> = {};
  const written = await backup.readTables(async ({ name }, rows) => {
    let count = 0;
    for await (const chunk of rows) for (const byte of chunk) if (byte === NEWLINE) count++;
    counted[name] = count;
  });
  requireCounts(counted, written);
  return counted;
}

const NEWLINE = 10;

export function requireCounts(found: RowCounts, written: RowCounts): void {
  for (const [name, count] of Object.entries(found)) {
    if (written[name] !== count)
      throw malformed(`The backup has ${count} rows of ${name} where it says ${written[name]}.`);
  }
}

async function readHeader(content: RandomReads, end: number): Promise<BackupHeader> {
  const length = Math.min(end - OPENING.length, HEADER_MAX_BYTES);
  const start = await content.read(OPENING.length, length);
  // Only the beginning of the text is at hand, so it is not asked to be complete.
  const text = gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH });
  const line = text.subarray(0, text.indexOf("\n")).toString();
  const header = line.startsWith(HEADER_MARK)
    ? (JSON.parse(line.slice(HEADER_MARK.length)) as BackupHeader)
    : undefined;
  if (header?.formatVersion !== FORMAT_VERSION) {
    throw unavailable(
      `The backup was made in another format, by rollbook ${header?.programVersion ?? "of another version"}: restore it with that version.`,
    );
  }
  const latest = await latestVersion();
  if (header.schemaVersion > latest) {
    throw unavailable(
      `The backup has schema version ${header.schemaVersion}, but this program knows versions up to ${latest}: restore it with rollbook ${header.programVersion} or newer.`,
    );
  }
  return header;
}

async function readTables(
  content: RandomReads,
  end: number,
  sha256: string,
  header: BackupHeader,
  load: (table: TableColumns, rows: AsyncIterable<Buffer>) => Promise<void>,
): Promise<RowCounts> {
  const hash = createHash("sha256").update(OPENING);
  async function* compressed(): AsyncGenerator<Buffer> {
    for await (const block of readBlocks(content, OPENING.length, end)) {
      hash.update(block);
      yield block;
    }
  }
  const counts = await pipeline(
    compressed,
    createGunzip({ chunkSize: 64 * 1024 }),
    async (rows: AsyncIterable<Buffer>) => {
      const text = new TextReader(rows);
      if ((await text.line()) !== headerLine(header)) throw damaged();
      for (const table of header.tables) {
        if ((await text.line()) !== tableLine(table)) throw damaged();
        await load(table, text.rows());
      }
      const last = await text.line();
      if (!last.startsWith(COUNTS_MARK) || (await text.line()) !== "") throw damaged();
      return JSON.parse(last.slice(COUNTS_MARK.length)) as RowCounts;
    },
  );
  if (hash.digest("hex") !== sha256) throw damaged();
  return counts;
}

/** Takes a text apart as it arrives: into lines, and into rows up to the line that ends them. */
class TextReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next line with its end; empty when there is none. */
  async line(): Promise<string> {
    let length = this.#rest.indexOf("\n") + 1;
    while (length === 0 && (await this.#more())) length = this.#rest.indexOf("\n") + 1;
    return this.#take(length).toString();
  }

  async *rows(): AsyncGenerator<Buffer> {
    const end = Buffer.from(`\n${ROWS_END}`);
    while (this.#rest.length < ROWS_END.length && (await this.#more()));
    if (this.#rest.subarray(0, ROWS_END.length).equals(end.subarray(1))) {
      this.#take(ROWS_END.length);
      return;
    }
    for (;;) {
      const found = this.#rest.indexOf(end);
      if (found >= 0) {
        yield this.#take(found + 1);
        this.#take(ROWS_END.length);
        return;
      }
      // The end may have begun in the last bytes.
      const sure = this.#rest.length - end.length + 1;
      if (sure > 0) yield this.#take(sure);
      if (!(await this.#more())) throw damaged();
    }
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }
}

async function* readBlocks(content: RandomReads, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const block = await content.read(position, Math.min(BLOCK_BYTES, end - position));
    if (block.length === 0) throw damaged();
    yield block;
    position += block.length;
  }
}

async function readBlock(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function damaged(): Error {
  return malformed("The backup is damaged or incomplete: its checksum does not fit its content.");
}
