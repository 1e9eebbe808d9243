import pg from "pg";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import { newId } from "../support/ids.ts";
import { pause } from "./load.ts";

/**
 * A caller that stays with one PostgreSQL and knows nothing of promotions: it commits there whenever that lets it. What it was
 * told is committed must be with whoever leads at the end, or two have taken writes.
 */
export interface Probe {
  readonly acknowledged: number;
  readonly faults: readonly string[];
  /** The other was promoted: what is sent here from then on, and on this timeline, must not be acknowledged. */
  forbid(since: number): void;
  stop(): void;
  missingFrom(leader: ConnectionSettings): Promise<string[]>;
}

const PAUSE_MS = 50;
const PAUSE_AFTER_FAILURE_MS = 200;
const CONNECT_MS = 1_000;

export async function startProbe(connection: ConnectionSettings): Promise<Probe> {
  const acknowledged = new Set<string>();
  const faults: string[] = [];
  let forbidden = { since: Infinity, timeline: 0 };
  let timeline = 0;
  let goesOn = true;
  let client: pg.Client | undefined;

  const commit = async () => {
    client ??= await connectTo(connection);
    const id = newId();
    const sentAt = performance.now();
    const { rows } = await client.query(INSERT, [id]);
    timeline = Number(rows[0]?.timeline);
    acknowledged.add(id);
    if (sentAt > forbidden.since && timeline <= forbidden.timeline)
      faults.push(`a commit on timeline ${timeline} was acknowledged after another was promoted`);
  };
  const work = async () => {
    while (goesOn) {
      const isDone = await commit().then(
        () => true,
        () => false,
      );
      if (!isDone) {
        client?.end().catch(() => {});
        client = undefined;
      }
      await pause(isDone ? PAUSE_MS : PAUSE_AFTER_FAILURE_MS);
    }
  };
  void work();
  return {
    get acknowledged() {
      return acknowledged.size;
    },
    faults,
    forbid(since) {
      forbidden = { since, timeline };
    },
    stop() {
      goesOn = false;
      // Its commit may wait for a standby for ever.
      client?.end().catch(() => {});
    },
    async missingFrom(leader) {
      const asked = await connectTo(leader);
      try {
        const { rows } = await asked.query(
          "select id from unnest($1::uuid[]) as a (id) where not exists (select from crash_probes p where p.id = a.id)",
          [[...acknowledged]],
        );
        return rows.map(({ id }) => `the commit ${id} was acknowledged by one PostgreSQL and is gone`);
      } finally {
        await asked.end();
      }
    },
  };
}

export async function makeProbeTable(leader: ConnectionSettings): Promise<void> {
  const client = await connectTo(leader);
  try {
    await client.query("create table crash_probes (id uuid primary key)");
  } finally {
    await client.end();
  }
}

const INSERT = `insert into crash_probes values ($1)
  returning ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer as timeline`;

async function connectTo(connection: ConnectionSettings): Promise<pg.Client> {
  const client = new pg.Client({
    ...connection,
    application_name: "crash test",
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on("error", () => {});
  await client.connect();
  return client;
}
