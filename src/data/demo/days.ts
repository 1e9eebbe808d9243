import type { Chance } from "./chance.ts";

/** A moment of that day at which the front desk is open. */
export function instantOn(chance: Chance, date: string): string {
  // From 8 to 20 o'clock in São Paulo.
  return new Date(Date.parse(date) + chance.between(11 * 3_600_000, 23 * 3_600_000)).toISOString();
}

/** Of instants in our spelling the last one. */
export function latest(first: string, ...others: readonly (string | undefined)[]): string {
  return [first, ...others.filter((instant) => instant !== undefined)].sort().at(-1) ?? first;
}
