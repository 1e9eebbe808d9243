import assert from "node:assert/strict";
import { Agent, request as httpRequest } from "node:http";
import { after } from "node:test";
import { type Logger, pino } from "pino";
import { buildServer, type CallerTimeLimits, type RequestTracing } from "../../src/api/server.ts";
import type { CallRules } from "../../src/core/network-addresses.ts";
import type { Database, OpenDatabase } from "../../src/db/database.ts";
import { type DatabaseOptions, openDatabase } from "../../src/db/open-database.ts";
import type { RateLimit } from "../../src/domain/keys/admission.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import type { OrganizationLimits } from "../../src/domain/organizations/organization-limits.ts";
import type { OrganizationRecord } from "../../src/domain/organizations/queries.ts";
import type { Tier } from "../../src/domain/organizations/values.ts";
import type { Passwords } from "../../src/domain/staff/passwords.ts";
import type { DownloadLimits } from "../../src/http/downloads.ts";
import type { UploadLimits } from "../../src/http/uploads.ts";
import { createMetrics, type Metrics } from "../../src/process/metrics.ts";
import type { Store } from "../../src/process/store.ts";
import { type ContractCheck, loadContract } from "./contract.ts";
import { closeAfterFiles, filesShare } from "./files.ts";
import { LockOrder } from "./lock-order.ts";
import { writtenOut } from "./openapi-document.ts";
import { openIsolatedStore, openTestStore } from "./store.ts";

export const PUBLIC_URL = "https://api.rollbook.test";

/** A real server on a real socket and a real database. Every answer it gives is held against the contract. */
export interface TestApi {
  readonly url: string;
  /** For what a test sets up and looks at. */
  readonly db: OpenDatabase;
  /** What the server uses. */
  readonly served: OpenDatabase;
  readonly store: Store;
  readonly keySecret: string;
  /** The OpenAPI document that this server publishes, written out, and the check of answers against it. */
  readonly document: object;
  readonly contract: ContractCheck;
  /** How many connections the server has open. */
  countConnections(): Promise<number>;
  newOrganization(details?: { timezone?: string; plan?: Tier; name?: string }): Promise<TestOrganization>;
  /** A request without a key. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface TestOrganization {
  readonly record: OrganizationRecord;
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string): Promise<Answer>;
}

export interface CallOptions {
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined if there is none or it is no JSON. Typed loosely: tests assert on it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  readonly body: any;
}

export interface ApiOptions {
  readonly rate?: RateLimit;
  readonly cacheBytes?: number;
  readonly timeLimits?: CallerTimeLimits;
  /** How long a request waits for one with the same Idempotency-Key. */
  readonly keyPatienceMs?: number;
  readonly downloads?: Partial<DownloadLimits>;
  readonly uploads?: Partial<UploadLimits>;
  /** Of organizations that have none of their own. */
  readonly limits?: OrganizationLimits;
  /** Another server, whose database this one shares. */
  readonly beside?: TestApi;
  readonly logger?: Logger;
  readonly database?: Partial<DatabaseOptions>;
  /** Whether it has a database to itself; otherwise it shares one with the files that run at the same time. */
  readonly isIsolated?: boolean;
  /** As `CLOCK_OFFSET` sets it, for the server and for `db`. */
  readonly clockOffsetMs?: number;
  readonly logsSuccesses?: boolean;
  readonly slowMs?: number;
  readonly metrics?: Metrics;
  readonly tracing?: RequestTracing;
  readonly requireIfMatch?: boolean;
  /** `PUBLIC_URL` unless given. */
  readonly publicUrl?: string;
  /** Any that is free unless given. */
  readonly port?: number;
  readonly hasApplication?: boolean;
  readonly passwords?: Passwords;
  /** Whom webhooks may call: public addresses alone unless given. */
  readonly callRules?: CallRules;
  /** As `MCP_ORIGINS` names them; false turns the Model Context Protocol off. */
  readonly mcpOrigins?: readonly string[] | false;
  /** What the server sees instead of the database, for failures that a healthy one does not have. */
  readonly disturb?: (db: OpenDatabase) => Database;
}

/**
 * Starts a server for a test file and closes it after the file's last test. Files of one process that want nothing special
 * share one: each test has an organization of its own in it.
 */
export async function startApi(options?: ApiOptions): Promise<TestApi> {
  if (!options && filesShare()) return shareApi();
  const api = await openApi(options);
  after(() => api.close());
  return api;
}

let sharedApi: Promise<TestApi> | undefined;

function shareApi(): Promise<TestApi> {
  if (!sharedApi) {
    const opened = openApi();
    sharedApi = opened;
    closeAfterFiles(async () => (await opened).close());
  }
  return sharedApi;
}

