import { createReadStream } from "node:fs";
import { chown, mkdir, mkdtemp, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { AppError, conflict, malformed, unavailable } from "../../core/errors.ts";
import { AgeError, decryptWith, recipientOf } from "../archive/age.ts";
import {
  type Archive,
  BASES_FOLDER,
  type BaseCopy,
  FILE_MODE,
  FOLDER_MODE,
  IDENTITY_VARIABLE,
  isEncrypted,
  listSegments,
  nextSegment,
} from "../archive/archive-files.ts";
import { readTar } from "../archive/tar.ts";
import pg from "../driver.ts";
import { flushDirectory } from "../paths.ts";
import { type Account, chooseAccount, runAs } from "./account.ts";
import { readingCommand, recoverySettings } from "./archiving.ts";
import { type Binaries, findBinaries } from "./binaries.ts";
import { DATABASE, explainDataDirectoryError, hasCluster, openDataDirectory } from "./data-directory.ts";
import { isAlive, PORT, type Start, startServer, stopServer } from "./postmaster.ts";
import { openSocketDirectory } from "./socket.ts";
import type { EmbeddedPostgres } from "./supervisor.ts";

/** What is brought back: a moment, all that the archive has, or the place in the log that was given a name. */
export type RecoveryTarget =
  | { readonly kind: "moment"; readonly at: Date }
  | { readonly kind: "latest" }
  | { readonly kind: "point"; readonly name: string };

export interface RecoveryOptions {
  /** Gets the cluster; a database there is refused. */
  readonly dataDir: string;
  readonly archive: Archive;
  readonly target: RecoveryTarget;
  /** The text of the file with the private key. */
  readonly identity?: string | undefined;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal;
  /** The last thing that is done to the data before it counts as restored. */
  readonly finish: (connection: EmbeddedPostgres["connection"]) => Promise<void>;
}

export interface Recovered {
  readonly base: BaseCopy;
  /** When the last change was committed that is there; absent if there is none since the base copy. */
  readonly lastChangeAt?: string | undefined;
}

const DRAFT = "postgres.restored-";
const POLL_MS = 100;
const STOP_MS = 60_000;
const SAY_EVERY_MS = 10_000;

/**
 * Makes a cluster of the newest base copy from before the target and the log since, beside the place where it is to be, and
 * puts it there when it is whole. Whatever happens on the way, the data directory stays without a database.
 */
export async function recoverCluster(options: RecoveryOptions): Promise<Recovered> {
  const { archive, target } = options;
  checkIdentity(options);
  const base = chooseBase(archive, target);
  const { missing } = await readLog(archive, base);
  if (missing !== undefined && target.kind !== "moment") throw gap(archive, missing);
  const dataDir = await openDataDirectory(options.dataDir);
  const cluster = join(dataDir, "postgres");
  if (await hasCluster(cluster))
    throw conflict(`There is a database in ${dataDir} already: set DATA_DIR to a new directory.`);
  const binaries = await findBinaries(dataDir);
  const account = await chooseAccount({ dataDir, cluster }, binaries);
  await requireReadable(archive, account, binaries);
  await removeAbandonedRecoveries(dataDir);
  const draft = await mkdtemp(join(dataDir, `${DRAFT}${process.pid}-`));
  const socket = openSocketDirectory(draft);
  try {
    const own = async (path: string) => {
      if (account.owner !== undefined) await chown(path, account.owner.uid, account.owner.gid);
    };
    await own(draft);
    options.log(`Unpacking the base copy of ${base.finishedAt}.`);
    await unpack(join(archive.path, BASES_FOLDER, base.file), draft, options, own);
    await writeFile(join(draft, "recovery.signal"), "", { mode: FILE_MODE });
    await own(join(draft, "recovery.signal"));
    const settings = recoverySettings(archive.path);
    const identity = options.identity === undefined ? {} : { [IDENTITY_VARIABLE]: options.identity };
    const programs = { ...binaries, env: { ...binaries.env, ...identity } };
    const start = (more: Record<string, string>) =>
      startServer(draft, account, programs, join(dataDir, "postgres.log"), { ...settings, ...more });
    const lastChangeAt = await replay({ ...options, base, start, host: socket.path });
    await options.finish({ host: socket.path, port: PORT, user: DATABASE, database: DATABASE });
    if (!(await stopServer(draft, STOP_MS))) throw unavailable("PostgreSQL did not stop after the recovery.");
    options.signal.throwIfAborted();
    await rename(draft, cluster);
    await flushDirectory(dataDir);
    return { base, lastChangeAt };
  } catch (error) {
    options.signal.throwIfAborted();
    throw error instanceof AppError ? error : explainDataDirectoryError(error, dataDir);
  } finally {
    await stopServer(draft, STOP_MS);
    socket.close();
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** "from A to B", the moments that can be restored; undefined while there are none. */
export function rangeOf({ bases, reached }: Archive): { from: string; to: string } | undefined {
  const [first] = bases;
  if (first === undefined) return undefined;
  const from = first.finishedAt;
  return { from, to: reached !== undefined && reached.at > from ? reached.at : from };
}

function chooseBase(archive: Archive, target: RecoveryTarget): BaseCopy {
  const range = rangeOf(archive);
  if (range === undefined)
    throw conflict(`The archive ${archive.path} has no base copy yet: nothing can be restored from it.`);
  const isBefore = ({ finishedAt }: BaseCopy) =>
    target.kind !== "moment" || Date.parse(finishedAt) <= target.at.getTime();
  const base = archive.bases.findLast(isBefore);
  if (base === undefined) throw outside(archive);
  const isToCome =
    target.kind === "moment" && target.at.getTime() > Math.max(Date.now(), Date.parse(range.to));
  if (isToCome) throw outside(archive);
  return base;
}

/** PostgreSQL fetches the log by itself, and its account may be another than ours. */
async function requireReadable(archive: Archive, account: Account, binaries: Binaries): Promise<void> {
  const { code, output } = await runAs(account, readingCommand(archive.path), binaries);
  if (code !== 0)
    throw unavailable(
      `PostgreSQL's account cannot read the archive ${archive.path}: run the command as the archive's owner.`,
      new Error(output),
    );
}

/** Before anything is unpacked. */
function checkIdentity({ archive, identity }: RecoveryOptions): void {
  if (archive.recipient === undefined) return;
  if (identity === undefined)
    throw conflict("The archive is encrypted: give the file with the private key by --identity FILE.");
  try {
    if (recipientOf(identity) !== archive.recipient) throw new AgeError("it was encrypted for another key");
  } catch (error) {
    if (!(error instanceof AgeError)) throw error;
    throw malformed(`The archive ${archive.path} cannot be decrypted: ${error.message}.`);
  }
}

function outside(archive: Archive): AppError {
  const { from, to } = rangeOf(archive) ?? {};
  return conflict(`The archive ${archive.path} can bring back moments from ${from} to ${to}.`);
}

interface ArchivedLog {
  /** The first segment that is missing although there are later ones. */
  readonly missing?: string | undefined;
  /** Whether that segment is there, and all from the base copy up to it. */
  readonly has: (segment: string) => boolean;
}

async function readLog(archive: Archive, base: BaseCopy): Promise<ArchivedLog> {
  const segments = (await listSegments(archive.path)).filter((name) => name >= base.startSegment);
  let expected = base.startSegment;
  for (const segment of segments) {
    if (segment !== expected) break;
    expected = nextSegment(expected);
  }
  const missing = (segments.at(-1) ?? "") >= expected ? expected : undefined;
  return { missing, has: (segment) => segment < expected };
}

function gap(archive: Archive, missing: string, lastChangeAt?: string): AppError {
  const until =
    lastChangeAt === undefined
      ? ""
      : ` The last change before it is of ${lastChangeAt}: --at may name that moment.`;
  return conflict(
    `The archive ${archive.path} lacks the segment ${missing} of the log, and later ones are of no use without it.${until}`,
  );
}

async function unpack(
  path: string,
  draft: string,
  { identity, signal }: RecoveryOptions,
  own: (path: string) => Promise<void>,
): Promise<void> {
  const extract = (source: AsyncIterable<Buffer>) =>
    readTar(source, async ({ name, size }, content) => {
      const target = join(draft, name);
      if (size === undefined) await mkdir(target, { mode: FOLDER_MODE });
      else await writePieces(target, content);
      await own(target);
    });
  try {
    const source = createReadStream(path);
    await (isEncrypted(path)
      ? pipeline(source, decryptWith(identity ?? ""), createGunzip(), extract, { signal })
      : pipeline(source, createGunzip(), extract, { signal }));
  } catch (error) {
    if (error instanceof AgeError) throw malformed(`${path} cannot be decrypted: ${error.message}.`);
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code.startsWith("Z_")) throw malformed(`${path} is damaged or incomplete.`);
    throw error;
  }
}

async function writePieces(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, "wx", FILE_MODE);
  try {
    for await (const piece of content) await file.writeFile(piece);
  } finally {
    await file.close();
  }
}

interface ReplayOptions extends RecoveryOptions {
  readonly base: BaseCopy;
  readonly start: (more: Record<string, string>) => Promise<Start>;
  readonly host: string;
}

/** Lets PostgreSQL carry out the log up to the target. Returns when the last change was made. */
async function replay({ archive, base, target, start, host, log, signal }: ReplayOptions) {
  const aim: Record<string, string> =
    target.kind === "moment"
      ? // The letters T and Z are not understood there.
        { recovery_target_time: target.at.toISOString().replace("T", " ").replace("Z", "+00") }
      : target.kind === "point"
        ? { recovery_target_name: target.name }
        : {};
  log("Carrying out the log.");
  const first = await start(aim);
  const said = await recovered(first, host, log, signal);
  if (!said.isDone && !said.endedEarly) throw failed(archive, said.log);
  if (said.isDone && target.kind !== "latest") return said.lastChangeAt;
  // PostgreSQL takes for the end of the log whatever segment it does not get. Looked for after it, as a base copy that
  // is finished meanwhile may have removed what an old moment needs.
  const { missing, has } = await readLog(archive, base);
  if (missing !== undefined) throw gap(archive, missing, said.lastChangeAt);
  const { reached } = archive;
  if (target.kind === "latest") {
    if (reached !== undefined && !has(reached.segment))
      log(
        `The segment ${reached.segment} of the log is missing, with which the archive had everything until ${reached.at}: this is all that is left.`,
      );
    return said.lastChangeAt;
  }
  // Nothing was committed after the moment, and the archive reaches beyond it: then all of it is what was there.
  if (target.kind !== "moment" || reached === undefined || target.at.getTime() > Date.parse(reached.at))
    throw outside(archive);
  if (!has(reached.segment)) throw gap(archive, reached.segment, said.lastChangeAt);
  const second = await recovered(await start({}), host, log, signal);
  if (!second.isDone) throw failed(archive, second.log);
  if (!(await readLog(archive, base)).has(reached.segment)) throw gap(archive, reached.segment);
  return second.lastChangeAt ?? said.lastChangeAt;
}

async function recovered(start: Start, host: string, log: (message: string) => void, signal: AbortSignal) {
  let saidAt = Date.now();
  for (;;) {
    if (signal.aborted) {
      await start.stop(STOP_MS);
      signal.throwIfAborted();
    }
    const isDone = await isPromoted(host);
    if (isDone || start.state() !== "running") {
      const text = await start.log();
      const [, time] = /last completed transaction was at log time (.+)/.exec(text) ?? [];
      const lastChangeAt = time && new Date(time.replace(" ", "T").replace("+00", "Z")).toISOString();
      const endedEarly = /recovery ended before configured recovery target was reached/.test(text);
      return { isDone, endedEarly, lastChangeAt, log: text };
    }
    if (Date.now() - saidAt > SAY_EVERY_MS) {
      saidAt = Date.now();
      const segment = [...(await start.log()).matchAll(/restored log file "(\w+)"/g)].at(-1)?.[1];
      if (segment !== undefined) log(`Carried out up to the segment ${segment}.`);
    }
    await delay(POLL_MS);
  }
}

async function isPromoted(host: string): Promise<boolean> {
  const connection = new pg.Client({ host, port: PORT, user: "postgres", database: "postgres", ssl: false });
  connection.on("error", () => {});
  try {
    await connection.connect();
    const { rows } = await connection.query<{ busy: boolean }>("select pg_is_in_recovery() as busy");
    return rows[0]?.busy === false;
  } catch {
    return false;
  } finally {
    await connection.end().catch(() => {});
  }
}

function failed(archive: Archive, log: string): AppError {
  const [, reason] = /^rollbook: (.+)$/m.exec(log) ?? [];
  if (reason !== undefined) return conflict(reason);
  if (/wal_level=minimal/.test(log)) return outside(archive);
  return unavailable(
    "PostgreSQL could not carry out the log: postgres.log in the data directory says why.",
    new Error(log),
  );
}

/** What killed restores left. */
export async function removeAbandonedRecoveries(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const maker = name.startsWith(DRAFT) ? Number.parseInt(name.slice(DRAFT.length), 10) : Number.NaN;
    if (!(maker > 0) || isAlive(maker)) continue;
    await stopServer(join(dataDir, name), STOP_MS);
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
