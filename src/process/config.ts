import { readFileSync } from "node:fs";
import { formatDuration, parseDuration } from "../core/duration.ts";
import { AppError } from "../core/errors.ts";
import { type CallRules, parseNetworks } from "../core/network-addresses.ts";
import { parseDatabaseUrl } from "../db/address.ts";
import { checkRecipient } from "../db/archive/age.ts";
import type { ArchiveRequest } from "../db/embedded/archiving.ts";
import type { OrganizationLimits } from "../domain/organizations/organization-limits.ts";
import { SAMPLERS } from "../http/trace-context.ts";

const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
const POOLERS = ["auto", "session", "transaction"] as const;

/** Every setting of the program, each with its flag, its environment variable and its default, in one table. */
export const SETTINGS = {
  port: setting("port", "PORT", "8080", "port to listen on", wholeNumber(0, 65_535)),
  host: setting("host", "HOST", "127.0.0.1", "address to listen on", text),
  workers: setting("workers", "WORKERS", "1", "processes that serve", wholeNumber(1, 256)),
  publicUrl: setting(
    "public-url",
    "PUBLIC_URL",
    "",
    "address callers use (default http://localhost:PORT)",
    url,
  ),
  adminPort: setting(
    "admin-port",
    "ADMIN_PORT",
    "",
    "port of /metrics (off unless set)",
    optional(wholeNumber(0, 65_535)),
  ),
  adminHost: setting(
    "admin-host",
    "ADMIN_HOST",
    "127.0.0.1",
    "address that /metrics is listened for on; anybody who reaches it may read it",
    text,
  ),
  dataDir: setting("data-dir", "DATA_DIR", "./data", "where the built-in PostgreSQL keeps its data", text),
  databaseUrl: setting(
    "database-url",
    "DATABASE_URL",
    "",
    "a PostgreSQL 15+ to use instead of the built-in one",
    databaseUrl,
  ),
  backupDir: setting(
    "backup-dir",
    "BACKUP_DIR",
    "",
    "folder where the built-in PostgreSQL archives its log, so that any moment can be restored (off unless set)",
    optional(text),
  ),
  backupDays: setting(
    "backup-days",
    "BACKUP_DAYS",
    "14",
    "days whose moments can be restored",
    wholeNumber(1, 3650),
  ),
  backupSeconds: setting(
    "backup-seconds",
    "BACKUP_SECONDS",
    "60",
    "what the log may lack at most if the machine is lost",
    wholeNumber(1, 3600),
  ),
  backupRecipient: setting(
    "backup-recipient",
    "BACKUP_RECIPIENT",
    "",
    "public key that the archive and backups are encrypted with, as `rollbook backup-key` makes it; `none` ends encryption",
    optional(recipient),
  ),
  pooler: setting(
    "pooler",
    "POOLER",
    "auto",
    "what PgBouncer between does: session, transaction, or auto (transaction if one is found)",
    oneOf(POOLERS),
  ),
  keySecret: setting(
    "",
    "KEY_SECRET",
    "",
    "secret that key hashes are made with; needed with DATABASE_URL",
    keySecret,
  ),
  apiKey: setting(
    "",
    "ROLLBOOK_KEY",
    "",
    "key that `rollbook listen`, `rollbook mcp` and `rollbook conformance` call the API with; no other command uses it",
    optional(text),
  ),
  rateLimit: setting(
    "rate-limit",
    "RATE_LIMIT",
    "600",
    "requests a minute for each key (0: no limit)",
    wholeNumber(0, 1e9),
  ),
  rateBurst: setting(
    "rate-burst",
    "RATE_BURST",
    "100",
    "requests a key may make at once",
    wholeNumber(1, 1e6),
  ),
  orgRequestsPerMinute: setting(
    "org-requests-per-minute",
    "ORG_REQUESTS_PER_MINUTE",
    "0",
    "requests a minute for all keys of an organization that has no limit of its own (0: no limit)",
    wholeNumber(0, 9_999_999),
  ),
  orgRecords: setting(
    "org-records",
    "ORG_RECORDS",
    "0",
    "records that an organization may store that has no limit of its own (0: no limit)",
    wholeNumber(0, 1e12),
  ),
  orgUploadMegabytes: setting(
    "org-upload-mb",
    "ORG_UPLOAD_MB",
    "0",
    "megabytes that an organization may upload a day that has no limit of its own (0: no limit)",
    wholeNumber(0, 1e6),
  ),
  console: setting(
    "console",
    "CONSOLE",
    "on",
    "off turns the staff application off: its addresses are then unknown",
    oneOf(["on", "off"]),
  ),
  mcp: setting(
    "mcp",
    "MCP",
    "on",
    "off turns the Model Context Protocol off: /mcp and /mcp/write are then unknown",
    oneOf(["on", "off"]),
  ),
  mcpOrigins: setting(
    "mcp-origins",
    "MCP_ORIGINS",
    "",
    "websites whose pages may use /mcp, such as https://assistant.example.com, separated by commas",
    originList,
  ),
  webhookNets: setting(
    "webhook-nets",
    "WEBHOOK_NETS",
    "",
    "networks that webhooks may lead to although they are not public, such as 10.0.0.0/8,fd00::/8",
    parseNetworks,
  ),
  webhookHttp: setting(
    "webhook-http",
    "WEBHOOK_HTTP",
    "0",
    "1 lets webhooks lead to addresses without https",
    zeroOrOne,
  ),
  requireIfMatch: setting(
    "require-if-match",
    "REQUIRE_IF_MATCH",
    "0",
    "1 refuses changes of a client that do not say by If-Match which state they are made on",
    zeroOrOne,
  ),
  poolSize: setting(
    "pool-size",
    "POOL_SIZE",
    "16",
    "database connections for writes and searches, in each process",
    wholeNumber(1, 500),
  ),
  downloads: setting(
    "downloads",
    "DOWNLOADS",
    "4",
    "lists that are downloaded whole at the same time, in each process",
    wholeNumber(1, 100),
  ),
  changesDays: setting(
    "changes-days",
    "CHANGES_DAYS",
    "30",
    "days for which the change feed has every single change; the last one of each record stays",
    wholeNumber(7, 3650),
  ),
  cacheMegabytes: setting(
    "cache-mb",
    "CACHE_MB",
    "auto",
    "memory for computed responses, in each process (auto: a sixteenth of what there is for all)",
    orAuto(wholeNumber(0, 4096)),
  ),
  drainMs: setting(
    "drain-ms",
    "DRAIN_MS",
    "500",
    "time between failing /readyz and closing connections",
    wholeNumber(0, 5000),
  ),
  stallSeconds: setting(
    "stall-seconds",
    "STALL_SECONDS",
    "10",
    "time after which a process whose event loop stalls is replaced (0: never)",
    wholeNumber(0, 3600),
  ),
  clockOffsetMs: setting(
    "clock-offset",
    "CLOCK_OFFSET",
    "0",
    "for tests and demos: moves the clock of the data, as +36h or -3d do",
    clockOffset,
  ),
  logRequests: setting(
    "log-requests",
    "LOG_REQUESTS",
    "refused",
    "which requests are logged at info: refused or all",
    oneOf(["refused", "all"]),
  ),
  slowMs: setting(
    "slow-ms",
    "SLOW_MS",
    "1000",
    "milliseconds from which a request is logged with where its time went (0: none)",
    wholeNumber(0, 60_000),
  ),
  otlpEndpoint: setting(
    "",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "",
    "collector of OpenTelemetry that traces and metrics are sent to, such as http://localhost:4318",
    url,
  ),
  otlpHeaders: setting(
    "",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "",
    "headers that the collector asks for, such as api-key=secret,tenant=studio",
    headerFields,
  ),
  otelServiceName: setting(
    "",
    "OTEL_SERVICE_NAME",
    "",
    "what this server is called there (rollbook unless OTEL_RESOURCE_ATTRIBUTES says it)",
    optional(text),
  ),
  otelResource: setting(
    "",
    "OTEL_RESOURCE_ATTRIBUTES",
    "",
    "what else is said of it there, such as deployment.environment.name=production",
    namesAndValues,
  ),
  otelSampler: setting(
    "",
    "OTEL_TRACES_SAMPLER",
    "parentbased_always_on",
    `which requests are traced: ${SAMPLERS.join(", ")}`,
    oneOf(SAMPLERS),
  ),
  otelSamplerRatio: setting(
    "",
    "OTEL_TRACES_SAMPLER_ARG",
    "1",
    "which part of them a sampler with a ratio takes, from 0 to 1",
    ratio,
  ),
  otelTraces: setting("", "OTEL_TRACES_EXPORTER", "otlp", "none sends no traces", oneOf(["otlp", "none"])),
  otelMetrics: setting("", "OTEL_METRICS_EXPORTER", "otlp", "none sends no metrics", oneOf(["otlp", "none"])),
  otelIntervalMs: setting(
    "",
    "OTEL_METRIC_EXPORT_INTERVAL",
    "60000",
    "milliseconds from one sending of the metrics to the next",
    wholeNumber(100, 3_600_000),
  ),
  logLevel: setting(
    "log-level",
    "LOG_LEVEL",
    "info",
    "silent, error, warn, info or debug",
    oneOf(LOG_LEVELS),
  ),
} as const;

