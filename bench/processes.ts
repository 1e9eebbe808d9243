/** Processes: started on a core of their own choice, and asked what CPU time and memory they took. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";

export type Cores = string | undefined;

/**
 * The server that is measured has the first core to itself. The generator and PostgreSQL have the rest: they are
 * the same for both sides of a comparison, and what PostgreSQL costs is reported on its own.
 */
export interface Placement {
  readonly server: Cores;
  readonly others: Cores;
  readonly everywhere: Cores;
}

export function choosePlacement(): Placement {
  const cores = availableParallelism();
  const canPin = process.platform === "linux" && cores > 1 && spawnSync("taskset", ["-V"]).status === 0;
  if (!canPin) return { server: undefined, others: undefined, everywhere: undefined };
  return { server: "0", others: cores === 2 ? "1" : `1-${cores - 1}`, everywhere: `0-${cores - 1}` };
}

/** Moves this process; what it starts from now on is placed there too, unless it is moved. */
export function moveTo(cores: Cores): void {
  if (cores !== undefined) spawnSync("taskset", ["-a", "-p", "-c", cores, String(process.pid)]);
}

export interface StartOptions {
  readonly cores: Cores;
  readonly env?: Readonly<Record<string, string>>;
  readonly ipc?: boolean;
}

/** Starts Node on a script; taskset becomes the process that it starts, so its id is the script's. */
export function startNode(args: readonly string[], { cores, env, ipc }: StartOptions): ChildProcess {
  const command = [process.execPath, ...args];
  const [program = "", ...rest] = cores === undefined ? command : ["taskset", "-c", cores, ...command];
  return spawn(program, rest, {
    stdio: ["ignore", ipc ? "inherit" : "pipe", "inherit", ...(ipc ? (["ipc"] as const) : [])],
    serialization: "advanced",
    env: { ...process.env, NODE_ENV: "production", ...env },
  });
}

/** Sends a message and waits for the next one. */
export function ask<Reply>(child: ChildProcess, message: object): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("a process of the benchmark ended before it answered"));
    child.once("exit", onExit);
    child.once("message", (reply) => {
      child.off("exit", onExit);
      resolve(reply as Reply);
    });
    child.send(message);
  });
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

export const canMeasureCpu = process.platform === "linux";

/** CPU time by process, in microseconds; what has ended since `before` is not counted. */
export type CpuTimes = ReadonlyMap<number, number>;

export function cpuTimes(pids: readonly number[]): CpuTimes {
  return new Map(canMeasureCpu ? pids.map((pid) => [pid, cpuMicroseconds(pid)]) : []);
}

export function cpuSpent(before: CpuTimes, after: CpuTimes): number {
  let spent = 0;
  for (const [pid, microseconds] of after) spent += microseconds - (before.get(pid) ?? 0);
  return spent;
}

/** The process and those that it started. */
export function family(pid: number): number[] {
  if (!canMeasureCpu) return [pid];
  const children = readdirSync("/proc")
    .map(Number)
    .filter((candidate) => candidate > 0 && parentOf(candidate) === pid);
  return [pid, ...children];
}

/** Whether it runs Node: PostgreSQL is a child of who started it. */
export function isNode(pid: number): boolean {
  return /^Name:\s+(node|MainThread)$/m.test(readOrEmpty(`/proc/${pid}/status`));
}

/** Bytes that the process holds in memory, and the most that it ever held. */
export function memoryOf(pid: number): { resident: number; peak: number } {
  const status = readOrEmpty(`/proc/${pid}/status`);
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) * 1024;
  return { resident: bytes("VmRSS"), peak: bytes("VmHWM") };
}

/** Nanoseconds on a core over all threads where the kernel counts them, else ticks of 10 ms. */
function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of threadsOf(pid)) {
    nanoseconds += Number(readOrEmpty(`/proc/${pid}/task/${thread}/schedstat`).split(" ", 1)[0]);
  }
  if (nanoseconds > 0) return nanoseconds / 1000;
  const [, , , , , , , , , , , user, system] = statFields(pid);
  return (Number(user ?? 0) + Number(system ?? 0)) * 10_000;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number {
  return Number(statFields(pid)[1] ?? 0);
}

/** The fields of `stat` after the name, which may hold spaces: state, parent, … */
function statFields(pid: number): string[] {
  const text = readOrEmpty(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It ended meanwhile.
    return "";
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
