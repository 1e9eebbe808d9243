import { setTimeout as delay } from "node:timers/promises";
import prometheus from "prom-client";
import type { AttemptOutcome } from "../sync/webhooks/rules.ts";
import type { WebhookFigures } from "../sync/webhooks/sender-queries.ts";

/** How long the metrics wait for the database. */
const ANSWER_MS = 2_000;

/** What came of attempts to reach webhooks, and how far they are behind. */
export class WebhookMetrics {
  readonly #registers: prometheus.Registry[];
  readonly #attempts: prometheus.Counter<"result">;

  constructor(registers: prometheus.Registry[]) {
    this.#registers = registers;
    this.#attempts = new prometheus.Counter({
      name: "rollbook_webhook_attempts_total",
      help: "Attempts to reach webhooks, by the class of the answer's status, or why there was none.",
      labelNames: ["result"],
      registers,
    });
  }

  observe({ status = 0, failure }: AttemptOutcome): void {
    this.#attempts.inc({ result: failure ?? `${Math.floor(status / 100)}xx` });
  }

  /** Takes what asks the database how the endpoints do. */
  watch(ask: () => Promise<readonly WebhookFigures[]>): void {
    // Asked once for the three of them.
    let asked: Promise<readonly WebhookFigures[] | undefined> | undefined;
    const look = () => {
      asked ??= Promise.race([
        ask().catch(() => undefined),
        delay(ANSWER_MS, undefined, { ref: false }),
      ]).finally(() => setImmediate(() => (asked = undefined)));
      return asked;
    };
    const gauge = (name: string, help: string, numberOf: (figures: WebhookFigures) => number) =>
      new prometheus.Gauge({
        name,
        help,
        labelNames: ["state"],
        registers: this.#registers,
        // Each process asks for those of all.
        aggregator: "max",
        async collect() {
          this.reset();
          for (const figures of (await look()) ?? []) this.set({ state: figures.state }, numberOf(figures));
        },
      });
    gauge("rollbook_webhook_endpoints", "Webhooks of all organizations.", ({ endpoints }) => endpoints);
    gauge(
      "rollbook_webhook_events_behind",
      "Changes of the feed that webhooks have not passed, all together.",
      ({ eventsBehind }) => eventsBehind,
    );
    gauge(
      "rollbook_webhook_seconds_behind",
      "Age of the oldest change that a webhook has not passed.",
      ({ secondsBehind }) => secondsBehind,
    );
  }
}
