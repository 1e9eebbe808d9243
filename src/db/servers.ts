import { readFileSync } from "node:fs";
import { AppError } from "../core/errors.ts";
import { type DatabaseAddress, describeEndpoint, type Endpoint, type SslMode } from "./address.ts";
import { CannotConnect, connectionReason } from "./connection-errors.ts";
import pg from "./driver.ts";
import { FORMER_PRIMARY, TWO_PRIMARIES } from "./statement-errors.ts";

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
  /** When it was started, by which it is told from any other that answers at its address later. */
  readonly instance: string;
}

/** The server to use, with its number: each that is chosen after another one has the next. */
export interface ChosenServer extends Server {
  readonly choice: number;
}

/** `auto` takes whatever is found between us and PostgreSQL for a pooler of transactions. */
export type Pooler = "auto" | "session" | "transaction";

export const CONNECT_TIMEOUT_MS = 5_000;

/** A look at one of the servers that takes writes. */
interface Primary {
  readonly place: string;
  readonly server: Server;
  /** Counts promotions: whoever was promoted later has the greater one. */
  readonly timeline: number;
  /** The cluster that it is a copy of. */
  readonly system: string;
}

interface Unusable {
  readonly error: unknown;
  readonly reason: string;
}

/** What a look at all servers found. */
interface ServerSurvey {
  readonly primaries: readonly Primary[];
  readonly unusable: readonly Unusable[];
}

/** What the operator must hear of while the server runs. */
export interface ServersWatcher {
  /** Nobody can say which server has the data: from now on none is used. */
  readonly onConflict: (error: AppError) => void;
  /** A server that is not used takes writes all the same. */
  readonly onStray: (sentence: string) => void;
}

/** How long the others are waited for when one takes writes; what they say later is heard by the next look. */
const OTHERS_MS = 1_000;
const WATCH_EVERY_MS = 2_000;

/**
 * The servers that an address names, of which one is used at a time: the one that takes writes. When a connection to it
 * breaks, the next one looks for it again.
 *
 * If several take writes, the one with the newest timeline is used: it was promoted, and the others have not been told.
 * But a process that has written to another one uses none until only one is left, as what it wrote may be missing in the
 * newer one; and so does everybody if two have the same timeline. A server with an older timeline than one that was used
 * before is not used either.
 *
 * Example: A is used, B is promoted while A goes on. Within two seconds nobody who used A writes any more. Once A is
 * stopped, B is used. If A comes back afterwards B goes on being used, and the log says that A is to be stopped.
 */
export class Servers {
  readonly #address: DatabaseAddress;
  readonly #pooler: Pooler;
  #chosen: Promise<ChosenServer> | undefined;
  #used: Primary | undefined;
  #choice = 0;
  #conflict: AppError | undefined;
  #stray: string | undefined;

  constructor(address: DatabaseAddress, pooler: Pooler) {
    this.#address = address;
    this.#pooler = pooler;
  }

