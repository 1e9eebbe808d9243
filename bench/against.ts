/**
 * This checkout against another one, built before: `npm run bench -- against ../rollbook-0.1 [--rounds N] [--requests N] [--only WORD]`.
 * Both serve a demo studio of their own on the same core and take turns. What is compared is CPU time a request, of the
 * server and of its PostgreSQL, which is shown in brackets: on a busy machine it says more than the clock.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { openStore } from "../src/process/store.ts";
import { type Desk, nthBooking, openDesk, PUBLIC_URL } from "./front-desk.ts";
import { median } from "./measure.ts";
import { choosePlacement, cpuSpent, cpuTimes, family, isNode } from "./processes.ts";
import { type Program, startProgram } from "./program.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    requests: { type: "string", default: "1500" },
    only: { type: "string", default: "" },
  },
});
const [other] = positionals;
if (other === undefined) throw new Error("Name the other checkout: npm run bench -- against FOLDER");
const rounds = Number(flags.rounds);
const requests = Number(flags.requests);
const AT_ONCE = 16;
/** What the desk of this checkout is written with, and an older schema lacks. */
const LATER_COLUMNS = `
  alter table audit add column if not exists request_id text;
  alter table staff add column if not exists resource_id text`;

interface Contestant {
  readonly program: Program;
  readonly dataDir: string;
  readonly key: string;
  readonly locationId: string;
  /** Clients that were created, to be read and replaced. */
  readonly clients: string[];
  readonly agent: Agent;
  /** A studio with sessions and people who may come to them. */
  readonly desk: Desk;
  booked: number;
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

async function open(main: string): Promise<Contestant> {
  const dataDir = await mkdtemp(join(tmpdir(), "rollbook-against-"));
  const env = { ...process.env, DATA_DIR: dataDir };
  const printed = execFileSync(process.execPath, [main, "demo"], { env, encoding: "utf8", stdio: "pipe" });
  const key = /rbk_\w+/.exec(printed)?.[0];
  if (key === undefined) throw new Error(`the demo of ${main} shows no key`);
  const program = await startProgram({
    main,
    dataDir,
    cores: choosePlacement().server,
    env: { PUBLIC_URL },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  const connect = async () => {
    const client = new pg.Client({ ...store.connection });
    await client.connect();
    return client;
  };
  const client = await connect();
  await client.query(LATER_COLUMNS).finally(() => client.end());
  const desk = await openDesk({ store, connect }).finally(() => store.close());
  const found = { program, dataDir, key, locationId: "", clients: [], agent, desk, booked: 0 };
  const locations = JSON.parse((await send(found, "GET", "/v1/locations")).body);
  return { ...found, locationId: locations.data[0].id };
}

function send(
  { program, key, agent }: Pick<Contestant, "program" | "key" | "agent">,
  method: string,
  path: string,
  body?: object,
  more: Readonly<Record<string, string>> = { authorization: `Bearer ${key}` },
): Promise<Reply> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...more,
    ...(text !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    }),
  };
  return new Promise((settle, reject) => {
    const options = { host: "127.0.0.1", port: program.port, method, path, headers, agent };
    const outgoing = request(options, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () =>
        settle({ status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString() }),
      );
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

let named = 0;
const person = ({ locationId }: Contestant) => ({
  contactName: `Contestant ${named++}`,
  contactEmail: `contestant${named}@example.com`,
  contactPhone: "+55 11 98765-4321",
  birthdate: "1990-05-17",
  locationIds: [locationId],
});
const oneOf = ({ clients }: Contestant) => clients[named++ % clients.length] ?? "";

const WORK: Readonly<Record<string, (side: Contestant) => Promise<Reply>>> = {
  "create a client": async (side) => {
    const reply = await send(side, "POST", "/v1/clients", person(side));
    if (reply.status === 201) side.clients.push(JSON.parse(reply.body).id);
    return reply;
  },
  "replace a client": (side) => send(side, "PUT", `/v1/clients/${oneOf(side)}`, person(side)),
  "one client": (side) => send(side, "GET", `/v1/clients/${oneOf(side)}`),
  "book a session": (side) =>
    send(side, "POST", "/app/v1/book", nthBooking(side.desk, side.booked++), {
      host: new URL(PUBLIC_URL).host,
      origin: PUBLIC_URL,
      cookie: side.desk.cookie,
      "idempotency-key": randomUUID(),
    }),
  "a search": (side) => send(side, "GET", `/v1/clients?query=contestant%20${named++ % 100}&limit=20`),
  "a page of clients": (side) => send(side, "GET", `/v1/clients?limit=50&offset=${named++ % 200}`),
  "the organization": (side) => send(side, "GET", "/v1/organization"),
  "a week of the calendar": (side) => {
    const from = new Date(Date.UTC(2027, 0, 1) + (named++ % 300) * 86_400_000);
    const to = new Date(from.getTime() + 7 * 86_400_000);
    return send(side, "GET", `/v1/calendar?from=${from.toISOString()}&to=${to.toISOString()}`);
  },
};

/** The server and the PostgreSQL whose data lie in its folder, with all their processes. */
async function processesOf({ program, dataDir }: Contestant): Promise<number[]> {
  const pids = new Set(family(program.pid));
  for (const name of await readdir("/proc")) {
    const pid = Number(name);
    if (!(pid > 0)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes("postgres") && command.includes(dataDir))
      for (const one of family(pid)) pids.add(one);
  }
  return [...pids];
}

/** Microseconds of CPU a request. */
interface Cost {
  readonly all: number;
  readonly postgres: number;
}

async function measure(side: Contestant, work: (side: Contestant) => Promise<Reply>): Promise<Cost> {
  const pids = await processesOf(side);
  const ofPostgres = pids.filter((pid) => !isNode(pid));
  const [before, postgresBefore] = [cpuTimes(pids), cpuTimes(ofPostgres)];
  let left = requests;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        const { status, body } = await work(side);
        if (status >= 300) throw new Error(`${status} ${body.slice(0, 200)}`);
      }
    }),
  );
  return {
    all: cpuSpent(before, cpuTimes(pids)) / requests,
    postgres: cpuSpent(postgresBefore, cpuTimes(ofPostgres)) / requests,
  };
}

const here = await open(fileURLToPath(new URL("../src/main.js", import.meta.url)));
const there = await open(resolve(other, "dist/src/main.js"));
try {
  process.stdout.write("| Work | here, µs | there, µs | here / there | Spread |\n|---|---|---|---|---|\n");
  for (const [name, work] of Object.entries(WORK)) {
    if (!name.includes(flags.only)) continue;
    const pairs: { mine: Cost; theirs: Cost }[] = [];
    // The first round warms both up.
    for (let round = 0; round <= rounds; round++) {
      const pair = { mine: await measure(here, work), theirs: await measure(there, work) };
      if (round > 0) pairs.push(pair);
    }
    const ratios = pairs.map(({ mine, theirs }) => mine.all / theirs.all);
    const shown = (side: "mine" | "theirs") =>
      `${median(pairs.map((pair) => pair[side].all)).toFixed(0)} (${median(pairs.map((pair) => pair[side].postgres)).toFixed(0)})`;
    const cells = [
      name,
      shown("mine"),
      shown("theirs"),
      median(ratios).toFixed(2),
      `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    ];
    process.stdout.write(`| ${cells.join(" | ")} |\n`);
  }
} finally {
  for (const { program, agent, dataDir } of [here, there]) {
    agent.destroy();
    await program.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
