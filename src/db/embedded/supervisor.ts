import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type AppError, unavailable } from "../../core/errors.ts";
import pg from "../driver.ts";
import { type Account, chooseAccount, runAs } from "./account.ts";
import {
  type ArchiveRequest,
  type Archiving,
  archivePath,
  archiveSettings,
  readArchiving,
  settleArchiving,
} from "./archiving.ts";
import type { BaseCopyJob, BaseCopyResult } from "./base-copy.ts";
import { type Binaries, findBinaries } from "./binaries.ts";
import {
  createCluster,
  DATABASE,
  explainDataDirectoryError,
  hasCluster,
  openDataDirectory,
  removeAbandonedClusters,
  requireCluster,
} from "./data-directory.ts";
import {
  findPostmaster,
  isAlive,
  PORT,
  type Start,
  startServer,
  stopServer,
  wakeCheckpointer,
} from "./postmaster.ts";
import { openSocketDirectory } from "./socket.ts";

export interface EmbeddedPostgres {
  /** What pg.Client takes. It holds within this process: another opens the data directory for itself. */
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** Where its log is archived, if it is. */
  readonly archiving: Archiving | undefined;
  /** Makes a base copy for the archive, in a process of its own. */
  copyBase(options: BaseCopyOptions, signal: AbortSignal): Promise<BaseCopyResult>;
  /** Starts PostgreSQL again if it is gone. Cheap while it runs; any number of callers may ask at once. */
  ensureRunning(): Promise<void>;
  /** Leaves. The last process to leave stops PostgreSQL. */
  close(): Promise<void>;
}

export type BaseCopyOptions = Pick<BaseCopyJob, "days" | "unlessSince" | "bytesPerSecond">;

/**
 * Rollbook's own PostgreSQL in a data directory: made on first use, shared by every process that opens the
 * directory, started by whoever finds it gone, stopped by the last to leave.
 *
 * Each process is counted by one connection, its *keeper*, that holds an advisory lock in shared mode. To
 * leave is to give that up and to try for the exclusive mode: whoever gets it is alone, and whoever comes
 * meanwhile waits for the lock until the server goes, and starts it again. A killed process loses its lock
 * with its connection, so the count is never wrong, but late by as long as PostgreSQL takes to notice: whoever
 * finds none but killed processes before them waits for that.
 */
export async function openEmbedded(options: {
  dataDir: string;
  /** False: a directory without a database is refused, because it may not be the one that was meant. */
  create?: boolean;
  /** Whether the log is archived, and where. Without it, that stays as it is: only who serves decides. */
  archive?: ArchiveRequest | "none" | undefined;
  log?: (message: string) => void;
  /** Gives up what is not open yet, and leaves nothing of it behind. */
  signal?: AbortSignal;
}): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  options.signal?.throwIfAborted();
  if (options.create === false) await requireCluster(options.dataDir);
  const dataDir = await openDataDirectory(options.dataDir);
  const place: Place = {
    dataDir,
    cluster: join(dataDir, "postgres"),
    logFile: join(dataDir, "postgres.log"),
  };
  if (!(await hasCluster(place.cluster))) {
    log(`Creating the database in ${place.cluster}.`);
    const { account, binaries } = await prepare(place);
    await createCluster(dataDir, place.cluster, account, binaries, options.signal);
  }
  if (options.archive !== undefined) await settleArchiving(dataDir, options.archive, () => prepare(place));
  const archiving = await readArchiving(dataDir);

  const socket = openSocketDirectory(place.cluster);
  const leaving = new AbortController();
  const giveUp = () => leaving.abort();
  options.signal?.addEventListener("abort", giveUp);
  let keeper: pg.Client | undefined;
  let joining: Promise<void> | undefined;
  let left: Promise<void> | undefined;

  async function ensureRunning(): Promise<void> {
    if (leaving.signal.aborted) throw unavailable("The database has been closed.");
    joining ??= rejoin().finally(() => {
      joining = undefined;
    });
    await joining;
  }

  async function rejoin(): Promise<void> {
    if (keeper !== undefined && (await answers(keeper))) return;
    if (keeper !== undefined) void end(keeper);
    keeper = undefined;
    const joined = await joinServer(place, socket.path, log, leaving.signal);
    keeper = joined;
    // The connection ends when the server does. To come back at once spares the next caller the wait, and
    // keeps this process counted after PostgreSQL has recovered by itself.
    joined.once("end", () => {
      if (keeper !== joined || leaving.signal.aborted) return;
      keeper = undefined;
      void comeBack();
    });
  }

  /** Tries until it succeeds: what keeps the server down now, a full disk for one, may pass. */
  async function comeBack(): Promise<void> {
    while (!leaving.signal.aborted) {
      try {
        return await ensureRunning();
      } catch (error) {
        log(error instanceof Error ? error.message : String(error));
      }
      await delay(COME_BACK_PAUSE_MS, undefined, { ref: false, signal: leaving.signal }).catch(() => {});
    }
  }

  async function leave(): Promise<void> {
    const deadline = Date.now() + LEAVE_MS;
    leaving.abort();
    await joining?.catch(() => {});
    // Without a keeper, because the server has just recovered from a crash, a new connection asks.
    const connection = keeper ?? (await connect(socket.path).catch(() => undefined));
    if (connection !== undefined) {
      if (await isLast(connection).catch(() => false)) {
        const stopped = await stopServer(place.cluster, deadline - Date.now());
        log(
          stopped ? "PostgreSQL has stopped." : "PostgreSQL is still writing its data out before it stops.",
        );
      }
      await end(connection);
    }
    socket.close();
  }

  try {
    options.signal?.throwIfAborted();
    await ensureRunning();
    // It may have been started before that was asked for, or by another release.
    if (options.archive !== undefined && keeper && !(await archivesBy(keeper, archiving))) {
      log(
        archiving
          ? "Starting PostgreSQL again, to archive its log."
          : "Starting PostgreSQL again, without an archive.",
      );
      await stopServer(place.cluster, JOIN_MS);
      await ensureRunning();
    }
  } catch (error) {
    socket.close();
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", giveUp);
  }
  return {
    connection: { host: socket.path, port: PORT, user: DATABASE, database: DATABASE },
    archiving,
    async copyBase(wanted, signal) {
      if (archiving === undefined) throw unavailable("The log is not archived: set BACKUP_DIR.");
      const { cluster } = place;
      return copyInProcess(
        place,
        { ...wanted, cluster, archive: archivePath(archiving), recipient: archiving.recipient },
        signal,
      );
    },
    ensureRunning,
    close() {
      left ??= leave();
      return left;
    },
  };
}

