import type { Logger } from "pino";

/** How often the log has a line of it. */
const EVERY_MS = 10 * 60_000;
const MOST_TOLD = 5;
/** Less than this, of one organization in that time, is not worth a word. */
const LEAST_MS = 10_000;

/**
 * Counts how long the requests of each organization took, and tells the log which took most. Not as metrics: a label with
 * an id for every organization would make as many series.
 */
export class OrganizationCosts {
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  readonly #costs = new Map<string, { ms: number; requests: number }>();

  constructor(logger: Logger, everyMs = EVERY_MS) {
    this.#logger = logger;
    this.#timer = setInterval(() => this.tell(), everyMs).unref();
  }

  add(organizationId: string, ms: number): void {
    const cost = this.#costs.get(organizationId);
    if (cost) {
      cost.ms += ms;
      cost.requests++;
    } else this.#costs.set(organizationId, { ms, requests: 1 });
  }

  tell(leastMs = LEAST_MS): void {
    const all = [...this.#costs].filter(([id]) => id !== "").sort(([, a], [, b]) => b.ms - a.ms);
    const total = all.reduce((sum, [, { ms }]) => sum + ms, 0);
    this.#costs.clear();
    const most = all.slice(0, MOST_TOLD).filter(([, { ms }]) => ms >= leastMs);
    if (most.length === 0) return;
    const organizations = most.map(([organizationId, { ms, requests }]) => ({
      organizationId,
      requests,
      ms: Math.round(ms),
      percent: Math.round((ms / total) * 100),
    }));
    this.#logger.info({ organizations }, "the organizations whose requests took most of the time");
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