export type Config = {
  readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]["parse"]>;
} & {
  /** The language of whoever types, as POSIX finds it: `pt_BR.UTF-8`. */
  readonly locale: string;
};

/** A flag with a value that it cannot have: wrong usage, unlike a wrong value in the environment. */
export class WrongFlag extends Error {}

/** Settings from flags first, then the environment, then defaults. A wrong value stops with one sentence. */
export function loadConfig(
  flags: Readonly<Record<string, string | boolean | undefined>> = {},
  environment: NodeJS.ProcessEnv = process.env,
): Config {
  const config: Record<string, unknown> = {};
  for (const [name, { flag, variable, fallback, parse }] of Object.entries(SETTINGS)) {
    const given = flag === "" ? undefined : flags[flag];
    // A variable that is set to nothing counts as not set, as container tools pass them.
    const raw = typeof given === "string" ? given : environment[variable] || fallback;
    try {
      config[name] = parse(raw);
    } catch (error) {
      const sentence = `${error instanceof Error ? error.message : "is not valid"}.`;
      throw typeof given === "string"
        ? new WrongFlag(`--${flag} ${sentence}`)
        : new AppError("invalid", `${variable} ${sentence}`);
    }
  }
  const { LC_ALL, LC_MESSAGES, LANG } = environment;
  return Object.freeze({ ...config, locale: LC_ALL || LC_MESSAGES || LANG || "" }) as Config;
}

