/** One place where a PostgreSQL may listen: a host name, an address, or the directory of a socket. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** What DATABASE_URL says. */
export interface DatabaseAddress {
  /** Tried in this order; the first that takes writes is used. */
  readonly endpoints: readonly Endpoint[];
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly sslMode: SslMode;
  /** Paths of PEM files; `system` for the certificates that Node carries. */
  readonly sslRootCert?: string;
  readonly sslCert?: string;
  readonly sslKey?: string;
  readonly connectTimeoutMs?: number;
  /** Command-line options for the session, as libpq has them. */
  readonly options?: string;
}

const DEFAULT_PORT = 5432;

/** Parameters that libpq or common tools put into an address and that change nothing here. */
const IGNORED = new Set([
  "application_name",
  "fallback_application_name",
  "client_encoding",
  "channel_binding",
  "gssencmode",
  "krbsrvname",
  "load_balance_hosts",
  "keepalives",
  "keepalives_idle",
  "keepalives_interval",
  "keepalives_count",
  "tcp_user_timeout",
  "sslcompression",
  "sslsni",
  "uselibpqcompat",
]);

/**
 * Reads an address in libpq's form, several hosts included, which no general URL parser takes. Throws an Error whose
 * message goes on after the name of the setting; it never quotes the address, which may hold a password.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const scheme = ["postgres://", "postgresql://"].find((prefix) => text.startsWith(prefix));
  if (scheme === undefined) throw new Error("must begin with postgres:// or postgresql://");
  const [beforeQuery = "", query = ""] = splitOnce(text.slice(scheme.length), "?");
  const [authority = "", path = ""] = splitOnce(beforeQuery, "/");
  const at = authority.lastIndexOf("@");
  const [user = "", password = ""] = splitOnce(authority.slice(0, Math.max(at, 0)), ":");
  const given = readParameters(query);
  const addressed = { user: decode(user), password: decode(password), dbname: decode(path) };
  const take = (name: string): string | undefined => given.get(name) || undefined;

  checkSessionAttributes(take("target_session_attrs"));
  const optional = {
    user: take("user") ?? addressed.user,
    password: take("password") ?? addressed.password,
    database: take("dbname") ?? addressed.dbname,
    sslRootCert: take("sslrootcert"),
    sslCert: take("sslcert"),
    sslKey: take("sslkey"),
    options: take("options"),
  };
  const seconds = take("connect_timeout");
  if (seconds !== undefined && !/^\d{1,4}$/.test(seconds))
    throw new Error("has a connect_timeout that is not a number of seconds");
  return {
    endpoints: readEndpoints(authority.slice(at + 1), take("host"), take("port")),
    sslMode: readSslMode(take("sslmode"), take("ssl"), take("sslrootcert")),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value)),
    ...(seconds !== undefined && Number(seconds) > 0 && { connectTimeoutMs: Number(seconds) * 1000 }),
  };
}

/** For messages: never with user or password. */
export function describeEndpoint({ host, port }: Endpoint): string {
  if (host.startsWith("/")) return `the socket in ${host}`;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

const KNOWN = new Set([
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "ssl",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "target_session_attrs",
  "connect_timeout",
  "options",
]);

function readParameters(query: string): Map<string, string> {
  const given = new Map<string, string>();
  for (const pair of query.split("&").filter(Boolean)) {
    const [name = "", value = ""] = splitOnce(pair, "=").map(decode);
    // A misspelt sslmode would silently leave the connection open to anybody between.
    if (!KNOWN.has(name) && !IGNORED.has(name)) {
      // What is not a name could be the rest of a password that has a question mark.
      const what = /^[a-z_]{1,40}$/i.test(name) ? `the parameter "${name}", which` : "a parameter that";
      throw new Error(`has ${what} is not known`);
    }
    given.set(name, value);
  }
  return given;
}

/** Rollbook writes, so of several servers it always looks for the one that takes writes. */
function checkSessionAttributes(wanted: string | undefined): void {
  if (wanted !== undefined && !["any", "read-write", "primary"].includes(wanted))
    throw new Error("must have target_session_attrs read-write or primary: Rollbook writes");
}

function readSslMode(
  mode: string | undefined,
  ssl: string | undefined,
  rootCert: string | undefined,
): SslMode {
  if (mode === undefined) {
    if (ssl === "true" || ssl === "1") return "verify-full";
    if (ssl === "false" || ssl === "0") return "disable";
    return rootCert === "system" ? "verify-full" : "prefer";
  }
  if (mode === "no-verify") return "require";
  const known = SSL_MODES.find((name) => name === mode);
  if (known === undefined) throw new Error(`must have an sslmode of: ${SSL_MODES.join(", ")}`);
  // As libpq has it: whoever names a root certificate wants it to be looked at.
  return known === "require" && rootCert !== undefined ? "verify-ca" : known;
}

function readEndpoints(authority: string, hosts: string | undefined, ports: string | undefined): Endpoint[] {
  const written = authority.split(",").map(readHostAndPort);
  const named = hosts === undefined ? written : hosts.split(",").map((host) => ({ host, port: undefined }));
  const numbers = ports?.split(",");
  if (numbers && numbers.length !== 1 && numbers.length !== named.length)
    throw new Error("must have one port for all hosts, or one for each");
  return named.map(({ host, port }, index) => ({
    host: host || "localhost",
    port: readPort(numbers?.[numbers.length === 1 ? 0 : index] ?? port ?? written[index]?.port),
  }));
}

function readHostAndPort(text: string): { host: string; port: string | undefined } {
  const colon = text.lastIndexOf(":");
  // Brackets keep the colons of an IPv6 address apart from the one before the port.
  const hasPort = colon > text.lastIndexOf("]");
  const host = decode(hasPort ? text.slice(0, colon) : text);
  if (host.startsWith("[") !== host.endsWith("]") || /[\s@]/.test(host))
    throw new Error(
      "has a host that cannot be read: encode special characters of the password, such as %40 for @",
    );
  return {
    host: host.startsWith("[") ? host.slice(1, -1) : host,
    port: hasPort ? text.slice(colon + 1) : undefined,
  };
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535)
    throw new Error(
      "has a port that is not a number from 1 to 65535: encode special characters of the password",
    );
  return port;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("has a % that is not followed by two hexadecimal digits: write %25 for a percent sign");
  }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
