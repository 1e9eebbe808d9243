import { noteStatement, noteStep } from "../core/steps.ts";
import type { BulkWrites } from "./bulk-writes.ts";
import type { Database, DatabaseTimes } from "./database.ts";
import pg from "./driver.ts";
import { FairQueue, type Owner } from "./fair-queue.ts";
import type { AnswerSize } from "./pipeline-shares.ts";
import { readClock } from "./read-clock.ts";
import { run, runAlone } from "./rows-query.ts";
import {
  beginText,
  checkServer,
  choosePlan,
  type Isolation,
  type LaneSettings,
  leadsToServer,
  locate,
  openingText,
  ServerConnection,
  type StatementSettings,
  verifyServer,
} from "./server-connection.ts";
import type { ConnectionSettings } from "./servers.ts";
import { databaseUnavailable, isConnectionLost, translate } from "./statement-errors.ts";
import type { Statement } from "./statements.ts";

/** Connections that are used by one statement or transaction at a time, in fair shares. */
export class FairPool {
  readonly #address: ConnectionSettings;
  readonly #statements: StatementSettings;
  readonly #pool: pg.Pool;
  readonly #queue: FairQueue;
  readonly #bulkWrites: BulkWrites;
  readonly #onQueued: ((milliseconds: number) => void) | undefined;

