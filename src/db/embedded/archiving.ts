import { randomBytes } from "node:crypto";
import { chown, mkdir, open, rm, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError, unavailable } from "../../core/errors.ts";
import {
  type ArchiveFacts,
  BASES_FOLDER,
  FACTS_FILE,
  FOLDER_MODE,
  LOG_FOLDER,
  listArchives,
  readJsonFile,
  writeDurably,
} from "../archive/archive-files.ts";
import { type Account, runAs } from "./account.ts";
import type { Binaries } from "./binaries.ts";

/** Where PostgreSQL is to archive its log, as the settings say. */
export interface ArchiveRequest {
  readonly folder: string;
  /** The public key that it is encrypted with; "none" says that none is meant, even after an encrypted archive. */
  readonly recipient?: string | undefined;
  /** After so long a segment is archived though it is not full. */
  readonly seconds: number;
}

/** What the data directory remembers of it: so that whoever starts PostgreSQL starts it in the same way. */
export interface Archiving extends ArchiveRequest {
  /** Absent for an archive that is not encrypted. */
  readonly recipient?: string | undefined;
  /** The archive's name, a folder in `folder`. */
  readonly archive: string;
  readonly since: string;
}

const PROGRAM = fileURLToPath(new URL("../archive/archive-program.js", import.meta.url));

export function archivePath({ folder, archive }: Archiving): string {
  return join(folder, archive);
}

function memory(dataDir: string): string {
  return join(dataDir, "archiving.json");
}

export async function readArchiving(dataDir: string): Promise<Archiving | undefined> {
  try {
    return await readJsonFile<Archiving>(memory(dataDir));
  } catch (error) {
    throw unavailable(
      `${memory(dataDir)}, which says where the log is archived, cannot be read: remove it, and the next rollbook serve begins a new archive.`,
      error,
    );
  }
}

/**
 * Has the data directory remember what is asked for. Another place or another key begins a new archive: so the log of each
 * is whole, and read with one key. "none" ends archiving; what is archived stays.
 */
export async function settleArchiving(
  dataDir: string,
  request: ArchiveRequest | "none",
  prepare: () => Promise<{ account: Account; binaries: Binaries }>,
): Promise<void> {
  const current = await readArchiving(dataDir);
  if (request === "none") {
    if (current) await rm(memory(dataDir), { force: true });
    return;
  }
  const folder = resolve(request.folder);
  const recipient = request.recipient === "none" ? undefined : request.recipient;
  const wanted = { ...request, folder, recipient };
  if (current?.folder === folder && current.recipient === recipient) {
    if (current.seconds !== request.seconds)
      await remember(dataDir, { ...current, seconds: request.seconds });
    return;
  }
  if (!relative(dataDir, folder).startsWith(".."))
    throw new AppError(
      "invalid",
      `BACKUP_DIR ${folder} lies in the data directory, and would be lost with it: set it to a folder on another disk.`,
    );
  const { account, binaries } = await prepare();
  const system = await systemIdentifier(join(dataDir, "postgres"));
  if (request.recipient === undefined) await requireUnencrypted(current, folder, system);
  const now = new Date();
  const archive = `${timeStamp(now)}-${randomBytes(3).toString("hex")}`;
  const archiving = { ...wanted, archive, since: now.toISOString() };
  try {
    await makeArchive(archiving, system, account);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw cannotWrite(folder, account, error instanceof Error ? error.message : String(error));
  }
  const checked = await runAs(
    account,
    [process.execPath, PROGRAM, "check", archivePath(archiving)],
    binaries,
  );
  if (checked.code !== 0) {
    await rm(archivePath(archiving), { recursive: true, force: true });
    throw cannotWrite(folder, account, checked.output.trim() || `it may not run ${process.execPath}`);
  }
  await remember(dataDir, archiving);
}

