import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "./poll.ts";

/** The program as it was built beside this file. */
const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));

/** A Rollbook process that goes on until it is stopped. */
export interface Running {
  /** What it has written to standard output so far. */
  output(): string;
  /** Waits until its standard output has this; fails if it ends before. */
  says(what: RegExp): Promise<void>;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>;
}

const START_MS = 40_000;

export function startProgram(commandLine: readonly string[]): Running {
  const child = spawn(process.execPath, [MAIN, ...commandLine], { env: environment() });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return {
    output: () => output,
    async says(what) {
      await until(
        `the program says ${what}`,
        async () => {
          if (what.test(output)) return true;
          if (hasEnded(child)) throw new Error(`the program ended: ${errors}${output}`);
          return false;
        },
        START_MS,
      );
    },
    async stop() {
      if (hasEnded(child)) return;
      const ended = once(child, "close");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Runs a command to its end; fails unless it exits with 0. */
export function runProgram(commandLine: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [MAIN, ...commandLine], { env: environment() });
}

/** Only what the command line says, whatever the developer's shell has set. */
function environment(): NodeJS.ProcessEnv {
  const { DATABASE_URL, DATA_DIR, KEY_SECRET, PORT, HOST, WORKERS, PUBLIC_URL, ...rest } = process.env;
  return rest;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