interface Place {
  readonly dataDir: string;
  readonly cluster: string;
  readonly logFile: string;
}

/** What a keeper calls itself, before the number of its process. */
const KEEPER = "rollbook-keeper ";

/** An advisory lock in the database `postgres`, which every cluster has and in which Rollbook keeps nothing. */
const MEMBERSHIP = [0x726f6c6c, 1];

const JOIN_MS = 15_000;
const RECOVERY_MS = 10 * 60_000;
const LEAVE_MS = 7_000;
const QUERY_MS = 2_000;
/** How long PostgreSQL may take to notice that a process is gone; on an idle machine it is a millisecond. */
const NOTICE_MS = 2_000;
const NOTICE_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
const FAILED_STARTS = 3;
const COME_BACK_PAUSE_MS = 1_000;

/** Connects a keeper, starting the server as often as it is found gone, until the time is up. */
async function joinServer(
  place: Place,
  host: string,
  log: (message: string) => void,
  leaving: AbortSignal,
): Promise<pg.Client> {
  const begun = Date.now();
  let deadline = begun + JOIN_MS;
  let start: Start | undefined;
  let failedStarts = 0;
  let pause = 10;
  for (;;) {
    const answer = await becomeMember(host);
    if (answer instanceof pg.Client) {
      if (start !== undefined && (await readArchiving(place.dataDir))) await wakeCheckpointer(place.cluster);
      return answer;
    }
    if (leaving.aborted) {
      if (start?.state() === "running") await start.stop(LEAVE_MS);
      throw unavailable("The database has been closed.");
    }
    // It is there and works: recovering what a crash left, or writing out before it stops.
    if (isBusy(answer)) deadline = Math.min(Date.now() + JOIN_MS, begun + RECOVERY_MS);
    if (Date.now() > deadline) throw await cannotStart(place, start, answer);
    if (start?.state() !== "running") {
      if (start?.state() === "failed" && !isPassing(await start.log())) failedStarts += 1;
      if (failedStarts >= FAILED_STARTS) throw await cannotStart(place, start, answer);
      start = (await findPostmaster(place.cluster)) === undefined ? await startOnce(place, log) : undefined;
    }
    await delay(pause);
    pause = Math.min(pause * 1.2, LONGEST_PAUSE_MS);
  }
}

async function startOnce(place: Place, log: (message: string) => void): Promise<Start> {
  if (!(await hasCluster(place.cluster))) {
    throw unavailable(
      `The database in ${place.cluster} is gone: restore the directory, or start Rollbook again.`,
    );
  }
  const { account, binaries } = await prepare(place);
  log(`Starting PostgreSQL in ${place.cluster}.`);
  try {
    await removeAbandonedClusters(place.dataDir);
    const settings = archiveSettings(await readArchiving(place.dataDir));
    return await startServer(place.cluster, account, binaries, place.logFile, settings);
  } catch (error) {
    throw explainDataDirectoryError(error, place.dataDir);
  }
}

