import { newId } from "../../core/ids.ts";
import type { CallRules } from "../../core/network-addresses.ts";
import type { Database, OpenDatabase } from "../../db/database.ts";
import { numberChanges } from "../changes/numbering.ts";
import { deliver } from "./delivery.ts";
import { findMessage, type PreparedMessage, testMessage } from "./messages.ts";
import type { SealedSecret } from "./queries.ts";
import { type AttemptOutcome, afterFailure, isSuccess } from "./rules.ts";
import {
  disableLostWebhook,
  findWork,
  type LeasedWebhook,
  leaseWebhooks,
  type MadeAttempt,
  releaseWebhook,
  storeResult,
  storeTest,
  type TestedWebhook,
  takeTests,
} from "./sender-queries.ts";
import { openSecret, type SealPlace, signatureHeader } from "./signatures.ts";

/** How often a process asks what there is to do. */
const EVERY_MS = 250;
/** A write of its own wakes it before, but not more often than this, however much is written. */
const WOKEN_MS = 20;
/** How long it waits after a failure of the database. */
const PAUSE_MS = 2_000;
/** How many receivers a process calls at a time. */
const MOST_AT_ONCE = 64;
/** How many of them may be tests, which are asked for as often as an owner likes; of an organization it is one. */
const MOST_TESTS = 8;
/** After this time an endpoint with more to send goes to the end of the line. */
const TURN_MS = 10_000;
/** Longer than an attempt can take: a process that is killed is replaced after this time. */
const LEASE_SECONDS = 30;
/** How long requests under way may take when the process stops. */
const STOP_MS = 3_000;