  /** The server to connect to. Fails with one sentence that says what is wrong with each. */
  find(): Promise<ChosenServer> {
    if (this.#conflict) return Promise.reject(this.#conflict);
    if (this.#chosen === undefined) {
      const chosen = this.#survey().then((survey) => this.#choose(survey));
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

  /** Whether a connection that was opened to the server of this number is still one to the server that is used. */
  isCurrent(choice: number): boolean {
    return choice === this.#choice;
  }

  /**
   * To be called before a connection that is open is used, and when it has answered: throws if nobody may write any more, or
   * if another server is used by now, which may have what this one lacks.
   */
  check(choice: number): void {
    if (this.#conflict) throw this.#conflict;
    if (!this.isCurrent(choice)) throw new FormerPrimary();
  }

  /** Says which servers take writes beside the one that is used, if any do. */
  get stray(): string | undefined {
    return this.#stray;
  }

  /** Polls all servers: of another one that is promoted, the one in use says nothing. */
  watch({ onConflict, onStray }: ServersWatcher): { stop(): void } {
    let timer: NodeJS.Timeout | undefined;
    let conflict: AppError | undefined;
    let stray: string | undefined;
    const look = async () => {
      const survey = await this.#survey("all");
      try {
        this.#choose(survey);
      } catch {
        // That none can be used is told by whoever needs one.
      }
      if (this.#conflict && !conflict) onConflict(this.#conflict);
      conflict = this.#conflict;
      if (this.#stray !== undefined && this.#stray !== stray) onStray(this.#stray);
      stray = this.#stray;
      next();
    };
    const next = () => {
      timer = setTimeout(() => void look(), WATCH_EVERY_MS).unref();
    };
    if (this.#address.endpoints.length > 1) next();
    return { stop: () => clearTimeout(timer) };
  }

  #choose({ primaries, unusable }: ServerSurvey): ChosenServer {
    const newest = primaries.reduce<Primary | undefined>(
      (best, one) => (best && best.timeline >= one.timeline ? best : one),
      undefined,
    );
    if (newest === undefined) {
      const cause = unusable[0]?.error;
      throw cause instanceof AppError
        ? cause
        : new CannotConnect(cause, unusable.map(({ reason }) => reason).join("; "));
    }
    const others = primaries.filter((one) => one !== newest);
    const isTold = others.every(
      ({ system, timeline, server }) =>
        system === newest.system &&
        timeline < newest.timeline &&
        server.instance !== this.#used?.server.instance,
    );
    if (!isTold) {
      this.#conflict = twoPrimaries(primaries);
      throw this.#conflict;
    }
    // After a conflict it is the operator who has decided which one is left.
    const isDecided = this.#conflict !== undefined;
    if (!isDecided && this.#used?.system === newest.system && newest.timeline < this.#used.timeline)
      throw outdated(newest, this.#used);
    this.#conflict = undefined;
    if (!isSame(newest, this.#used)) this.#choice++;
    this.#used = newest;
    this.#stray = others.length === 0 ? undefined : strayPrimaries(others, newest);
    const chosen = { ...newest.server, choice: this.#choice };
    // Of two looks under way, the last to end has chosen for all.
    this.#chosen = Promise.resolve(chosen);
    return chosen;
  }

  /** Looks at all servers, and waits for `all`, or for those that answer soon after the one that is used. */
  async #survey(wanted: "soon" | "all" = "soon"): Promise<ServerSurvey> {
    const { endpoints } = this.#address;
    let isAwaited = this.#used !== undefined;
    const outcomes: (Primary | Unusable | undefined)[] = endpoints.map(() => undefined);
    const primaries = () => outcomes.filter((outcome) => outcome !== undefined && "server" in outcome);
    let enough = () => {};
    const late = new Promise<void>((resolve) => {
      enough = resolve;
    });
    let timer: NodeJS.Timeout | undefined;
    // All at once, so that one that does not answer costs little time.
    const all = endpoints.map(async (endpoint, index) => {
      const outcome = await this.#try(endpoint);
      outcomes[index] = outcome;
      if (describeEndpoint(endpoint) === this.#used?.place) isAwaited = false;
      if (wanted === "soon" && primaries().length > 0 && !isAwaited) timer ??= setTimeout(enough, OTHERS_MS);
    });
    await Promise.race([Promise.all(all), late]);
    clearTimeout(timer);
    return {
      // One server may have several names.
      primaries: primaries().filter(
        ({ server: { instance } }, index, all) =>
          all.findIndex(({ server }) => server.instance === instance) === index,
      ),
      unusable: outcomes.filter((outcome) => outcome !== undefined && "reason" in outcome),
    };
  }

  async #try(endpoint: Endpoint): Promise<Primary | Unusable> {
    const { user, database } = this.#address;
    let first: Unusable | undefined;
    for (const mode of attemptsOf(endpoint, this.#address.sslMode)) {
      try {
        return await this.#probe(endpoint, mode);
      } catch (error) {
        const reason = connectionReason(error, { place: describeEndpoint(endpoint), user, database });
        // The first mode is the preferred one, so its failure is reported, unless it was only the lack of TLS.
        if (first === undefined || first.reason.includes("offers no TLS")) first = { error, reason };
      }
    }
    return first ?? { error: undefined, reason: "there is no way to connect" };
  }

  async #probe(endpoint: Endpoint, mode: SslMode): Promise<Primary> {
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
      const isAlone = this.#address.endpoints.length === 1;
      const { rows } = await client.query<ServerState>(`select ${isAlone ? STATE : `${STATE}, ${COMPARED}`}`);
      const [found] = rows;
      if (!found || found.standby || found.readonly === "on") throw readOnly();
      const { timeline = 0, system = "", instance } = found;
      const server = { config, keepsSession: this.#keepsSession(client, found.pid), instance };
      return { place: describeEndpoint(endpoint), server, timeline, system };
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

interface ServerState {
  readonly standby: boolean;
  readonly readonly: string;
  readonly pid: number;
  readonly instance: string;
  readonly timeline?: number;
  readonly system?: string;
}

/** What a connection says of the server that it leads to. */
export const WHO_ANSWERS =
  "pg_is_in_recovery() as standby, extract(epoch from pg_postmaster_start_time())::text as instance";

const STATE = `${WHO_ANSWERS}, pg_backend_pid() as pid,
  current_setting('default_transaction_read_only') as readonly`;

// A timeline is the first eight hexadecimal digits of a WAL file's name; a standby writes none. That of the last
// checkpoint is the old one for a while after a promotion.
const COMPARED = `case when not pg_is_in_recovery()
    then ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer end as timeline,
  (select system_identifier::text from pg_control_system()) as system`;

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

/** Taken for a lost connection: the log has one line of it, however many requests are refused. */
class TwoPrimaries extends Error {
  readonly code = TWO_PRIMARIES;

  constructor() {
    super("several servers take writes");
  }
}

/** Taken for a lost connection: what the server of before answers may be out of date. */
export class FormerPrimary extends Error {
  readonly code = FORMER_PRIMARY;

  constructor() {
    super("another server is used by now");
  }
}

function isSame(one: Primary, other: Primary | undefined): boolean {
  return (
    one.server.instance === other?.server.instance &&
    one.system === other.system &&
    one.timeline === other.timeline
  );
}

function describePrimaries(primaries: readonly Primary[]): string {
  return primaries.map(({ place, timeline }) => `${place} (timeline ${timeline})`).join(" and ");
}

function twoPrimaries(primaries: readonly Primary[]): AppError {
  const sentence = `Several servers of DATABASE_URL take writes, ${describePrimaries(primaries)}, and each may have what the others lack: nothing is written until all but one are stopped (see "Two primaries" in docs/guides/scaling-out.md).`;
  return new AppError("unavailable", sentence, { cause: new TwoPrimaries() });
}

function strayPrimaries(others: readonly Primary[], used: Primary): string {
  return `Beside ${describePrimaries([used])}, which is the one to use, ${describePrimaries(others)} takes writes: stop it. Servers that have written to it refuse all requests until then (see "Two primaries" in docs/guides/scaling-out.md).`;
}

function outdated(found: Primary, used: Primary): AppError {
  const sentence = `${describePrimaries([found])} takes writes, but lacks what was written to ${describePrimaries([used])} since: start that one again, or restart Rollbook to use the older data`;
  return new CannotConnect(new TwoPrimaries(), sentence);
}

function readOnly(): Error {
  return Object.assign(new Error("the server takes no writes"), { code: "READ_ONLY" });
}
