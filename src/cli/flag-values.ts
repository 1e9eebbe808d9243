import { isCalendarDate, parseInstant } from "../core/dates.ts";
import { parseDuration } from "../core/duration.ts";
import { isCurrencyCode, isLine, isUuid, isVisible } from "../core/patterns.ts";
import { findZone } from "../domain/recurrence/zones.ts";
import { type CommandCall, type Flag, textFlag, UsageError } from "./command.ts";

const MAX_SECONDS = 100 * 366 * 86_400;

/** Seconds of `90d`, `24h`, `15m` or `30s`, at least `min`. */
export function readDuration(text: string, flag: string, min = 0): number {
  const seconds = parseDuration(text);
  if (seconds === undefined || seconds > MAX_SECONDS)
    throw new UsageError(`--${flag} must be a duration such as 90d, 24h, 15m or 30s.`);
  if (seconds < min) throw new UsageError(`--${flag} must be longer than nothing.`);
  return seconds;
}

/** The milliseconds of a date-time with its offset, or of a date, which begins at midnight UTC. */
/** `orElse`: what the flag may be beside an instant. */
export function readInstant(text: string, flag: string, orElse?: string): number {
  const instant = parseInstant(isCalendarDate(text) ? `${text}T00:00:00Z` : text);
  if (instant !== undefined) return instant;
  throw new UsageError(
    `--${flag} must be ${orElse ? `${orElse}, ` : ""}a date such as 2026-11-15 or a time such as 2026-11-15T09:30:00Z.`,
  );
}

export function readId(text: string, what: string): string {
  if (!isUuid(text)) throw new UsageError(`${what} must be a UUID.`);
  return text.toLowerCase();
}

/** The flag that names an organization. */
export const ORGANIZATION: Flag = { value: "ID", help: "the organization", needed: true };

export function readOrganization(call: CommandCall): string {
  return readId(textFlag(call, "org") ?? "", "--org");
}

export function readOneOf<Value extends string>(text: string, values: readonly Value[], flag: string): Value {
  const value = values.find((candidate) => candidate === text);
  if (!value) throw new UsageError(`--${flag} must be one of: ${values.join(", ")}.`);
  return value;
}

export function readTimezone(text: string): string {
  if (!findZone(text)) throw new UsageError("--timezone must be an IANA name such as America/Sao_Paulo.");
  return text;
}

export function readCurrency(text: string): string {
  if (!isCurrencyCode(text))
    throw new UsageError("--currency must be a code of three capital letters such as BRL.");
  return text;
}

/** One line without control characters, not empty, at most `max` characters. */
export function readLine(text: string, flag: string, max = 200): string {
  const line = text.trim();
  if (!isVisible(line) || [...line].length > max || !isLine(line)) {
    throw new UsageError(`--${flag} must be one line of 1 to ${max} characters.`);
  }
  return line;
}
