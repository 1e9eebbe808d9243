import { readFileSync } from "node:fs";
import { AppError } from "../core/errors.ts";
import { type DatabaseAddress, describeEndpoint, type Endpoint, type SslMode } from "./address.ts";
import { cannotConnect, connectionReason } from "./connection-errors.ts";
import pg from "./driver.ts";

/** How to reach the database: by the driver's own settings, or by an address that may name several servers. */
export interface ConnectionSettings extends pg.ClientConfig {
  readonly servers?: Servers;
  /** By how much the clock of the data is ahead of PostgreSQL's. With the address, so that no handle can be without. */
  readonly clockOffsetMs?: number;
}

/** How connections reach the server: found out by a first one, then the same for all. */
export interface Server {
  readonly config: Pick<pg.ClientConfig, "host" | "port" | "ssl">;
  /**
   * A pooler such as PgBouncer may hand every transaction to another connection of PostgreSQL. Then nothing may be
   * kept in a session: no prepared statements, no settings.
   */
  readonly keepsSession: boolean;
}

/** `auto` takes whatever is found between us and PostgreSQL for a pooler of transactions. */
export type Pooler = "auto" | "session" | "transaction";

export const CONNECT_TIMEOUT_MS = 5_000;

/**
 * The servers that an address names, of which one is used at a time: the first that takes writes. When a connection
 * to it breaks, the next one looks for it again.
 */
export class Servers {
  readonly #address: DatabaseAddress;
  readonly #pooler: Pooler;
  #chosen: Promise<Server> | undefined;

  constructor(address: DatabaseAddress, pooler: Pooler) {
    this.#address = address;
    this.#pooler = pooler;
  }

  /** The server to connect to. Fails with one sentence that says what is wrong with each. */
  find(): Promise<Server> {
    if (this.#chosen === undefined) {
      const chosen = this.#choose();
      this.#chosen = chosen;
      chosen.catch(() => {
        if (this.#chosen === chosen) this.#chosen = undefined;
      });
    }
    return this.#chosen;
  }

  /** To be called when a connection could not be opened or broke: the server may have handed over to another. */
  forget(): void {
    this.#chosen = undefined;
  }

  async #choose(): Promise<Server> {
    const { endpoints } = this.#address;
    // All at once, so that one that does not answer costs no time; taken in order, so that all nodes choose alike.
    const attempts = endpoints.map((endpoint) => this.#try(endpoint));
    const reasons: string[] = [];
    let cause: unknown;
    for (const attempt of attempts) {
      const outcome = await attempt;
      if ("server" in outcome) return outcome.server;
      reasons.push(outcome.reason);
      cause ??= outcome.error;
    }
    throw cause instanceof AppError ? cause : cannotConnect(cause, reasons.join("; "));
  }

  async #try(endpoint: Endpoint): Promise<{ server: Server } | { error: unknown; reason: string }> {
    const { user, database } = this.#address;
    let first: { error: unknown; reason: string } | undefined;
    for (const mode of attemptsOf(endpoint, this.#address.sslMode)) {
      try {
        return { server: await this.#probe(endpoint, mode) };
      } catch (error) {
        const reason = connectionReason(error, { place: describeEndpoint(endpoint), user, database });
        // The first mode is the preferred one, so its failure is reported, unless it was only the lack of TLS.
        if (first === undefined || first.reason.includes("offers no TLS")) first = { error, reason };
      }
    }
    return first ?? { error: undefined, reason: "there is no way to connect" };
  }

  async #probe(endpoint: Endpoint, mode: SslMode): Promise<Server> {
    const { connectTimeoutMs } = this.#address;
    const config = { ...endpoint, ssl: sslOptions(this.#address, mode) };
    const client = new pg.Client({
      ...sessionConfig(this.#address),
      ...config,
      application_name: "rollbook",
      connectionTimeoutMillis: connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      query_timeout: connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ standby: boolean; readonly: string; pid: number }>(
        `select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') as readonly,
         pg_backend_pid() as pid`,
      );
      const [found] = rows;
      if (!found || found.standby || found.readonly === "on") throw readOnly();
      return { config, keepsSession: this.#keepsSession(client, found.pid) };
    } finally {
      client.end().catch(() => {});
    }
  }

  /** A pooler gives its callers a process id of its own, which is not that of PostgreSQL's process. */
  #keepsSession(client: pg.Client, backend: number): boolean {
    if (this.#pooler !== "auto") return this.#pooler === "session";
    return (client as pg.Client & { processID: number | null }).processID === backend;
  }
}

/** The database of an address. Whoever opens a connection asks its `servers` where to. */
export function connectionTo(address: DatabaseAddress, pooler: Pooler = "auto"): ConnectionSettings {
  return { ...sessionConfig(address), servers: new Servers(address, pooler) };
}

/** What all connections to the address have in common, wherever its server is. */
function sessionConfig(address: DatabaseAddress): pg.ClientConfig {
  const { user, password, database, options } = address;
  return {
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    ...(options !== undefined && { options }),
  };
}

function attemptsOf({ host }: Endpoint, mode: SslMode): SslMode[] {
  // A socket needs no encryption and PostgreSQL offers none there.
  if (host.startsWith("/")) return ["disable"];
  if (mode === "prefer") return ["require", "disable"];
  if (mode === "allow") return ["disable", "require"];
  return [mode];
}

function sslOptions(address: DatabaseAddress, mode: SslMode): NonNullable<pg.ClientConfig["ssl"]> {
  if (mode === "disable") return false;
  const { sslRootCert, sslCert, sslKey } = address;
  const own = {
    ...(sslCert !== undefined && { cert: readPem(sslCert, "sslcert") }),
    ...(sslKey !== undefined && { key: readPem(sslKey, "sslkey") }),
  };
  if (mode === "require") return { ...own, rejectUnauthorized: false };
  return {
    ...own,
    rejectUnauthorized: true,
    ...(sslRootCert !== undefined && sslRootCert !== "system" && { ca: readPem(sslRootCert, "sslrootcert") }),
    ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }),
  };
}

function readPem(path: string, parameter: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new AppError(
      "invalid",
      `The file ${path}, which DATABASE_URL names as ${parameter}, cannot be read.`,
      {
        cause,
      },
    );
  }
}

function readOnly(): Error {
  return Object.assign(new Error("the server takes no writes"), { code: "READ_ONLY" });
}
