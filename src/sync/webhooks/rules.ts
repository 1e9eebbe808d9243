import { createHash } from "node:crypto";
import type { AttemptFailure, DisabledReason } from "./values.ts";

/** After which time a failed attempt is repeated, by how many failed before; then each time after the last of them. */
const RETRY_SECONDS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800] as const;
/** So long is an endpoint tried after its first failure. */
export const GIVE_UP_SECONDS = 72 * 3_600;
/** The longest `Retry-After` that is kept to. */
const LONGEST_RETRY_AFTER_SECONDS = 8 * 3_600;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const NAME_LENGTH = 10;

/** What an attempt came to. */
export interface AttemptOutcome {
  /** Of the answer, if there was one. */
  readonly status?: number;
  /** Absent of an answer with a status of its own, good or bad. */
  readonly failure?: AttemptFailure;
  readonly milliseconds: number;
  /** How an answer that was no success begins. */
  readonly excerpt?: string;
  readonly retryAfterSeconds?: number;
}

/** An endpoint that could not be reached so far. */
export interface Failing {
  /** How many attempts have failed one after the other, this one not counted. */
  readonly tries: number;
  /** When the first of them failed, in milliseconds; undefined: this one is the first. */
  readonly failingSince: number | undefined;
  readonly now: number;
  /** From 0 to 1. */
  readonly chance: number;
}

/** What follows from a failed attempt. */
export type Consequence =
  | { readonly state: "active"; readonly failingSince: number; readonly nextAttemptAt: number }
  | { readonly state: "disabled"; readonly failingSince: number; readonly reason: DisabledReason };

export function isSuccess({ status, failure }: AttemptOutcome): boolean {
  return failure === undefined && status !== undefined && status >= 200 && status < 300;
}

/** When a failed attempt is repeated, or why it is not. */
export function afterFailure(
  outcome: AttemptOutcome,
  { tries, failingSince, now, chance }: Failing,
): Consequence {
  const since = failingSince ?? now;
  const lastAt = since + GIVE_UP_SECONDS * 1_000;
  if (outcome.status === 410) return { state: "disabled", failingSince: since, reason: "gone" };
  if (now >= lastAt) return { state: "disabled", failingSince: since, reason: "failing" };
  const planned =
    (RETRY_SECONDS[tries] ?? RETRY_SECONDS[RETRY_SECONDS.length - 1] ?? 0) * (0.8 + 0.4 * chance);
  const seconds = Math.max(planned, askedDelay(outcome));
  // The last one is made when the time is over.
  return { state: "active", failingSince: since, nextAttemptAt: Math.min(now + seconds * 1_000, lastAt) };
}

function askedDelay({ status, retryAfterSeconds = 0 }: AttemptOutcome): number {
  return status === 429 || status === 503 ? Math.min(retryAfterSeconds, LONGEST_RETRY_AFTER_SECONDS) : 0;
}

/** The seconds of a `Retry-After`: a number of them, or a date after `now`; undefined if it is neither. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header)
    ? Date.parse(header)
    : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1_000));
}

/**
 * What a receiver knows a message by: the same in every attempt, at every endpoint and after a replay, so that it can drop
 * what it has seen. `past` is where the number was given.
 */
export function messageId(past: string, organizationId: string, number: string): string {
  const hash = createHash("sha256").update(`${past}/${organizationId}`).digest();
  let value = hash.readBigUInt64BE();
  let name = "";
  for (let place = 0; place < NAME_LENGTH; place++) {
    name += ALPHABET[Number(value % 62n)];
    value /= 62n;
  }
  return `msg_${name}_${number}`;
}
