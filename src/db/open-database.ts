import type { ChangeReason } from "../core/reasons.ts";
import { BulkWrites } from "./bulk-writes.ts";
import { reasoned } from "./change-reason.ts";
import type { Database, DatabaseTimes, OpenDatabase } from "./database.ts";
import { FairPool } from "./fair-pool.ts";
import type { Owner } from "./fair-queue.ts";
import { leastBusy, Pipeline } from "./pipeline.ts";
import { PipelineShares } from "./pipeline-shares.ts";
import { readClock } from "./read-clock.ts";
import type { LaneSettings, StatementSettings } from "./server-connection.ts";
import { CONNECT_TIMEOUT_MS, type ConnectionSettings } from "./servers.ts";
import type { Statement } from "./statements.ts";

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
  /** Called with how long a statement or transaction has waited for its connection. */
  readonly onQueued?: ((milliseconds: number) => void) | undefined;
  /** Whose changes its transactions make, if they do not say it themselves. */
  readonly reason?: ChangeReason;
}

/** How much later than PostgreSQL itself we give up on a statement: then the connection is dead, not slow. */
const ANSWER_GRACE_MS = 2_000;
/** A request that has waited this long is answered, before its caller gives up. */
const QUEUE_TIMEOUT_MS = 5_000;
/** What part of the connections expensive statements have: with 16, three, of which one organization gets two. */
const EXPENSIVE_PART = 0.2;
const DEFAULT_SNAPSHOTS = 4;

export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { reason } = options;
  const { statementTimeoutMs = 0, lockTimeoutMs = 0, queueTimeoutMs = QUEUE_TIMEOUT_MS } = options;
  const queue = { timeoutMs: queueTimeoutMs, onQueued: options.onQueued };
  const settingsOf = (planFor: StatementSettings["planFor"], timeoutMs: number): LaneSettings => ({
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
  const bulkWrites = new BulkWrites();
  const lanes = {
    pooled: new FairPool(settings, Math.max(1, poolSize - expensiveSize), queue, bulkWrites),
    expensive: new FairPool(
      settingsOf("statement", options.expensiveTimeoutMs ?? statementTimeoutMs),
      expensiveSize,
      queue,
      bulkWrites,
    ),
  };
  const snapshots = new FairPool(settings, options.snapshots ?? DEFAULT_SNAPSHOTS, queue, bulkWrites);
  const pools = [...Object.values(lanes), snapshots];
  let closed: Promise<void> | undefined;

  const shares = new PipelineShares();
  const ownedBy = (owner: Owner, times?: DatabaseTimes): Database => {
    const query = <Row extends object>(statement: Statement, values: readonly unknown[] = []) => {
      if (statement.lane !== "pipelined")
        return lanes[statement.lane].query<Row>(owner, statement, values, times);
      if (owner === undefined) return leastBusy(pipelines).query<Row>(statement, values, times);
      return shares.read(
        owner,
        (size) => leastBusy(pipelines).query<Row>(statement, values, times, size),
        (size) => lanes.expensive.query<Row>(owner, statement, values, times, size),
      );
    };
    return {
      query,
      transaction: (work) =>
        lanes.pooled.transaction(owner, reason ? reasoned(reason, work) : work, { times }),
      // Who may have one is decided where they are asked for: there are as many connections as are given out.
      snapshot: (work) => snapshots.transaction(undefined, work, { isolation: "one snapshot", times }),
      now: () => readClock(query, options.connection),
      clockOffsetMs: options.connection.clockOffsetMs ?? 0,
    };
  };

  return {
    ...ownedBy(undefined),
    for: ownedBy,
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
