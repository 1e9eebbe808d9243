import type { ClockReading } from "../core/clock.ts";
import type { DataClass } from "../core/data-snapshot.ts";

/** Who calls, as far as every operation needs to know. A scope may know more of its callers. */
export interface Caller {
  readonly organizationId: string;
  /** As the audit trail names them: `key:ID` or `staff:ID`. */
  readonly actor: { readonly name: string };
  readonly timezone: string;
  /** Read when the caller was admitted. An operation asks it once and uses that instant throughout. */
  readonly clock: ClockReading;
  /** Which past the database has: versions can be compared only within one. */
  readonly history: string;
  /** As they were when the caller was admitted. */
  readonly versions: Readonly<Record<DataClass, number>>;
  /** How much the organization stores of what it may; absent if there is no limit. */
  readonly storage?: { readonly records: number; readonly limit: number } | undefined;
}

/** One version for data of several classes: each only grows, so their sum stays only if all of them do. */
export function versionOf({ versions }: Caller, classes: readonly DataClass[]): number {
  let sum = 0;
  for (const name of classes) sum += versions[name];
  return sum;
}

/** What a gate says of one request: who calls, or the error that refuses it. */
export type Verdict<Who extends Caller> = (
  | { readonly caller: Who; readonly refusal?: undefined; readonly refused?: undefined }
  | {
      readonly caller?: undefined;
      readonly refusal: Error;
      /** Whose credential it was, if it is a known one: for the log. */
      readonly refused?: Who | undefined;
    }
) & {
  /** Absent without a limit, and where there is no key to be limited. */
  readonly rate: RateState | undefined;
};

/** How much of the rate limit is left after this request. */
export interface RateState {
  /** Of the limit that all keys of the organization share, if that is what is told of. */
  readonly requestsPerMinute?: number;
  /** Requests that would be admitted right now. */
  readonly remaining: number;
  /** Seconds until the whole burst is there again. */
  readonly resetSeconds: number;
  /** Only for a refused request: waiting this many seconds succeeds. */
  readonly retryAfterSeconds: number | undefined;
}
