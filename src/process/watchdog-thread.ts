import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { WatchdogData } from "./watchdog.ts";

// Runs in a thread of its own: it is the one part of the process that still runs when the event loop does not.
const { beats, stallSeconds, checks, isTerminal } = workerData as WatchdogData;
const counter = new Int32Array(beats);
let last = 0;
let missed = 0;

for (;;) {
  // Times out after each interval. A process that was stopped or a machine that slept misses one check, not ten.
  Atomics.wait(counter, 1, 0, (stallSeconds * 1000) / checks);
  const now = Atomics.load(counter, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed >= checks) {
    const message = `the event loop stood still for ${stallSeconds} s; ending the process`;
    const time = new Date().toISOString();
    const line = isTerminal
      ? `${time.slice(11, 19)} error ${message}`
      : JSON.stringify({ level: "error", time, msg: message });
    try {
      writeSync(1, `${line}\n`);
    } finally {
      // Nothing gentler works: exit handlers and signal handlers run on the loop that stands still.
      process.kill(process.pid, "SIGKILL");
    }
  }
}
