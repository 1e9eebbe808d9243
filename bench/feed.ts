/**
 * What the change feed and webhooks cost, as ratios of one run where the figure is one: `npm run bench -- feed`. The triggers
 * that note changes are switched off for the other side of a comparison.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { newId as newIdAt } from "../src/core/ids.ts";
import { parseNetworks } from "../src/core/network-addresses.ts";
import { importRecords } from "../src/data/bundle/import.ts";
import { openDatabase } from "../src/db/open-database.ts";
import { createOrganization } from "../src/domain/organizations/operations.ts";
import { numberCommitted } from "../src/sync/changes/numbering.ts";
import { readChanges } from "../src/sync/changes/queries.ts";
import { WebhookSender } from "../src/sync/webhooks/webhook-sender.ts";
import { Caller } from "../test/crash/caller.ts";
import { openApi, type TestApi, type TestOrganization } from "../test/support/api.ts";
import { newMigratedDatabase } from "../test/support/databases.ts";
import { newId } from "../test/support/ids.ts";
import { addLocation } from "../test/support/records.ts";
import { newStaff } from "../test/support/staff.ts";
import { openTestStore } from "../test/support/store.ts";
import { median } from "./measure.ts";

const ROWS = ["writes", "import", "numbering", "pages", "waking", "waiting", "events"] as const;
const { values: flags } = parseArgs({ options: { only: { type: "string", default: ROWS.join() } } });
const isWanted = (row: (typeof ROWS)[number]) => flags.only.split(",").includes(row);

const ENTRIES = 100_000;
const MANY_ENTRIES = 1_000_000;
const IMPORTED = 200_000;
const ROUNDS = 3;
const WRITERS = 16;
const TURN_MS = 3_000;
const WAKES = 200;
const WAITING_KEYS = 50;
const WAITING_PER_KEY = 20;
const IDLE_MS = 10_000;
const RULES = { nets: parseNetworks("127.0.0.0/8"), plainHttp: true };

const store = await openTestStore();
const own = await newMigratedDatabase(store);
const database = { connection: own.connection };
const db = openDatabase({ connection: own.connection, applicationName: "rollbook bench", poolSize: 8 });
const open = () => openApi({ beside: { store } as TestApi, database, callRules: RULES });
const [api, other] = [await open(), await open()];
const portOf = ({ url }: TestApi) => Number(new URL(url).port);

if (isWanted("writes")) await measureWrites();
if (isWanted("import")) await measureImport();
if (isWanted("numbering")) await measureNumbering();
if (isWanted("pages")) await measurePages();
if (isWanted("waking")) await measureWaking();
if (isWanted("waiting")) await measureWaiting();
if (isWanted("events")) await measureEvents();
await Promise.all([api.close(), other.close(), db.close()]);
await store.close();

function say(name: string, value: string, target: string): void {
  process.stdout.write(`${name}: ${value} (${target})\n`);
}

function rounded(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function at(share: number, values: readonly number[]): number {
  const place = Math.min(values.length - 1, Math.floor(share * values.length));
  return [...values].sort((a, b) => a - b)[place] ?? 0;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Switches off or on what notes changes. */
async function setNoting(isOn: boolean): Promise<void> {
  const triggers = await own.query<{ name: string; table: string }>(
    `select tgname as name, tgrelid::regclass::text as "table" from pg_trigger where tgname like '%\\_feed\\_%'`,
  );
  for (const { name, table } of triggers)
    await own.query(`alter table ${table} ${isOn ? "enable" : "disable"} trigger ${name}`);
}

async function newStudio(): Promise<TestOrganization & { readonly locationId: string }> {
  const studio = await api.newOrganization();
  return { ...studio, locationId: await addLocation(db, studio.id) };
}

