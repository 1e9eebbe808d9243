import pg from "pg";
import { AppError, unavailable } from "../core/errors.ts";
import { RowsQuery } from "./rows-query.ts";

/** A statement is named once, where it is written; every connection prepares it on first use. */
export interface Statement {
  /** Empty: not kept prepared, but planned for its very values each time. */
  readonly name: string;
  readonly text: string;
  /**
   * Short reads are pipelined: many share one connection, answered in order. A statement that may hold its
   * connection (a commit that waits for the disk, a search over many rows) takes one of the pool instead.
   */
  readonly lane: "pipelined" | "pooled";
}

export interface Database {
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result>;
}

export interface OpenDatabase extends Database {
  /** Connections of the pool: in all, idle, and requests that wait for one. */
  poolState(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export type Connection = pg.ClientConfig;

export interface DatabaseOptions {
  readonly connection: Connection;
  /** Shown by PostgreSQL in pg_stat_activity. */
  readonly applicationName: string;
  readonly pipelines?: number;
  readonly poolSize?: number;
  /** Zero means no limit. */
  readonly statementTimeoutMs?: number;
}

/** How much later than PostgreSQL itself we give up on a statement: then the connection is dead, not slow. */
const ANSWER_GRACE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** What the type parsers rely on, whatever the database or its address have set. */
const SESSION = "set timezone = 'UTC'; set datestyle = 'ISO'";

export function read(name: string, text: string): Statement {
  return { name, text, lane: "pipelined" };
}

export function pooled(name: string, text: string): Statement {
  return { name, text, lane: "pooled" };
}

/**
 * For a statement that one plan cannot serve: after five runs PostgreSQL may settle on a plan that knows
 * nothing of the values, and for a text search that can be ten times slower.
 */
export function replanned(text: string): Statement {
  return { name: "", text, lane: "pooled" };
}

export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const config: pg.ClientConfig = {
    ...options.connection,
    application_name: options.applicationName,
    ...(options.statementTimeoutMs && {
      statement_timeout: options.statementTimeoutMs,
      query_timeout: options.statementTimeoutMs + ANSWER_GRACE_MS,
    }),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
  };
  const pipelines = Array.from({ length: options.pipelines ?? 2 }, () => new Pipeline(config));
  const pool = new pg.Pool({ ...config, max: options.poolSize ?? 16, idleTimeoutMillis: 30_000 });
  // A pooled connection that breaks while idle is dropped by the pool; the next request opens another.
  pool.on("error", () => {});
  pool.on("connect", (connection) => {
    // The pool listens only while a connection is idle. One that breaks in use fails its statements; unheard,
    // it would end the process as well.
    connection.on("error", () => {});
    // Sent ahead of the first statement. If it fails the connection is broken, and so does that statement.
    connection.query(SESSION).catch(() => {});
  });

  let closed: Promise<void> | undefined;

  const checkOut = (): Promise<pg.PoolClient> =>
    pool.connect().catch((error: unknown) => {
      throw databaseUnavailable(error);
    });

  return {
    async query<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
      if (statement.lane === "pipelined") return leastBusy(pipelines).query<Row>(statement, values);
      const connection = await checkOut();
      let broken: unknown;
      try {
        return await run<Row>(connection, statement, values);
      } catch (error) {
        broken = isConnectionLost(error) ? error : undefined;
        throw translate(error);
      } finally {
        connection.release(broken !== undefined);
      }
    },

    async transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result> {
      const connection = await checkOut();
      let broken = true;
      try {
        const begun = connection.query("begin");
        // Not awaited: the first statement of the work travels with it. If it fails, so does that statement.
        begun.catch(() => {});
        const result = await work(within(connection));
        const { command } = await connection.query("commit");
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
        throw translate(error);
      } finally {
        connection.release(broken);
      }
    },

    poolState: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),

    close() {
      closed ??= Promise.all([...pipelines.map((pipeline) => pipeline.close()), pool.end()]).then(() => {});
      return closed;
    },
  };
}

