import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { type FileHandle, mkdtemp, open, realpath, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError, conflict, notFound, unavailable } from "../core/errors.ts";

/** Personal data: nobody but its owner reads it. */
const MODE = 0o600;

/**
 * Writes a file that is there whole or not at all: under another name beside it, renamed when every byte is
 * on the disk. A file of that name is replaced.
 */
export async function writeWholeFile<Result>(
  path: string,
  write: (destination: Writable) => Promise<Result>,
): Promise<Result> {
  const target = await resolveTarget(path);
  const draft = `${target}.${randomBytes(6).toString("hex")}.part`;
  let destination: Writable | undefined;
  try {
    destination = (await open(draft, "wx", MODE)).createWriteStream({ flush: true });
    const result = await write(destination);
    await rename(draft, target);
    await flushDirectory(dirname(target));
    return result;
  } catch (error) {
    if (destination && !destination.closed) {
      // On Windows an open file cannot be removed.
      destination.destroy();
      await once(destination, "close");
    }
    await rm(draft, { force: true });
    throw explainFileError(error, path);
  }
}

/** Opens a file to be read more than once; what comes through a pipe is put into a nameless file first. */
export async function openForReading(path: string, standardInput: Readable): Promise<FileHandle> {
  if (path !== "-") {
    try {
      const file = await open(path, "r");
      if ((await file.stat()).isFile()) return file;
      await file.close();
    } catch (error) {
      throw explainFileError(error, path);
    }
    throw conflict(`${path} is not a file: a backup that comes through a pipe is read with "-".`);
  }
  const folder = await mkdtemp(join(tmpdir(), "rollbook-restore-"));
  try {
    const spool = join(folder, "backup");
    await pipeline(standardInput, createWriteStream(spool, { mode: MODE }));
    return await open(spool, "r");
  } catch (error) {
    throw explainFileError(error, folder);
  } finally {
    // The open handle keeps the content; nothing of it stays behind, whatever happens next.
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where the file is to be, through links: a link stays one, and a device is never replaced by a file. */
async function resolveTarget(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    const folder = await realpath(dirname(path)).catch(() => undefined);
    if (folder === undefined) throw notFound(`There is no directory ${dirname(path)}.`);
    return join(folder, basename(path));
  }
  if (!found.isFile())
    throw conflict(`${path} is there already and is not a file. Standard output is written with "-".`);
  return realpath(path);
}

async function flushDirectory(path: string): Promise<void> {
  // Windows has no handles of directories, and flushes their entries by itself.
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this user may not",
  EPERM: "this user may not",
  EROFS: "its disk is read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "its disk is full",
};

function explainFileError(error: unknown, path: string): unknown {
  const obstacle = FILE_ERRORS[(error as NodeJS.ErrnoException).code ?? ""];
  if (error instanceof AppError || obstacle === undefined || !isFileError(error)) return error;
  return unavailable(`${path} cannot be used: ${obstacle}.`, error);
}

/** Not of a socket, which has the same codes. */
function isFileError(error: unknown): boolean {
  return ["open", "write", "rename", "fsync", "mkdtemp"].includes(
    (error as NodeJS.ErrnoException).syscall ?? "",
  );
}
