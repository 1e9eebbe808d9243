import { createHash } from "node:crypto";
import { chown, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode, flushDirectory } from "../paths.ts";

/**
 * What stands in `BACKUP_DIR`: a folder for each archive, and in that
 *
 *     archive.json                    of which cluster it is, and for whom it is encrypted
 *     bases/20261118T030000Z.tar.gz   a copy of the cluster; it counts once its .json stands beside it
 *     log/0000000100000000/…03-DIGEST.gz   a segment of PostgreSQL's log, with the start of its SHA-256
 *     reached.json                    up to which moment everything is here, and by which segment
 *
 * An archive is of one data directory, from when archiving was turned on there until it is turned off: so its log has no gap
 * and no forks. Names end in `.age` where they are encrypted.
 */
export interface ArchiveFacts {
  /** PostgreSQL's number of the cluster, which its restored copies keep. */
  readonly systemIdentifier: string;
  readonly createdAt: string;
  readonly recipient?: string | undefined;
}

export interface BaseCopy {
  readonly name: string;
  /** The moments it can be restored to begin here. */
  readonly finishedAt: string;
  readonly startedAt: string;
  /** The first segment of the log that is needed with it. */
  readonly startSegment: string;
  readonly bytes: number;
  /** Of the file, in the folder of base copies. */
  readonly file: string;
}

/** Everything that was committed until a moment is in an archive, if it has the log up to the end of a segment. */
export interface Reached {
  readonly at: string;
  readonly segment: string;
  /** Who changes something next would be this transaction: as long as that is so, the archive has what there is. */
  readonly nextTransaction?: string | undefined;
}

export interface Archive extends ArchiveFacts {
  readonly name: string;
  readonly path: string;
  /** The oldest first, by the log and not by a clock that may have gone back. */
  readonly bases: readonly BaseCopy[];
  readonly reached?: Reached | undefined;
}

export const FACTS_FILE = "archive.json";
export const BASES_FOLDER = "bases";
export const LOG_FOLDER = "log";
const REACHED_FILE = "reached.json";
export const DRAFT_ENDING = ".part";
/** Of the program that PostgreSQL calls in a recovery: the private key. */
export const IDENTITY_VARIABLE = "ROLLBOOK_IDENTITY";
const ENCRYPTED_ENDING = ".age";
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** PostgreSQL's segments have 16 MB, so there are 256 of them in each of its logs of 4 GB. */
export const SEGMENT_BYTES = 16 * 1024 * 1024;
const SEGMENT_NAME = /^[0-9A-F]{24}$/;
const GROUP_NAME = /^[0-9A-F]{16}$/;
/** Others are not ours: a disk has a folder for lost files, which only root may open. */
const ARCHIVE_NAME = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/;
const BASE_NAME = /^\d{8}T\d{6}Z$/;
const GROUP_LETTERS = 16;
const DIGEST_LETTERS = 32;

export function isSegment(name: string): boolean {
  return SEGMENT_NAME.test(name);
}

/** The segment after this one. */
export function nextSegment(name: string): string {
  const number = BigInt(`0x${name.slice(8, 16)}`) * 256n + BigInt(`0x${name.slice(16)}`) + 1n;
  return `${name.slice(0, 8)}${hexadecimal(number / 256n)}${hexadecimal(number % 256n)}`;
}

function hexadecimal(number: bigint): string {
  return number.toString(16).toUpperCase().padStart(8, "0");
}

/** The folder of 256 segments; what else PostgreSQL archives stands beside those folders. */
export function logFolder(archive: string, name: string): string {
  const isOfSegment = SEGMENT_NAME.test(name.slice(0, 24));
  return isOfSegment ? join(archive, LOG_FOLDER, name.slice(0, GROUP_LETTERS)) : join(archive, LOG_FOLDER);
}

export function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex").slice(0, DIGEST_LETTERS);
}

export function storedName(name: string, digest: string, isEncrypted: boolean): string {
  return `${name}-${digest}.gz${isEncrypted ? ENCRYPTED_ENDING : ""}`;
}

