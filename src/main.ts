import { setImmediate as nextTurn } from "node:timers/promises";
import { explainOutputError, watchStandardOutput } from "./cli/output-errors.ts";
import { runCommand } from "./cli/run.ts";

watchStandardOutput();

void runCommand(process.argv.slice(2)).then(async (code) => {
  // Set rather than exiting at once, so that standard output is written to its end.
  process.exitCode ||= code;
  // An open connection to a database that does not answer must not keep the process alive.
  setTimeout(() => {
    if (process.stdout.writableLength === 0) process.exit();
  }, 1000).unref();
  // A write that failed is told of after the turn in which it was tried. A command that failed has said why.
  await nextTurn();
  if (code === 0) process.stderr.write(explainOutputError() ?? "");
});