  constructor(
    { address, config, statements }: LaneSettings,
    size: number,
    queue: {
      readonly timeoutMs: number;
      readonly onQueued?: ((milliseconds: number) => void) | undefined;
    },
    bulkWrites: BulkWrites,
  ) {
    this.#onQueued = queue.onQueued;
    this.#bulkWrites = bulkWrites;
    this.#address = address;
    this.#statements = statements;
    this.#queue = new FairQueue(size, queue.timeoutMs);
    this.#pool = new pg.Pool({
      ...config,
      Client: ServerConnection,
      max: size,
      idleTimeoutMillis: 30_000,
      onConnect: verifyServer,
    });
    // A pooled connection that breaks while idle is dropped by the pool; the next request opens another.
    this.#pool.on("error", () => address.servers?.forget());
    this.#pool.on("connect", (connection) => {
      // The pool listens only while a connection is idle. One that breaks in use fails its statements; without this
      // it would end the process as well.
      connection.on("error", () => address.servers?.forget());
      // Sent ahead of the first statement. If it fails the connection is broken, and so does that statement.
      connection.query(openingText(connection, statements)).catch(() => {});
    });
  }

  async query<Row extends object>(
    owner: Owner,
    statement: Statement,
    values: readonly unknown[],
    times?: DatabaseTimes,
    size?: AnswerSize,
  ): Promise<Row[]> {
    const connection = await this.#checkOut(owner, times);
    const begunAt = performance.now();
    let broken: unknown;
    let hasFailed = true;
    try {
      choosePlan(connection, statement, this.#statements);
      const rows = await runAlone<Row>(connection, statement, values, size).finally(() =>
        checkServer(this.#address, connection),
      );
      hasFailed = false;
      return rows;
    } catch (error) {
      broken = isConnectionLost(error) ? error : undefined;
      const explained =
        broken === undefined ? await this.#bulkWrites.explain(owner, connection, error) : error;
      throw translate(explained, statement.lane);
    } finally {
      if (times) {
        times.postgresMs += performance.now() - begunAt;
        noteStatement(times, statement, begunAt, hasFailed);
      }
      this.#checkIn(owner, connection, broken !== undefined);
    }
  }

  async transaction<Result>(
    owner: Owner,
    work: (tx: Database) => Promise<Result>,
    {
      isolation = "read committed",
      times,
    }: { readonly isolation?: Isolation; readonly times?: DatabaseTimes | undefined } = {},
  ): Promise<Result> {
    const connection = await this.#checkOut(owner, times);
    const begunAt = performance.now();
    let broken = true;
    try {
      const begin = beginText(connection, this.#statements, isolation) + this.#bulkWrites.limitText(owner);
      const begun = connection.query(begin);
      // Not awaited: the first statement of the work travels with it. If it fails, so does that statement.
      begun.catch(() => {});
      // Whether it ends with a result or a refusal: both say what the server has.
      const result = await work(within(connection, this.#address, times)).finally(() =>
        checkServer(this.#address, connection),
      );
      const commitAt = performance.now();
      const { command } = await connection.query("commit");
      noteStep(times, "commit", commitAt, command !== "COMMIT");
      checkServer(this.#address, connection);
      broken = false;
      // PostgreSQL answers the commit of a failed transaction by rolling it back, without an error.
      if (command !== "COMMIT") throw new Error("the transaction had failed before its commit");
      return result;
    } catch (error) {
      if (!isConnectionLost(error))
        broken = await connection.query("rollback").then(
          () => false,
          () => true,
        );
      throw translate(broken ? error : await this.#bulkWrites.explain(owner, connection, error));
    } finally {
      if (times) times.postgresMs += performance.now() - begunAt;
      this.#checkIn(owner, connection, broken);
    }
  }

  state(): { total: number; idle: number; waiting: number } {
    const { totalCount: total, idleCount: idle } = this.#pool;
    return { total, idle, waiting: this.#queue.waitingCount };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #checkOut(owner: Owner, times?: DatabaseTimes): Promise<pg.PoolClient> {
    const askedAt = performance.now();
    try {
      await this.#queue.enter(owner);
    } finally {
      const waitedMs = performance.now() - askedAt;
      if (times) times.queueMs += waitedMs;
      noteStep(times, "wait for a connection", askedAt);
      this.#onQueued?.(waitedMs);
    }
    try {
      for (;;) {
        // The pool takes its settings from here for each connection that it opens.
        if (this.#address.servers) Object.assign(this.#pool.options, await locate(this.#address));
        const connection = await this.#pool.connect();
        if (leadsToServer(this.#address, connection)) return connection;
        connection.release(true);
      }
    } catch (error) {
      this.#address.servers?.forget();
      this.#queue.leave(owner);
      throw databaseUnavailable(error);
    }
  }

  #checkIn(owner: Owner, connection: pg.PoolClient, isBroken: boolean): void {
    connection.release(isBroken);
    this.#queue.leave(owner);
  }
}

/** One name for all: an inner one hides the outer until it is released. */
const SAVEPOINT = "nested";

function send(connection: pg.ClientBase, text: string): void {
  connection.query(text).catch(() => {});
}

async function runNoted<Row extends object>(
  connection: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  times: DatabaseTimes,
): Promise<Row[]> {
  const begunAt = performance.now();
  let hasFailed = true;
  try {
    const rows = await run<Row>(connection, statement, values);
    hasFailed = false;
    return rows;
  } finally {
    noteStatement(times, statement, begunAt, hasFailed);
  }
}

function within(
  connection: pg.ClientBase,
  settings: ConnectionSettings,
  times: DatabaseTimes | undefined,
): Database {
  let now: Promise<number> | undefined;
  const tx: Database = {
    query: times?.steps
      ? (statement, values = []) => runNoted(connection, statement, values, times)
      : (statement, values = []) => run(connection, statement, values),
    now() {
      now ??= readClock(tx.query, settings);
      return now;
    },
    clockOffsetMs: settings.clockOffsetMs ?? 0,
    // Inside one already: if the work fails, what was done before it stands.
    async transaction(work) {
      // Not awaited: what follows travels with it, and fails if it does.
      send(connection, `savepoint ${SAVEPOINT}`);
      try {
        const result = await work(tx);
        send(connection, `release savepoint ${SAVEPOINT}`);
        return result;
      } catch (error) {
        send(connection, `rollback to savepoint ${SAVEPOINT}; release savepoint ${SAVEPOINT}`);
        throw error;
      }
    },
    // That it sees one snapshot is for who began it to say.
    snapshot: (work) => work(tx),
  };
  return tx;
}
