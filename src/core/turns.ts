/**
 * Gives out turns of the event loop, one to each turn, in the order in which they are asked for. Ten long answers that
 * each took a millisecond of every turn would make every other caller wait for ten.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#give());
    });
  }

  #give(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#give());
  }
}
