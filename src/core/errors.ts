import type { Fault, Unfilled } from "./faults.ts";
import { REFUSALS, type RefusalCode, type RefusalCodes, STAFF_REFUSALS } from "./refusals.ts";

export type { Fault } from "./faults.ts";

/**
 * The failures of the domain. Rules, queries and operations throw them; what they look like on the wire is decided
 * in `http/problem.ts`, and on a terminal in `cli/`. Anything else that is thrown is a defect.
 */
export type ErrorKind =
  | "moved"
  | "malformed"
  | "unauthorized"
  | "payment_required"
  | "storage_full"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "invalid"
  | "rate_limited"
  | "unavailable";

/** The kind of failure that each sentence tells of. */
const KINDS_OF_REFUSALS: Readonly<Record<RefusalCode, ErrorKind>> = { ...REFUSALS, ...STAFF_REFUSALS };

/** A sentence, before it has words. */
export interface Detail<Code extends string = string> {
  readonly code: Code;
  readonly params?: object;
}

/** Facts that let the caller go on, beside the sentence: `{ clientId, clientStatus }`, `{ capacity, bookedCount }`. */
export type RefusalFacts = Readonly<Record<string, string | number | readonly object[]>>;

interface Details {
  readonly detail?: Detail<RefusalCode>;
  readonly faults?: readonly Fault[];
  readonly facts?: RefusalFacts | undefined;
  readonly cause?: unknown;
  /** When it may be tried again, if that is known. */
  readonly retryAfterSeconds?: number;
}

export class AppError extends Error {
  readonly kind: ErrorKind;
  /** What callers are told, in their language. If absent, the message is for the operator alone. */
  readonly detail: Detail<RefusalCode> | undefined;
  readonly faults: readonly Fault[];
  readonly facts: RefusalFacts;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "AppError";
    this.kind = kind;
    this.detail = details.detail;
    this.faults = details.faults ?? [];
    this.facts = details.facts ?? {};
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/**
 * A failure that callers are told of: `refusal("no_client")`, `refusal("pause_visited", { params: { date } })`. The
 * staff application also reads the code, as `reason`.
 */
export function refusal<Code extends RefusalCode>(
  code: Code,
  ...[details]: RefusalCodes[Code] extends Unfilled ? [Circumstances?] : [Circumstances & Filling<Code>]
): AppError {
  const { facts, cause, retryAfterSeconds, params } = (details ?? {}) as Circumstances & {
    readonly params?: object;
  };
  return new AppError(KINDS_OF_REFUSALS[code], code, {
    cause,
    detail: params ? { code, params } : { code },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    facts: Object.hasOwn(STAFF_REFUSALS, code) ? { reason: code, ...facts } : facts,
  });
}

interface Circumstances {
  readonly facts?: RefusalFacts | undefined;
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
}

interface Filling<Code extends RefusalCode> {
  readonly params: RefusalCodes[Code];
}

/** Every fault of one input at once. */
export function invalid(faults: readonly Fault[]): AppError {
  const detail = { code: "values_invalid", params: { count: faults.length } } as const;
  return new AppError(KINDS_OF_REFUSALS.values_invalid, detail.code, { faults, detail });
}

/** Refuses an input that has faults. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalid(faults);
}

/** Whether something failed because the database is unavailable. It is logged once, by whoever asks it for a request. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.kind === "unavailable";
}

// What follows is for the operator: a sentence in English, which may name files and hosts. Should one reach a caller
// over HTTP all the same, the caller is told the general sentence of its kind.

export function malformed(sentence: string): AppError {
  return new AppError("malformed", sentence);
}

export function notFound(sentence: string): AppError {
  return new AppError("not_found", sentence);
}

export function conflict(sentence: string): AppError {
  return new AppError("conflict", sentence);
}

export function unavailable(sentence: string, cause?: unknown): AppError {
  return new AppError("unavailable", sentence, { cause });
}
