/**
 * The keys by which the slots of one slice of a window are sorted: one number for a slot's offset from the start of
 * the slice and its schedule's place, so that the fast sort of numbers puts both in order.
 *
 *     key = offset × base + place        base: the power of two that is not below the number of places
 *
 * It is exact because a slice is never longer than `longestMs`: offset < 2^53 / base and place < base, so every key is
 * a whole number below 2^53, and dividing by a power of two only moves the point.
 *
 * Example with 3 schedules, so base 4: the slot 1,000 ms into the slice of schedule 2 has the key 1,000 × 4 + 2 = 4,002.
 * It comes after schedule 0 at the same time (4,000) and before any schedule a millisecond later (4,004 and up).
 */
export class SlotKeys {
  readonly longestMs: number;
  readonly #base: number;

  constructor(places: number) {
    let base = 1;
    while (base < places) base *= 2;
    this.#base = base;
    this.longestMs = 2 ** 53 / base;
  }

  /** Anything but whole numbers within bounds would name another schedule or another instant. */
  of(offsetMs: number, place: number): number {
    if (!isIndex(offsetMs, this.longestMs) || !isIndex(place, this.#base))
      throw new RangeError(`no slot has offset ${offsetMs} and place ${place} of ${this.#base}`);
    return offsetMs * this.#base + place;
  }

  offsetOf(key: number): number {
    return Math.floor(key / this.#base);
  }

  placeOf(key: number): number {
    return key - Math.floor(key / this.#base) * this.#base;
  }
}

function isIndex(value: number, end: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < end;
}
