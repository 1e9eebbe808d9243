/** Chance that repeats itself: one seed always gives the same draws. */
export interface Chance {
  /** From 0 up to, but not including, 1. */
  fraction(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True in `share` of the cases. */
  odds(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** One of the first entries, each drawn as often as its weight says. */
  weighted<Item>(entries: readonly (readonly [item: Item, weight: number])[]): Item;
  digits(count: number): string;
  /** An id of the form of version 7 that sorts by the given time. */
  id(createdMs: number): string;
}

export function newChance(seed: string): Chance {
  const next = sfc32(seed);
  const fraction = () => next() / 2 ** 32;
  const between = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  const hex = (bits: number, count: number) => (next() >>> (32 - bits)).toString(16).padStart(count, "0");

  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[between(0, items.length - 1)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  };

  return {
    fraction,
    between,
    odds: (share) => fraction() < share,
    pick,
    weighted(entries) {
      let rest = fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [item, weight] of entries) {
        rest -= weight;
        if (rest < 0) return item;
      }
      return pick(entries)[0];
    },
    digits: (count) => Array.from({ length: count }, () => between(0, 9)).join(""),
    id(createdMs) {
      const time = createdMs.toString(16).padStart(12, "0");
      const variant = (0x8000 | (next() >>> 18)).toString(16);
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(12, 3)}-${variant}-${hex(24, 6)}${hex(24, 6)}`;
    },
  };
}

/** The generator sfc32, begun with a hash of the seed's text; 32 bits a call. */
function sfc32(seed: string): () => number {
  let [a, b, c, count] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  const next = () => {
    const sum = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (const character of seed) {
    a ^= character.codePointAt(0) ?? 0;
    next();
  }
  // The first draws still show the seed.
  for (let i = 0; i < 16; i++) next();
  return next;
}
