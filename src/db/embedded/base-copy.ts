import type { Stats } from "node:fs";
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { conflict, unavailable } from "../../core/errors.ts";
import { encryptFor } from "../archive/age.ts";
import {
  BASES_FOLDER,
  type BaseCopy,
  baseFile,
  DRAFT_ENDING,
  FILE_MODE,
  pruneArchive,
  readArchive,
  removeEndedArchives,
  writeDurably,
} from "../archive/archive-files.ts";
import { TAR_END, tarHeader, tarPadding } from "../archive/tar.ts";
import pg from "../driver.ts";
import { errorCode, flushDirectory, isDiskFull } from "../paths.ts";
import { timeStamp } from "./archiving.ts";
import { PORT } from "./postmaster.ts";
import { openSocketDirectory } from "./socket.ts";

export interface BaseCopyJob {
  readonly cluster: string;
  readonly archive: string;
  readonly recipient?: string | undefined;
  /** How long the moments are kept that can be restored. */
  readonly days: number;
  /** One that was finished since then by somebody else is enough. */
  readonly unlessSince?: string | undefined;
  /** So that those who read and write have the disk, too. */
  readonly bytesPerSecond: number;
}

export interface BaseCopyResult {
  /** Absent if there is one that is new enough. */
  readonly base?: BaseCopy;
  /** Files that no moment needs any more. */
  readonly removed: number;
}

/** One at a time, whoever makes it. In the database `postgres`, like the membership of processes. */
const COPYING = [0x726f6c6c, 2];
const PIECE_BYTES = 256 * 1024;
const CONTROL_FILE = "global/pg_control";

/** PostgreSQL makes these again, or they are of the server that runs: its documentation of backups lists them. */
const EMPTIED = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|postgresql\.auto\.conf\.tmp|current_logfiles\.tmp|recovery\.signal|standby\.signal)$/;
/** By its name in whatever folder: what a statement, the start or a session keeps for itself. */
const TEMPORARY = /^(pgsql_tmp|pg_internal\.init|t\d+_\d)/;

/**
 * Copies the cluster while it is used, by PostgreSQL's low-level way: what is written meanwhile is in the log, by which the
 * copy becomes whole. Then what the new copy makes superfluous is removed.
 */
export async function copyBase(job: BaseCopyJob): Promise<BaseCopyResult> {
  const socket = openSocketDirectory(job.cluster);
  const connection = new pg.Client({
    host: socket.path,
    port: PORT,
    // The one who may: whoever may enter the folder of the socket owns the files.
    user: "postgres",
    database: "postgres",
    ssl: false,
    application_name: "rollbook base copy",
  });
  connection.on("error", () => {});
  try {
    await connection.connect();
    const { rows } = await connection.query<{ free: boolean }>(
      "select pg_try_advisory_lock($1::int, $2::int) as free",
      COPYING,
    );
    if (rows[0]?.free !== true) throw conflict("Another base copy is being made.");
    const newest = (await requireArchive(job.archive)).bases.at(-1);
    if (job.unlessSince !== undefined && newest !== undefined && newest.finishedAt >= job.unlessSince)
      return { removed: 0 };
    const tidy = async () => {
      const before = Date.now() - job.days * 86_400_000;
      const archive = await requireArchive(job.archive);
      return (await pruneArchive(archive, before)) + (await removeEndedArchives(archive, before)).length;
    };
    // On a full disk what no moment needs any more may be the room that the copy takes.
    const removedBefore = await tidy();
    const base = await makeCopy(connection, job);
    return { base, removed: removedBefore + (await tidy()) };
  } finally {
    await connection.end().catch(() => {});
    socket.close();
  }
}

async function requireArchive(path: string) {
  const archive = await readArchive(path);
  if (archive === undefined) throw unavailable(`There is no archive in ${path}: is its disk mounted?`);
  return archive;
}

async function makeCopy(connection: pg.Client, job: BaseCopyJob): Promise<BaseCopy> {
  const startedAt = new Date();
  const name = timeStamp(startedAt);
  const folder = join(job.archive, BASES_FOLDER);
  const file = baseFile(name, job.recipient !== undefined);
  await removeDrafts(folder);
  const draft = join(folder, `${file}.${process.pid}${DRAFT_ENDING}`);
  const { rows } = await connection.query<{ segment: string }>(
    "select pg_walfile_name(pg_backup_start($1, true)) as segment",
    ["rollbook"],
  );
  try {
    const destination = (await open(draft, "wx", FILE_MODE)).createWriteStream({ flush: true });
    const source = Readable.from(
      tarOf(job, () => stopBackup(connection)),
      { objectMode: false },
    );
    const gzip = createGzip({ level: 1 });
    await (job.recipient === undefined
      ? pipeline(source, gzip, destination)
      : pipeline(source, gzip, encryptFor(job.recipient), destination));
    const { size } = await stat(draft);
    await rename(draft, join(folder, file));
    await flushDirectory(folder);
    const base: BaseCopy = {
      name,
      startedAt: startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
      startSegment: rows[0]?.segment ?? "",
      bytes: size,
      file,
    };
    await writeDurably(join(folder, `${name}.json`), JSON.stringify(base));
    return base;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    if (isDiskFull(error)) throw unavailable(`the disk of ${job.archive} is full`, error);
    throw error;
  }
}