const BASE_COPY_PROGRAM = fileURLToPath(new URL("base-copy-program.js", import.meta.url));

async function copyInProcess(place: Place, job: BaseCopyJob, signal: AbortSignal): Promise<BaseCopyResult> {
  const { account, binaries } = await prepare(place);
  const command = [process.execPath, BASE_COPY_PROGRAM, JSON.stringify(job)];
  const { code, output } = await runAs(account, command, { env: binaries.env, signal });
  signal.throwIfAborted();
  if (code !== 0) throw unavailable(`The base copy could not be made: ${output.trim().replace(/\.$/, "")}.`);
  return JSON.parse(output.slice(output.indexOf("{"))) as BaseCopyResult;
}

async function prepare(place: Place): Promise<{ account: Account; binaries: Binaries }> {
  try {
    const binaries = await findBinaries(place.dataDir);
    return { binaries, account: await chooseAccount(place, binaries) };
  } catch (error) {
    throw explainDataDirectoryError(error, place.dataDir);
  }
}

/** A connection that holds the membership lock, or why there is none. */
async function becomeMember(host: string): Promise<pg.Client | Error> {
  let connection: pg.Client | undefined;
  try {
    connection = await connect(host);
    await connection.query("select pg_advisory_lock_shared($1::int, $2::int)", MEMBERSHIP);
    return connection;
  } catch (error) {
    if (connection !== undefined) void end(connection);
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function connect(host: string): Promise<pg.Client> {
  const connection = new pg.Client({
    host,
    port: PORT,
    user: DATABASE,
    database: "postgres",
    ssl: false,
    application_name: `${KEEPER}${process.pid}`,
    connectionTimeoutMillis: QUERY_MS,
    query_timeout: QUERY_MS,
  });
  // Without a listener the end of the server would be the end of this process; "end" follows and is acted on.
  connection.on("error", () => {});
  await connection.connect();
  return connection;
}

/** Whether the server that runs was started to archive in this way. */
async function archivesBy(connection: pg.Client, archiving: Archiving | undefined): Promise<boolean> {
  const wanted = archiveSettings(archiving);
  const { rows } = await connection.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name = any ($1)",
    [Object.keys(wanted)],
  );
  // A command that is not used is told as disabled.
  return rows.every(({ name, setting }) => setting.replace("(disabled)", "") === wanted[name]);
}

/** Waits for the goodbye no longer than a server that hangs deserves. */
async function end(connection: pg.Client): Promise<void> {
  await Promise.race([connection.end().catch(() => {}), delay(500, undefined, { ref: false })]);
}

async function answers(keeper: pg.Client): Promise<boolean> {
  return keeper.query("select 1").then(
    () => true,
    () => false,
  );
}

/** Gives membership up first: of two who leave at once and keep it, neither would be the last. */
async function isLast(connection: pg.Client): Promise<boolean> {
  await connection.query("select pg_advisory_unlock_shared($1::int, $2::int)", MEMBERSHIP);
  const deadline = Date.now() + NOTICE_MS;
  for (;;) {
    const { rows } = await connection.query<{ last: boolean }>(
      "select pg_try_advisory_lock($1::int, $2::int) as last",
      MEMBERSHIP,
    );
    if (rows[0]?.last === true) return true;
    if (Date.now() > deadline || (await otherMembers(connection)).some(mayBeThere)) return false;
    await delay(NOTICE_PAUSE_MS);
  }
}

/** The names of the keepers that PostgreSQL counts beside this one. */
async function otherMembers(connection: pg.Client): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = $1::oid and l.objid = $2::oid and l.granted
       and l.pid <> pg_backend_pid()`,
    MEMBERSHIP,
  );
  return rows.map(({ name }) => name);
}

/** Whether the process of a keeper may be there. One whose number cannot be told may. */
function mayBeThere(keeper: string): boolean {
  const pid = keeper.startsWith(KEEPER) ? Number(keeper.slice(KEEPER.length)) : Number.NaN;
  return !(pid > 0) || isAlive(pid);
}

/** PostgreSQL's cannot_connect_now. */
function isBusy(error: Error): boolean {
  return "code" in error && error.code === "57P03";
}

/** Another start was faster, or processes of a killed server have yet to notice and go. */
function isPassing(log: string): boolean {
  return /lock file "[^"]*" already exists|shared memory block \([^()]*\) is still in use/.test(log);
}

async function cannotStart(place: Place, start: Start | undefined, answer: Error): Promise<AppError> {
  const log = (await start?.log())?.trim().slice(-2_000);
  if (/No space left on device/.test(log ?? ""))
    return explainDataDirectoryError(new Error(log), place.dataDir);
  return unavailable(
    `PostgreSQL could not be started in ${place.cluster}: its log ${place.logFile} says why.`,
    log ? new Error(log) : answer,
  );
}
