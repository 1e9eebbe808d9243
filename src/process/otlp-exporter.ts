import type { Logger } from "pino";

/** How long a collector has for an answer, and for the last ones when the process stops. */
const ANSWER_MS = 10_000;
const LAST_ANSWER_MS = 2_000;

/** Statuses after which the same is sent again, by the specification of OTLP. */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** What became of a body: what is refused is not sent again. */
export type PostOutcome = "taken" | "refused" | "failed";
export type Post = (body: object) => Promise<PostOutcome>;

export interface ExporterOptions {
  readonly kind: "traces" | "metrics";
  readonly settings: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> };
  readonly logger: Logger;
  /** Posts what there is to send; what takes long beside that ends with the signal. */
  readonly send: (post: Post, signal: AbortSignal) => Promise<void>;
  /** How many requests were left out since that was told last. */
  readonly takeDropped?: () => number;
}

/** The reason by which what is under way ends when the process stops. */
const STOPPED = new Error("the process stops");

/**
 * Sends one kind of telemetry, and knows whether the collector takes that kind: one that has no metrics may well take traces.
 *
 * Example: a request has hung for 5 s when the timer comes again: nothing is sent beside it. A second later the process stops:
 * that request ends at once, and what waits is sent for the last time, which takes 2 s at most.
 */
export class OtlpExporter {
  readonly #options: ExporterOptions;
  #sending: Promise<void> | undefined;
  #controller = new AbortController();
  #isStopped = false;
  #isFailing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Sends, unless it is sending: a collector that hangs is not asked again meanwhile. */
  send(): void {
    if (this.#isStopped || this.#sending) return;
    this.#sending = this.#send(ANSWER_MS).finally(() => {
      this.#sending = undefined;
    });
  }

  /** Ends what is under way, and sends for the last time. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#controller.abort(STOPPED);
    await this.#sending;
    await this.#send(LAST_ANSWER_MS);
  }

  async #send(withinMs: number): Promise<void> {
    const { kind, logger, send } = this.#options;
    const controller = new AbortController();
    this.#controller = controller;
    const late = () => controller.abort(new Error(`there was no answer to ${kind} within ${withinMs} ms`));
    const timer = setTimeout(late, withinMs);
    try {
      await send((body) => this.#post(body, controller.signal), controller.signal);
    } catch (err) {
      logger.warn({ err }, `the ${kind} could not be read`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #post(body: object, signal: AbortSignal): Promise<PostOutcome> {
    const { kind, settings } = this.#options;
    try {
      const answer = await fetch(`${settings.endpoint}/v1/${kind}`, {
        method: "POST",
        headers: { ...settings.headers, "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "error",
        signal,
      });
      // Nobody reads it, and it may have no end.
      await answer.body?.cancel();
      if (answer.ok) {
        this.#tellTaken();
        return "taken";
      }
      this.#tellFailure(new Error(`it answered ${answer.status} to ${kind}`));
      return answer.status >= 400 && !RETRIED.has(answer.status) ? "refused" : "failed";
    } catch (error) {
      // That says nothing of the collector.
      if (signal.reason !== STOPPED) this.#tellFailure(error);
      return "failed";
    }
  }

  #tellTaken(): void {
    const { kind, logger, takeDropped } = this.#options;
    if (!this.#isFailing) return;
    this.#isFailing = false;
    const leftOut = takeDropped ? `; ${takeDropped()} requests were left out` : "";
    logger.info(`the collector takes ${kind} again${leftOut}`);
  }

  #tellFailure(err: unknown): void {
    const { kind, logger } = this.#options;
    if (!this.#isFailing)
      logger.warn({ err }, `the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no ${kind}; retrying`);
    this.#isFailing = true;
  }
}