/** As `startApi`, for programs that are no test: whoever opens it closes it. */
export async function openApi(options: ApiOptions = {}): Promise<TestApi & { close(): Promise<void> }> {
  const store = options.beside?.store ?? (await (options.isIsolated ? openIsolatedStore() : openTestStore()));
  const connection = {
    ...(options.database?.connection ?? store.connection),
    clockOffsetMs: options.clockOffsetMs ?? 0,
  };
  const db = openDatabase({ connection, applicationName: "rollbook test" });
  // Another name, by which the guard of versions distinguishes the server's writes from those of the tests.
  const served = openDatabase({
    applicationName: "rollbook serve",
    statementTimeoutMs: 8000,
    snapshots: Math.max(options.downloads?.atOnce ?? 4, 1),
    ...options.database,
    connection,
  });
  const keySecret = await store.keySecret();
  const lockOrder = new LockOrder();
  const disturbed = options.disturb?.(served);
  const app = buildServer({
    db: disturbed
      ? { ...disturbed, clockOffsetMs: served.clockOffsetMs, for: () => disturbed }
      : lockOrder.watch(served),
    keySecret,
    rate: options.rate,
    publicUrl: options.publicUrl ?? PUBLIC_URL,
    version: "0.0.0",
    hasApplication: options.hasApplication ?? true,
    passwords: options.passwords,
    requireIfMatch: options.requireIfMatch ?? false,
    ...(options.callRules && { callRules: options.callRules }),
    ...(options.mcpOrigins !== undefined && { mcpOrigins: options.mcpOrigins }),
    cacheBytes: options.cacheBytes ?? 4 * 1024 * 1024,
    timeLimits: options.timeLimits,
    keyPatienceMs: options.keyPatienceMs,
    downloads: options.downloads,
    uploads: options.uploads,
    limits: options.limits,
    logger: options.logger ?? pino({ level: "silent" }),
    logsSuccesses: options.logsSuccesses ?? false,
    ...(options.slowMs !== undefined && { slowMs: options.slowMs }),
    tracing: options.tracing,
    metrics: options.metrics ?? createMetrics({ version: "0.0.0" }),
    isReady: async () => true,
    isDraining: () => false,
  });
  const url = await app.listen({ host: "127.0.0.1", port: options.port ?? 0 });
  const { document, contract } = await readContract(url, options);

  const call = async (method: string, path: string, callOptions: CallOptions = {}, key?: string) => {
    const expected = await contractFor(url, path, contract, options.hasApplication ?? true);
    return request(url, expected, method, path, callOptions, key);
  };

  return {
    url,
    db,
    served,
    store,
    keySecret,
    contract,
    document,
    countConnections: () =>
      new Promise((resolve, reject) =>
        app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    async close() {
      // A connection that is answered while the server closes would be waited for until its keep-alive time is over.
      const leaving = setInterval(leaveIdleConnections, 50);
      leaveIdleConnections();
      await app.close().finally(() => clearInterval(leaving));
      await Promise.all([db.close(), served.close()]);
      if (!options.beside) await store.close();
      assert.deepEqual([...lockOrder.faults], [], "an organization is locked before its records");
    },
    call: (method, path, callOptions) => call(method, path, callOptions),
    async newOrganization(details = {}) {
      const record = await createOrganization(db, "test", {
        name: details.name ?? "Studio Test",
        timezone: details.timezone ?? "America/Sao_Paulo",
        currency: "BRL",
        plan: details.plan ?? "Pro",
      });
      const { key, id: keyId } = await mintKey(db, keySecret, "test", { organizationId: record.id });
      return {
        record,
        id: record.id,
        key,
        keyId,
        call: (method, path, callOptions) => call(method, path, callOptions, key),
        get: (path) => call("GET", path, {}, key),
      };
    },
  };
}

interface Published {
  readonly document: object;
  readonly contract: ContractCheck;
}

/** By what the documents depend on: servers of one process publish the same ones. */
const published = new Map<string, Promise<Published>>();

function readContract(
  url: string,
  { publicUrl = PUBLIC_URL, hasApplication = true }: ApiOptions,
): Promise<Published> {
  const name = `${publicUrl} ${hasApplication}`;
  const known = published.get(name) ?? fetchContract(url, hasApplication);
  published.set(name, known);
  return known;
}

/** By whether the server has the application. What answers look like depends on no address, and to compile it takes long. */
const checks = new Map<boolean, ContractCheck>();

async function fetchContract(url: string, hasApplication: boolean): Promise<Published> {
  const document: object = writtenOut((await (await fetch(`${url}/openapi.json`)).json()) as object);
  const contract = checks.get(hasApplication) ?? loadContract(document);
  checks.set(hasApplication, contract);
  return { document, contract };
}

/** That of the application, which few tests ask. */
let staffCheck: ContractCheck | undefined;

async function contractFor(
  url: string,
  path: string,
  contract: ContractCheck,
  hasApplication: boolean,
): Promise<ContractCheck> {
  // Where the application is turned off, none of its addresses is there.
  if (!path.startsWith("/app/") || !hasApplication) return contract;
  staffCheck ??= loadContract(writtenOut((await (await fetch(`${url}/app/openapi.json`)).json()) as object));
  return staffCheck;
}

async function request(
  url: string,
  contract: ContractCheck,
  method: string,
  path: string,
  options: CallOptions,
  key: string | undefined,
): Promise<Answer> {
  const content = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(content !== undefined && { "content-type": "application/json" }),
    ...options.headers,
  };
  const answer = await exchange(url + path, method, headers, content);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff", `${method} ${path}`);
  const faults = contract(method, path, answer);
  assert.deepEqual(
    faults,
    [],
    `${method} ${path} answered ${answer.status} against the contract: ${answer.text.slice(0, 400)}`,
  );
  return answer;
}

const agent = new Agent({ keepAlive: true });

function leaveIdleConnections(): void {
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

/** As `fetch`, for a third of its processor time, which the server in this process shares. */
function exchange(
  address: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  content: string | Uint8Array | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = content !== undefined && { "content-length": Buffer.byteLength(content) };
    const sent = httpRequest(address, { agent, method, headers: { ...headers, ...length } });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const text = new TextDecoder().decode(Buffer.concat(pieces));
        const received = new Headers();
        for (const [name, values = []] of Object.entries(response.headersDistinct))
          for (const value of values) received.append(name, value);
        const isJson = /[/+]json/.test(received.get("content-type") ?? "") && text !== "";
        resolve({
          status: response.statusCode ?? 0,
          headers: received,
          text,
          body: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.end(content);
  });
}
