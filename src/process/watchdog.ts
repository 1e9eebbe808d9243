import { Worker } from "node:worker_threads";
import type { RequestUnderWay, StallGuard } from "../http/stalls.ts";

/** What the watching thread is given. */
export interface WatchdogData {
  /** Of a `StallGuard`. */
  readonly shared: SharedArrayBuffer;
  readonly stallSeconds: number;
  /** How many times the thread polls within `stallSeconds`. */
  readonly checks: number;
  /** The number of the file that its report is written to. */
  readonly reportTo: number;
}

/** What the thread writes as JSON before it ends its process. */
export interface StallReport {
  /** The last one first. */
  readonly requests: readonly RequestUnderWay[];
  /** False if there were more of them than can be noted down. */
  readonly isAll: boolean;
}

/** Beats, and polls of them, within the time for which an event loop may stall. */
const CHECKS = 10;

/**
 * Ends this process with SIGKILL and a report when its event loop has stalled for so long: a process that hangs
 * would keep its port and answer nobody, while one that has died is replaced.
 */
export function startWatchdog(stallSeconds: number, stalls: StallGuard, reportTo: number): void {
  if (stallSeconds === 0) return;
  const workerData: WatchdogData = { shared: stalls.shared, stallSeconds, checks: CHECKS, reportTo };
  const thread = new Worker(new URL("watchdog-thread.js", import.meta.url), {
    workerData,
    // A loop and a counter need next to nothing.
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 },
    execArgv: [],
  });
  thread.unref();
  // The server can do without the thread.
  thread.on("error", () => {});
  setInterval(() => stalls.beat(), (stallSeconds * 1000) / CHECKS).unref();
}
