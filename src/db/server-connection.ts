import { describeEndpoint } from "./address.ts";
import { CannotConnect, connectionReason } from "./connection-errors.ts";
import pg from "./driver.ts";
import type { ConnectionSettings } from "./servers.ts";

/** How the statements of a session are carried out. */
export interface StatementSettings {
  /** Bounds in milliseconds; zero means none. */
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /**
   * `average`: a prepared statement has one plan, made for the average organization. PostgreSQL takes one that its
   * statistics do not know yet for empty, and may then join all of its clients with all of its sessions.
   * `values`: as PostgreSQL chooses, for its values in the first five runs and after them if that seems cheaper.
   */
  readonly planFor: "average" | "values";
}

/** How the connections of one lane are opened. */
export interface LaneSettings {
  readonly address: ConnectionSettings;
  readonly config: pg.ClientConfig;
  readonly statements: StatementSettings;
}

interface ServerConnectionConfig extends pg.ClientConfig {
  readonly keepsSession?: boolean;
}

/** A connection that knows whether what is prepared or set on it stays there. */
export class ServerConnection extends pg.Client {
  readonly keepsSession: boolean;

  constructor(config: ServerConnectionConfig = {}) {
    super(config);
    this.keepsSession = config.keepsSession ?? true;
  }
}

/** What must be added to the settings to reach the server of the moment. */
export async function locate({ servers }: ConnectionSettings): Promise<ServerConnectionConfig> {
  if (servers === undefined) return {};
  const { config, keepsSession } = await servers.find();
  return { ...config, keepsSession };
}

/** What the type parsers rely on, whatever the database or its address have set. A pooler keeps these two for us. */
const FORMATS = "set timezone = 'UTC'; set datestyle = 'ISO'";

/** What is sent before the first statement. Not in the greeting, where a pooler refuses what it does not know. */
export function openingText(connection: pg.ClientBase, settings: StatementSettings): string {
  return keepsSession(connection) ? FORMATS + settingText("set", settings) : FORMATS;
}

/** What a transaction sees: each statement what was committed before it, or all of them the same snapshot. */
export type Isolation = "read committed" | "one snapshot";

/** How a transaction begins. Where the session is not ours its settings are for the transaction alone. */
export function beginText(
  connection: pg.ClientBase,
  settings: StatementSettings,
  isolation: Isolation,
): string {
  const begin = isolation === "one snapshot" ? "begin isolation level repeatable read, read only" : "begin";
  return keepsSession(connection) ? begin : begin + settingText("set local", settings);
}

function settingText(
  set: "set" | "set local",
  { statementTimeoutMs, lockTimeoutMs, planFor }: StatementSettings,
): string {
  const settings = [
    `statement_timeout = ${statementTimeoutMs}`,
    `lock_timeout = ${lockTimeoutMs}`,
    `plan_cache_mode = ${planFor === "average" ? "force_generic_plan" : "auto"}`,
  ];
  return settings.map((setting) => `; ${set} ${setting}`).join("");
}

export function keepsSession(connection: pg.ClientBase): boolean {
  return !(connection instanceof ServerConnection) || connection.keepsSession;
}

/** How long a command waits for its connection. Nobody waits for an answer meanwhile, as callers of the server do. */
const PATIENT_CONNECT_TIMEOUT_MS = 10_000;

/** A connection outside the pool, for work that holds one for long. */
export async function openConnection(
  settings: ConnectionSettings,
  applicationName: string,
): Promise<pg.Client> {
  const connection = new ServerConnection({
    ...settings,
    ...(await locate(settings)),
    application_name: applicationName,
    connectionTimeoutMillis: PATIENT_CONNECT_TIMEOUT_MS,
  });
  // A connection that breaks is reported by the statement that runs. Without a listener it would end the process too.
  connection.on("error", () => {});
  try {
    await connection.connect();
    return connection;
  } catch (cause) {
    await connection.end().catch(() => {});
    const { host = "localhost", port = 5432, user, database } = connection;
    throw new CannotConnect(
      cause,
      connectionReason(cause, { place: describeEndpoint({ host, port }), user, database }),
    );
  }
}
