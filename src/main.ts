import { runCommand } from "./cli/run.ts";

// Whoever read our output has left (`rollbook org list | head -1`): nobody is there to be told of it.
process.stdout.on("error", leaveIfClosed);
process.stderr.on("error", leaveIfClosed);

// The exit code is set rather than exiting at once, so that standard output is written to its end.
const code = await runCommand(process.argv.slice(2));
process.exitCode ||= code;
// A connection to a database that does not answer is no reason to stay.
setTimeout(() => {
  if (process.stdout.writableLength === 0) process.exit();
}, 1000).unref();

function leaveIfClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exitCode = 1;
}
