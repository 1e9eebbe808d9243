import { totalmem } from "node:os";
import type { Config } from "./config.ts";

const MEGABYTE = 1024 * 1024;
/** What part of the memory the caches of all processes together may have. */
const CACHE_PART = 1 / 16;
const SMALLEST_CACHE_MB = 16;
/** More than that no number of organizations has filled yet; and part of it counts as heap, which Node bounds. */
const LARGEST_CACHE_MB = 512;

/** The memory that this process may use: the machine's, or what its control group (version 1 or 2) is given of it. */
export function usableMemory(machineBytes = totalmem(), limitBytes = process.constrainedMemory()): number {
  // Without a limit it is 0, or more than any machine has.
  return limitBytes > 0 && limitBytes < machineBytes ? limitBytes : machineBytes;
}

/** How much of it the cache of one process takes: what CACHE_MB says, or a part of what there is. */
export function cacheMegabytes(
  { cacheMegabytes: given, workers }: Pick<Config, "cacheMegabytes" | "workers">,
  memoryBytes = usableMemory(),
): number {
  if (given !== "auto") return given;
  const share = Math.floor((memoryBytes * CACHE_PART) / workers / MEGABYTE);
  return Math.min(Math.max(share, SMALLEST_CACHE_MB), LARGEST_CACHE_MB);
}
