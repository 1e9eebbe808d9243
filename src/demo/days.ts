import { MS_PER_DAY } from "../core/dates.ts";
import type { Chance } from "./chance.ts";

/** Calendar dates as texts: `2026-11-15`. */

export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * MS_PER_DAY).toISOString().slice(0, 10);
}

export function daysBefore(date: string, days: number): string {
  return daysAfter(date, -days);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / MS_PER_DAY);
}

/** The same day of a later month, or the last one of that month if it is shorter. */
export function monthsAfter(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, lastDay))).toISOString().slice(0, 10);
}

/** A moment of that day at which the front desk is open. */
export function instantOn(chance: Chance, date: string): string {
  // From 8 to 20 o'clock in São Paulo.
  return new Date(Date.parse(date) + chance.between(11 * 3_600_000, 23 * 3_600_000)).toISOString();
}

/** Of instants in our spelling the last one. */
export function latest(first: string, ...others: readonly (string | undefined)[]): string {
  return [first, ...others.filter((instant) => instant !== undefined)].sort().at(-1) ?? first;
}