export interface WebhookSenderOptions {
  readonly db: OpenDatabase;
  readonly keySecret: string;
  readonly publicUrl: string;
  readonly version: string;
  readonly rules: CallRules;
  /** Called with what came of an attempt: a word for the metrics. */
  readonly onAttempt?: (outcome: AttemptOutcome) => void;
  /** Called with a failure that nobody is answered with. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends the changes of organizations to their endpoints, one request at a time for each and in order. Every serving process
 * has one. What is due, which message is under way and how often it was tried are rows, so whichever process takes an endpoint
 * goes on where the one before stopped; memory holds nothing but the requests under way.
 */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #stopped = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** The organizations whose tests are under way. */
  readonly #testing = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> | undefined;
  #isStopping = false;
  #wasWoken = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#lookAfter(EVERY_MS * Math.random());
  }

  /** Looks at once: something was written. */
  wake(): void {
    if (this.#wasWoken) return;
    this.#wasWoken = true;
    if (this.#look === undefined) this.#lookAfter(WOKEN_MS);
  }

  /** Takes nothing more, gives requests under way a moment, and cuts off what is left: it is sent again by others. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#look;
    const cutOff = setTimeout(() => this.#stopped.abort(), STOP_MS);
    await Promise.all(this.#underWay);
    clearTimeout(cutOff);
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopping) return;
    this.#timer = setTimeout(() => {
      this.#look = this.#run().finally(() => {
        this.#look = undefined;
      });
    }, ms).unref();
  }

  async #run(): Promise<void> {
    this.#wasWoken = false;
    try {
      await this.#takeWork();
      this.#lookAfter(this.#wasWoken ? WOKEN_MS : EVERY_MS);
    } catch (error) {
      this.#options.onError(error);
      this.#lookAfter(PAUSE_MS);
    }
  }

  async #takeWork(): Promise<void> {
    const { db } = this.#options;
    const now = await db.now();
    const { isDue, hasTests, unnumbered } = await findWork(db, now);
    // A part of each, which makes its endpoints due: whoever serves them numbers the rest, and keeps nobody else waiting.
    for (const organizationId of unnumbered) await numberChanges(db.for(organizationId), organizationId);
    if (hasTests) await this.#takeTests();
    const free = MOST_AT_ONCE - this.#underWay.size;
    if (free <= 0 || (!isDue && unnumbered.length === 0)) return;
    const leased = await leaseWebhooks(db, now, free, LEASE_SECONDS);
    for (const webhook of leased) this.#begin(this.#serve(webhook));
  }

  async #takeTests(): Promise<void> {
    const free = Math.min(MOST_TESTS - this.#testing.size, MOST_AT_ONCE - this.#underWay.size);
    if (free <= 0) return;
    for (const test of await takeTests(this.#options.db, free, [...this.#testing])) {
      const { organizationId } = test;
      this.#testing.add(organizationId);
      this.#begin(this.#sendTest(test).finally(() => this.#testing.delete(organizationId)));
    }
  }

  #begin(work: Promise<void>): void {
    const done = work.catch((error: unknown) => {
      // What was cut off by the stop is nobody's failure.
      if (!this.#stopped.signal.aborted) this.#options.onError(error);
    });
    this.#underWay.add(done);
    void done.then(() => this.#underWay.delete(done));
  }

  /** Sends what is due at an endpoint, message by message, until nothing is, one fails or others are to have their turn. */
  async #serve(webhook: LeasedWebhook): Promise<void> {
    const db = this.#options.db.for(webhook.organizationId);
    const endsAt = performance.now() + TURN_MS;
    try {
      while (await this.#sendNext(db, webhook)) {
        if (this.#isStopping || performance.now() >= endsAt) break;
      }
    } finally {
      // Ended by whatever it was, the lease is of no more use. If it has been given up already, this does nothing.
      await releaseWebhook(db, webhook, await db.now());
    }
  }

  /** True if the next message may follow at once. */
  async #sendNext(db: Database, webhook: LeasedWebhook): Promise<boolean> {
    const { keySecret, publicUrl } = this.#options;
    const message = await findMessage(db, webhook, { keySecret, publicUrl, leaseSeconds: LEASE_SECONDS });
    if (!message) return false;
    const place = { organizationId: webhook.organizationId, webhookId: webhook.id };
    const now = await db.now();
    const secrets = openSecrets(message.row.secrets, keySecret, place, now);
    if (!secrets) {
      await disableLostWebhook(db, webhook);
      return false;
    }
    const outcome = await this.#attempt(message.row.url, secrets, message, now);
    const { attempt, result } = this.#judge(message, outcome, now, await db.now());
    const isStored = await storeResult(db, webhook, attempt, result);
    return isStored && isSuccess(outcome);
  }

  #judge({ row, sequence, event }: PreparedMessage, outcome: AttemptOutcome, begunAt: number, now: number) {
    const attempt: MadeAttempt = {
      ...outcome,
      id: newId(begunAt),
      at: new Date(begunAt).toISOString(),
      event,
      sequence,
      try: row.tries + 1,
    };
    const { revision } = row;
    if (isSuccess(outcome))
      return { attempt, result: { revision, position: sequence, tries: 0, nextAttemptAt: now } };
    const failingSince = row.failingSince === undefined ? undefined : Date.parse(row.failingSince);
    const next = afterFailure(outcome, { tries: row.tries, failingSince, now, chance: Math.random() });
    const result = {
      revision,
      tries: row.tries + 1,
      failingSince: next.failingSince,
      ...(next.state === "disabled" ? { reason: next.reason } : { nextAttemptAt: next.nextAttemptAt }),
    };
    return { attempt, result };
  }

  async #sendTest(test: TestedWebhook): Promise<void> {
    const { organizationId, id, testId } = test;
    const db = this.#options.db.for(organizationId);
    const now = await db.now();
    const secrets = openSecrets(
      test.secrets,
      this.#options.keySecret,
      { organizationId, webhookId: id },
      now,
    );
    // Whoever asks for one is told by the state of the endpoint.
    if (!secrets) return;
    const message = await testMessage(db, test, now);
    const outcome = await this.#attempt(test.url, secrets, message, now);
    const at = new Date(now).toISOString();
    await storeTest(db, test, { ...outcome, id: testId, at, event: message.event, try: 1 });
  }

  async #attempt(
    url: string,
    secrets: readonly string[],
    { id, body }: Pick<PreparedMessage, "id" | "body">,
    now: number,
  ): Promise<AttemptOutcome> {
    const { version, rules, onAttempt } = this.#options;
    const timestamp = Math.floor(now / 1_000);
    const outcome = await deliver({
      url,
      headers: {
        "content-type": "application/json",
        "user-agent": `Rollbook/${version}`,
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signatureHeader(secrets, { id, timestamp, body }),
      },
      body,
      rules,
      signal: this.#stopped.signal,
      now,
    });
    onAttempt?.(outcome);
    return outcome;
  }
}

/** The secrets that hold now, the newest first; undefined if one cannot be read. */
function openSecrets(
  sealed: readonly SealedSecret[],
  keySecret: string,
  place: SealPlace,
  now: number,
): readonly string[] | undefined {
  const secrets = sealed
    .filter(({ endsAt }) => endsAt === undefined || Date.parse(endsAt) > now)
    .map((one) => openSecret(one.sealed, keySecret, place));
  return secrets.every((secret) => secret !== undefined) ? secrets : undefined;
}
