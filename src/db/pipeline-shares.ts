/** How many statements of one organization are in flight on the connections that all share. */
const MOST_IN_FLIGHT = 8;
/** An answer with more characters than this keeps others waiting for longer than they would notice. */
const LARGE_ANSWER = 1 << 18;
/** For so long after one its organization reads as if each read was expensive, in a share of its own. */
const LARGE_FOR_MS = 60_000;

/** Counts what an answer of PostgreSQL has. */
export interface AnswerSize {
  characters: number;
}

interface InFlight {
  count: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets organizations read on connections where answers come one after the other. That is fast as long as none is long, and how
 * long a page is, is up to whoever stored its records: 200 clients with notes of 10,000 characters keep such a connection busy
 * for as long as a thousand short reads. So few statements of an organization are in flight there, and after a large answer none.
 */
export class PipelineShares {
  readonly #inFlight = new Map<string, InFlight>();
  readonly #largeUntil = new Map<string, number>();

  async read<Rows>(
    organizationId: string,
    shared: (size: AnswerSize) => Promise<Rows>,
    own: (size: AnswerSize) => Promise<Rows>,
  ): Promise<Rows> {
    const reads = this.#inFlight.get(organizationId) ?? { count: 0, waiting: [] };
    this.#inFlight.set(organizationId, reads);
    if (reads.count++ >= MOST_IN_FLIGHT) await new Promise<void>((resolve) => reads.waiting.push(resolve));
    try {
      if (!this.#isLarge(organizationId)) return await this.#measured(organizationId, shared);
    } finally {
      reads.count--;
      reads.waiting.shift()?.();
      if (reads.count === 0) this.#inFlight.delete(organizationId);
    }
    return this.#measured(organizationId, own);
  }

  async #measured<Rows>(organizationId: string, read: (size: AnswerSize) => Promise<Rows>): Promise<Rows> {
    const size = { characters: 0 };
    const rows = await read(size);
    if (size.characters > LARGE_ANSWER)
      this.#largeUntil.set(organizationId, performance.now() + LARGE_FOR_MS);
    return rows;
  }

  #isLarge(organizationId: string): boolean {
    const until = this.#largeUntil.get(organizationId);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#largeUntil.delete(organizationId);
    return false;
  }
}
