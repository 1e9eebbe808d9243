import { type SpawnOptions, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { unavailable } from "../../core/errors.ts";
import { exists } from "../paths.ts";
import type { Binaries } from "./binaries.ts";

/** The account PostgreSQL runs under. It refuses to be root, so for root that is another one. */
export interface Account {
  /** Who must own the cluster's files; absent when that is whoever runs us. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** How to start a program under the account. */
  readonly prefix: readonly string[];
  readonly spawn: { readonly uid?: number; readonly gid?: number };
}

const OURSELVES: Account = { prefix: [], spawn: {} };
const NAMESPACED: Account = { prefix: ["unshare", "--user"], spawn: {} };

/** `nobody`: the one account besides root that every Linux image has, and initdb wants an account with a name. */
export const NOBODY = 65534;

/**
 * For an ordinary user, that user. For root, the owner of what is there already (the cluster, else the data
 * directory), so that every start chooses the same; else `nobody`. Directories on the way may be closed to
 * that account, as everything under /root is; then PostgreSQL keeps root's right to pass them, or, where that
 * cannot be given, runs as root in a user namespace in which it does not look like root.
 */
export async function chooseAccount(
  place: { dataDir: string; cluster: string },
  binaries: Binaries,
): Promise<Account> {
  const version = await runAs(OURSELVES, [binaries.postgres, "-V"], binaries);
  if (version.code !== 0) {
    throw unavailable(
      "The bundled PostgreSQL does not run on this system (on Linux it needs glibc and libstdc++): set DATABASE_URL to a PostgreSQL server.",
      new Error(version.output),
    );
  }
  const probe = await probeFor(place, binaries);
  const works = async (account: Account) => (await runAs(account, probe, binaries)).code === 0;
  if (process.getuid?.() !== 0) return !hasName() && (await works(NAMESPACED)) ? NAMESPACED : OURSELVES;
  for (const account of await accountsForRoot(place)) {
    if (await works(account)) return account;
  }
  throw unavailable(
    `PostgreSQL refuses to run as root, and no other account can use ${place.dataDir} and the installed program: run Rollbook as an ordinary user, or keep both in directories that other users may pass.`,
  );
}

export interface ProcessResult {
  /** Absent when it was ended by a signal or never started. */
  readonly code: number | undefined;
  readonly output: string;
}

/** Runs a program under the account to its end, or until it is ended by the signal. */
export function runAs(
  account: Account,
  command: readonly string[],
  options: { env: Binaries["env"]; input?: string; signal?: AbortSignal | undefined },
): Promise<ProcessResult> {
  return new Promise((resolve) => {
    const child = spawnAs(account, command, { env: options.env, stdio: "pipe" });
    const end = () => child.kill();
    options.signal?.addEventListener("abort", end, { once: true });
    let output = "";
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    child.on("error", (error) => resolve({ code: undefined, output: error.message }));
    child.on("close", (code) => {
      options.signal?.removeEventListener("abort", end);
      resolve({ code: code ?? undefined, output });
    });
    // A program that ends before it has read its input is judged by its exit code, not by the broken pipe.
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input ?? "");
  });
}

export function spawnAs(account: Account, command: readonly string[], options: SpawnOptions) {
  const [program = "", ...args] = [...account.prefix, ...command];
  // Not in our own working directory, which the account may be unable to enter.
  return spawn(program, args, { cwd: "/", ...options, ...account.spawn });
}

/** Containers are given uids without a name. initdb insists on one, and inside a user namespace there is one. */
function hasName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
}

async function accountsForRoot({
  dataDir,
  cluster,
}: {
  dataDir: string;
  cluster: string;
}): Promise<Account[]> {
  if (await isCluster(cluster)) {
    const owner = await stat(cluster);
    return owner.uid === 0 ? [NAMESPACED] : unprivilegedAccounts(owner);
  }
  const { uid, gid } = await stat(dataDir);
  return [
    ...(uid === 0 ? [] : unprivilegedAccounts({ uid, gid })),
    ...(process.platform === "linux" ? unprivilegedAccounts({ uid: NOBODY, gid: NOBODY }) : []),
    NAMESPACED,
  ];
}

function unprivilegedAccounts({ uid, gid }: { uid: number; gid: number }): Account[] {
  const passing = [
    "setpriv",
    `--reuid=${uid}`,
    `--regid=${gid}`,
    "--clear-groups",
    "--inh-caps=-all,+dac_override",
    "--ambient-caps=-all,+dac_override",
    // Else access(), by which PostgreSQL looks for its own program, would not know of the right.
    "--securebits=+no_setuid_fixup",
  ];
  const owner = { uid, gid };
  return [
    { owner, prefix: [], spawn: owner },
    { owner, prefix: passing, spawn: {} },
  ];
}

/** A command that succeeds for an account that can do what is next: make a cluster, or run the one there is. */
async function probeFor(place: { dataDir: string; cluster: string }, binaries: Binaries): Promise<string[]> {
  const inDirectory = ["/bin/sh", "-c", 'cd "$0" && exec "$@"'];
  if (await isCluster(place.cluster)) return [...inDirectory, place.cluster, binaries.postgres, "-V"];
  return [...inDirectory, place.dataDir, binaries.initdb, "--show", "--locale=C", "--pgdata=unused"];
}

function isCluster(path: string): Promise<boolean> {
  return exists(join(path, "PG_VERSION"));
}
