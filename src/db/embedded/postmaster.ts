import { link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode, isSameFile } from "../paths.ts";
import { type Account, runAs, spawnAs } from "./account.ts";
import type { Binaries } from "./binaries.ts";

/** The socket's file name carries a port; in a directory of our own it can always be the same. */
export const PORT = 5432;

/**
 * Given on the command line, not written into the cluster, so that they change with the program. What makes a
 * commit durable is named although it is the default: no edited file may switch it off.
 */
const SERVER_SETTINGS = {
  // In the cluster's own directory, which only its owner may enter; nothing listens on the network.
  listen_addresses: "",
  unix_socket_directories: ".",
  unix_socket_permissions: "0700",
  port: PORT,
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  // After a crash all files are flushed before recovery: one by one that took 4 s on a busy disk.
  ...(process.platform === "linux" ? { recovery_init_sync_method: "syncfs" } : {}),
  // When one of its processes crashes it goes, and is started by whoever needs it. By its own way it stays for
  // good, refusing everyone, if the cause (a full disk, an error of the device) stops its recovery, too.
  restart_after_crash: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  shared_buffers: "128MB",
  // A serving process has up to 19, and one that was killed has them a moment longer: eight workers fit.
  max_connections: 200,
  // The data of a studio is in memory: the processor is what a plan costs, not the pages it reads. By the
  // defaults a frequent name was looked for in every client, three times slower than through its index.
  seq_page_cost: 0.1,
  random_page_cost: 0.11,
  // Nobody replicates from it, so the log need only carry what recovery needs; more where it is archived (archiving.ts).
  wal_level: "minimal",
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  // Parallel queries need /dev/shm, of which containers have 64 MB, and gain nothing on a small machine.
  max_parallel_workers_per_gather: 0,
  jit: "off",
  io_method: "sync",
  // The server's own life, and not the errors of statements: those quote people's data.
  log_destination: "stderr",
  logging_collector: "off",
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  log_line_prefix: "%m [%p] ",
} as const;

/** To PostgreSQL: end every connection, write a checkpoint, go. */
const FAST_SHUTDOWN = "SIGINT";
/** To PostgreSQL: read the settings again. */
const RELOAD = "SIGHUP";
const STOP_PAUSE_MS = 10;
const LOG_LIMIT_BYTES = 4 * 1024 * 1024;

/** A start under way. It is detached: neither our end nor a Ctrl-C in our terminal reaches the server. */
export interface Start {
  /** "ended" when it was killed, or stopped after it had started: no fault of the start. */
  state(): "running" | "ended" | "failed";
  /** What the server has written to its log since this start began. */
  log(): Promise<string>;
  /** Takes it back: the server ends, ready or not. Settles when it has, or the time is up. */
  stop(withinMs: number): Promise<void>;
}

