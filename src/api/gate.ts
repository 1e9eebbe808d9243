import { ClockReading } from "../core/clock.ts";
import { refusal } from "../core/errors.ts";
import { Batches } from "../db/batches.ts";
import { versionsOf } from "../db/data-version.ts";
import type { Database, SharedDatabase } from "../db/database.ts";
import {
  type Admission,
  Admissions,
  type CredentialTable,
  emissionIntervalNs,
  type Granted,
  KEYS,
  organizationRate,
  type RateLimit,
} from "../domain/keys/admission.ts";
import { findKey, touchKey } from "../domain/keys/queries.ts";
import { hashKey } from "../domain/keys/rules.ts";
import {
  NO_LIMITS,
  type OrganizationLimits,
  storageUse,
} from "../domain/organizations/organization-limits.ts";
import { findElsewhere, findOrganization } from "../domain/organizations/queries.ts";
import { refusedElsewhere } from "../domain/organizations/rules.ts";
import type { Caller, RateState, Verdict } from "../http/caller.ts";

/** Whoever calls the public API, by one of the organization's keys. */
export interface ApiCaller extends Caller {
  readonly keyId: string;
}

/** What lets somebody in: a kind of credential, and whom one of it stands for. */
export interface Credentials<Who extends Caller, Facts extends object> {
  readonly table: CredentialTable;
  readonly callerOf: (admission: Admission & Facts, clock: ClockReading, limits: OrganizationLimits) => Who;
  /** Records that one was used; at most once a minute, however many processes say so. */
  readonly recordUse: (db: Database, id: string, now: number, organizationId: string) => Promise<void>;
}

/** What a known credential is refused for. */
interface AdmissionTerms {
  readonly rate: RateLimit | undefined;
  /** Whether an organization of this tier may use the API at all. */
  readonly includesApi: (tier: Admission["tier"]) => boolean;
  /** Whether an organization that is not served is answered as if the credential were unknown. */
  readonly isSecretive?: boolean;
}

export interface GateOptions<Who extends Caller, Facts extends object> extends AdmissionTerms {
  readonly db: SharedDatabase;
  readonly keySecret: string;
  readonly credentials: Credentials<Who, Facts>;
  /** Of organizations that have none of their own; none unless given. */
  readonly limits?: OrganizationLimits | undefined;
  /** Carries out what is due in an organization up to an instant, and gives the versions of its data afterwards. */
  readonly applyDue: (organizationId: string, instant: number) => Promise<Caller["versions"]>;
  readonly onBatch?: (requests: number) => void;
  /** Called with how many requests came with a good key, and how many of them were refused all the same. */
  readonly onUse?: (caller: Who, requests: number, refused: number) => void;
  /** Called with failures that no request waits for. */
  readonly onError: (error: unknown) => void;
}

type Decide<Who extends Caller> = (verdict: Verdict<Who>) => void;

/** One request before the gate. */
interface Arrival<Who extends Caller> {
  readonly token: string;
  readonly decide: Decide<Who>;
}

/** A credential, with the requests of a batch that present it. */
interface Presented<Who extends Caller> {
  readonly hash: Buffer;
  readonly waiters: Decide<Who>[];
}

// One object for every cause, so that the answers cannot differ.
const UNAUTHORIZED = refusal("key_required");
const RATE_LIMITED = refusal("rate_exceeded");
const SHARED_RATE_LIMITED = refusal("organization_rate_exceeded", {
  facts: { reason: "organization_limit" },
});
const INACTIVE = refusal("organization_inactive");
const NOT_INCLUDED = refusal("api_not_included");

const NS_PER_SECOND = 1_000_000_000;

/**
 * Decides about all requests of a batch with one statement. Nothing is cached beyond the batch, so a revoked key is
 * refused on the next request. Every presented credential, even none at all, is hashed and looked up in the same way:
 * neither the bytes of a 401 nor its timing show what was wrong.
 *
 * Example: a batch has three requests with key A, which has a burst of 2 left, and one with key B. The statement asks
 * for A (3 requests) and B (1), and grants A 2 and B 1: the first two requests of A and that of B pass, the third of A
 * gets 429.
 */
export class Gate<Who extends Caller, Facts extends object = object> {
  readonly #options: GateOptions<Who, Facts>;
  readonly #batches = new Batches<Arrival<Who>>((arrivals) => this.#ask(arrivals));
  readonly #admissions: Admissions<Facts>;
  #withoutToken = 0;

  constructor(options: GateOptions<Who, Facts>) {
    this.#options = options;
    this.#admissions = new Admissions(options.db, options.rate, options.credentials.table, options.limits);
  }

  /** Without a token nobody is let in. */
  pass(token: string | undefined, decide: Decide<Who>): void {
    this.#batches.add({ token: token ?? this.#noToken(), decide });
  }

  /** Refuses a caller who was let in some time ago and would not be now. Costs nothing of the rate. */
  async recheck({ organizationId, keyId }: ApiCaller): Promise<void> {
    const { db, includesApi } = this.#options;
    const own = db.for(organizationId);
    const [key, organization, elsewhere] = await Promise.all([
      findKey(own, organizationId, keyId),
      findOrganization(own, organizationId),
      findElsewhere(own, organizationId),
    ]);
    if (elsewhere !== undefined) throw refusedElsewhere(elsewhere);
    if (key?.status !== "active" || !organization) throw UNAUTHORIZED;
    if (organization.status !== "active") throw INACTIVE;
    if (!includesApi(organization.plan)) throw NOT_INCLUDED;
  }