/** What is said at the start when the clock is moved; nothing when it is not. */
export function clockWarning({ clockOffsetMs }: Pick<Config, "clockOffsetMs">): string | undefined {
  if (clockOffsetMs === 0) return undefined;
  const way = clockOffsetMs > 0 ? "ahead" : "behind";
  const length = formatDuration(Math.abs(clockOffsetMs) / 1000);
  return `The clock is ${length} ${way} because of CLOCK_OFFSET, which is for tests and demos: what is stored keeps its times.`;
}

/** The address callers use: as configured, else this machine under the name that works in a browser. */
export function publicUrl(config: Pick<Config, "publicUrl" | "port">): string {
  return config.publicUrl ?? `http://localhost:${config.port}`;
}

/** Where the built-in PostgreSQL is to archive its log. */
export function archiveRequest({
  backupDir,
  backupRecipient,
  backupSeconds,
  databaseUrl,
}: Pick<Config, "backupDir" | "backupRecipient" | "backupSeconds" | "databaseUrl">): ArchiveRequest | "none" {
  if (backupDir === undefined) return "none";
  if (databaseUrl)
    throw new AppError(
      "invalid",
      "BACKUP_DIR is for the built-in PostgreSQL: the one of DATABASE_URL archives its log by its own settings.",
    );
  return { folder: backupDir, recipient: backupRecipient, seconds: backupSeconds };
}

/** What holds for organizations that have no limits of their own. */
export function organizationLimits(
  config: Pick<Config, "orgRequestsPerMinute" | "orgRecords" | "orgUploadMegabytes">,
): OrganizationLimits {
  return {
    requestsPerMinute: config.orgRequestsPerMinute,
    maxRecords: config.orgRecords,
    uploadMegabytesPerDay: config.orgUploadMegabytes,
  };
}

/** Whom webhooks may call. */
export function callRules({
  webhookNets,
  webhookHttp,
}: Pick<Config, "webhookNets" | "webhookHttp">): CallRules {
  return { nets: webhookNets, plainHttp: webhookHttp };
}

/** The version of the program, from its package file. */
export function programVersion(): string {
  // From dist/src/process/ the package file is three levels up.
  const file = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { version: string }).version;
}

interface Setting<Value> {
  readonly flag: string;
  readonly variable: string;
  readonly fallback: string;
  readonly help: string;
  readonly parse: (raw: string) => Value;
}

function setting<Value>(
  flag: string,
  variable: string,
  fallback: string,
  help: string,
  parse: (raw: string) => Value,
): Setting<Value> {
  return { flag, variable, fallback, help, parse };
}

function text(raw: string): string {
  if (raw.trim() === "") throw new Error("must not be empty");
  return raw;
}

