import { ClockReading } from "../core/clock.ts";
import { refusal } from "../core/errors.ts";
import { Batches } from "../db/batches.ts";
import { versionsOf } from "../db/data-version.ts";
import type { SharedDatabase } from "../db/database.ts";
import type { Caller, RateState, Verdict } from "../http/caller.ts";
import {
  type Admission,
  Admissions,
  emissionIntervalNs,
  type Granted,
  type RateLimit,
} from "../keys/admission.ts";
import { touchKey } from "../keys/queries.ts";
import { hashKey } from "../keys/rules.ts";

/** Whoever calls the public API, by one of the organization's keys. */
export interface ApiCaller extends Caller {
  readonly keyId: string;
}

export interface GateOptions {
  readonly db: SharedDatabase;
  readonly keySecret: string;
  readonly rate: RateLimit | undefined;
  /** Whether an organization of this tier may use the API at all. */
  readonly includesApi: (tier: Admission["tier"]) => boolean;
  /** Carries out what is due in an organization up to an instant, and gives the versions of its data afterwards. */
  readonly settle: (organizationId: string, instant: number) => Promise<Caller["versions"]>;
  readonly onBatch?: (requests: number) => void;
  /** Called with how many requests came with a good key, and how many of them were refused all the same. */
  readonly onUse?: (caller: ApiCaller, requests: number, refused: number) => void;
  /** Called with failures that no request waits for. */
  readonly onError: (error: unknown) => void;
}

type Decide = (verdict: Verdict<ApiCaller>) => void;

/** One request before the gate. */
interface Arrival {
  readonly token: string;
  readonly decide: Decide;
}

/** A credential, with the requests of a batch that present it. */
interface Presented {
  readonly hash: Buffer;
  readonly waiters: Decide[];
}

// One object for every cause, so that the answers cannot differ.
const UNAUTHORIZED = refusal("key_required");
const RATE_LIMITED = refusal("rate_exceeded");
const INACTIVE = refusal("organization_inactive");
const NOT_INCLUDED = refusal("api_not_included");

const NS_PER_SECOND = 1_000_000_000;

/** A 401 is answered this long after its request arrived; by then its lookup has usually ended. */
const UNAUTHORIZED_MS = 5;

/**
 * Decides about all requests of a batch with one statement. Nothing is cached beyond the batch, so a revoked key is
 * refused on the next request. Every presented credential, even none at all, is hashed and looked up in the same way:
 * neither the bytes of a 401 nor its timing show what was wrong.
 *
 * Example: a batch has three requests with key A, which has a burst of 2 left, and one with key B. The statement asks
 * for A (3 requests) and B (1), and grants A 2 and B 1: the first two requests of A and that of B pass, the third of A
 * gets 429.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #batches = new Batches<Arrival>((arrivals) => this.#ask(arrivals));
  readonly #admissions: Admissions;
  #withoutToken = 0;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#admissions = new Admissions(options.db, options.rate);
  }

  pass(authorization: string | undefined, decide: Decide): void {
    this.#batches.add({ token: readToken(authorization) ?? this.#noToken(), decide });
  }

  /** Different each time and impossible to send: a request without a credential costs as much as a wrong one. */
  #noToken(): string {
    return `\0${this.#withoutToken++}`;
  }

  async #ask(arrivals: readonly Arrival[]): Promise<() => void> {
    const batch = this.#byToken(arrivals);
    this.#options.onBatch?.(arrivals.length);
    const hashes = batch.map(({ hash }) => hash);
    const requests = batch.map(({ waiters }) => waiters.length);
    const admissions = await this.#admissions.admit(hashes, requests).catch(toRefusal);
    return () => this.#answer(batch, admissions);
  }

  #byToken(arrivals: readonly Arrival[]): Presented[] {
    const presented = new Map<string, Presented>();
    for (const { token, decide } of arrivals) {
      const known = presented.get(token);
      if (known) known.waiters.push(decide);
      else presented.set(token, { hash: hashKey(token, this.#options.keySecret), waiters: [decide] });
    }
    return [...presented.values()];
  }

  #answer(batch: readonly Presented[], admissions: readonly Admission[] | Error): void {
    const { db, rate, includesApi, onUse, onError } = this.#options;
    const answer = (decide: Decide, verdict: Verdict<ApiCaller>) => {
      try {
        decide(verdict);
      } catch (error) {
        // One request that fails on its way must not leave the others of its batch waiting.
        onError(error);
      }
    };
    if (admissions instanceof Error) {
      const refused: Verdict<ApiCaller> = { refusal: admissions, rate: undefined };
      for (const { waiters } of batch) for (const decide of waiters) answer(decide, refused);
      return;
    }
    // All rows of one statement have the same time.
    const clock = new ClockReading((admissions[0]?.clockMs ?? 0) + db.clockOffsetMs);
    const byPlace = new Map(admissions.map((admission) => [admission.place, admission]));
    for (let place = 0; place < batch.length; place++) {
      const admission = byPlace.get(place + 1);
      const caller = admission && callerOf(admission, clock);
      const waiters = batch[place]?.waiters ?? [];
      const due: DueRequest[] = [];
      let refused = 0;
      for (let index = 0; index < waiters.length; index++) {
        const decide = waiters[index] as Decide;
        const verdict = judge(admission, caller, index, rate, includesApi);
        if (verdict.refusal) refused++;
        if (admission?.isDue && verdict.caller) due.push({ decide, rate: verdict.rate });
        else answer(decide, verdict);
      }
      if (caller) onUse?.(caller, waiters.length, refused);
      if (caller && due.length > 0) this.#answerSettled(caller, due, answer);
    }
    for (const { keyId, organizationId, lastUseIsStale } of admissions)
      if (lastUseIsStale) touchKey(db.for(organizationId), keyId, clock.now()).catch(onError);
  }

  /** Only the requests of this organization wait; they go on with the versions that settling leaves. */
  #answerSettled(
    caller: ApiCaller,
    due: readonly DueRequest[],
    answer: (decide: Decide, verdict: Verdict<ApiCaller>) => void,
  ): void {
    this.#options.settle(caller.organizationId, caller.clock.now()).then(
      (versions) => {
        for (const { decide, rate } of due) answer(decide, { caller: { ...caller, versions }, rate });
      },
      (error: unknown) => {
        const refusal = toRefusal(error);
        for (const { decide, rate } of due) answer(decide, { refusal, refused: caller, rate });
      },
    );
  }
}

