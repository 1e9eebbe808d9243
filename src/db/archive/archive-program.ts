import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGunzip, createGzip } from "node:zlib";
import { errorCode, flushDirectory, isDiskFull } from "../paths.ts";
import { AgeError, decryptWith, encryptFor } from "./age.ts";
import {
  DRAFT_ENDING,
  digestIn,
  digestOf,
  FACTS_FILE,
  FILE_MODE,
  FOLDER_MODE,
  findStored,
  IDENTITY_VARIABLE,
  isEncrypted,
  LOG_FOLDER,
  logFolder,
  storedName,
} from "./archive-files.ts";

// What PostgreSQL runs for every piece of its log, as its own account: it loads as little as it can.
//
//     store ARCHIVE PATH NAME [RECIPIENT]   the archive_command: exit code 0 says that the piece is safe
//     fetch ARCHIVE NAME PATH               the restore_command: 1 says that there is no such piece
//     check ARCHIVE                         whether this account can write there
//     read ARCHIVE                          whether it can read there
//
// The private key comes in the environment: an argument is for everybody to see, and a file outlives a kill.

/** PostgreSQL gives a recovery up when its command ends so; after 1 it would take the log for ended. */
const CANNOT_FETCH = 200;

const [, , verb, archive = "", ...rest] = process.argv;

if (process.argv[1] === fileURLToPath(import.meta.url)) await run();

async function run(): Promise<void> {
  try {
    if (verb === "store") await store(rest[0] ?? "", rest[1] ?? "", rest[2]);
    else if (verb === "fetch") await fetchPiece(rest[0] ?? "", rest[1] ?? "");
    else if (verb === "read") await requireReadable();
    else await check();
  } catch (error) {
    process.stderr.write(`rollbook: ${sentenceOf(error)}\n`);
    process.exitCode = verb === "fetch" ? CANNOT_FETCH : 1;
  }
}

/** Compressed, encrypted, on the disk under its name: or not there at all. The same piece may come again. */
async function store(path: string, name: string, recipient: string | undefined): Promise<void> {
  await requireArchive();
  const content = await readFile(path);
  const digest = digestOf(content);
  const folder = logFolder(archive, name);
  await makeFolder(folder);
  const present = await findStored(archive, name);
  if (present !== undefined) {
    if (digestIn(present) !== digest)
      throw new Error(
        `${join(folder, present)} is another server's: two data directories share this archive.`,
      );
    // Whoever stored it may have been killed before its name was safe.
    return flushDirectory(folder);
  }
  const target = join(folder, storedName(name, digest, recipient !== undefined));
  const draft = `${target}.${process.pid}${DRAFT_ENDING}`;
  try {
    const file = await open(draft, "w", FILE_MODE);
    const gzip = createGzip({ level: 6 });
    gzip.end(content);
    const written = file.createWriteStream({ flush: true });
    await (recipient ? pipeline(gzip, encryptFor(recipient), written) : pipeline(gzip, written));
    await rename(draft, target);
    await flushDirectory(folder);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

async function fetchPiece(name: string, path: string): Promise<void> {
  await requireArchive();
  const present = await findStored(archive, name);
  if (present === undefined) {
    process.exitCode = 1;
    return;
  }
  const stored = join(logFolder(archive, name), present);
  const pieces: Buffer[] = [];
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const piece of source) pieces.push(piece);
  };
  const file = await open(stored, "r");
  const source = file.createReadStream();
  const identity = process.env[IDENTITY_VARIABLE] ?? "";
  try {
    await (isEncrypted(present)
      ? pipeline(source, decryptWith(identity), createGunzip(), collect)
      : pipeline(source, createGunzip(), collect));
  } catch (error) {
    throw new Error(`${stored} cannot be read: ${sentenceOf(error)}`);
  }
  const content = Buffer.concat(pieces);
  if (digestOf(content) !== digestIn(present)) throw new Error(`${stored} is damaged.`);
  const target = await open(path, "w", FILE_MODE);
  try {
    await target.writeFile(content);
    await target.sync();
  } finally {
    await target.close();
  }
}

async function check(): Promise<void> {
  await requireArchive();
  const path = join(archive, LOG_FOLDER, `check.${process.pid}${DRAFT_ENDING}`);
  const file = await open(path, "w", FILE_MODE);
  try {
    await file.writeFile("It can be written to.\n");
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

async function requireReadable(): Promise<void> {
  await requireArchive();
  await readdir(join(archive, LOG_FOLDER));
}

/** A disk that is not mounted leaves an empty folder: nothing is written there. */
async function requireArchive(): Promise<void> {
  await readFile(join(archive, FACTS_FILE)).catch((error) => {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new Error(`There is no archive in ${archive}: is its disk mounted?`);
  });
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
    await flushDirectory(join(archive, LOG_FOLDER));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof AgeError) return `${error.message}.`;
  if (isDiskFull(error)) return `The disk of ${verb === "fetch" ? "the restored copy" : archive} is full.`;
  return error instanceof Error ? error.message : String(error);
}
