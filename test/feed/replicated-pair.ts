import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import { killNow } from "../crash/kills.ts";
import { isGone } from "../crash/site.ts";
import { until } from "../support/poll.ts";
import { type OperatorsPostgres, startPostgres } from "../support/postgres.ts";

/** A primary and a standby that has every commit before it is answered, as an operator runs them. */
export interface ReplicatedPair {
  /** Names both, as nodes are given it. */
  readonly url: string;
  /** The one that takes writes. */
  connection(): ConnectionSettings;
  /** Kills the one that takes writes with SIGKILL and starts it again. */
  killAndStart(): Promise<void>;
  /** Kills the primary for good and makes the standby one, which had everything. */
  promote(): Promise<void>;
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  remove(): Promise<void>;
}

const STANDBY = "standby";
/** Who may replicate and set what the program's own role may not. */
const SUPERUSER = "postgres";
const SETTINGS = "-c hot_standby=on -c wal_retrieve_retry_interval=100ms";

export async function startReplicatedPair(): Promise<ReplicatedPair> {
  const first = await startPostgres({ settings: SETTINGS });
  await first.stop("fast");
  const { host = "", port, user } = first.connection;
  const standby = await startPostgres({
    settings: SETTINGS,
    copyOf: first.cluster,
    files: {
      "standby.signal": "",
      "postgresql.auto.conf": `primary_conninfo = 'host=${host} port=${port} user=${SUPERUSER} application_name=${STANDBY}'\n`,
    },
  });
  await first.startIfGone();
  let current: OperatorsPostgres = first;
  const hosts = [first, standby].map(({ cluster }) => encodeURIComponent(cluster)).join(",");

  const query = async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({ ...current.connection, user: SUPERUSER, application_name: "feed test" });
    // It may be killed while it is asked.
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  const isStreaming = async () =>
    (
      await query("select from pg_stat_replication where application_name = $1 and state = 'streaming'", [
        STANDBY,
      ])
    ).length > 0;
  const kill = async () => {
    const pid = Number.parseInt(await readFile(join(current.cluster, "postmaster.pid"), "utf8"), 10);
    await killNow(pid);
    await until("the killed PostgreSQL is gone", () => isGone(pid));
  };

  await until("the standby follows", isStreaming);
  await query(`alter system set synchronous_standby_names = '${STANDBY}'`);
  await query("select pg_reload_conf()");
  await until("commits wait for the standby", async () => (await listSynchronous(query)) > 0);

  return {
    url: `postgres://${user}@/${first.connection.database}?host=${hosts}`,
    connection: () => current.connection,
    query,
    async killAndStart() {
      await kill();
      // What it has left behind may hold on to its memory for a moment.
      await until("PostgreSQL is started again", () =>
        current
          .startIfGone()
          .then(() => query("select"))
          .then(
            () => true,
            () => false,
          ),
      );
    },
    async promote() {
      await until("the standby follows", async () => (await listSynchronous(query)) > 0);
      // What was committed before a crash is seen after it without having waited for the standby.
      const [at] = await query<{ lsn: string }>("select pg_current_wal_lsn()::text as lsn");
      await until(
        "the standby has all of it",
        async () =>
          (await query("select from pg_stat_replication where flush_lsn >= $1::pg_lsn", [at?.lsn])).length >
          0,
      );
      await kill();
      await standby.promote();
      current = standby;
    },
    async remove() {
      await Promise.all([first.remove(), standby.remove()]);
    },
  };
}

async function listSynchronous(query: ReplicatedPair["query"]): Promise<number> {
  return (await query("select from pg_stat_replication where sync_state = 'sync' and state = 'streaming'"))
    .length;
}
