import assert from "node:assert/strict";
import { runCommand, type Terminal } from "../../src/cli/run.ts";
import type { Ended } from "./processes.ts";

/** A command line in this process: the text of each stream, and the exit code. */
export async function runIn(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const terminal: Terminal = {
    stdout: {
      write: (text, written) => {
        stdout.push(text);
        written?.();
      },
    },
    stderr: {
      write: (text, written) => {
        stderr.push(text);
        written?.();
      },
    },
    environment,
  };
  const code = await runCommand(args, terminal);
  return { code, signal: null, stdout: stdout.join(""), stderr: stderr.join("") };
}

/** Runs a command that must succeed and returns what it wrote as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
export async function jsonIn(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await runIn(environment, ...args, "--json");
  assert.deepEqual([code, stderr], [0, ""], stderr);
  return JSON.parse(stdout);
}

/** The command failed with one sentence and wrote nothing else. */
export function assertEnded(ended: Ended, code: number, sentence: RegExp): void {
  assert.equal(ended.code, code, ended.stderr);
  assert.equal(ended.stdout, "");
  assert.match(ended.stderr, sentence);
  assert.match(ended.stderr, /^rollbook: [^\n]+\n$/);
}
