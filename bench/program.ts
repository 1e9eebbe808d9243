/** The real program, started as an operator would: keyed, with a rate limit, logging. */
import type { ChildProcess } from "node:child_process";
import { Agent, get } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Cores, family, freePort, isNode, startNode, stop } from "./processes.ts";

export interface Running {
  readonly port: number;
  readonly pid: number;
  /** Its processes, workers included. */
  pids(): number[];
  stop(): Promise<void>;
}

export interface Program extends Running {
  /** The text of /metrics; to read it sets the event loop's worst delay back to nothing. */
  metrics(): Promise<string>;
}

export interface ProgramOptions {
  readonly dataDir: string;
  readonly cores: Cores;
  readonly workers?: number;
  /** For Node itself, before the script. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The program of another checkout. */
  readonly main?: string;
}

/** As `npm start` gives it: a young generation of half the usual size saves memory and costs no time. */
const NODE_FLAGS = ["--max-semi-space-size=8"];

const MAIN = fileURLToPath(new URL("../src/main.js", import.meta.url));

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const adminPort = await freePort();
  const program = options.main ?? MAIN;
  const child = startNode([...NODE_FLAGS, ...(options.nodeFlags ?? []), program, "serve"], {
    cores: options.cores,
    env: {
      DATA_DIR: options.dataDir,
      HOST: "127.0.0.1",
      PORT: "0",
      ADMIN_PORT: String(adminPort),
      WORKERS: String(options.workers ?? 1),
      LOG_LEVEL: "info",
      // On, and never reached: what is measured is that it is kept.
      RATE_LIMIT: "100000000",
      RATE_BURST: "1000000",
      // Nothing is measured while it stops.
      DRAIN_MS: "0",
      ...options.env,
    },
  });
  const port = await listeningPort(child);
  const main = child.pid ?? 0;
  // What answers requests, not the process that watches over it, nor PostgreSQL.
  const serving = () => family(main).filter((pid) => pid !== main && isNode(pid));
  const pid = serving()[0] ?? main;
  return {
    port,
    pid,
    pids: () => (serving().length === 1 ? serving() : family(main).filter(isNode)),
    stop: () => stop(child),
    metrics: async () => (await fetchRaw(adminPort, "/metrics")).body.toString(),
  };
}

/** Reads the log until it says where the server listens, and to its end afterwards. */
function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the program ended with ${code} before it served`)));
    if (!child.stdout) throw new Error("the program's log is not read");
    createInterface(child.stdout).on("line", (line) => {
      const address = /"address":"http:\/\/[^"]*:(\d+)"/.exec(line)?.[1];
      if (address !== undefined) resolve(Number(address));
      else if (/"level":"(error|warn)"/.test(line)) console.error(line);
    });
  });
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

const connections = new Agent({ keepAlive: true });

export function fetchRaw(port: number, path: string, key?: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    get({ host: "127.0.0.1", port, path, headers, agent: connections }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.rawHeaders,
          body: Buffer.concat(pieces),
        }),
      );
    }).on("error", reject);
  });
}