  /** Different each time and impossible to send: a request without a credential costs as much as a wrong one. */
  #noToken(): string {
    return `\0${this.#withoutToken++}`;
  }

  async #ask(arrivals: readonly Arrival<Who>[]): Promise<() => void> {
    const batch = this.#byToken(arrivals);
    this.#options.onBatch?.(arrivals.length);
    const hashes = batch.map(({ hash }) => hash);
    const requests = batch.map(({ waiters }) => waiters.length);
    const admissions = await this.#admissions.admit(hashes, requests).catch(toRefusal);
    return () => this.#answer(batch, admissions);
  }

  #byToken(arrivals: readonly Arrival<Who>[]): Presented<Who>[] {
    const presented = new Map<string, Presented<Who>>();
    for (const { token, decide } of arrivals) {
      const known = presented.get(token);
      if (known) known.waiters.push(decide);
      else presented.set(token, { hash: hashKey(token, this.#options.keySecret), waiters: [decide] });
    }
    return [...presented.values()];
  }

  #answer(batch: readonly Presented<Who>[], admissions: readonly (Admission & Facts)[] | Error): void {
    const { db, credentials, limits = NO_LIMITS, onUse, onError } = this.#options;
    const answer = (decide: Decide<Who>, verdict: Verdict<Who>) => {
      try {
        decide(verdict);
      } catch (error) {
        // One request that fails on its way must not leave the others of its batch waiting.
        onError(error);
      }
    };
    if (admissions instanceof Error) {
      const refused: Verdict<Who> = { refusal: admissions, rate: undefined };
      for (const { waiters } of batch) for (const decide of waiters) answer(decide, refused);
      return;
    }
    // All rows of one statement have the same time.
    const clock = new ClockReading((admissions[0]?.clockMs ?? 0) + db.clockOffsetMs);
    const byPlace = new Map(admissions.map((admission) => [admission.place, admission]));
    for (let place = 0; place < batch.length; place++) {
      const admission = byPlace.get(place + 1);
      const caller = admission && credentials.callerOf(admission, clock, limits);
      const waiters = batch[place]?.waiters ?? [];
      const due: DueRequest<Who>[] = [];
      let refused = 0;
      for (let index = 0; index < waiters.length; index++) {
        const decide = waiters[index] as Decide<Who>;
        const verdict = judge(admission, caller, index, this.#options);
        if (verdict.refusal) refused++;
        if (admission?.isDue && verdict.caller) due.push({ decide, rate: verdict.rate });
        else answer(decide, verdict);
      }
      if (caller && admission?.elsewhere === undefined) onUse?.(caller, waiters.length, refused);
      if (caller && due.length > 0) this.#answerOnceApplied(caller, due, answer);
    }
    for (const { keyId, organizationId, lastUseIsStale, elsewhere } of admissions)
      if (lastUseIsStale && elsewhere === undefined)
        credentials.recordUse(db.for(organizationId), keyId, clock.now(), organizationId).catch(onError);
  }

  /** Only the requests of this organization wait; they go on with the versions that are then. */
  #answerOnceApplied(
    caller: Who,
    due: readonly DueRequest<Who>[],
    answer: (decide: Decide<Who>, verdict: Verdict<Who>) => void,
  ): void {
    this.#options.applyDue(caller.organizationId, caller.clock.now()).then(
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

/** A request that is admitted as soon as its organization is up to date. */
interface DueRequest<Who extends Caller> {
  readonly decide: Decide<Who>;
  readonly rate: RateState | undefined;
}

function toRefusal(error: unknown): Error {
  return error instanceof Error ? error : new Error("The gate failed.", { cause: error });
}

/** Keys for the API. */
export const API_KEYS: Credentials<ApiCaller, object> = {
  table: KEYS,
  callerOf: (admission, clock, limits) => {
    const { keyId, organizationId, timezone, history } = admission;
    const actor = { name: `key:${keyId}` };
    const versions = versionsOf(admission);
    const storage = storageUse(admission, limits.maxRecords);
    return { keyId, organizationId, actor, timezone, history, clock, versions, storage };
  },
  recordUse: touchKey,
};

export function readToken(authorization: string | undefined): string | undefined {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "")?.[1];
}

/** The verdict on the request at this place of its batch. */
function judge<Who extends Caller>(
  admission: Admission | undefined,
  caller: Who | undefined,
  index: number,
  { rate, includesApi, isSecretive = false }: AdmissionTerms,
): Verdict<Who> {
  if (!admission || !caller) return { refusal: UNAUTHORIZED, rate: undefined };
  if (admission.elsewhere !== undefined)
    return { refusal: refusedElsewhere(admission.elsewhere), refused: caller, rate: undefined };
  const isServed = admission.status === "active" && includesApi(admission.tier);
  if (isSecretive && !isServed) return { refusal: UNAUTHORIZED, rate: undefined };
  const own = rate && admission.rate ? rateState(admission.rate, rate, index) : undefined;
  const state = own?.retryAfterSeconds === undefined ? nearerLimit(admission, own, index) : own;
  const refusal =
    state?.retryAfterSeconds !== undefined
      ? state === own
        ? RATE_LIMITED
        : SHARED_RATE_LIMITED
      : admission.status !== "active"
        ? INACTIVE
        : includesApi(admission.tier)
          ? undefined
          : NOT_INCLUDED;
  return refusal ? { refusal, refused: caller, rate: state } : { caller, rate: state };
}

/** Which of the limits has less left: that of the key, or the one that all keys of the organization share. */
function nearerLimit(
  { shared, requestsPerMinute }: Admission,
  own: RateState | undefined,
  index: number,
): RateState | undefined {
  if (!shared || requestsPerMinute === undefined) return own;
  const state = { ...rateState(shared, organizationRate(requestsPerMinute), index), requestsPerMinute };
  return own && state.retryAfterSeconds === undefined && own.remaining < state.remaining ? own : state;
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
