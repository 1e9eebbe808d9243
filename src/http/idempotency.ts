import {
  type KeyClaim,
  type KeyedAnswer,
  NotStoredTogether,
  type StoredAnswer,
} from "../core/stored-answer.ts";
import type { Database } from "../db/database.ts";
import { HttpError } from "./http-error.ts";
import { ANY_KEY, type KeyForm } from "./idempotency-key.ts";

/**
 * What a scope does with the Idempotency-Keys of its writes. Scopes differ in whether a key must be there, in whose it is,
 * in where answers are kept, and in what is said to a key that was used for something else.
 */
export interface IdempotencyPolicy {
  readonly isRequired: boolean;
  /** Whether a key belongs to whoever sent it; else to the organization, so that a retry survives another API key. */
  readonly isPersonal: boolean;
  /** What keys look like, if not like any that a header can hold. */
  readonly keyForm?: KeyForm;
  /** How long a request waits for one with the same key. */
  readonly patienceMs: number;
  readonly answers: AnswerStore;
  /** Carries a transaction out again after a deadlock; absent where operations do that by themselves. */
  readonly pastDeadlocks?: <Result>(run: () => Promise<Result>) => Promise<Result>;
  /** The refusal of a key that was used for another request. */
  readonly reused: () => Error;
  /** Called for every write with a key: for metrics. */
  readonly observe?: (outcome: KeyOutcome) => void;
}

/** What became of a write with a key. */
export type KeyOutcome = "stored" | "replayed" | "refused" | "in_progress";

/** Where the answers are. They are stored in the transaction of their write, and nowhere else. */
export interface AnswerStore {
  /** Claims a key for the transaction, waiting for whoever else is claiming it. */
  claim(tx: Database, claim: KeyClaim, patienceMs: number): Promise<"claimed" | "taken" | "busy">;
  store(tx: Database, answer: KeyedAnswer): Promise<void>;
  find(db: Database, claim: KeyClaim): Promise<FoundAnswer | undefined>;
}

type FoundAnswer = StoredAnswer & Pick<KeyClaim, "fingerprint">;

/** How a request is carried out. Its input has been read by then. */
export interface KeyedWrite {
  /** Stores the write, and the answer under its key, in one statement with those of other requests. */
  readonly together?: () => Promise<StoredAnswer>;
  /** Does all that in a transaction which has claimed the key, but for storing the answer. */
  readonly alone: (tx: Database) => Promise<KeyedAnswer>;
  /** Then it is not carried out again: a file can be read once. */
  readonly hasFile: boolean;
}

export interface AnswerOnce {
  readonly answer: StoredAnswer;
  /** Whether it is what an earlier request was answered. */
  readonly isReplay: boolean;
}

interface Attempt {
  /** By `performance.now()`. */
  readonly deadline: number;
  /**
   * For a request that has waited for another one: what is stored together waits for a key that is claimed elsewhere as
   * long as for any lock, however little is left of the request's own time.
   */
  readonly isAlone: boolean;
}

/** A stored answer can expire between the look that finds its key taken and the one that reads it. */
const CLAIM_TRIES = 3;

/**
 * Carries each request out once, however often, at whatever moment and to whichever node it is sent. What decides is a
 * row in the database that is committed together with the write. In this process requests with one key queue up behind
 * the first before they ask the database, so that they share one connection.
 *
 * 50 requests with one key, 25 at each of two nodes: on each node 24 wait for the first. Those two claim the key. One
 * gets it, writes and commits; the other has waited for that, finds the answer and replays it. So do the 48.
 */
export class Idempotency {
  readonly #policy: IdempotencyPolicy;
  /** By organization, owner and key: what the request that is being carried out is answered; undefined if it fails. */
  readonly #underWay = new Map<string, Promise<FoundAnswer | undefined>>();

  constructor(policy: IdempotencyPolicy) {
    this.#policy = policy;
  }

  get isRequired(): boolean {
    return this.#policy.isRequired;
  }

  get isPersonal(): boolean {
    return this.#policy.isPersonal;
  }

