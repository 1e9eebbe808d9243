import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { addAbortSignal, Readable } from "node:stream";
import { AppError } from "../core/errors.ts";
import { openForReading } from "../data/backup/file.ts";
import { RECOGNIZED_BY_BYTES } from "../data/spreadsheet/recognize.ts";
import { readChunks, readHead } from "../data/spreadsheet/source.ts";

/** A file that a command reads, or what comes through a pipe. */
export interface InputFile {
  /** Its first bytes, by which its format is known. */
  readonly head: Uint8Array;
  /** All of it, once. */
  chunks(): AsyncIterable<Uint8Array>;
  /** How much of the chunks has been read, if that is known. */
  share(): number | undefined;
  /** For formats that have to be read more than once or not in order; what comes through a pipe is stored first. */
  file(): Promise<FileHandle>;
  close(): Promise<void>;
}

/** Opens a file by its path; `-` is standard input. Nothing more is read when the command is to stop. */
export async function openInput(path: string, stop: AbortSignal): Promise<InputFile> {
  if (path === "-") return openPipe(addAbortSignal(stop, process.stdin));
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new AppError("invalid", `${path} is a directory, not a file.`);
    return found.isFile()
      ? await openFile(path, stop)
      : await openPipe(createReadStream(path, { signal: stop }));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : explainUnreadable(path, error);
  }
}

/** The whole text of a file, or of what comes through a pipe. */
export async function readInputText(path: string, stop: AbortSignal): Promise<string> {
  const input = await openInput(path, stop);
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of input.chunks()) chunks.push(Uint8Array.from(chunk));
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    await input.close();
  }
}

async function openFile(path: string, stop: AbortSignal): Promise<InputFile> {
  const file = await open(path, "r");
  const { size } = await file.stat();
  let bytes = 0;
  return {
    head: await readHead(file, RECOGNIZED_BY_BYTES),
    chunks: () =>
      readChunks(file, (read) => {
        stop.throwIfAborted();
        bytes = read;
      }),
    share: () => (size > 0 ? bytes / size : undefined),
    file: async () => file,
    close: () => file.close(),
  };
}

async function openPipe(stream: Readable): Promise<InputFile> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const begun: Uint8Array[] = [];
  for (let bytes = 0; bytes < RECOGNIZED_BY_BYTES; ) {
    const next = await chunks.next();
    if (next.done) break;
    begun.push(next.value);
    bytes += next.value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* begun;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  let stored: FileHandle | undefined;
  return {
    head: Buffer.concat(begun),
    chunks: all,
    share: () => undefined,
    file: async () => {
      stored ??= await openForReading("-", Readable.from(all()));
      return stored;
    },
    close: async () => {
      stream.destroy();
      await stored?.close();
    },
  };
}

function explainUnreadable(path: string, error: unknown): AppError {
  const { code } = error as NodeJS.ErrnoException;
  const reason =
    code === "ENOENT" ? "there is no such file" : code === "EACCES" ? "this user may not read it" : code;
  return new AppError("invalid", `${path} cannot be read: ${reason}.`, { cause: error });
}
