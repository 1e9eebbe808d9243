import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import type { Readable } from "node:stream";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import type { Effort } from "../../core/effort.ts";
import { refuse, SheetRefused } from "./languages/problems.ts";

/** A workbook has some dozens of parts. */
const MAX_PARTS = 10_000;

/** The parts of a workbook, which is a zip archive. Nothing is unpacked to disk, and nothing whole into memory. */
export class WorkbookArchive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  static async open(file: FileHandle, effort: Effort): Promise<WorkbookArchive> {
    try {
      const zip = await yauzl.fromFdPromise(file.fd, { lazyEntries: true, autoClose: false });
      if (zip.entryCount > MAX_PARTS) throw refuse({ code: "workbook_too_large", params: {} });
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        entries.set(entry.fileName.toLowerCase(), entry);
        if (effort.isDue) await effort.pause();
      }
      return new WorkbookArchive(zip, entries);
    } catch (error) {
      throw explainDamage(error);
    }
  }

  has(path: string): boolean {
    return this.#entries.has(key(path));
  }

  /** How many bytes a part has unpacked. The archive says so, and is refused while it is read if that is wrong. */
  size(path: string): number {
    return this.#entries.get(key(path))?.uncompressedSize ?? 0;
  }

  /** The bytes of a part. One that is larger than `maxBytes` is not begun. */
  async *read(path: string, maxBytes: number): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(key(path));
    if (!entry) throw refuse({ code: "workbook_damaged", params: {} });
    if (entry.isEncrypted()) throw refuse({ code: "old_excel", params: {} });
    if (entry.uncompressedSize > maxBytes) throw refuse({ code: "workbook_too_large", params: {} });
    let stream: Readable | undefined;
    try {
      stream = await this.#zip.openReadStreamPromise(entry);
      yield* stream as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw explainDamage(error);
    } finally {
      stream?.destroy();
    }
  }
}

/** Parts are named without regard to case. */
function key(path: string): string {
  return posix.normalize(path).replace(/^\/+/, "").toLowerCase();
}

/** Whatever the archive's reader says: its words are for programmers. A disk that fails is another matter. */
function explainDamage(error: unknown): unknown {
  const isOther = error instanceof SheetRefused || (error as NodeJS.ErrnoException).syscall !== undefined;
  return isOther ? error : refuse({ code: "workbook_damaged", params: {} });
}