/** The constraint that refused a row, if that is what the error says. */
export function violatedConstraint(error: unknown): string | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  return isPgError(cause) && cause.code?.startsWith("23") ? cause.constraint : undefined;
}

/** One connection whose statements are sent without waiting for the answers to those before. */
class Pipeline {
  inFlight = 0;
  readonly #config: pg.ClientConfig;
  #connection: Promise<pg.Client> | undefined;
  #current: pg.Client | undefined;
  #closed = false;

  constructor(config: pg.ClientConfig) {
    this.#config = config;
  }

  async query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.inFlight++;
    try {
      this.#connection ??= this.#connect();
      const connection = await this.#connection;
      try {
        return await run<Row>(connection, statement, values);
      } catch (error) {
        // It is dead, but nobody has closed it: all that is sent over it would wait as long.
        if (isDriverTimeout(error)) this.#abandon(connection);
        throw error;
      }
    } catch (error) {
      throw translate(error);
    } finally {
      this.inFlight--;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.end();
  }

  async #connect(): Promise<pg.Client> {
    if (this.#closed) throw unavailable("The server is shutting down.");
    const connection = new pg.Client(this.#config);
    // Statements in flight are rejected by the driver; the next one connects again.
    connection.on("error", () => this.#forget(connection));
    connection.on("end", () => this.#forget(connection));
    this.#current = connection;
    try {
      await connection.connect();
      await connection.query(SESSION);
      return connection;
    } catch (error) {
      this.#forget(connection);
      throw databaseUnavailable(error);
    }
  }

  #abandon(connection: pg.Client): void {
    this.#forget(connection);
    connection.end().catch(() => {});
  }

  // A connection can be reported broken twice, the second time when its successor is already in use.
  #forget(connection: pg.Client): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    this.#connection = undefined;
  }
}

function leastBusy(pipelines: readonly Pipeline[]): Pipeline {
  let best = pipelines[0];
  for (const pipeline of pipelines)
    if (best === undefined || pipeline.inFlight < best.inFlight) best = pipeline;
  if (best === undefined) throw new Error("a database needs at least one pipeline");
  return best;
}

function within(connection: pg.ClientBase): Database {
  const tx: Database = {
    query: (statement, values = []) => run(connection, statement, values),
    // Already inside one: the work joins it.
    transaction: (work) => work(tx),
  };
  return tx;
}

async function run<Row extends object>(
  connection: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      connection.query(
        new RowsQuery<Row>(statement, values, (error, rows = []) => (error ? reject(error) : resolve(rows))),
      );
    });
  } catch (error) {
    // Of use in a log is who asked, not that an answer was read.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

interface PgError extends Error {
  readonly code?: string;
  readonly severity?: string;
  readonly constraint?: string;
}

function isPgError(error: unknown): error is PgError {
  return error instanceof Error;
}

/** PostgreSQL gone, out of resources or too slow, or its disk at fault: the caller may try again. */
function translate(error: unknown): unknown {
  if (error instanceof AppError || !isPgError(error)) return error;
  return isConnectionLost(error) || /^(53|57014|58|55P03|25006|40001|40P01)/.test(error.code ?? "")
    ? databaseUnavailable(error)
    : error;
}

function databaseUnavailable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return unavailable("The database is not available right now.", cause);
}

/** The driver gave up on a statement, ANSWER_GRACE_MS after PostgreSQL itself should have. */
function isDriverTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (!isPgError(cause)) return false;
  const code = cause.code ?? "";
  return (
    // With an error this grave the connection ends, whatever it is.
    /^(FATAL|PANIC)$/.test(cause.severity ?? "") ||
    /^(08|57P0)/.test(code) ||
    /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ENOTCONN)/.test(code) ||
    /Connection terminated|connection timeout|read timeout|timeout exceeded|not queryable|was closed/i.test(
      cause.message,
    )
  );
}