export function isEncrypted(file: string): boolean {
  return file.endsWith(ENCRYPTED_ENDING);
}

/** The file that a piece of the log is stored in. */
export async function findStored(archive: string, name: string): Promise<string | undefined> {
  const names = await listFolder(logFolder(archive, name));
  return names.find((file) => file.startsWith(`${name}-`) && !file.endsWith(DRAFT_ENDING));
}

/**
 * Whether the log up to the end of that segment has been archived. PostgreSQL archives one after the other, so a later one
 * says it too: the segment itself may have been removed by a base copy that does not need it.
 */
export async function hasArchived(archive: string, segment: string): Promise<boolean> {
  const groups = (await listFolder(join(archive, LOG_FOLDER))).filter(
    (name) => GROUP_NAME.test(name) && name >= segment.slice(0, GROUP_LETTERS),
  );
  for (const group of groups) {
    const files = await listFolder(join(archive, LOG_FOLDER, group));
    if (
      files.some(
        (file) => !file.endsWith(DRAFT_ENDING) && isSegment(segmentIn(file)) && segmentIn(file) >= segment,
      )
    )
      return true;
  }
  return false;
}

function segmentIn(file: string): string {
  return file.slice(0, file.lastIndexOf("-"));
}

export function digestIn(file: string): string {
  return file.slice(file.lastIndexOf("-") + 1).slice(0, DIGEST_LETTERS);
}

/** The names of the segments that are there, in their order. */
export async function listSegments(archive: string): Promise<string[]> {
  const groups = (await listFolder(join(archive, LOG_FOLDER))).filter((name) => GROUP_NAME.test(name));
  const files = await Promise.all(groups.map((group) => listFolder(join(archive, LOG_FOLDER, group))));
  return files
    .flat()
    .filter((file) => !file.endsWith(DRAFT_ENDING))
    .map(segmentIn)
    .filter(isSegment)
    .sort();
}

export interface ArchiveFolder {
  /** The oldest first. */
  readonly archives: readonly Archive[];
  /** The names of those that cannot be read, such as those of another account. */
  readonly unreadable: readonly string[];
}

/** The archives in `BACKUP_DIR`; throws if that cannot be read. */
export async function listArchives(folder: string): Promise<ArchiveFolder> {
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && ARCHIVE_NAME.test(entry.name))
    .map((entry) => entry.name);
  const archives: Archive[] = [];
  const unreadable: string[] = [];
  for (const name of names) {
    try {
      const archive = await readArchive(join(folder, name));
      if (archive) archives.push(archive);
    } catch {
      unreadable.push(name);
    }
  }
  return { archives: archives.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1)), unreadable };
}

/** Undefined where there is none. */
export async function readArchive(path: string): Promise<Archive | undefined> {
  const facts = await readJsonFile<ArchiveFacts>(join(path, FACTS_FILE));
  if (facts === undefined) return undefined;
  const reached = await readJsonFile<Reached>(join(path, REACHED_FILE));
  const files = (await listFolder(join(path, BASES_FOLDER))).filter((name) => name.endsWith(".json"));
  const read = await Promise.all(files.map((file) => readBase(path, basename(file, ".json"))));
  return {
    ...facts,
    name: basename(path),
    path,
    bases: read
      .filter((base) => base !== undefined)
      .sort((one, other) => (one.startSegment < other.startSegment ? -1 : 1)),
    reached,
  };
}

/** Undefined for what is not written as ours are: what it says would be read and removed elsewhere. */
async function readBase(path: string, name: string): Promise<BaseCopy | undefined> {
  const base = await readJsonFile<BaseCopy>(join(path, BASES_FOLDER, `${name}.json`));
  const isOurs = BASE_NAME.test(name) && base?.name === name && isSegment(base.startSegment);
  return isOurs && base.file === baseFile(name, isEncrypted(base.file)) ? base : undefined;
}