  get keyForm(): KeyForm {
    return this.#policy.keyForm ?? ANY_KEY;
  }

  /** `read` reads the input of the request: what is wrong with it counts only if no answer is stored. */
  async once(claim: KeyClaim, db: Database, read: () => Promise<KeyedWrite>): Promise<AnswerOnce> {
    try {
      const once = await this.#inTurn(claim, db, read);
      this.#policy.observe?.(once.isReplay ? "replayed" : "stored");
      return once;
    } catch (error) {
      const isBusy = error instanceof HttpError && error.kind === "in_progress";
      this.#policy.observe?.(isBusy ? "in_progress" : "refused");
      throw error;
    }
  }

  async #inTurn(claim: KeyClaim, db: Database, read: () => Promise<KeyedWrite>): Promise<AnswerOnce> {
    const deadline = performance.now() + this.#policy.patienceMs;
    const name = `${claim.organizationId} ${claim.owner} ${claim.key}`;
    let hasWaited = false;
    for (let first = this.#underWay.get(name); first; first = this.#underWay.get(name)) {
      const answer = await before(deadline, first);
      hasWaited = true;
      if (answer) return this.#replay(claim, answer);
      // It failed, so the next one tries: the one that has waited longest goes on first.
    }
    const mine = this.#carryOut(claim, db, read, { deadline, isAlone: hasWaited });
    const ended = (answer?: FoundAnswer) => {
      this.#underWay.delete(name);
      return answer;
    };
    this.#underWay.set(
      name,
      mine.then(
        ({ answer }) => ended({ ...answer, fingerprint: claim.fingerprint }),
        () => ended(),
      ),
    );
    return mine;
  }

  async #carryOut(
    claim: KeyClaim,
    db: Database,
    read: () => Promise<KeyedWrite>,
    { deadline, isAlone }: Attempt,
  ): Promise<AnswerOnce> {
    try {
      const write = await read();
      const answer = isAlone ? undefined : await this.#tryTogether(write);
      if (answer) return { answer, isReplay: false };
      const carryOut = () => db.transaction((tx) => this.#claimAndWrite(tx, claim, write, deadline));
      const { pastDeadlocks } = this.#policy;
      return await (pastDeadlocks && !write.hasFile ? pastDeadlocks(carryOut) : carryOut());
    } catch (error) {
      // A stored answer wins over whatever is wrong with the request by now. If the database cannot be asked, the first
      // failure says more.
      const stored = await this.#policy.answers.find(db, claim).catch(() => undefined);
      if (stored) return this.#replay(claim, stored);
      throw error;
    }
  }

  async #tryTogether({ together }: KeyedWrite): Promise<StoredAnswer | undefined> {
    try {
      return await together?.();
    } catch (error) {
      if (error instanceof NotStoredTogether) return undefined;
      throw error;
    }
  }

  async #claimAndWrite(
    tx: Database,
    claim: KeyClaim,
    write: KeyedWrite,
    deadline: number,
  ): Promise<AnswerOnce> {
    const { answers } = this.#policy;
    for (let tries = 0; tries < CLAIM_TRIES; tries++) {
      const outcome = await answers.claim(tx, claim, deadline - performance.now());
      if (outcome === "busy") throw inProgress();
      if (outcome === "claimed") {
        const answer = await write.alone(tx);
        await answers.store(tx, answer);
        return { answer, isReplay: false };
      }
      const stored = await answers.find(tx, claim);
      if (stored) return this.#replay(claim, stored);
    }
    throw inProgress();
  }

  #replay({ fingerprint }: KeyClaim, answer: FoundAnswer): AnswerOnce {
    if (fingerprint !== answer.fingerprint) throw this.#policy.reused();
    return { answer, isReplay: true };
  }
}

function inProgress(): HttpError {
  return new HttpError("request_in_progress");
}

/** What the promise gives; rejects if it has not by the deadline. */
function before<Result>(deadline: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(inProgress()), deadline - performance.now());
    promise.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}