/** Creates and replaces by sixteen callers, with what notes changes and a reader who numbers them, and without. */
async function measureWrites(): Promise<void> {
  const studio = await newStudio();
  const ids: string[] = [];
  const write = async (isCreate: boolean) => {
    const caller = new Caller({ port: portOf(api), key: studio.key, connections: WRITERS });
    const end = performance.now() + TURN_MS;
    let done = 0;
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let round = 0; performance.now() < end; round++) {
          const body = { contactName: `Ana ${writer} ${round}`, locationIds: [studio.locationId] };
          const id = ids[(writer + round * WRITERS) % Math.max(ids.length, 1)];
          const outcome = isCreate
            ? await caller.send("POST", "/v1/clients", body)
            : await caller.send("PUT", `/v1/clients/${id}`, { ...body, notes: newId() });
          if (outcome.kind !== "answered" || outcome.status >= 300)
            throw new Error(`a write failed: ${JSON.stringify(outcome)}`);
          if (isCreate) ids.push(outcome.body.id);
          done++;
        }
      }),
    );
    caller.close();
    return (done / (performance.now() - begun)) * 1_000;
  };
  const noted = async (isCreate: boolean) => {
    await setNoting(true);
    let isRead = true;
    const reader = new Caller({ port: portOf(other), key: studio.key, connections: 1 });
    const reading = (async () => {
      for (let after = "now"; isRead; ) {
        const page = await reader.send("GET", `/v1/changes?limit=1000&wait=1&after=${after}`);
        if (page.kind === "answered" && page.status === 200) after = page.body.nextCursor;
      }
    })();
    const perSecond = await write(isCreate);
    isRead = false;
    await reading;
    reader.close();
    return perSecond;
  };
  const bare = async (isCreate: boolean) => {
    await setNoting(false);
    return write(isCreate);
  };
  await noted(true);
  for (const isCreate of [true, false]) {
    const values: number[] = [];
    for (let round = 0; round < ROUNDS; round++)
      values.push((await noted(isCreate)) / (await bare(isCreate)));
    say(isCreate ? "create" : "PUT", `${rounded(median(values))} of without`, "≥ 0.85");
  }
  await setNoting(true);
}

async function measureImport(): Promise<void> {
  const run = async (isNoting: boolean) => {
    await setNoting(isNoting);
    const { id, locationId } = await newStudio();
    const lines = Array.from({ length: IMPORTED }, (_, index) => ({
      kind: "client",
      id: newId(),
      contactName: `Ana Lima ${index}`,
      locationIds: [locationId],
    }));
    return { id, ms: await timed(() => importRecords(db, lines, { organizationId: id, actor: "bench" })) };
  };
  const values: number[] = [];
  const numbering: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await run(false);
    const noted = await run(true);
    values.push(noted.ms / bare.ms);
    numbering.push(await timed(() => numberCommitted(db, noted.id)));
  }
  say(`import of ${IMPORTED}`, `${rounded(median(values))} of the time without`, "≤ 1.15");
  say("its entries numbered", `${rounded(median(numbering) / 1_000)} s`, "≤ 10 s");
  await own.query("vacuum change_log");
}

async function note(organizationId: string, count: number): Promise<void> {
  // Ids as the program makes them: in the order of time.
  const begun = Date.now() - count;
  for (let from = 0; from < count; from += ENTRIES) {
    const ids = Array.from({ length: Math.min(ENTRIES, count - from) }, (_, n) => newIdAt(begun + from + n));
    await own.query(
      `insert into change_log (organization_id, kind, record_id, type)
       select $1, 'client', id, 'created' from unnest($2::text[]) as i (id)`,
      [organizationId, ids],
    );
  }
}

async function newFeed(count: number): Promise<string> {
  const details = { name: "Studio", timezone: "UTC", currency: "BRL", plan: "Pro" } as const;
  const { id } = await createOrganization(db, "bench", details);
  await note(id, count);
  await numberCommitted(db, id);
  return id;
}

async function measureNumbering(): Promise<void> {
  await own.query("truncate changes, change_log");
  const values: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const id = await newFeed(1);
    await note(id, ENTRIES);
    values.push((await timed(() => numberCommitted(db, id))) / ENTRIES);
  }
  say("numbering", `${rounded(median(values) * 1_000)} µs an entry`, "≤ 30");
  const sizes = await own.query<{ name: string; bytes: number }>(
    `select relname as name, pg_relation_size(oid)::float8 / (select count(*) from changes) as bytes
     from pg_class where relname in ('changes', 'changes_pkey', 'changes_by_kind', 'changes_by_record') order by 1`,
  );
  const parts = sizes.map(({ name, bytes }) => `${name} ${Math.round(bytes)}`).join(", ");
  say("an entry", `${Math.round(sizes.reduce((sum, { bytes }) => sum + bytes, 0))} bytes: ${parts}`, "≤ 250");
}

