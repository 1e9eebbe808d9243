import pg from "pg";
import { AppError, unavailable } from "../core/errors.ts";
import { FairQueue, type Owner } from "./fair-queue.ts";
import { RowsQuery } from "./rows-query.ts";
import type { Connection } from "./servers.ts";
import { beginText, keepsSession, locate, openingText, Session, type SessionLimits } from "./session.ts";

/** A statement is named once, where it is written; every connection prepares it on first use. */
export interface Statement {
  /** Empty: not kept prepared, but planned for its very values each time. */
  readonly name: string;
  readonly text: string;
  /**
   * `pipelined`: short reads. Many share one connection and are answered in order, so none may take long.
   * `pooled`: may hold its connection, as a commit that waits for the disk does.
   * `expensive`: a read whose cost grows with what an organization has stored. It has few connections, as each keeps a
   * core of PostgreSQL busy, and less time than the others.
   */
  readonly lane: "pipelined" | "pooled" | "expensive";
}

/** A statement that needs no share: it is over at once. */
export type ShortRead = Statement & { readonly lane: "pipelined" };

/** Runs short reads. */
export interface ShortReads {
  query<Row extends object>(statement: ShortRead, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Database {
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result>;
}

/**
 * What the organizations of a server share. It is no `Database`: all but short reads must be asked for on behalf of an
 * organization, whose share of the connections they then take, and a route that forgets to say whose does not compile.
 */
export interface SharedDatabase extends ShortReads {
  for(organizationId: string): Database;
}

/** The program's own: what is asked of it directly has no bound but the pool. */
export interface OpenDatabase extends Database, SharedDatabase {
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Connections of the pool: in all, idle, and requests that wait for one. */
  poolState(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export type { Connection };

export interface DatabaseOptions {
  readonly connection: Connection;
  /** Shown by PostgreSQL in pg_stat_activity. */
  readonly applicationName: string;
  readonly pipelines?: number;
  readonly poolSize?: number;
  /** Zero means no limit. */
  readonly statementTimeoutMs?: number;
  /** The same for expensive statements, if it is another. */
  readonly expensiveTimeoutMs?: number;
  /** How long a statement waits for a lock that another one holds; zero means no limit. */
  readonly lockTimeoutMs?: number;
  /** How long a statement waits for a connection. */
  readonly queueTimeoutMs?: number;
}

/** How much later than PostgreSQL itself we give up on a statement: then the connection is dead, not slow. */
const ANSWER_GRACE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A request that has waited this long is answered, before its caller gives up. */
const QUEUE_TIMEOUT_MS = 5_000;
/** What part of the connections expensive statements have: with 16, three, of which one organization gets two. */
const EXPENSIVE_PART = 0.2;

export function read(name: string, text: string): ShortRead {
  return { name, text, lane: "pipelined" };
}

export function pooled(name: string, text: string): Statement {
  return { name, text, lane: "pooled" };
}

export function expensive(name: string, text: string): Statement {
  return { name, text, lane: "expensive" };
}

/**
 * For a statement that one plan cannot serve: after five runs PostgreSQL may settle on a plan that knows
 * nothing of the values, and for a text search that can be ten times slower.
 */
export function replanned(text: string): Statement {
  return { name: "", text, lane: "expensive" };
}

export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { statementTimeoutMs = 0, lockTimeoutMs = 0, queueTimeoutMs = QUEUE_TIMEOUT_MS } = options;
  const sessionsOf = (timeoutMs: number): SessionSettings => ({
    address: options.connection,
    limits: { statementTimeoutMs: timeoutMs, lockTimeoutMs },
    config: {
      ...options.connection,
      application_name: options.applicationName,
      ...(timeoutMs > 0 && { query_timeout: timeoutMs + ANSWER_GRACE_MS }),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      pipeline: true,
    },
  });
  const sessions = sessionsOf(statementTimeoutMs);
  const poolSize = options.poolSize ?? 16;
  const expensiveSize = Math.max(1, Math.floor(poolSize * EXPENSIVE_PART));
  const pipelines = Array.from({ length: options.pipelines ?? 2 }, () => new Pipeline(sessions));
  const lanes = {
    pooled: new FairPool(sessions, Math.max(1, poolSize - expensiveSize), queueTimeoutMs),
    expensive: new FairPool(
      sessionsOf(options.expensiveTimeoutMs ?? statementTimeoutMs),
      expensiveSize,
      queueTimeoutMs,
    ),
  };
  const pools = Object.values(lanes);
  let closed: Promise<void> | undefined;

  const ownedBy = (owner: Owner): Database => ({
    query: (statement, values = []) =>
      statement.lane === "pipelined"
        ? leastBusy(pipelines).query(statement, values)
        : lanes[statement.lane].query(owner, statement, values),
    transaction: (work) => lanes.pooled.transaction(owner, work),
  });

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

/** The constraint that refused a row, if that is what the error says. */
export function violatedConstraint(error: unknown): string | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  return isPgError(cause) && cause.code?.startsWith("23") ? cause.constraint : undefined;
}

/** Whether the error says that the database is gone, rather than slow or unwilling. */
export function isDatabaseLost(error: unknown): boolean {
  return error instanceof AppError && error.kind === "unavailable" && isConnectionLost(error);
}

/** How the connections of one lane are opened. */
interface SessionSettings {
  readonly address: Connection;
  readonly config: pg.ClientConfig;
  readonly limits: SessionLimits;
}

/** Connections that are used by one statement or transaction at a time, in fair shares. */
class FairPool {
  readonly #address: Connection;
  readonly #limits: SessionLimits;
  readonly #pool: pg.Pool;
  readonly #queue: FairQueue;

  constructor({ address, config, limits }: SessionSettings, size: number, queueTimeoutMs: number) {
    this.#address = address;
    this.#limits = limits;
    this.#queue = new FairQueue(size, queueTimeoutMs);
    this.#pool = new pg.Pool({ ...config, Client: Session, max: size, idleTimeoutMillis: 30_000 });
    // A pooled connection that breaks while idle is dropped by the pool; the next request opens another.
    this.#pool.on("error", () => address.servers?.forget());
    this.#pool.on("connect", (connection) => {
      // The pool listens only while a connection is idle. One that breaks in use fails its statements; unheard,
      // it would end the process as well.
      connection.on("error", () => address.servers?.forget());
      // Sent ahead of the first statement. If it fails the connection is broken, and so does that statement.
      connection.query(openingText(connection, limits)).catch(() => {});
    });
  }

  async query<Row extends object>(
    owner: Owner,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const connection = await this.#checkOut(owner);
    let broken: unknown;
    try {
      return await runAlone<Row>(connection, statement, values);
    } catch (error) {
      broken = isConnectionLost(error) ? error : undefined;
      throw translate(error, statement.lane);
    } finally {
      this.#checkIn(owner, connection, broken !== undefined);
    }
  }

  async transaction<Result>(owner: Owner, work: (tx: Database) => Promise<Result>): Promise<Result> {
    const connection = await this.#checkOut(owner);
    let broken = true;
    try {
      const begun = connection.query(beginText(connection, this.#limits));
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

  async #checkOut(owner: Owner): Promise<pg.PoolClient> {
    await this.#queue.enter(owner);
    try {
      // The pool takes its settings from here for each connection that it opens.
      if (this.#address.servers) Object.assign(this.#pool.options, await locate(this.#address));
      return await this.#pool.connect();
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

/** PostgreSQL refused the statement for something of its own content or a lock: nothing of it was stored. */
export function isRolledBack(error: unknown): boolean {
  return /^(22|23|40|55P03)/.test(stateOf(error));
}

/** Two transactions held what the other wanted, and this one was ended for it. */
export function isDeadlock(error: unknown): boolean {
  return stateOf(error) === "40P01";
}

function stateOf(error: unknown): string {
  const cause = error instanceof AppError ? error.cause : error;
  return isPgError(cause) ? (cause.code ?? "") : "";
}

/** One connection whose statements are sent without waiting for the answers to those before. */
class Pipeline {
  inFlight = 0;
  readonly #sessions: SessionSettings;
  #connection: Promise<pg.Client> | undefined;
  #current: pg.Client | undefined;
  #closed = false;

  constructor(sessions: SessionSettings) {
    this.#sessions = sessions;
  }

  async query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.inFlight++;
    try {
      this.#connection ??= this.#connect();
      const connection = await this.#connection;
      try {
        return await runAlone<Row>(connection, statement, values);
      } catch (error) {
        // It is dead, but nobody has closed it: all that is sent over it would wait as long. Or its server has become
        // a standby.
        if (isDriverTimeout(error) || isReadOnly(error)) this.#abandon(connection);
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
    const { address, config, limits } = this.#sessions;
    const place = await locate(address).catch((error: unknown) => {
      this.#connection = undefined;
      throw databaseUnavailable(error);
    });
    const connection = new Session({ ...config, ...place });
    // Statements in flight are rejected by the driver; the next one connects again.
    connection.on("error", () => this.#forget(connection));
    connection.on("end", () => this.#forget(connection));
    this.#current = connection;
    try {
      await connection.connect();
      await connection.query(openingText(connection, limits));
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
    this.#sessions.address.servers?.forget();
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

/**
 * Runs a statement by itself. What was to be prepared may be missing: others were sent behind a statement whose
 * preparation then timed out, or something between forgot it. None of those has run, so each runs once more, unprepared.
 */
async function runAlone<Row extends object>(
  connection: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return await run<Row>(connection, statement, values);
  } catch (error) {
    if (!isPreparationLost(error)) throw error;
    return submit<Row>(connection, statement, values, false);
  }
}

async function run<Row extends object>(
  connection: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return await submit<Row>(connection, statement, values, keepsSession(connection));
  } catch (error) {
    // Of use in a log is who asked, not that an answer was read.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

function submit<Row extends object>(
  connection: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  isPrepared: boolean,
): Promise<Row[]> {
  return new Promise<Row[]>((resolve, reject) => {
    connection.query(
      new RowsQuery<Row>(statement, values, isPrepared, (error, rows = []) =>
        error ? reject(error) : resolve(rows),
      ),
    );
  });
}

const STATEMENT_TIMED_OUT = "57014";
const LOCK_TIMED_OUT = "55P03";

interface PgError extends Error {
  readonly code?: string;
  readonly severity?: string;
  readonly constraint?: string;
}

function isPgError(error: unknown): error is PgError {
  return error instanceof Error;
}

/** PostgreSQL gone, out of resources or too slow, or its disk at fault: the caller may try again. */
function translate(error: unknown, lane?: Statement["lane"]): unknown {
  if (error instanceof AppError || !isPgError(error)) return error;
  if (error.code === STATEMENT_TIMED_OUT && lane === "expensive")
    return unavailable("This takes too long to find. Narrow the search, or try again later.", error);
  if (error.code === LOCK_TIMED_OUT)
    return unavailable("Another write holds this record right now. Try again.", error);
  return isConnectionLost(error) ||
    /^(53|57014|58|55P03|25006|26000|42P05|40001|40P01)/.test(error.code ?? "")
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

/** A prepared statement that PostgreSQL does not have, or has already: said before anything has run. */
function isPreparationLost(error: unknown): boolean {
  return isPgError(error) && (error.code === "26000" || error.code === "42P05");
}

/** The server has become a standby under us: the primary is elsewhere. */
function isReadOnly(error: unknown): boolean {
  return isPgError(error) && error.code === "25006";
}

export function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (!isPgError(cause)) return false;
  const code = cause.code ?? "";
  return (
    // With an error this grave the connection ends, whatever it is.
    /^(FATAL|PANIC)$/.test(cause.severity ?? "") ||
    /^(08|57P0|25006)/.test(code) ||
    /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ENOTCONN)/.test(code) ||
    /Connection terminated|connection timeout|read timeout|timeout exceeded|not queryable|was closed/i.test(
      cause.message,
    )
  );
}
