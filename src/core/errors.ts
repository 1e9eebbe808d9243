/**
 * The failures of the domain. Rules, queries and operations throw them; what they look like on the wire is decided
 * in `http/problem.ts`, and on a terminal in `cli/`. Anything else that is thrown is a defect.
 */
export type ErrorKind =
  | "malformed"
  | "unauthorized"
  | "payment_required"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "invalid"
  | "rate_limited"
  | "unavailable";

/** One thing that is wrong with an input: where it is, and what a caller must know to fix it. */
export interface Fault {
  readonly location: string;
  readonly message: string;
  /** The same for programs, and for words in another language. */
  readonly code?: FaultCode;
  /** The numbers and words of ours that the message has: `{ max: 200 }`. Never a value of the caller's. */
  readonly params?: FaultParams;
}

export type FaultParams = Readonly<Record<string, string | number>>;

export type FaultCode =
  | "required"
  | "unknown_member"
  | "repeated_member"
  | "wrong_type"
  | "not_one_of"
  | "characters_invalid"
  | "empty"
  | "too_short"
  | "too_long"
  | "below_minimum"
  | "above_maximum"
  | "too_few"
  | "too_many"
  | "uuid_invalid"
  | "date_invalid"
  | "date_time_invalid"
  | "email_invalid"
  | "cpf_invalid"
  | "birthdate_out_of_range"
  | "location_required"
  | "location_unknown"
  | "idempotency_key_invalid"
  | "idempotency_key_reused"
  | "invalid";

interface Details {
  readonly faults?: readonly Fault[];
  /** Facts that let the caller go on, beside the sentence: `{ clientId, clientStatus }`. */
  readonly facts?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly faults: readonly Fault[];
  readonly facts: Readonly<Record<string, string>>;

  constructor(kind: ErrorKind, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "AppError";
    this.kind = kind;
    this.faults = details.faults ?? [];
    this.facts = details.facts ?? {};
  }
}

export function malformed(sentence: string): AppError {
  return new AppError("malformed", sentence);
}

export function notFound(sentence: string): AppError {
  return new AppError("not_found", sentence);
}

export function conflict(sentence: string, facts: Readonly<Record<string, string>> = {}): AppError {
  return new AppError("conflict", sentence, { facts });
}

/** Every fault of one input at once. */
export function invalid(faults: readonly Fault[]): AppError {
  const sentence =
    faults.length === 1
      ? "The request has 1 invalid value."
      : `The request has ${faults.length} invalid values.`;
  return new AppError("invalid", sentence, { faults });
}

export function unavailable(sentence: string, cause?: unknown): AppError {
  return new AppError("unavailable", sentence, { cause });
}