async function measurePages(): Promise<void> {
  const sizes = [1_000, ENTRIES, MANY_ENTRIES];
  const feeds: { id: string; size: number }[] = [];
  for (const size of sizes) feeds.push({ id: await newFeed(size), size });
  const page = async () => {
    const times = feeds.map(() => [] as number[]);
    for (let round = 0; round < 300; round++)
      for (const [place, { id, size }] of feeds.entries())
        times[place]?.push(await timed(() => readChanges(db, id, { after: size / 2, limit: 100 })));
    const [short = 1, ...long] = times.map(median);
    return long.map((ms) => rounded(ms / short)).join(" and ");
  };
  const name = `page of 100 with ${sizes.slice(1).join(" and ")} entries`;
  say(`${name}, just numbered`, `${await page()} of that with 1,000`, "≤ 1.2");
  // As `FeedTask` does within ten seconds.
  await own.query("vacuum (truncate false) change_log");
  say(`${name}, the log cleared`, `${await page()} of that with 1,000`, "≤ 1.2");
}

/** From the answer to a write to the answer of who waits at another node. */
async function measureWaking(): Promise<void> {
  const studio = await newStudio();
  const writer = new Caller({ port: portOf(api), key: studio.key, connections: 1 });
  const waiter = new Caller({ port: portOf(other), key: studio.key, connections: 1 });
  const times: number[] = [];
  const now = await waiter.send("GET", "/v1/changes?after=now");
  let cursor = now.kind === "answered" ? now.body.nextCursor : "";
  for (let round = 0; round < WAKES; round++) {
    const waiting = waiter.send("GET", `/v1/changes?wait=10&after=${cursor}`);
    await new Promise((resolve) => setTimeout(resolve, 20 + 300 * Math.random()));
    await writer.send("POST", "/v1/clients", { contactName: "Ana", locationIds: [studio.locationId] });
    const begun = performance.now();
    const page = await waiting;
    times.push(Math.max(0, performance.now() - begun));
    if (page.kind !== "answered" || page.body.data.length === 0) throw new Error("nobody was woken");
    cursor = page.body.nextCursor;
  }
  writer.close();
  waiter.close();
  say(
    "waking over nodes, p99",
    `${Math.round(at(0.99, times))} ms, median ${Math.round(median(times))}`,
    "≤ 500",
  );
}

/** What a process takes of a core while so many wait: each key has as many as it may. */
async function measureWaiting(): Promise<void> {
  const idle = await coreShare();
  const waiting: Promise<unknown>[] = [];
  for (let key = 0; key < WAITING_KEYS; key++) {
    const studio = await newStudio();
    const caller = new Caller({ port: portOf(other), key: studio.key, connections: WAITING_PER_KEY });
    for (let place = 0; place < WAITING_PER_KEY; place++)
      waiting.push(caller.send("GET", "/v1/changes?after=now&wait=18"));
  }
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const busy = await coreShare();
  const count = WAITING_KEYS * WAITING_PER_KEY;
  say(`${count} waiting requests`, `${rounded(100 * (busy - idle))} % of a core`, "≤ 5 %");
  await Promise.all(waiting);
}

async function coreShare(): Promise<number> {
  const before = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / IDLE_MS;
}

/** From the answer to a write to its event at a receiver that has nothing else to do. */
async function measureEvents(): Promise<void> {
  const studio = await newStudio();
  const owner = await newStaff(api, studio.id);
  let arrived: (() => void) | undefined;
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(204).end();
      arrived?.();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  await owner.write("addWebhook", { url, events: ["client.created"] });
  // Of another node than the one that writes: nothing wakes it.
  const sender = new WebhookSender({
    db: other.served,
    keySecret: api.keySecret,
    publicUrl: "http://localhost",
    version: "0.0.0",
    rules: RULES,
    onError: (error) => {
      throw error;
    },
  });
  const writer = new Caller({ port: portOf(api), key: studio.key, connections: 1 });
  const times: number[] = [];
  for (let round = 0; round < WAKES; round++) {
    await new Promise((resolve) => setTimeout(resolve, 300 * Math.random()));
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await writer.send("POST", "/v1/clients", { contactName: "Ana", locationIds: [studio.locationId] });
    times.push(await timed(() => arrival));
  }
  writer.close();
  await sender.stop();
  receiver.closeAllConnections();
  receiver.close();
  say(
    "event after the commit, p99",
    `${Math.round(at(0.99, times))} ms, median ${Math.round(median(times))}`,
    "≤ 1,000",
  );
}
