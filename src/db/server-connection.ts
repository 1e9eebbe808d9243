import { describeEndpoint } from "./address.ts";
import { CannotConnect, connectionReason } from "./connection-errors.ts";
import pg from "./driver.ts";
import {
  type ChosenServer,
  CONNECT_TIMEOUT_MS,
  type ConnectionSettings,
  FormerPrimary,
  WHO_ANSWERS,
} from "./servers.ts";
import type { Statement } from "./statements.ts";

/** How the statements of a session are carried out. */
export interface StatementSettings {
  /** Bounds in milliseconds; zero means none. */
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /**
   * `average`: a prepared statement has one plan, made for the average organization. PostgreSQL takes one that its
   * statistics do not know yet for empty, and may then join all of its clients with all of its sessions.
   * `statement`: the same, but those without a name are planned for their values.
   */
  readonly planFor: "average" | "statement";
}

/** How the connections of one lane are opened. */
export interface LaneSettings {
  readonly address: ConnectionSettings;
  readonly config: pg.ClientConfig;
  readonly statements: StatementSettings;
}

interface ServerConnectionConfig extends pg.ClientConfig, Partial<Omit<ChosenServer, "config">> {}

/** A connection that knows whether what is prepared or set on it stays there, and which server it was opened to. */
export class ServerConnection extends pg.Client {
  readonly keepsSession: boolean;
  /** Absent where there is one server for ever. */
  readonly chosen: Pick<ChosenServer, "choice" | "instance"> | undefined;
  /** What its statements are planned for now. */
  planFor: "average" | "values" = "average";

  constructor(config: ServerConnectionConfig = {}) {
    super(config);
    const { keepsSession = true, choice, instance } = config;
    this.keepsSession = keepsSession;
    this.chosen = choice === undefined || instance === undefined ? undefined : { choice, instance };
  }
}

/** What must be added to the settings to reach the server of the moment. */
export async function locate({ servers }: ConnectionSettings): Promise<ServerConnectionConfig> {
  if (servers === undefined) return {};
  const { config, ...server } = await servers.find();
  return { ...config, ...server };
}

/** To be called with a connection that was just opened: its address may lead to another server than the one that was chosen. */
export async function verifyServer(connection: pg.ClientBase): Promise<void> {
  if (!(connection instanceof ServerConnection) || connection.chosen === undefined) return;
  const asked = { text: `select ${WHO_ANSWERS}`, query_timeout: CONNECT_TIMEOUT_MS };
  const { rows } = await connection.query<{ standby: boolean; instance: string }>(asked);
  const [found] = rows;
  if (found?.standby !== false || found.instance !== connection.chosen.instance) throw new FormerPrimary();
}

/** Whether the server that the connection was opened to is still the one to use. */
export function leadsToServer({ servers }: ConnectionSettings, connection: pg.ClientBase): boolean {
  if (servers === undefined || !(connection instanceof ServerConnection)) return true;
  return connection.chosen === undefined || servers.isCurrent(connection.chosen.choice);
}

/** Throws if it is not, or if none may be used: then an answer of it is none. */
export function checkServer({ servers }: ConnectionSettings, connection: pg.ClientBase): void {
  if (servers && connection instanceof ServerConnection && connection.chosen)
    servers.check(connection.chosen.choice);
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
  { statementTimeoutMs, lockTimeoutMs }: StatementSettings,
): string {
  const settings = [
    `statement_timeout = ${statementTimeoutMs}`,
    `lock_timeout = ${lockTimeoutMs}`,
    `plan_cache_mode = ${PLAN_CACHE_MODES.average}`,
  ];
  return settings.map((setting) => `; ${set} ${setting}`).join("");
}

const PLAN_CACHE_MODES = { average: "force_generic_plan", values: "force_custom_plan" } as const;

/** Has a statement planned as the lane has it. What that takes is sent ahead of it, and only when it was another one before. */
export function choosePlan(
  connection: pg.ClientBase,
  statement: Statement,
  { planFor }: StatementSettings,
): void {
  if (!(connection instanceof ServerConnection) || !connection.keepsSession) return;
  const wanted = planFor === "statement" && statement.name === "" ? "values" : "average";
  if (connection.planFor === wanted) return;
  connection.planFor = wanted;
  // If it fails the connection is broken, and so does the statement.
  connection.query(`set plan_cache_mode = ${PLAN_CACHE_MODES[wanted]}`).catch(() => {});
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
    await verifyServer(connection);
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
