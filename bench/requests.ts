/**
 * What it costs to keep what came with keys, and to trace every request, against a read by id: `npm run bench -- requests
 * [--rounds N]`. All in one sitting, in turns, as CPU time a request of the program and of PostgreSQL together; the least of the rounds counts, as a busy machine
 * only adds. What is kept is recorded here as a server does it, with a statement for every second of requests.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { noteStatement, noteStep } from "../src/core/steps.ts";
import type { DatabaseTimes } from "../src/db/database.ts";
import { RequestRecorder } from "../src/domain/keys/request-recorder.ts";
import { openStore } from "../src/process/store.ts";
import { choosePlacement, cpuSpent, cpuTimes, family, isNode } from "./processes.ts";
import { type Program, startProgram } from "./program.ts";

const { values: flags } = parseArgs({ options: { rounds: { type: "string", default: "6" } } });
const rounds = Number(flags.rounds);
const READS = 3_000;
const AT_ONCE = 16;
const SECONDS = 20;
/** Before: as soon as every key has had its turn, as much is stored as comes. */
const FIRST_SECONDS = 10;

/** Requests of a second. */
const LOADS = [
  { name: "one key, 3,000 a second", keys: 1, ofKey: 3_000 },
  { name: "30 keys, 100 a second each", keys: 30, ofKey: 100 },
  { name: "300 keys, 10 a second each", keys: 300, ofKey: 10 },
  { name: "3,000 keys, one a second each", keys: 3_000, ofKey: 1 },
] as const;

const main = fileURLToPath(new URL("../src/main.js", import.meta.url));
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const collector = createServer((asked, answer) => asked.resume().on("end", () => answer.end("{}")));
await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
const { port: collectorPort } = collector.address() as AddressInfo;
const plain = await open();
const traced = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}` });
const store = await openStore({ dataDir: plain.dataDir, databaseUrl: undefined, keySecret: undefined });
const db = store.open({ applicationName: "rollbook bench" });
try {
  const { id: organizationId } = JSON.parse(await get(plain, "/v1/organization")) as { id: string };
  const reads: number[] = [];
  const tracedReads: number[] = [];
  const kept = LOADS.map(() => [] as number[]);
  for (let round = 0; round <= rounds; round++) {
    const [read, tracedRead] = [await costOfReads(plain), await costOfReads(traced)];
    // The first round warms up.
    if (round > 0) {
      reads.push(read);
      tracedReads.push(tracedRead);
    }
    for (const [place, load] of LOADS.entries()) {
      const cost = await costOfKeeping(organizationId, load);
      if (round > 0) kept[place]?.push(cost);
    }
  }
  const read = Math.min(...reads);
  process.stdout.write(
    `A read by id takes ${read.toFixed(1)} µs.\n\n| Requests | keeping one, µs | of the read |\n|---|---|---|\n`,
  );
  for (const [place, { name }] of LOADS.entries()) {
    const cost = Math.min(...(kept[place] ?? []));
    process.stdout.write(`| ${name} | ${cost.toFixed(2)} | ${((100 * cost) / read).toFixed(1)} % |\n`);
  }
  const ratio = Math.min(...tracedReads) / read;
  const looks = costOfLooks();
  process.stdout.write(
    `\nWith every request traced it takes ${ratio.toFixed(2)} of that. Without, the places that would note a step take ` +
      `${looks.toFixed(0)} ns of it (${((100 * looks) / 1000 / read).toFixed(2)} %).\n`,
  );
} finally {
  agent.destroy();
  await store.close();
  for (const { program, dataDir } of [plain, traced]) {
    await program.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  collector.close();
}

interface Site {
  readonly program: Program;
  readonly dataDir: string;
  readonly key: string;
  readonly ids: string[];
}

async function open(settings: Record<string, string> = {}): Promise<Site> {
  const dataDir = await mkdtemp(join(tmpdir(), "rollbook-requests-"));
  const env = { ...process.env, DATA_DIR: dataDir };
  const printed = execFileSync(process.execPath, [main, "demo"], { env, encoding: "utf8", stdio: "pipe" });
  const program = await startProgram({ dataDir, cores: choosePlacement().server, env: settings });
  const site: Site = { program, dataDir, key: /rbk_\w+/.exec(printed)?.[0] ?? "", ids: [] };
  // The first request carries out what is due in the demo, which takes long on a busy machine.
  for (let tries = 0; tries < 20; tries++) if (await get(site, "/v1/organization").catch(() => "")) break;
  const list = JSON.parse(await get(site, "/v1/clients?limit=100")) as { data: { id: string }[] };
  site.ids.push(...list.data.map(({ id }) => id));
  return site;
}

/** Nanoseconds for as many looks as a read by id takes: the gate, the statement, and the end. */
function costOfLooks(): number {
  const times: DatabaseTimes = { queueMs: 0, postgresMs: 0 };
  const count = 5_000_000;
  const begun = process.cpuUsage();
  for (let number = 0; number < count; number++) {
    noteStep(times, "gate", number);
    noteStatement(times, { name: "find_client" }, number, false);
    noteStep(times, "answer", number);
  }
  const { user, system } = process.cpuUsage(begun);
  return ((user + system) * 1000) / count;
}

async function costOfReads(site: Site): Promise<number> {
  const { program, ids } = site;
  const pids = [...(await postgresPids(site)), program.pid];
  const before = cpuTimes(pids);
  let left = READS;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await get(site, `/v1/clients/${ids[left % ids.length]}`);
    }),
  );
  return cpuSpent(before, cpuTimes(pids)) / READS;
}

async function costOfKeeping(
  organizationId: string,
  {
    keys,
    ofKey,
  }: {
    readonly keys: number;
    readonly ofKey: number;
  },
): Promise<number> {
  const owners = Array.from({ length: keys }, () => ({ keyId: randomUUID(), organizationId }));
  const requestIds = Array.from({ length: keys * ofKey }, () => randomUUID());
  const recorder = new RequestRecorder(
    db,
    (error) => {
      throw error;
    },
    86_400_000,
  );
  const pids = await postgresPids(plain);
  let [before, ownBefore] = [cpuTimes(pids), process.cpuUsage()];
  for (let second = -FIRST_SECONDS; second < SECONDS; second++) {
    if (second === 0) [before, ownBefore] = [cpuTimes(pids), process.cpuUsage()];
    let place = 0;
    for (const owner of owners)
      for (let number = 0; number < ofKey; number++) {
        const requestId = requestIds[place++] as string;
        recorder.add(owner, false, () => [Date.now(), "getClient", 200, 3, requestId]);
      }
    await recorder.store();
  }
  const own = process.cpuUsage(ownBefore);
  // A connection may have been opened meanwhile.
  const spent = own.user + own.system + cpuSpent(before, cpuTimes(await postgresPids(plain)));
  await recorder.stop();
  return spent / (SECONDS * keys * ofKey);
}

async function postgresPids({ dataDir }: Site): Promise<number[]> {
  const pids = new Set<number>();
  for (const name of await readdir("/proc")) {
    const pid = Number(name);
    if (!(pid > 0)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes("postgres") && command.includes(dataDir))
      for (const one of family(pid)) if (!isNode(one)) pids.add(one);
  }
  return [...pids];
}

function get({ program, key }: Site, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    request({ agent, port: program.port, path, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => (response.statusCode === 200 ? resolve(body) : reject(new Error(body))));
    })
      .on("error", reject)
      .end();
  });
}
