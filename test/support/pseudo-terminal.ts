import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Environment, later, type Scope } from "./processes.ts";

/** A program as somebody runs it in a window, with a process group of its own. */
export interface TerminalProgram {
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  output(): string;
  /** SIGINT to every process of the foreground, as the terminal sends it. */
  pressCtrlC(): void;
  /** SIGQUIT to the same. */
  pressCtrlBackslash(): void;
  /** SIGHUP to every process of the foreground, and nothing that is written arrives any more. */
  closeWindow(): void;
}

/**
 * Runs a program in a pseudo-terminal, which `script` makes. On a machine without it the program has a process group of
 * its own, to which the signals of a terminal are sent.
 */
export function startInTerminal(
  t: Scope,
  command: readonly string[],
  options: ProgramPlace,
): TerminalProgram {
  return canMakeTerminals ? startInScript(t, command, options) : startInGroup(t, command, options);
}

interface ProgramPlace {
  readonly cwd?: string;
  readonly env: Environment;
}

const canMakeTerminals =
  process.platform === "linux" &&
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "script")));

function startInScript(t: Scope, command: readonly string[], options: ProgramPlace): TerminalProgram {
  const line = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", `exec ${line}`, "/dev/null"], {
    ...options,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {});
  return {
    ...follow(t, child, () => child.kill("SIGKILL")),
    pressCtrlC: () => void child.stdin.write("\x03"),
    pressCtrlBackslash: () => void child.stdin.write("\x1c"),
    closeWindow: () => void child.kill("SIGKILL"),
  };
}

function startInGroup(
  t: Scope,
  [program = "", ...args]: readonly string[],
  options: ProgramPlace,
): TerminalProgram {
  const child = spawn(program, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const sendAll = (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), signal);
  };
  return {
    ...follow(t, child, () => sendAll("SIGKILL")),
    pressCtrlC: () => sendAll("SIGINT"),
    pressCtrlBackslash: () => sendAll("SIGQUIT"),
    closeWindow() {
      child.stdout.destroy();
      child.stderr.destroy();
      sendAll("SIGHUP");
    },
  };
}

function follow(t: Scope, child: ChildProcess, kill: () => void): Pick<TerminalProgram, "ended" | "output"> {
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  later(t, async () => {
    if (child.exitCode === null && child.signalCode === null) kill();
    await ended;
  });
  return { ended, output: () => output };
}
