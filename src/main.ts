import { runCommand } from "./cli/run.ts";

// A broken pipe (`rollbook org list | head -1`): the reader has gone, so there is nobody to report it to.
process.stdout.on("error", leaveIfClosed);
process.stderr.on("error", leaveIfClosed);

void runCommand(process.argv.slice(2)).then((code) => {
  // Set rather than exiting at once, so that standard output is written to its end.
  process.exitCode ||= code;
  // An open connection to a database that does not answer must not keep the process alive.
  setTimeout(() => {
    if (process.stdout.writableLength === 0) process.exit();
  }, 1000).unref();
});

function leaveIfClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exitCode = 1;
}
