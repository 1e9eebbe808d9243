/**
 * How long a start takes, from the call of the built program to the line that says it serves: on a database that is
 * there, and on a new one. `npm run bench -- start [--rounds N]`
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const MAIN = fileURLToPath(new URL("../src/main.js", import.meta.url));
const { values: flags } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(flags.rounds);

/** Starts the server, waits until it serves, and stops it. */
async function startOnce(dataDir: string): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, [MAIN, "serve", "--port", "0", "--no-demo"], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, DRAIN_MS: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let readyMs: number | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('"address"')) continue;
    readyMs = performance.now() - begun;
    child.kill("SIGTERM");
  }
  await ended;
  if (readyMs === undefined) throw new Error("the server did not start");
  return readyMs;
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const [fastest = 0, median = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)]];
  process.stdout.write(
    `${what.padEnd(24)} fastest ${fastest.toFixed(0).padStart(5)} ms, median ${median.toFixed(0).padStart(5)} ms\n`,
  );
}

const folder = await mkdtemp(join(tmpdir(), "rollbook-start-"));
try {
  const [created, existing]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    created.push(await startOnce(join(folder, `${round}`)));
    existing.push(await startOnce(join(folder, `${round}`)));
  }
  process.stdout.write(
    `Node ${process.version}, load ${loadavg()[0]?.toFixed(1)} before the end, ${rounds} rounds\n`,
  );
  report("with a new database", created);
  report("with one that is there", existing);
} finally {
  await rm(folder, { recursive: true, force: true });
}
