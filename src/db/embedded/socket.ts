import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { unavailable } from "../../core/errors.ts";
import { PORT } from "./postmaster.ts";

/**
 * A socket's address may have about 100 bytes. A longer path is reached through this process's own handle of
 * the directory, which needs no second, shorter directory that others could prepare for us.
 */
export function openSocketDirectory(cluster: string): { path: string; close(): void } {
  const bytes = Buffer.byteLength(join(cluster, `.s.PGSQL.${PORT}`));
  if (bytes <= 100) return { path: cluster, close() {} };
  if (process.platform !== "linux") {
    throw unavailable(`The path of ${cluster} is too long for a socket: set DATA_DIR to a shorter one.`);
  }
  const handle = openSync(cluster, "r");
  return { path: `/proc/self/fd/${handle}`, close: () => closeSync(handle) };
}