/** A restored copy remembers nothing: then it goes by the newest archive of its cluster. */
async function requireUnencrypted(
  current: Archiving | undefined,
  folder: string,
  system: string,
): Promise<void> {
  const refuse = (why: string) =>
    new AppError(
      "invalid",
      `${why}, and without BACKUP_RECIPIENT personal data would be written unencrypted: set it to the public key again, or to none if that is meant.`,
    );
  if (current !== undefined) {
    if (current.recipient !== undefined) throw refuse("The archive so far is encrypted");
    return;
  }
  // A folder that is not there, or cannot be read, is for those who are to write there.
  const { archives, unreadable } = await listArchives(folder).catch(() => ({ archives: [], unreadable: [] }));
  const last = archives.findLast(({ systemIdentifier }) => systemIdentifier === system);
  if (last?.recipient !== undefined) throw refuse("The archive so far is encrypted");
  const [hidden] = unreadable;
  if (hidden !== undefined && last === undefined)
    throw refuse(`The archive ${join(folder, hidden)} cannot be read, and may be this one's and encrypted`);
}

function cannotWrite(folder: string, { owner }: Account, reason: string): AppError {
  const who = owner === undefined ? "whoever runs this" : `the user with the number ${owner.uid}`;
  const told = reason.replace(/^rollbook: /, "").replace(/\.$/, "");
  return unavailable(
    `The log cannot be archived in BACKUP_DIR ${folder}: ${told}. PostgreSQL runs as ${who}, who must be able to write there and to run ${process.execPath}.`,
    new Error(reason),
  );
}

async function makeArchive(archiving: Archiving, system: string, { owner }: Account): Promise<void> {
  const own = async (path: string) => {
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  };
  const made = await mkdir(archiving.folder, { recursive: true, mode: FOLDER_MODE });
  if (made !== undefined) await own(archiving.folder);
  const path = archivePath(archiving);
  for (const folder of [path, join(path, BASES_FOLDER), join(path, LOG_FOLDER)]) {
    await mkdir(folder, { mode: FOLDER_MODE });
    await own(folder);
  }
  const facts: ArchiveFacts = {
    systemIdentifier: system,
    createdAt: archiving.since,
    recipient: archiving.recipient,
  };
  await writeDurably(join(path, FACTS_FILE), JSON.stringify(facts));
  await own(join(path, FACTS_FILE));
}

async function remember(dataDir: string, archiving: Archiving): Promise<void> {
  await writeDurably(memory(dataDir), JSON.stringify(archiving));
  if (process.getuid?.() !== 0) return;
  // Its owner may be the next to start PostgreSQL.
  const { uid, gid } = await stat(dataDir);
  await chown(memory(dataDir), uid, gid);
}

/** The number that initdb gave the cluster: the first eight bytes of its control file. */
async function systemIdentifier(cluster: string): Promise<string> {
  const file = await open(join(cluster, "global", "pg_control"), "r");
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(8), position: 0 });
    return buffer.readBigUInt64LE().toString();
  } finally {
    await file.close();
  }
}

/** `20261118T030000Z` */
export function timeStamp(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d+/g, "");
}

/** How PostgreSQL is started for it, beside what always holds. */
export function archiveSettings(archiving: Archiving | undefined): Record<string, string> {
  if (archiving === undefined) return { archive_mode: "off", archive_command: "" };
  const command = [process.execPath, PROGRAM, "store", archivePath(archiving)].map(quoted);
  const recipient = archiving.recipient === undefined ? [] : [quoted(archiving.recipient)];
  return {
    wal_level: "replica",
    archive_mode: "on",
    archive_timeout: String(archiving.seconds),
    archive_command: [...command, "%p", "%f", ...recipient].join(" "),
  };
}

/** Ends with 0 if the archive can be read. */
export function readingCommand(archive: string): string[] {
  return [process.execPath, PROGRAM, "read", archive];
}

/** How a copy is brought to a moment: it reads the archive, and writes to none. */
export function recoverySettings(archive: string): Record<string, string> {
  const command = [process.execPath, PROGRAM, "fetch", archive].map(quoted);
  return {
    wal_level: "replica",
    archive_mode: "off",
    hot_standby: "off",
    restore_command: [...command, "%f", "%p"].join(" "),
    recovery_target_timeline: "current",
    recovery_target_action: "promote",
  };
}

/** For PostgreSQL, in whose commands % stands for something, and the shell that it calls. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''").replaceAll("%", "%%")}'`;
}
