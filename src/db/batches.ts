/** How long a batch waits for the one before it at the most: a statement that hangs must not hold up the others. */
const PATIENCE_MS = 20;

/**
 * Gathers what is to be asked of the database and asks for it together: the busier the server, the larger the
 * batches and the smaller each item's share of the cost.
 *
 * 3 items come in one turn of the event loop: a batch of 3 leaves when the turn ends. 5 more come while its
 * statement is under way: a batch of 5 leaves when that one is answered, or after 20 ms if it is not.
 */
export class Batches<Item> {
  readonly #run: (items: readonly Item[]) => Promise<() => void>;
  readonly #most: number;
  #gathering: Item[] | undefined;
  #underWay = 0;

  /**
   * `run` asks for a batch and never rejects: it resolves to what hands out the answers, or the failure. A batch of
   * `most` items leaves at once.
   */
  constructor(run: (items: readonly Item[]) => Promise<() => void>, most = Number.POSITIVE_INFINITY) {
    this.#run = run;
    this.#most = most;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#gathering === undefined;
  }

  add(item: Item): void {
    this.#gathering ??= this.#begin();
    this.#gathering.push(item);
    if (this.#gathering.length >= this.#most) this.#send(this.#gathering);
  }

  #begin(): Item[] {
    const batch: Item[] = [];
    const sendUnlessSent = () => {
      if (this.#gathering === batch) this.#send(batch);
    };
    if (this.#underWay === 0) setImmediate(sendUnlessSent);
    else setTimeout(sendUnlessSent, PATIENCE_MS);
    return batch;
  }

  #send(batch: readonly Item[]): void {
    this.#gathering = undefined;
    this.#underWay++;
    this.#run(batch).then((handOut) => {
      this.#underWay--;
      // Before the answers are handed out, so that the next statement travels meanwhile.
      if (this.#gathering) this.#send(this.#gathering);
      handOut();
    });
  }
}
