import { AppError } from "../core/errors.ts";

/** What a failed connection was to: as far as the operator may read it. */
export interface Target {
  /** `db.example:5432` */
  readonly place: string;
  readonly user?: string | undefined;
  readonly database?: string | undefined;
}

interface DriverError extends Error {
  readonly code?: string;
}

const REASONS: [pattern: RegExp, reason: (target: Target) => string][] = [
  [/^ECONNREFUSED$/, ({ place }) => `nothing listens at ${place}`],
  [
    /^ENOENT$/,
    ({ place }) => `there is no ${place.replace(/^the /, "")}: PostgreSQL is not running, or elsewhere`,
  ],
  [/^EACCES$|^EPERM$/, ({ place }) => `this user may not open ${place}`],
  [/^ENOTFOUND$|^EAI_/, ({ place }) => `the name of ${place} is not known`],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE|TIMEOUT)$/,
    ({ place }) => `${place} does not answer; check the address and the firewall`,
  ],
  [/^NO_PASSWORD$/, ({ user }) => `the server asks for a password of user ${quote(user)}, and there is none`],
  [/^28P01$/, ({ user }) => `the password of user ${quote(user)} is wrong, or there is no such user`],
  [
    /^28000$/,
    ({ user }) =>
      `the server does not let user ${quote(user)} in from here; check the user, pg_hba.conf and whether it demands sslmode=require`,
  ],
  [
    /^3D000$/,
    ({ database }) => `there is no database ${quote(database)} on that server; create it with encoding UTF8`,
  ],
  [/^42501$/, ({ user, database }) => `user ${quote(user)} may not connect to database ${quote(database)}`],
  [/^53300$/, () => "the server has no free connection; raise its max_connections or lower POOL_SIZE"],
  [/^57P0[123]$/, () => "the server is starting up or shutting down; try again in a moment"],
  [/^FORMER_PRIMARY$/, () => "another server is used since the connection was opened"],
  [/^NO_TLS$/, ({ place }) => `${place} offers no TLS, which sslmode demands`],
  [/^CERT_HAS_EXPIRED$/, ({ place }) => `the certificate of ${place} has expired`],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, ({ place }) => `the certificate of ${place} is for another host name`],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_\w+)$/,
    ({ place }) => `the certificate of ${place} is not signed by an authority of sslrootcert`,
  ],
  [
    /^(?:READ_ONLY|25006)$/,
    ({ place }) =>
      `${place} is a standby or read-only and takes no writes; name the primary, or several hosts`,
  ],
];

/** Why a connection could not be opened, in words that go on after a colon. */
export function connectionReason(error: unknown, target: Target): string {
  // A host with several addresses fails with an error for each, and none of its own.
  if (error instanceof AggregateError) return connectionReason(error.errors[0], target);
  if (!(error instanceof Error)) return "the driver failed";
  const code = codeOf(error);
  const reason = REASONS.find(([pattern]) => pattern.test(code))?.[1];
  if (reason) return /^E[A-Z]+$/.test(code) ? `${reason(target)} (${code})` : reason(target);
  return `${target.place} refused: ${error.message.replace(/\.$/, "")}`;
}

/** Why the database is not available, in words that go on after a colon. */
export function outageReason(error: unknown): string {
  if (error instanceof AppError && error.detail === undefined) return error.message.replace(/\.$/, "");
  return connectionReason(error instanceof AppError ? error.cause : error, { place: "the server" });
}

/** No connection could be opened, for whatever reason. */
export class CannotConnect extends AppError {
  constructor(cause: unknown, reason: string) {
    super("unavailable", `The database cannot be reached: ${reason}.`, { cause });
  }
}

/** A failed statement that its operator can do something about, in one sentence; undefined for all others. */
export function explainRefusedStatement(
  error: unknown,
  { user, database }: Omit<Target, "place">,
): string | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  switch (cause instanceof Error ? codeOf(cause) : "") {
    case "42501":
      return `User ${quote(user)} lacks a right in database ${quote(database)}: make it the owner of the database and of what is in it.`;
    case "25006":
      return "The database takes no writes: it is a standby, or set to read-only.";
    case "53100":
      return "The disk of the database is full.";
    case "53200":
      return "The database server has no memory left.";
    default:
      return undefined;
  }
}

/** The driver's own failures have no code, only words. */
function codeOf(error: DriverError): string {
  if (error.code) return error.code;
  if (/does not support SSL/.test(error.message)) return "NO_TLS";
  if (/password must be a string|password must be a non-empty string/.test(error.message))
    return "NO_PASSWORD";
  if (/timeout|terminated/i.test(error.message)) return "TIMEOUT";
  return "";
}

function quote(name: string | undefined): string {
  return name === undefined ? "of the operating system" : `"${name}"`;
}
