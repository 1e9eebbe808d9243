import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { AppError, notFound, unavailable } from "../../core/errors.ts";
import { errorCode, exists, flushDirectory } from "../paths.ts";
import { type Account, NOBODY, type ProcessResult, runAs } from "./account.ts";
import { type Binaries, POSTGRES_MAJOR } from "./binaries.ts";
import { isAlive, runSingleUser } from "./postmaster.ts";

/** The role and the database that Rollbook works with: as on any server, not a superuser. */
export const DATABASE = "rollbook";

/** The real path of the data directory, made if need be. */
export async function openDataDirectory(path: string): Promise<string> {
  const directory = resolve(path);
  try {
    if (!(await exists(directory))) await makeDataDirectory(directory);
    if (!(await stat(directory)).isDirectory()) {
      throw unavailable(`The data directory ${directory} is a file: set DATA_DIR to a directory.`);
    }
    return await realpath(directory);
  } catch (error) {
    throw explainDataDirectoryError(error, directory);
  }
}

/** Throws where there is nothing; what cannot be looked at is judged later. */
export async function requireCluster(path: string): Promise<void> {
  const dataDir = resolve(path);
  const obstacle = await stat(join(dataDir, "postgres", "PG_VERSION")).then(() => undefined, errorCode);
  if (obstacle !== "ENOENT" && obstacle !== "ENOTDIR") return;
  throw notFound(
    `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL to where it is. "rollbook serve" and "rollbook org create" make a new one.`,
  );
}

/** Whether there is a cluster; throws if there is one that is not ours to use. */
export async function hasCluster(cluster: string): Promise<boolean> {
  const found = await stat(cluster).catch(() => undefined);
  if (found === undefined) return false;
  const uid = process.getuid?.();
  if (uid !== 0 && uid !== found.uid) {
    throw unavailable(
      `The database in ${cluster} belongs to another user (uid ${found.uid}): run Rollbook as that user or as root.`,
    );
  }
  const version = await readFile(join(cluster, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version === undefined) {
    // An empty directory is replaced by the new cluster; anything else is somebody's.
    if (found.isDirectory() && (await readdir(cluster)).length === 0) return false;
    throw unavailable(
      `${cluster} is not a PostgreSQL data directory: move it away, or set DATA_DIR to another.`,
    );
  }
  if (version.trim() !== POSTGRES_MAJOR) {
    throw unavailable(
      `The database in ${cluster} is of PostgreSQL ${version.trim()} and this program runs ${POSTGRES_MAJOR}: run \`rollbook backup\` with the version that made it, then \`rollbook restore\` with this one.`,
    );
  }
  return true;
}

/**
 * Makes the cluster with its role and database, aside, and puts it in place in one step: whoever is killed on
 * the way leaves nothing that looks like a cluster, and of two who make one the second throws its own away.
 */
export async function createCluster(
  dataDir: string,
  cluster: string,
  account: Account,
  binaries: Binaries,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await removeAbandonedClusters(dataDir);
    const draft = await mkdtemp(join(dataDir, `${DRAFT}${process.pid}-`));
    try {
      await fillCluster(draft, account, binaries, signal);
      await rename(draft, cluster);
      await flushDirectory(dataDir);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!(await exists(join(cluster, "PG_VERSION")))) throw explainDataDirectoryError(error, dataDir);
  }
}

/** The sentence for the operator when the file system or PostgreSQL refuses. */
export function explainDataDirectoryError(error: unknown, dataDir: string): AppError {
  if (error instanceof AppError) return error;
  const text = `${errorCode(error)} ${error instanceof Error ? error.message : ""}`;
  const because =
    DATA_DIRECTORY_ERRORS.find(([pattern]) => pattern.test(text))?.[1] ?? "it could not be opened";
  return unavailable(`The data directory ${dataDir} cannot be used because ${because}.`, error);
}

const DATA_DIRECTORY_ERRORS: [RegExp, string][] = [
  [/ENOSPC|EDQUOT|No space left|quota exceeded/i, "its disk is full"],
  [/EEXIST|ENOTDIR/, "it is, or lies under, a file: set DATA_DIR to a directory"],
  [/EROFS|Read-only/i, "its disk is read-only"],
  [/EACCES|EPERM|Permission denied/i, "Rollbook may not write there: set DATA_DIR to a directory of its own"],
];

/** Removes what killed runs of `createCluster` left. */
export async function removeAbandonedClusters(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(DRAFT)) continue;
    const path = join(dataDir, name);
    const maker = Number.parseInt(name.slice(DRAFT.length), 10);
    const touched = await stat(path).then(
      (found) => found.mtimeMs,
      () => 0,
    );
    // In a container the maker's process id may be ours by now, so time decides as well.
    if (isAlive(maker) && Date.now() - touched < DRAFT_LIFETIME_MS) continue;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

const DRAFT = "postgres.new-";
const DRAFT_LIFETIME_MS = 5 * 60_000;

async function makeDataDirectory(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (errorCode(error) === "EEXIST" && (await exists(path))) return;
    throw error;
  }
  if (process.getuid?.() !== 0) return;
  // Whom root runs PostgreSQL as may pass through to the cluster, not look around among its neighbours.
  await chown(path, 0, NOBODY);
  await chmod(path, 0o710);
}

async function fillCluster(
  draft: string,
  account: Account,
  binaries: Binaries,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (account.owner !== undefined) await chown(draft, account.owner.uid, account.owner.gid);
  const initdb = [
    binaries.initdb,
    `--pgdata=${draft}`,
    "--username=postgres",
    "--encoding=UTF8",
    // PostgreSQL's own: no locale of the system's is needed, and none can change under an index.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    // Whoever may enter the directory may read the files too, so a password would guard nothing.
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-instructions",
  ];
  checkResult(await runAs(account, initdb, { env: binaries.env, signal }));
  signal?.throwIfAborted();
  const statements = [
    `create role ${DATABASE} login createdb;`,
    `create database ${DATABASE} owner ${DATABASE};`,
  ];
  checkResult(await runSingleUser(draft, account, binaries, statements));
}

function checkResult({ code, output }: ProcessResult): void {
  if (code === 0) return;
  if (/could not look up effective user ID/.test(output)) {
    throw unavailable(
      `The user id ${process.getuid?.()} has no name on this system, which PostgreSQL needs to create a database: run Rollbook as a user listed in /etc/passwd, or set DATABASE_URL.`,
    );
  }
  throw new Error(output.trim() === "" ? `initdb ended with ${code ?? "a signal"}` : output.trim());
}
