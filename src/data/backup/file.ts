import { once } from "node:events";
import { createWriteStream, rmSync } from "node:fs";
import { type FileHandle, mkdtemp, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError, conflict, notFound, unavailable } from "../../core/errors.ts";
import { isAlive } from "../../db/embedded/postmaster.ts";
import { flushDirectory } from "../../db/paths.ts";

/** Personal data: nobody but its owner reads it. */
const MODE = 0o600;

/**
 * Writes a file that is there whole or not at all: under another name beside it, renamed when every byte is
 * on the disk. A file of that name is replaced. However the process ends, short of being killed, nothing of a
 * half-written file stays; what a killed one left is removed by the next that writes the same file.
 */
export async function writeWholeFile<Result>(
  path: string,
  write: (destination: Writable) => Promise<Result>,
): Promise<Result> {
  const target = await resolveTarget(path);
  await removeAbandonedDrafts(target);
  const draft = draftOf(target, process.pid);
  const removeDraft = () => rmSync(draft, { force: true });
  let destination: Writable | undefined;
  process.on("exit", removeDraft);
  try {
    destination = (await open(draft, "wx", MODE)).createWriteStream({ flush: true });
    // Whoever waits for the failed write hears of it; without a listener it would end the process as well.
    destination.on("error", () => {});
    const result = await write(destination);
    await endStream(destination);
    await rename(draft, target);
    await flushDirectory(dirname(target));
    return result;
  } catch (error) {
    // On Windows an open file cannot be removed.
    if (destination) await closeStream(destination);
    await rm(draft, { force: true });
    throw explainFileError(error, path);
  } finally {
    process.off("exit", removeDraft);
  }
}

/** Writes a piece of text and waits until it has been taken. */
export function writeText(destination: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    destination.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Its error has been reported already: `once` would throw it again, and the file would stay. */
async function closeStream(destination: Writable): Promise<void> {
  if (destination.closed) return;
  await new Promise<void>((resolve) => {
    destination.once("close", resolve);
    destination.destroy();
  });
}

async function endStream(destination: Writable): Promise<void> {
  if (destination.errored) throw destination.errored;
  if (destination.closed) return;
  const closed = once(destination, "close");
  destination.end();
  await closed;
}

/** Named after the machine and the process that writes it: so the next one can tell whether that still runs. */
function draftOf(target: string, pid: number): string {
  return `${target}.${hostname()}.${pid}.part`;
}

async function removeAbandonedDrafts(target: string): Promise<void> {
  const start = `${basename(target)}.${hostname()}.`;
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    const pid = Number(name.startsWith(start) && /^(\d+)\.part$/.exec(name.slice(start.length))?.[1]);
    if (pid > 0 && (pid === process.pid || !isAlive(pid)))
      await rm(draftOf(target, pid), { force: true }).catch(() => {});
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
    const temporaryFile = join(folder, "backup");
    await pipeline(standardInput, createWriteStream(temporaryFile, { mode: MODE }));
    return await open(temporaryFile, "r");
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

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this user may not",
  EPERM: "this user may not",
  EROFS: "its disk is read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "its disk is full",
  EFBIG: "it would be larger than a file may be here",
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