/** A request that is admitted as soon as its organization is settled. */
interface DueRequest {
  readonly decide: Decide;
  readonly rate: RateState | undefined;
}

/** What must be added to `performance.now()` for the clock that timers go by, in milliseconds. */
const timerClock = (() => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6 - performance.now();
})();

/**
 * Does the work a fixed time after the arrival, on a whole millisecond of the timers' clock. PostgreSQL takes some
 * microseconds longer to find a revoked or expired key than to find none; thousands of answers would tell.
 */
export function delayRefusal(arrivedAt: number, work: () => void): void {
  const due = Math.floor(arrivedAt + timerClock) + UNAUTHORIZED_MS;
  const left = due - Math.floor(performance.now() + timerClock);
  if (left > 0) setTimeout(work, left);
  else work();
}

function toRefusal(error: unknown): Error {
  return error instanceof Error ? error : new Error("The gate failed.", { cause: error });
}

function callerOf(admission: Admission, clock: ClockReading): ApiCaller {
  const { keyId, organizationId, timezone, history } = admission;
  return { keyId, organizationId, timezone, history, clock, versions: versionsOf(admission) };
}

function readToken(authorization: string | undefined): string | undefined {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "")?.[1];
}

/** The verdict on the request at this place of its batch. */
function judge(
  admission: Admission | undefined,
  caller: ApiCaller | undefined,
  index: number,
  rate: RateLimit | undefined,
  includesApi: GateOptions["includesApi"],
): Verdict<ApiCaller> {
  if (!admission || !caller) return { refusal: UNAUTHORIZED, rate: undefined };
  const state = rate && admission.rate ? rateState(admission.rate, rate, index) : undefined;
  const refusal =
    state?.retryAfterSeconds !== undefined
      ? RATE_LIMITED
      : admission.status !== "active"
        ? INACTIVE
        : includesApi(admission.tier)
          ? undefined
          : NOT_INCLUDED;
  return refusal ? { refusal, refused: caller, rate: state } : { caller, rate: state };
}

/**
 * The limit after the request at this place of the batch, as if the requests had come one by one.
 *
 * Batch of 3 for one key, burst 2 left: granted = 2, remaining = 0. Place 0 passes with 1 remaining, place 1 passes
 * with 0, and place 2 gets 429.
 */
function rateState({ granted, remaining, refillNs }: Granted, rate: RateLimit, index: number): RateState {
  const interval = emissionIntervalNs(rate);
  const isRefused = index >= granted;
  const yetToCome = isRefused ? 0 : granted - 1 - index;
  const waitNs = refillNs + interval - rate.burst * interval;
  return {
    remaining: remaining + yetToCome,
    resetSeconds: Math.ceil(Math.max(0, refillNs - yetToCome * interval) / NS_PER_SECOND),
    retryAfterSeconds: isRefused ? Math.max(1, Math.ceil(waitNs / NS_PER_SECOND)) : undefined,
  };
}
