import { Worker } from "node:worker_threads";

/** What the watching thread is given. */
export interface WatchdogData {
  /** Two counters: the beats of the event loop, and one that never changes, to wait on. */
  readonly beats: SharedArrayBuffer;
  readonly stallSeconds: number;
  /** How many times the thread looks within `stallSeconds`. */
  readonly checks: number;
  readonly isTerminal: boolean;
}

/** Beats, and looks at them, within the time that an event loop may stand still. */
export const CHECKS = 10;

/**
 * Ends this process with SIGKILL and one line in the log when its event loop has stood still for so long: a process
 * that hangs would keep its port and answer nobody, while one that has died is started again by its supervisor.
 */
export function startWatchdog(stallSeconds: number): void {
  if (stallSeconds === 0) return;
  const beats = new SharedArrayBuffer(8);
  const counter = new Int32Array(beats);
  const workerData: WatchdogData = {
    beats,
    stallSeconds,
    checks: CHECKS,
    isTerminal: process.stdout.isTTY === true,
  };
  const thread = new Worker(new URL("watchdog-thread.js", import.meta.url), {
    workerData,
    // A loop and a counter need next to nothing.
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 },
    execArgv: [],
  });
  thread.unref();
  // The server can do without the thread.
  thread.on("error", () => {});
  setInterval(() => Atomics.add(counter, 0, 1), (stallSeconds * 1000) / CHECKS).unref();
}
