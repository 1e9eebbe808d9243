import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { StallReader } from "../http/stalls.ts";
import type { WatchdogData } from "./watchdog.ts";

// Runs in a thread of its own: it is the one part of the process that still runs when the event loop does not.
const { shared, stallSeconds, checks, reportTo } = workerData as WatchdogData;
const reader = new StallReader(shared);
let last = 0;
let missed = 0;

for (;;) {
  // A process that was stopped or a machine that slept misses one check, not ten.
  const beats = reader.countBeats((stallSeconds * 1000) / checks);
  missed = beats === last ? missed + 1 : 0;
  last = beats;
  if (missed >= checks) {
    try {
      writeSync(reportTo, JSON.stringify(reader.underWay()));
    } finally {
      // Nothing gentler works: exit handlers and signal handlers run on the loop that stalls.
      process.kill(process.pid, "SIGKILL");
    }
  }
}
