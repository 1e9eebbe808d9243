/**
 * What an import costs beside a bare COPY of the same rows into the same tables, and how much memory it takes:
 * `npm run bench -- import`, with `--clients 1000000` and `--rounds 1` as wanted.
 */
import { spawn } from "node:child_process";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { migrate } from "../src/db/migrate.ts";
import { openStore } from "../src/process/store.ts";
import { newId } from "../test/support/ids.ts";
import { person } from "./people.ts";

const LIMIT_RATIO = 3;
const LIMIT_MEGABYTES = 300;
const TABLES = ["clients", "client_locations"] as const;

const { values } = parseArgs({
  options: { clients: { type: "string", default: "200000" }, rounds: { type: "string", default: "3" } },
});
const clients = Number(values.clients);
const rounds = Number(values.rounds);

const directory = await mkdtemp(join(tmpdir(), "rollbook-import-"));
const dataDir = join(directory, "data");
const bundle = join(directory, "bundle.ndjson");
const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
const connection = new pg.Client({ ...store.connection });
try {
  await migrate(store.connection);
  await connection.connect();
  // Vacuumed in the midst of a COPY, a table is taken for empty and every foreign key checked by reading all of
  // it: a hundred times slower, which is no measure of anything.
  for (const table of TABLES) await connection.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await writeBundle();
  const { size } = await stat(bundle);
  console.log(`${clients.toLocaleString("en-US")} clients, a bundle of ${Math.round(size / 1e6)} MB\n`);

  await runImport();
  for (const table of TABLES) await copyOut(table);
  const results = [];
  for (let round = 1; round <= rounds; round++) {
    await empty();
    const copySeconds = await runCopy();
    await empty();
    const measured = await runImport();
    results.push({ copySeconds, ...measured });
    console.log(
      `round ${round}: COPY ${copySeconds.toFixed(1)} s, import ${measured.seconds.toFixed(1)} s ` +
        `(${(measured.seconds / copySeconds).toFixed(2)} x), peak ${measured.megabytes} MB, ` +
        `its PostgreSQL process ${measured.serverMegabytes} MB of its own`,
    );
  }
  const again = await runImport();
  console.log(`the same file once more, nothing changed: ${again.seconds.toFixed(1)} s`);
  const ratio = median(results.map(({ seconds, copySeconds }) => seconds / copySeconds));
  const megabytes = Math.max(...results.map((result) => result.megabytes));
  console.log(
    `\nmedian ${ratio.toFixed(2)} x COPY (limit ${LIMIT_RATIO}), peak ${megabytes} MB (limit ${LIMIT_MEGABYTES})`,
  );
  if (ratio > LIMIT_RATIO || megabytes > LIMIT_MEGABYTES) process.exitCode = 1;
} finally {
  await connection.end();
  await store.close();
  await rm(directory, { recursive: true, force: true });
}

async function writeBundle(): Promise<void> {
  const organization = { name: "Bench", timezone: "UTC", currency: "BRL", plan: "Pro", status: "active" };
  const locationIds = [newId(), newId(), newId()];
  await pipeline(function* () {
    yield line({ kind: "organization", id: newId(), ...organization, joinedAt: "2026-01-01T00:00:00Z" });
    for (const id of locationIds)
      yield line({ kind: "location", id, name: "Centro", status: "active", timezone: "UTC" });
    for (let n = 0; n < clients; n++) {
      const joined = n % 10 === 0 ? locationIds.slice(0, 2) : [locationIds[n % 3]];
      yield line({ kind: "client", id: newId(), ...person(n), locationIds: joined });
    }
  }, createWriteStream(bundle));
}

function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

async function copyOut(table: string): Promise<void> {
  await pipeline(
    connection.query(copyTo(`copy ${table} to stdout`)),
    createWriteStream(join(directory, table)),
  );
}

async function runCopy(): Promise<number> {
  const started = performance.now();
  await connection.query("begin");
  for (const table of TABLES) {
    await pipeline(
      createReadStream(join(directory, table)),
      connection.query(copyFrom(`copy ${table} from stdin`)),
    );
  }
  await connection.query("commit");
  return (performance.now() - started) / 1000;
}

async function empty(): Promise<void> {
  await connection.query("truncate clients cascade");
}

/** The command itself, from its start to its end. */
async function runImport(): Promise<{ seconds: number; megabytes: number; serverMegabytes: number }> {
  const program = fileURLToPath(new URL("../src/main.js", import.meta.url));
  const started = performance.now();
  const child = spawn(process.execPath, [program, "import", bundle, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, DATA_DIR: dataDir },
  });
  let megabytes = 0;
  let serverMegabytes = 0;
  const watch = setInterval(async () => {
    megabytes = Math.max(megabytes, memoryMegabytes(child.pid, "VmHWM"));
    const { rows } = await connection.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'rollbook import'",
    );
    const each = rows.map(({ pid }) => memoryMegabytes(pid, "RssAnon"));
    serverMegabytes = Math.max(serverMegabytes, ...each);
  }, 100);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`the import ended with code ${code}`);
  return { seconds: (performance.now() - started) / 1000, megabytes, serverMegabytes };
}

function memoryMegabytes(pid: number | undefined, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1024);
  } catch {
    // It has ended, or this system has no such file.
    return 0;
  }
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
