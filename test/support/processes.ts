import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import { until } from "./poll.ts";
import { PROGRAM } from "./program.ts";

/** How one run of the command line ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Environment = Readonly<Record<string, string>>;

/** Runs the real program to its end. */
export async function rollbook(args: readonly string[], environment: Environment = {}): Promise<Ended> {
  const running = startProgram(args, environment);
  return running.ended;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  output(): string;
}

export function startProgram(args: readonly string[], environment: Environment): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stdout, stderr }) as Ended);
  return { child, ended, output: () => stdout + stderr };
}

/** Something that ends: a test, or a program that closes what it opened. */
export interface Scope {
  after(work: () => Promise<void>): void;
}

export interface RunningServer extends Running {
  readonly url: string;
  readonly adminUrl: string;
}

/** Starts `rollbook serve` on a free port and waits until it says that it serves. Ended with the test. */
export async function serve(
  t: Scope,
  environment: Environment,
  args: readonly string[] = [],
): Promise<RunningServer> {
  // How slow this machine is at the moment is no warning of the program's, unless a test asks for it.
  const settings = { SLOW_MS: "0", ...environment };
  const running = startProgram(["serve", "--port", "0", "--no-demo", ...args], settings);
  later(t, async () => {
    if (running.child.exitCode === null && running.child.signalCode === null) running.child.kill("SIGTERM");
    await running.ended;
  });
  const url = await until("the server says where it serves", async () => {
    if (running.child.exitCode !== null) throw new Error(`the server ended: ${running.output()}`);
    return /"address":"([^"]+)"/.exec(running.output())?.[1];
  });
  return { ...running, url, adminUrl: `http://127.0.0.1:${environment.ADMIN_PORT}` };
}

/** A directory that goes with the test. */
export async function newDirectory(t: Scope): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "rollbook-program-"));
  later(t, () => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** The test run's own database as an operator would name it in DATABASE_URL. */
export function databaseUrl({ host = "", port, user, database }: ConnectionSettings): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

const pending = new WeakMap<Scope, (() => Promise<void>)[]>();

/** Done after the test, the last first: a server must have stopped before its directory goes. */
export function later(t: Scope, work: () => Promise<void>): void {
  const known = pending.get(t);
  if (known) return void known.push(work);
  const works = [work];
  pending.set(t, works);
  t.after(async () => {
    for (const next of works.reverse()) await next();
  });
}

/** A port that something listens on until the scope ends. */
export async function takePort(scope: Scope): Promise<string> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  later(scope, async () => void listener.close());
  const address = listener.address();
  return String(typeof address === "object" ? address?.port : "");
}
