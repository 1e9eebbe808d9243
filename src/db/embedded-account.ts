import { type SpawnOptions, spawn } from "node:child_process";
import { userInfo } from "node:os";
import { unavailable } from "../errors.ts";
import type { Binaries } from "./embedded-binaries.ts";

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
  paths: { dataDir: string; existingOwner: { uid: number; gid: number } | undefined },
  binaries: Binaries,
): Promise<Account> {
  const version = await runAs(OURSELVES, [binaries.postgres, "-V"], binaries);
  if (version.code !== 0) {
    throw unavailable(
      "The bundled PostgreSQL does not run on this system (on Linux it needs glibc and libstdc++): set DATABASE_URL to a PostgreSQL server.",
      new Error(version.output),
    );
  }
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && hasName()) return OURSELVES;
  for (const account of isRoot ? accountsForRoot(paths.existingOwner) : [NAMESPACED, OURSELVES]) {
    if (await works(account, paths.dataDir, binaries)) return account;
  }
  throw unavailable(
    `PostgreSQL refuses to run as root, and no other account can reach ${paths.dataDir} and the installed program: run Rollbook as an ordinary user, or keep both in directories that other users may pass.`,
  );
}

export interface Finished {
  /** Absent when it was ended by a signal or never started. */
  readonly code: number | undefined;
  readonly output: string;
}

/** Runs a program under the account to its end. */
export function runAs(
  account: Account,
  command: readonly string[],
  options: { env: Binaries["env"]; input?: string },
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawnAs(account, command, { env: options.env, stdio: "pipe" });
    let output = "";
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    child.on("error", (error) => resolve({ code: undefined, output: error.message }));
    child.on("close", (code) => resolve({ code: code ?? undefined, output }));
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

function accountsForRoot(existing: { uid: number; gid: number } | undefined): Account[] {
  if (existing?.uid === 0) return [NAMESPACED];
  if (existing === undefined && process.platform !== "linux") return [];
  const owner = existing ?? { uid: NOBODY, gid: NOBODY };
  const passing = [
    "setpriv",
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    "--clear-groups",
    "--inh-caps=-all,+dac_override",
    "--ambient-caps=-all,+dac_override",
  ];
  const unprivileged = [
    { owner, prefix: [], spawn: owner },
    { owner, prefix: passing, spawn: {} },
  ];
  return existing === undefined ? [...unprivileged, NAMESPACED] : unprivileged;
}

async function works(account: Account, dataDir: string, binaries: Binaries): Promise<boolean> {
  const script = 'cd "$1" && exec "$2" -V';
  const probe = ["/bin/sh", "-c", script, "sh", dataDir, binaries.postgres];
  return (await runAs(account, probe, { env: binaries.env })).code === 0;
}
