import pg from "pg";
import type { Connection } from "./servers.ts";

/** Bounds for the statements of a session, in milliseconds; zero means none. */
export interface SessionLimits {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

interface SessionConfig extends pg.ClientConfig {
  readonly keepsSession?: boolean;
}

/** A connection that knows whether what is prepared or set on it stays there. */
export class Session extends pg.Client {
  readonly keepsSession: boolean;

  constructor(config: SessionConfig = {}) {
    super(config);
    this.keepsSession = config.keepsSession ?? true;
  }
}

/** What must be added to the settings to reach the server of the moment. */
export async function locate({ servers }: Connection): Promise<SessionConfig> {
  if (servers === undefined) return {};
  const { config, keepsSession } = await servers.find();
  return { ...config, keepsSession };
}

/** What the type parsers rely on, whatever the database or its address have set. A pooler keeps these two for us. */
const FORMATS = "set timezone = 'UTC'; set datestyle = 'ISO'";

/** What is sent before the first statement. Not in the greeting, where a pooler refuses what it does not know. */
export function openingText(connection: pg.ClientBase, limits: SessionLimits): string {
  const { statementTimeoutMs, lockTimeoutMs } = limits;
  if (!keepsSession(connection)) return FORMATS;
  return `${FORMATS}; set statement_timeout = ${statementTimeoutMs}; set lock_timeout = ${lockTimeoutMs}`;
}

/** How a transaction begins. Where the session is not ours the bounds are set for the transaction alone. */
export function beginText(connection: pg.ClientBase, limits: SessionLimits): string {
  const { statementTimeoutMs, lockTimeoutMs } = limits;
  if (keepsSession(connection)) return "begin";
  return `begin; set local statement_timeout = ${statementTimeoutMs}; set local lock_timeout = ${lockTimeoutMs}`;
}

export function keepsSession(connection: pg.ClientBase): boolean {
  return !(connection instanceof Session) || connection.keepsSession;
}
