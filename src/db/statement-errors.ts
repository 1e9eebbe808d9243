import { AppError, refusal } from "../core/errors.ts";
import { CannotConnect } from "./connection-errors.ts";
import type { Statement } from "./statements.ts";

/** The constraint that refused a row, if that is what the error says. */
export function violatedConstraint(error: unknown): string | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  return isPgError(cause) && cause.code?.startsWith("23") ? cause.constraint : undefined;
}

/** Whether the error says that the database is gone, rather than slow or unwilling. */
export function isDatabaseLost(error: unknown): boolean {
  if (error instanceof CannotConnect) return true;
  return error instanceof AppError && error.kind === "unavailable" && isConnectionLost(error);
}

/** PostgreSQL refused the statement for something of its own content or a lock: nothing of it was stored. */
export function isRolledBack(error: unknown): boolean {
  return /^(22|23|40|55P03)/.test(stateOf(error));
}

/** Two transactions held what the other wanted, and this one was ended for it. */
export function isDeadlock(error: unknown): boolean {
  return stateOf(error) === "40P01";
}

/** A lock was not to be had within the time that a statement waits for one. */
export function isLockTimeout(error: unknown): boolean {
  return stateOf(error) === LOCK_TIMED_OUT;
}

function stateOf(error: unknown): string {
  const cause = error instanceof AppError ? error.cause : error;
  return isPgError(cause) ? (cause.code ?? "") : "";
}

/** The organization that was not written to because it is on another server, or on its way. */
export function absentOrganization(error: unknown): string | undefined {
  if (stateOf(error) !== ABSENT_ORGANIZATION) return undefined;
  const cause = error instanceof AppError ? error.cause : error;
  return isPgError(cause) ? cause.message.match(/^organization (\S+) is/)?.[1] : undefined;
}

/** Nobody can say which of several servers has the data, so none is used. */
export const TWO_PRIMARIES = "TWO_PRIMARIES";
/** It was sent to a server that is not the one to use any more. */
export const FORMER_PRIMARY = "FORMER_PRIMARY";

const STATEMENT_TIMED_OUT = "57014";
const LOCK_TIMED_OUT = "55P03";
/** Of `refuse_absent_organization`. */
const ABSENT_ORGANIZATION = "40M01";

interface PgError extends Error {
  readonly code?: string;
  readonly severity?: string;
  readonly constraint?: string;
}

function isPgError(error: unknown): error is PgError {
  return error instanceof Error;
}

/** What a SQLSTATE says, in words; the first that it begins with. */
const STATES: readonly (readonly [start: string, words: string])[] = [
  ["08", "the connection broke"],
  ["22", "a value does not fit its column"],
  ["23503", "a record is missing that another refers to, or is still referred to"],
  ["23505", "there is such a record already"],
  ["23", "a record breaks a constraint"],
  ["25006", "it takes no writes: it is a standby, or read-only"],
  ["25P", "the transaction had failed or waited too long"],
  ["28", "the user or the password is not accepted"],
  ["40M01", "the organization is on another server, or on its way"],
  ["40P01", "two transactions waited for each other"],
  ["40", "the transaction met another one"],
  ["42501", "the user lacks a right"],
  ["42P01", "a table is missing: the schema is not the program's"],
  ["42703", "a column is missing: the schema is not the program's"],
  ["42", "the statement is not valid"],
  ["53100", "the disk is full"],
  ["53200", "it has no memory left"],
  ["53300", "it has no connection left"],
  ["53", "it has run out of something"],
  ["55P03", "a lock was not to be had in time"],
  ["57014", "the statement took too long and was cancelled"],
  ["57P0", "it is starting or stopping"],
  ["58", "its machine failed it: the disk, or a file"],
  ["XX", "its data or its program is damaged"],
];

/** For people, with the code for who looks it up: `the disk is full (SQLSTATE 53100)`. */
export function describeState(code: string): string {
  const words = STATES.find(([start]) => code.startsWith(start))?.[1] ?? "something went wrong";
  return `${words} (SQLSTATE ${code})`;
}

/** PostgreSQL gone, out of resources or too slow, or its disk failing: the caller may try again. */
export function translate(error: unknown, lane?: Statement["lane"]): unknown {
  if (error instanceof AppError || !isPgError(error)) return error;
  if (error.code === STATEMENT_TIMED_OUT && lane === "expensive")
    return refusal("search_too_slow", { cause: error });
  if (error.code === ABSENT_ORGANIZATION) return refusal("organization_arriving", { cause: error });
  if (isLockTimeout(error) || isDeadlock(error)) return refusal("record_locked", { cause: error });
  return isConnectionLost(error) ||
    /^(53|57014|58|55P03|25006|26000|42P05|40001|40P01)/.test(error.code ?? "")
    ? databaseUnavailable(error)
    : error;
}

export function databaseUnavailable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return refusal("database_unavailable", { cause });
}

/** The driver gave up on a statement later than PostgreSQL itself should have. */
export function isDriverTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** A prepared statement that PostgreSQL does not have, or has already: said before anything has run. */
export function isPreparationLost(error: unknown): boolean {
  return isPgError(error) && (error.code === "26000" || error.code === "42P05");
}

/** The server has become a standby under us: the primary is elsewhere. */
export function isReadOnly(error: unknown): boolean {
  return isPgError(error) && error.code === "25006";
}

export function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (!isPgError(cause)) return false;
  const code = cause.code ?? "";
  return (
    // With an error this grave the connection ends, whatever it is.
    /^(FATAL|PANIC)$/.test(cause.severity ?? "") ||
    code === TWO_PRIMARIES ||
    code === FORMER_PRIMARY ||
    /^(08|57P0|25006)/.test(code) ||
    /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ENOTCONN)/.test(code) ||
    /Connection terminated|connection timeout|read timeout|timeout exceeded|not queryable|was closed/i.test(
      cause.message,
    )
  );
}
