import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { type Admission, admit, emissionIntervalNs, type RateLimit } from "../keys/admission.ts";
import { touchKeys } from "../keys/queries.ts";
import { hashKey } from "../keys/rules.ts";
import { includesApi } from "../organizations/rules.ts";

/** Who calls, as far as the operations need to know. */
export interface Caller {
  readonly organizationId: string;
  readonly timezone: string;
  readonly catalogVersion: number;
  readonly clientsVersion: number;
}

/** How much of the rate limit is left after this request. */
export interface RateState {
  /** Requests that would be admitted right now. */
  readonly remaining: number;
  /** Seconds until the whole burst is there again. */
  readonly resetSeconds: number;
  /** Only for a refused request: waiting this many seconds succeeds. */
  readonly retryAfterSeconds?: number;
}

/** The answer for one request: either a caller, or the error that refuses it. */
export interface Verdict {
  readonly caller?: Caller;
  readonly refusal?: AppError;
  readonly rate?: RateState;
}

export interface GateOptions {
  readonly db: Database;
  readonly keySecret: string;
  readonly rate: RateLimit | undefined;
  readonly onBatch?: (requests: number) => void;
  readonly onError?: (error: unknown) => void;
}

type Waiter = (verdict: Verdict) => void;

interface Presented {
  readonly hash: Buffer;
  readonly waiters: Waiter[];
}

// One object for every cause, so that the answers cannot differ.
const UNAUTHORIZED = new AppError(
  "unauthorized",
  "A valid API key is required: Authorization: Bearer <API_KEY>.",
);
const RATE_LIMITED = new AppError(
  "rate_limited",
  "This key is over its rate limit. Retry after the time given.",
);
const INACTIVE = new AppError("forbidden", "The organization is not active.");
const NOT_INCLUDED = new AppError(
  "payment_required",
  "The organization's plan does not include the API (Pro and above).",
);

const NS_PER_SECOND = 1_000_000_000;

/**
 * Asks for all requests that arrived in one turn of the event loop at once. Nothing is kept past the batch, so
 * a revoked key is dead on the next request. Every presented credential, even none at all, is hashed and
 * looked up in the same way: neither the bytes of a 401 nor its timing tell what was wrong.
 */
export class Gate {
  readonly #options: GateOptions;
  #batch: Map<string, Presented> | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  pass(authorization: string | undefined, decide: Waiter): void {
    const token = bearerToken(authorization);
    if (this.#batch === undefined) {
      this.#batch = new Map();
      setImmediate(() => this.#ask());
    }
    const presented = this.#batch.get(token);
    if (presented) presented.waiters.push(decide);
    else this.#batch.set(token, { hash: hashKey(token, this.#options.keySecret), waiters: [decide] });
  }

  async #ask(): Promise<void> {
    const batch = [...(this.#batch ?? new Map<string, Presented>()).values()];
    this.#batch = undefined;
    const { db, rate, onBatch, onError } = this.#options;
    const requests = batch.map(({ waiters }) => waiters.length);
    onBatch?.(requests.reduce((sum, count) => sum + count, 0));
    try {
      const admissions = await admit(
        db,
        rate,
        batch.map(({ hash }) => hash),
        requests,
      );
      const byHash = new Map(admissions.map((admission) => [admission.hash.toString("latin1"), admission]));
      for (const { hash, waiters } of batch) judge(waiters, byHash.get(hash.toString("latin1")), rate);
      const unnoted = admissions.filter((admission) => admission.unnoted).map(({ keyId }) => keyId);
      if (unnoted.length > 0) await touchKeys(db, unnoted).catch(onError);
    } catch (error) {
      const refusal =
        error instanceof AppError ? error : new AppError("internal", "The gate failed.", { cause: error });
      for (const { waiters } of batch) for (const decide of waiters) decide({ refusal });
    }
  }
}

function bearerToken(authorization: string | undefined): string {
  const match = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "");
  return match?.[1] ?? "";
}

function judge(
  waiters: readonly Waiter[],
  admission: Admission | undefined,
  rate: RateLimit | undefined,
): void {
  if (!admission) {
    for (const decide of waiters) decide({ refusal: UNAUTHORIZED });
    return;
  }
  const refusal =
    admission.status !== "active" ? INACTIVE : includesApi(admission.tier) ? undefined : NOT_INCLUDED;
  waiters.forEach((decide, index) => {
    const state = rate && rateState(admission, rate, index);
    if (state?.retryAfterSeconds !== undefined) decide({ refusal: RATE_LIMITED, rate: state });
    else decide({ caller: admission, ...(refusal && { refusal }), ...(state && { rate: state }) });
  });
}

/** The limit as the request at this place of the batch leaves it, as if the batch had come one by one. */
function rateState(admission: Admission, rate: RateLimit, index: number): RateState {
  const { granted = 0, refillNs = 0 } = admission;
  const interval = emissionIntervalNs(rate);
  const refused = index >= granted;
  const refill = Math.max(0, refused ? refillNs : refillNs - (granted - 1 - index) * interval);
  return {
    remaining: Math.max(0, Math.floor((rate.burst * interval - refill) / interval)),
    resetSeconds: Math.ceil(refill / NS_PER_SECOND),
    ...(refused && {
      retryAfterSeconds: Math.max(1, Math.ceil((refill + interval - rate.burst * interval) / NS_PER_SECOND)),
    }),
  };
}
