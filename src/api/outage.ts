import type { Logger } from "pino";
import { outageReason } from "../db/connection-errors.ts";
import { isDatabaseLost } from "../db/statement-errors.ts";

const PAUSE_MS = 1_000;

/**
 * Tells the log once when the database goes and once when it is back, instead of once for every request that it
 * could not answer.
 */
export class Outage {
  readonly #logger: Logger;
  readonly #isReady: () => Promise<boolean>;
  #begunAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: Logger, isReady: () => Promise<boolean>) {
    this.#logger = logger;
    this.#isReady = isReady;
  }

  /** Whether the error says that the database is gone; the log then has its line about it. */
  covers(err: unknown): boolean {
    if (!isDatabaseLost(err)) return false;
    if (this.#begunAt === undefined) {
      this.#begunAt = performance.now();
      this.#logger.error({ err }, `the database is not available: ${outageReason(err)}`);
      this.#lookLater();
    }
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => void this.#look(), PAUSE_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const isBack = await this.#isReady().catch(() => false);
    if (!isBack) return this.#lookLater();
    const ms = Math.round(performance.now() - (this.#begunAt ?? 0));
    this.#begunAt = undefined;
    this.#logger.info({ ms }, "the database is available again");
  }
}
