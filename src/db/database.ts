import type { Clock } from "../core/clock.ts";
import type { NotedSteps } from "../core/steps.ts";
import type { ShortRead, Statement } from "./statements.ts";

/** Where the time of a request goes, in milliseconds; what runs at the same time counts twice. */
export interface DatabaseTimes extends NotedSteps {
  /** Waiting for a connection. */
  queueMs: number;
  /** From then on until the answer. */
  postgresMs: number;
}

/** Runs short reads. */
export interface ShortReads extends Pick<Clock, "clockOffsetMs"> {
  query<Row extends object>(statement: ShortRead, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Clock {
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result>;
  /**
   * A transaction that only reads, and sees one snapshot throughout. It has a connection apart from all others, so that
   * it may last for minutes.
   */
  snapshot<Result>(work: (tx: Database) => Promise<Result>): Promise<Result>;
}

/**
 * What the organizations of a server share. It is no `Database`: all but short reads must be asked for on behalf of an
 * organization, whose share of the connections they then take, and a route that forgets to say whose does not compile.
 */
export interface SharedDatabase extends ShortReads {
  for(organizationId: string, times?: DatabaseTimes): Database;
}

/** The program's own: what is asked of it directly has no bound but the pool. */
export interface ProgramDatabase extends Database, SharedDatabase {
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** The same, by whoever opened it. */
export interface OpenDatabase extends ProgramDatabase {
  /** Connections of the pool: in all, idle, and requests that wait for one. */
  poolState(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}
