import { isTurnOver, nextTurn } from "./event-loop-turns.ts";

/**
 * Work whose size a caller or the stored data decides: rules, previews, sheets, calendars. Whoever does such work takes an
 * effort and counts its steps. Beyond its bound it is refused; after each fraction of a millisecond it lets others have the event loop.
 *
 *     for (const row of rows) {
 *       effort.spend(row.cells.length);
 *       if (effort.isDue) await effort.pause();
 *     }
 *
 * A step is what takes about a microsecond. Work that cannot pause, because it is pure and is called in the middle of
 * something, only spends: its bound must then be one that is over in a few milliseconds.
 */
export class Effort {
  readonly #refuse: () => Error;
  #left: number;

  constructor(mostSteps: number, refuse: () => Error) {
    this.#left = mostSteps;
    this.#refuse = refuse;
  }

  /** Throws the refusal when the steps are used up. */
  spend(steps = 1): void {
    if (!this.trySpend(steps)) throw this.#refuse();
  }

  /** False when the steps are used up: for work that knows what to answer then. */
  trySpend(steps = 1): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  /** Whether it is time to pause: work such as this has had the event loop for long enough. */
  get isDue(): boolean {
    return isTurnOver();
  }

  /** Goes on in a later turn of the event loop. */
  pause(): Promise<void> {
    return nextTurn();
  }
}

/** Work of which all that can be said is that it must not hold the event loop: what is stored bounds it. */
export function unboundedEffort(): Effort {
  return new Effort(Number.POSITIVE_INFINITY, () => new Error("there is no bound"));
}
