import pg from "pg";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { Caller, type Outcome } from "./caller.ts";
import { killNow, killServer } from "./kills.ts";
import { openEmbeddedSite } from "./site.ts";

export interface KilledInsert {
  /** Creates that were sent, and sent again after the kill. */
  readonly sent: number;
  readonly clients: number;
  /** Retries that found that the first try had been carried out after all. */
  readonly replays: number;
  readonly faults: string[];
}

const CREATES = 24;

/**
 * Kills the server, or PostgreSQL with it, while a statement that stores the clients of many callers waits for its last
 * lock, and starts the server again. Each create is then sent again with its key: each client must be there once.
 */
export async function killInSharedInsert(victim: "server" | "machine"): Promise<KilledInsert> {
  const site = await openEmbeddedSite({ workers: 1, environment: { DRAIN_MS: "0" } });
  const { organizationId, key, locationIds } = site.studio;
  const caller = new Caller({ port: site.port, key, connections: CREATES });
  const names = Array.from({ length: CREATES }, () => `Ana ${newId()}`);
  const createAll = () =>
    Promise.all(
      names.map((contactName) =>
        caller.send("POST", "/v1/clients", { contactName, locationIds }, contactName.slice(4)),
      ),
    );
  try {
    await site.start();
    const holder = await holdCounters(site.connection, organizationId);
    const first = createAll();
    await until("inserts wait", async () => (await countWaiting(site.connection)) > 0);
    const postmaster = await site.postmaster();
    await killServer(site.running());
    if (victim === "machine") await killNow(postmaster);
    // That the server is gone PostgreSQL learns when it has something to answer: an insert that waited is committed now.
    await holder.end().catch(() => {});
    await first;
    await site.start();
    return judge(await createAll(), await listNames(site.connection, organizationId));
  } finally {
    caller.close();
    await site.remove();
  }
}

function judge(answers: readonly Outcome[], stored: readonly string[]): KilledInsert {
  const created = answers.filter((answer) => answer.kind === "answered" && answer.status === 201);
  const faults = answers
    .filter((answer) => !created.includes(answer))
    .map((answer) => `a retry was not answered with 201: ${JSON.stringify(answer)}`);
  if (new Set(stored).size !== stored.length) faults.push("a client was made twice");
  if (stored.length !== CREATES) faults.push(`${stored.length} clients are stored, ${CREATES} were sent`);
  const replays = created.filter(
    (answer) => answer.kind === "answered" && answer.headers["idempotent-replayed"] === "true",
  ).length;
  return { sent: CREATES, clients: stored.length, replays, faults };
}

/** Every insert of a client changes one of these rows, last of all. */
async function holdCounters(connection: pg.ClientConfig, organizationId: string): Promise<pg.Client> {
  const client = await connect(connection);
  await client.query("begin");
  await client.query("select 1 from organization_counters where organization_id = $1 for update", [
    organizationId,
  ]);
  return client;
}

async function countWaiting(connection: pg.ClientConfig): Promise<number> {
  const [row] = await ask<{ count: string }>(
    connection,
    "select count(*) from pg_stat_activity where application_name = 'rollbook serve' and wait_event_type = 'Lock'",
  );
  return Number(row?.count);
}

async function listNames(connection: pg.ClientConfig, organizationId: string): Promise<string[]> {
  const rows = await ask<{ name: string }>(
    connection,
    "select contact_name as name from clients where organization_id = $1 and contact_name like 'Ana %'",
    [organizationId],
  );
  return rows.map(({ name }) => name);
}

async function ask<Row extends object>(
  connection: pg.ClientConfig,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = await connect(connection);
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function connect(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name: "crash test" });
  client.on("error", () => {});
  await client.connect();
  return client;
}