/** Starts PostgreSQL on the cluster. Harmless when another process does too: its own lock file lets one in. */
export async function startServer(
  cluster: string,
  account: Account,
  binaries: Binaries,
  logFile: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Start> {
  await displaceForeignLocks(cluster);
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
  const begin = size > LOG_LIMIT_BYTES ? 0 : size;
  const file = await open(logFile, "a", 0o600);
  try {
    // What root has written to must stay open to the owner, who may be the next to start the server.
    if (account.owner !== undefined) await file.chown(account.owner.uid, account.owner.gid);
    const child = spawnAs(account, [binaries.postgres, "-D", cluster, ...settingArguments(settings)], {
      env: binaries.env,
      detached: true,
      stdio: ["ignore", file.fd, file.fd],
    });
    let state: ReturnType<Start["state"]> = "running";
    let failure = "";
    child.on("exit", (code) => {
      state = code === null || code === 0 ? "ended" : "failed";
    });
    child.on("error", (error) => {
      state = "failed";
      failure = error.message;
    });
    child.unref();
    return {
      state: () => state,
      log: async () => failure + (await readFrom(logFile, begin)),
      async stop(withinMs) {
        child.kill(FAST_SHUTDOWN);
        for (const deadline = Date.now() + withinMs; state === "running" && Date.now() < deadline; )
          await delay(STOP_PAUSE_MS);
      },
    };
  } finally {
    await file.close();
  }
}

/** Runs statements on a cluster that no server runs on. */
export async function runSingleUser(
  cluster: string,
  account: Account,
  binaries: Binaries,
  statements: readonly string[],
): Promise<{ code: number | undefined; output: string }> {
  const command = [binaries.postgres, "--single", "-D", cluster, "-c", "exit_on_error=on"];
  return runAs(account, [...command, ...settingArguments(), "postgres"], {
    env: binaries.env,
    input: statements.map((statement) => `${statement}\n`).join(""),
  });
}

/** Ends every connection, writes a checkpoint, and is gone; false if that takes longer than we may wait. */
export async function stopServer(cluster: string, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  const pid = await findPostmaster(cluster);
  if (pid === undefined) return true;
  try {
    process.kill(pid, FAST_SHUTDOWN);
  } catch {
    // It went by itself.
  }
  while (await isPostmasterOf(pid, cluster)) {
    if (Date.now() > deadline) return false;
    await delay(STOP_PAUSE_MS);
  }
  return true;
}

/**
 * To be called once it has started, if its log is archived. The process that hands segments over for `archive_timeout` begins
 * before the recovery has ended, when it does not look at that, and sleeps until the next checkpoint: five minutes. To be told to
 * read its settings again wakes it.
 */
export async function wakeCheckpointer(cluster: string): Promise<void> {
  const pid = await findPostmaster(cluster);
  try {
    if (pid !== undefined) process.kill(pid, RELOAD);
  } catch {
    // It went by itself.
  }
}

/** The process id of the server that runs on the cluster, if one does. */
export async function findPostmaster(cluster: string): Promise<number | undefined> {
  const pid = await lockHolder(join(cluster, "postmaster.pid"));
  return pid !== undefined && (await isPostmasterOf(pid, cluster)) ? pid : undefined;
}

/**
 * A lock file outlives a server that was killed, and after a restart of the machine or container its process
 * id may belong to anyone. PostgreSQL then never starts; where the id is free it copes alone.
 */
async function displaceForeignLocks(cluster: string): Promise<void> {
  for (const name of ["postmaster.pid", `.s.PGSQL.${PORT}.lock`]) {
    const path = join(cluster, name);
    const holder = await lockHolder(path);
    if (holder === undefined || !isAlive(holder) || (await isPostmasterOf(holder, cluster))) continue;
    // Between that look and now another process may have put a server in place: take it, look, give it back.
    const taken = `${path}.stale-${process.pid}`;
    await rename(path, taken).catch(() => {});
    const owner = await lockHolder(taken);
    if (owner !== undefined && (await isPostmasterOf(owner, cluster)))
      await link(taken, path).catch(() => {});
    await rm(taken, { force: true });
  }
}

async function lockHolder(path: string): Promise<number | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  // PostgreSQL writes a negative number when it runs alone, for maintenance.
  const pid = Math.abs(Number.parseInt(text, 10));
  return pid > 0 ? pid : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

/** Only on evidence is a living process held not to be the server: a wrong no would remove a live lock. */
async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const command = await commandLine(pid);
  if (command === undefined) return true;
  const [program = "", ...args] = command;
  // A zombie has no command line, and a connection's process calls itself "postgres: …".
  if (basename(program) !== "postgres") return false;
  const directory = args[args.indexOf("-D") + 1] ?? "";
  return (await isSameFile(directory, cluster)) || (await isSameFile(`/proc/${pid}/cwd`, cluster));
}

async function commandLine(pid: number): Promise<string[] | undefined> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
    return text?.split("\0");
  }
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  const listed = await runAs({ prefix: [], spawn: {} }, ["ps", "-ww", "-o", "command=", "-p", `${pid}`], {
    env,
  });
  if (listed.code !== 0) return isAlive(pid) ? undefined : [];
  // ps joins the arguments with spaces; the directory is what stands between -D and the first setting.
  const [program = "", ...rest] = listed.output.split(" -D ");
  const [directory = ""] = rest.join(" -D ").split(" -c ", 1);
  return [program, "-D", directory];
}

/** How the server is started; what is given besides overrides. */
export function settingArguments(more: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries({ ...SERVER_SETTINGS, ...more }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
}

async function readFrom(path: string, begin: number): Promise<string> {
  const text = await readFile(path).catch(() => Buffer.alloc(0));
  return text.subarray(begin).toString();
}
