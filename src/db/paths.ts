import { open, stat } from "node:fs/promises";

export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Whether two paths lead to one file or directory, through whatever links and mounts. */
export async function isSameFile(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([stat(a).catch(() => undefined), stat(b).catch(() => undefined)]);
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

/** The system's code of an error (`ENOENT`), or none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** Whether there was no room for what was written. */
export function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(errorCode(error) ?? "");
}

/** A new name outlives a power failure only if its directory does. */
export async function flushDirectory(path: string): Promise<void> {
  // Windows has no handles of directories, and flushes their entries by itself.
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
