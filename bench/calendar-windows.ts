/** The addresses of calendars. */
import { MS_PER_DAY } from "../src/core/dates.ts";

export function windows(count: number, firstMs: number, days: number): string[] {
  return Array.from({ length: count }, (_, n) => windowFrom(firstMs + n * 60_000, days));
}

export function windowFrom(ms: number, days: number): string {
  const text = (at: number) => new Date(at).toISOString();
  return `GET /v1/calendar?from=${text(ms)}&to=${text(ms + days * MS_PER_DAY)}`;
}