export function baseFile(name: string, isEncrypted: boolean): string {
  return `${name}.tar.gz${isEncrypted ? ENCRYPTED_ENDING : ""}`;
}

/** To be called when that segment is in the archive. */
export async function recordReached(path: string, reached: Reached): Promise<void> {
  await writeDurably(join(path, REACHED_FILE), JSON.stringify(reached));
  if (process.getuid?.() !== 0) return;
  // Its owner may be the next to read it.
  const { uid, gid } = await stat(path);
  await chown(join(path, REACHED_FILE), uid, gid);
}

/** Replaces the file in one step; when this returns it outlives a power failure. */
export async function writeDurably(path: string, content: string | Buffer): Promise<void> {
  const draft = `${path}.${process.pid}${DRAFT_ENDING}`;
  try {
    const file = await open(draft, "w", FILE_MODE);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await flushDirectory(dirname(path));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** The content of a small file; undefined if it is not there. */
export async function readJsonFile<Content>(path: string): Promise<Content | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Content;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** Empty for a folder that is not there. */
async function listFolder(path: string): Promise<string[]> {
  return readdir(path).catch((error) => {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  });
}

/**
 * Removes what no moment from `before` on needs: base copies but for the newest of those finished by then, and the log
 * before the oldest that stays. Returns how many files went.
 */
export async function pruneArchive(archive: Archive, before: number): Promise<number> {
  const old = archive.bases.filter(({ finishedAt }) => Date.parse(finishedAt) <= before).slice(0, -1);
  const [oldest] = archive.bases.slice(old.length);
  let removed = 0;
  const remove = async (path: string) => {
    await rm(path, { force: true });
    removed += 1;
  };
  for (const base of old) {
    // What makes it count goes first: a half-removed one is none.
    await remove(join(archive.path, BASES_FOLDER, `${base.name}.json`));
    await remove(join(archive.path, BASES_FOLDER, base.file));
  }
  const kept = new Set(archive.bases.slice(old.length).flatMap(({ name, file }) => [`${name}.json`, file]));
  for (const file of await listFolder(join(archive.path, BASES_FOLDER)))
    if (!kept.has(file) && !file.includes(DRAFT_ENDING)) await remove(join(archive.path, BASES_FOLDER, file));
  if (oldest === undefined) return removed;
  for (const group of await listFolder(join(archive.path, LOG_FOLDER))) {
    if (group > oldest.startSegment.slice(0, GROUP_LETTERS) || group.length !== GROUP_LETTERS) continue;
    const folder = join(archive.path, LOG_FOLDER, group);
    for (const file of await listFolder(folder))
      if (file.slice(0, 24) < oldest.startSegment) await remove(join(folder, file));
    if (group < oldest.startSegment.slice(0, GROUP_LETTERS))
      await rm(folder, { recursive: true, force: true });
  }
  return removed;
}

/** Removes whole archives of the same cluster that have ended before that time: those of earlier data directories. */
export async function removeEndedArchives(own: Archive, before: number): Promise<string[]> {
  const removed: string[] = [];
  for (const other of (await listArchives(dirname(own.path))).archives) {
    const isSame = other.systemIdentifier === own.systemIdentifier;
    const last = [other.createdAt, other.reached?.at ?? "", other.bases.at(-1)?.finishedAt ?? ""]
      .sort()
      .at(-1);
    if (!isSame || other.name === own.name || Date.parse(last ?? "") >= before) continue;
    // Its servers write to it even if nobody says how far it has got.
    if ((await lastChange(other.path)) >= before) continue;
    await rm(join(other.path, FACTS_FILE), { force: true });
    await rm(other.path, { recursive: true, force: true });
    removed.push(other.name);
  }
  return removed;
}

async function lastChange(archive: string): Promise<number> {
  const groups = await listFolder(join(archive, LOG_FOLDER));
  const times = await Promise.all(
    [LOG_FOLDER, ...groups.map((group) => join(LOG_FOLDER, group))].map(async (folder) =>
      stat(join(archive, folder)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(0, ...times);
}