function wholeNumber(min: number, max: number) {
  return (raw: string): number => {
    if (!/^\d{1,15}$/.test(raw) || Number(raw) < min || Number(raw) > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return Number(raw);
  };
}

function recipient(raw: string): string {
  if (raw !== "none") checkRecipient(raw);
  return raw;
}

function zeroOrOne(raw: string): boolean {
  if (raw !== "0" && raw !== "1") throw new Error("must be 0 or 1");
  return raw === "1";
}

function orAuto<Value>(parse: (raw: string) => Value) {
  return (raw: string): Value | "auto" => {
    if (raw === "auto") return raw;
    try {
      return parse(raw);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : "is not valid"}, or auto`);
    }
  };
}

function optional<Value>(parse: (raw: string) => Value) {
  return (raw: string): Value | undefined => (raw === "" ? undefined : parse(raw));
}

function url(raw: string): string | undefined {
  if (raw === "") return undefined;
  const parsed = safeUrl(raw);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || /[?#@]/.test(raw)) {
    throw new Error("must be an http or https address without query, such as https://api.example.com");
  }
  // As parsed: what stands here goes into headers, where a stray character would break every answer.
  return withoutSlashes(parsed.href);
}

/** Pairs as OpenTelemetry writes them: `name=value,name=value`, percent-encoded. */
function namesAndValues(raw: string): Readonly<Record<string, string>> {
  const pairs = raw.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...rest] = pair.split("=");
      if (!/^[\w.-]+$/.test(name.trim()) || rest.length === 0)
        throw new Error("must be names and values such as name=value, separated by commas");
      try {
        return [name.trim(), decodeURIComponent(rest.join("=").trim())];
      } catch {
        throw new Error("must be percent-encoded where a value has a comma or a percent sign");
      }
    }),
  );
}

/** What every message has of itself. */
const OF_THE_MESSAGE =
  /^(?:connection|content-length|content-type|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** Such pairs as headers: one that cannot be sent would have every sending fail, and its value told as the reason. */
function headerFields(raw: string): Readonly<Record<string, string>> {
  const fields = namesAndValues(raw);
  for (const [name, value] of Object.entries(fields)) {
    if (OF_THE_MESSAGE.test(name))
      throw new Error(`must not name ${name}, which every message has of its own`);
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new Error(`must have letters, digits and signs of ASCII alone in the value of ${name}`);
  }
  return fields;
}

function ratio(raw: string): number {
  if (!/^(?:0(?:\.\d{1,9})?|1(?:\.0+)?)$/.test(raw)) throw new Error("must be a number from 0 to 1");
  return Number(raw);
}

/** Origins as browsers send them: scheme and host, nothing after. */
function originList(raw: string): readonly string[] {
  const parts = raw.split(",").map((part) => part.trim());
  return parts
    .filter((part) => part !== "")
    .map((part) => {
      const parsed = safeUrl(part);
      if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.origin !== withoutSlashes(part))
        throw new Error("must be origins such as https://assistant.example.com, separated by commas");
      return parsed.origin;
    });
}

/** An address to which paths are added. */
export function withoutSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === "/") end--;
  return address.slice(0, end);
}

function databaseUrl(raw: string): string | undefined {
  if (raw === "") return undefined;
  parseDatabaseUrl(raw);
  return raw;
}

function safeUrl(raw: string): URL | undefined {
  try {
    return new URL(raw);
  } catch {
    return undefined;
  }
}

function keySecret(raw: string): string | undefined {
  if (raw === "") return undefined;
  if (raw.length < 16) throw new Error("must have at least 16 characters");
  return raw;
}

/** Twenty years either way: ids have a time that cannot be before 1970. */
const MAX_OFFSET_SECONDS = 7_300 * 86_400;

/** Milliseconds of a signed duration. */
function clockOffset(raw: string): number {
  const seconds = raw === "0" ? 0 : parseDuration(raw.replace(/^[+-]/, ""));
  if (seconds === undefined || seconds > MAX_OFFSET_SECONDS)
    throw new Error("must be 0 or a duration with a sign, such as +36h or -3d, of at most 7300d");
  return seconds === 0 ? 0 : (raw.startsWith("-") ? -1000 : 1000) * seconds;
}

function oneOf<const Name extends string>(names: readonly Name[]) {
  return (raw: string): Name => {
    const known = names.find((name) => name === raw);
    if (known === undefined) throw new Error(`must be one of: ${names.join(", ")}`);
    return known;
  };
}
