import type pg from "pg";
import { refusal } from "../core/errors.ts";
import { noteStatement } from "../core/steps.ts";
import type { DatabaseTimes } from "./database.ts";
import type { AnswerSize } from "./pipeline-shares.ts";
import { runAlone } from "./rows-query.ts";
import {
  checkServer,
  type LaneSettings,
  leadsToServer,
  locate,
  openingText,
  ServerConnection,
  verifyServer,
} from "./server-connection.ts";
import { databaseUnavailable, isDriverTimeout, isReadOnly, translate } from "./statement-errors.ts";
import type { Statement } from "./statements.ts";

/** One connection whose statements are sent without waiting for the answers to those before. */
export class Pipeline {
  inFlight = 0;
  readonly #settings: LaneSettings;
  #connection: Promise<pg.Client> | undefined;
  #current: pg.Client | undefined;
  #closed = false;

  constructor(settings: LaneSettings) {
    this.#settings = settings;
  }

  async query<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    times?: DatabaseTimes,
    size?: AnswerSize,
  ): Promise<Row[]> {
    const begunAt = times && performance.now();
    let hasFailed = true;
    this.inFlight++;
    try {
      const { address } = this.#settings;
      if (this.#current && !leadsToServer(address, this.#current)) this.#close(this.#current);
      this.#connection ??= this.#connect();
      const connection = await this.#connection;
      try {
        checkServer(address, connection);
        const rows = await runAlone<Row>(connection, statement, values, size);
        checkServer(address, connection);
        hasFailed = false;
        return rows;
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
      if (times && begunAt !== undefined) {
        times.postgresMs += performance.now() - begunAt;
        noteStatement(times, statement, begunAt, hasFailed);
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.end();
  }

  async #connect(): Promise<pg.Client> {
    if (this.#closed) throw refusal("shutting_down");
    const { address, config, statements } = this.#settings;
    const place = await locate(address).catch((error: unknown) => {
      this.#connection = undefined;
      throw databaseUnavailable(error);
    });
    const connection = new ServerConnection({ ...config, ...place });
    // Statements in flight are rejected by the driver; the next one connects again.
    connection.on("error", () => this.#forget(connection));
    connection.on("end", () => this.#forget(connection));
    this.#current = connection;
    try {
      await connection.connect();
      await verifyServer(connection);
      await connection.query(openingText(connection, statements));
      return connection;
    } catch (error) {
      // It may be open all the same: to a server that is not the one to use.
      this.#abandon(connection);
      throw databaseUnavailable(error);
    }
  }

  #abandon(connection: pg.Client): void {
    this.#forget(connection);
    connection.end().catch(() => {});
  }

  /** What is in flight on it is answered before it ends, and `checkServer` refuses the answers. */
  #close(connection: pg.Client): void {
    this.#current = undefined;
    this.#connection = undefined;
    connection.end().catch(() => {});
  }

  // A connection can be reported broken twice, the second time when its successor is already in use.
  #forget(connection: pg.Client): void {
    if (this.#current !== connection) return;
    this.#settings.address.servers?.forget();
    this.#current = undefined;
    this.#connection = undefined;
  }
}

export function leastBusy(pipelines: readonly Pipeline[]): Pipeline {
  let best = pipelines[0];
  for (const pipeline of pipelines)
    if (best === undefined || pipeline.inFlight < best.inFlight) best = pipeline;
  if (best === undefined) throw new Error("a database needs at least one pipeline");
  return best;
}
