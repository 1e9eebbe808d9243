import { getHeapStatistics } from "node:v8";
import { refusal } from "../core/errors.ts";
import { charactersOf } from "../core/text-size.ts";

/** What part of the heap they may have together. */
const HEAP_PART = 1 / 4;
const BYTES_PER_CHARACTER = 2;
/** With one answer more an organization may hold this many times what is left free. */
const SHARE = 3;

/**
 * The records of long answers, which stay in memory until callers have taken them. How long that is, is up to the callers: a
 * hundred who read a page of long texts slowly would have the whole heap. So what one organization holds has a bound, and
 * beyond it a request is refused.
 *
 * An organization that holds nothing may have any answer while something is free. Example with room for 100: A holds 60 and is
 * refused 20 more, as that would leave too little; B is given 20, and then A nothing until it holds less.
 */
export class LongAnswers {
  readonly #most: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(mostCharacters = (getHeapStatistics().heap_size_limit * HEAP_PART) / BYTES_PER_CHARACTER) {
    this.#most = mostCharacters;
  }

  /** Sends an answer that holds these records until it is taken. */
  async send(organizationId: string, records: unknown, send: () => Promise<void>): Promise<void> {
    const characters = charactersOf(records);
    if (!this.#mayHold(organizationId, characters)) throw refusal("organization_busy");
    this.#change(organizationId, characters);
    try {
      await send();
    } finally {
      this.#change(organizationId, -characters);
    }
  }

  #mayHold(organizationId: string, characters: number): boolean {
    const held = this.#held.get(organizationId) ?? 0;
    if (held === 0) return this.#all < this.#most;
    return held + characters <= SHARE * (this.#most - this.#all - characters);
  }

  #change(organizationId: string, characters: number): void {
    this.#all += characters;
    const held = (this.#held.get(organizationId) ?? 0) + characters;
    if (held === 0) this.#held.delete(organizationId);
    else this.#held.set(organizationId, held);
  }
}
