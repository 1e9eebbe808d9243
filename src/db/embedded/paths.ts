import { stat } from "node:fs/promises";

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
