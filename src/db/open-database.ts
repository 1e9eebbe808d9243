import { BulkWrites } from "./bulk-writes.ts";
import type { Database, OpenDatabase } from "./database.ts";
import { FairPool } from "./fair-pool.ts";
import type { Owner } from "./fair-queue.ts";
import { leastBusy, Pipeline } from "./pipeline.ts";
import { readClock } from "./read-clock.ts";
import type { LaneSettings } from "./server-connection.ts";
import { CONNECT_TIMEOUT_MS, type ConnectionSettings } from "./servers.ts";

export interface DatabaseOptions {
  readonly connection: ConnectionSettings;
  /** Shown by PostgreSQL in pg_stat_activity. */
  readonly applicationName: string;
  readonly pipelines?: number;
  readonly poolSize?: number;
  /** Connections for snapshots that are held for long, beside those of the pool. */
  readonly snapshots?: number;
  /** Zero means no limit. */
  readonly statementTimeoutMs?: number;
  /** The same for expensive statements, if it is another. */
  readonly expensiveTimeoutMs?: number;
  /** How long a statement waits for a lock that another one holds; zero means no limit. */
  readonly lockTimeoutMs?: number;
  /** How long a statement waits for a connection. */
  readonly queueTimeoutMs?: number;
  /** How long a write waits, without a connection, for an import that holds its record. */
  readonly importPatienceMs?: number;
}

/** How much later than PostgreSQL itself we give up on a statement: then the connection is dead, not slow. */
const ANSWER_GRACE_MS = 2_000;
/** A request that has waited this long is answered, before its caller gives up. */
const QUEUE_TIMEOUT_MS = 5_000;
const IMPORT_PATIENCE_MS = 5_000;
/** What part of the connections expensive statements have: with 16, three, of which one organization gets two. */
const EXPENSIVE_PART = 0.2;
const DEFAULT_SNAPSHOTS = 4;

export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { statementTimeoutMs = 0, lockTimeoutMs = 0, queueTimeoutMs = QUEUE_TIMEOUT_MS } = options;
  const settingsOf = (planFor: "average" | "values", timeoutMs: number): LaneSettings => ({
    address: options.connection,
    statements: { statementTimeoutMs: timeoutMs, lockTimeoutMs, planFor },
    config: {
      ...options.connection,
      application_name: options.applicationName,
      ...(timeoutMs > 0 && { query_timeout: timeoutMs + ANSWER_GRACE_MS }),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      pipeline: true,
    },
  });
  const settings = settingsOf("average", statementTimeoutMs);
  const poolSize = options.poolSize ?? 16;
  const expensiveSize = Math.max(1, Math.floor(poolSize * EXPENSIVE_PART));
  const pipelines = Array.from({ length: options.pipelines ?? 2 }, () => new Pipeline(settings));
  const bulkWrites = new BulkWrites(
    (statement, values) => lanes.pooled.query(undefined, statement, values),
    options.importPatienceMs ?? IMPORT_PATIENCE_MS,
  );
  const lanes = {
    pooled: new FairPool(settings, Math.max(1, poolSize - expensiveSize), queueTimeoutMs, bulkWrites),
    expensive: new FairPool(
      settingsOf("values", options.expensiveTimeoutMs ?? statementTimeoutMs),
      expensiveSize,
      queueTimeoutMs,
      bulkWrites,
    ),
  };
  const snapshots = new FairPool(
    settings,
    options.snapshots ?? DEFAULT_SNAPSHOTS,
    queueTimeoutMs,
    bulkWrites,
  );
  const pools = [...Object.values(lanes), snapshots];
  let closed: Promise<void> | undefined;

  const ownedBy = (owner: Owner): Database => {
    const query: Database["query"] = (statement, values = []) =>
      statement.lane === "pipelined"
        ? leastBusy(pipelines).query(statement, values)
        : lanes[statement.lane].query(owner, statement, values);
    return {
      query,
      transaction: (work) => lanes.pooled.transaction(owner, work),
      // Who may have one is decided where they are asked for: there are as many connections as are given out.
      snapshot: (work) => snapshots.transaction(undefined, work, "one snapshot"),
      now: () => readClock(query, options.connection),
    };
  };

  return {
    ...ownedBy(undefined),
    for: ownedBy,
    clockOffsetMs: options.connection.clockOffsetMs ?? 0,
    poolState: () =>
      pools
        .map((pool) => pool.state())
        .reduce((sum, one) => ({
          total: sum.total + one.total,
          idle: sum.idle + one.idle,
          waiting: sum.waiting + one.waiting,
        })),
    close() {
      closed ??= Promise.all([...pipelines, ...pools].map((part) => part.close())).then(() => {});
      return closed;
    },
  };
}