/** Ends the time of the copy, once its log is archived, and returns what the copy must have besides. */
async function stopBackup(connection: pg.Client): Promise<{ label: string; tablespaces: string }> {
  // The log of the copy's time must be archived for the copy to be of use.
  await connection.query("set statement_timeout = '10min'");
  const { rows } = await connection.query<{ label: string; tablespaces: string }>(
    `select labelfile as label, spcmapfile as tablespaces from pg_backup_stop(true)`,
  );
  return { label: rows[0]?.label ?? "", tablespaces: rows[0]?.tablespaces ?? "" };
}

async function* tarOf(
  { cluster, bytesPerSecond }: BaseCopyJob,
  stop: () => Promise<{ label: string; tablespaces: string }>,
): AsyncGenerator<Buffer> {
  const pace = new Pace(bytesPerSecond);
  yield* folderOf(cluster, "", pace);
  // Last, and whole: it says where the log begins that the copy needs at least.
  yield* smallFile(CONTROL_FILE, await readTwice(join(cluster, CONTROL_FILE)));
  const { label, tablespaces } = await stop();
  yield* smallFile("backup_label", Buffer.from(label));
  if (tablespaces !== "") yield* smallFile("tablespace_map", Buffer.from(tablespaces));
  yield TAR_END;
}

async function* folderOf(cluster: string, folder: string, pace: Pace): AsyncGenerator<Buffer> {
  const entries = await readdir(join(cluster, folder), { withFileTypes: true }).catch(ifGone([]));
  for (const entry of entries) {
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (LEFT_OUT.test(name) || TEMPORARY.test(entry.name) || name === CONTROL_FILE) continue;
    if (entry.isDirectory()) {
      yield tarHeader({ name });
      if (!EMPTIED.has(name)) yield* folderOf(cluster, name, pace);
    } else if (entry.isFile()) yield* fileOf(join(cluster, name), name, pace);
    else throw unavailable(`${join(cluster, name)} is neither a file nor a folder: it cannot be copied.`);
  }
}

/** As long as it was when it was opened: what is added or cut off later is in the log. */
async function* fileOf(path: string, name: string, pace: Pace): AsyncGenerator<Buffer> {
  const file: FileHandle | undefined = await open(path, "r").catch(ifGone(undefined));
  if (file === undefined) return;
  try {
    const { size }: Stats = await file.stat();
    yield tarHeader({ name, size });
    for (let left = size; left > 0; ) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(Math.min(left, PIECE_BYTES)) });
      const piece = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead);
      left -= piece.length;
      yield piece;
      await pace.wait(piece.length);
    }
    yield tarPadding(size);
  } finally {
    await file.close();
  }
}

function* smallFile(name: string, content: Buffer): Generator<Buffer> {
  yield tarHeader({ name, size: content.length });
  yield content;
  yield tarPadding(content.length);
}

/** PostgreSQL may write it at this moment: what is read twice alike is whole. */
async function readTwice(path: string): Promise<Buffer> {
  for (let last = await readFile(path); ; ) {
    const next = await readFile(path);
    if (next.equals(last)) return next;
    last = next;
  }
}

/** Files go while the cluster is used; the log knows of it. */
function ifGone<Value>(instead: Value): (error: unknown) => Value {
  return (error) => {
    if (errorCode(error) === "ENOENT") return instead;
    throw error;
  };
}

/** Only one copy is made at a time, so every draft is of one that was killed. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(DRAFT_ENDING)) await rm(join(folder, name), { force: true });
}

class Pace {
  readonly #bytesPerSecond: number;
  readonly #begun = Date.now();
  #bytes = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  async wait(bytes: number): Promise<void> {
    this.#bytes += bytes;
    const ahead = (this.#bytes / this.#bytesPerSecond) * 1000 - (Date.now() - this.#begun);
    if (ahead > 10) await delay(ahead);
  }
}
