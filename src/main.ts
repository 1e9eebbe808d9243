import { runCommand } from "./cli/run.ts";

// The exit code is set rather than exiting at once, so that standard output is written to its end.
process.exitCode = await runCommand(process.argv.slice(2));
