/**
 * Loaded into the program ahead of it (`node --import`): SIGUSR2 starts Node's profiler, and a second one stops it
 * and writes what it saw. So a profile holds the work that is measured, and neither the start nor the warm-up.
 */
import { renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";

export const SIGNAL = "SIGUSR2";
export const FILE_VARIABLE = "PROFILE_FILE";
const INTERVAL_US = 200;

const file = process.env[FILE_VARIABLE];
if (file !== undefined) {
  const session = new Session();
  let running = false;
  process.on(SIGNAL, () => {
    if (!running) {
      running = true;
      session.connect();
      session.post("Profiler.enable");
      session.post("Profiler.setSamplingInterval", { interval: INTERVAL_US });
      session.post("Profiler.start");
      return;
    }
    session.post("Profiler.stop", (error, result) => {
      writeFileSync(`${file}.part`, JSON.stringify(error ?? result.profile));
      renameSync(`${file}.part`, file);
    });
  });
}
