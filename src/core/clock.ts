/**
 * The time by which data is judged and stored: PostgreSQL's, so that all nodes agree, moved by `CLOCK_OFFSET`.
 * Each operation reads it once and hands the instant on, in milliseconds since 1970; see docs/decisions/clock.md.
 */
export interface Clock {
  /** By how much it is moved: for statements that take PostgreSQL's time themselves; the others are given an instant. */
  readonly clockOffsetMs: number;
  /** Of a transaction it is the time at which that began, however often it is asked for. */
  now(): Promise<number>;
}

/**
 * A reading of the clock that came with something else. Asked later, it adds the time that has passed in this process
 * since: a body may arrive seconds after its caller was let in, and nothing is stored with a time before its arrival.
 */
export class ClockReading {
  readonly #ms: number;
  readonly #readAt = performance.now();

  constructor(ms: number) {
    this.#ms = ms;
  }

  now(): number {
    return Math.floor(this.#ms + performance.now() - this.#readAt);
  }
}

/** An instant as it is stored and sent: `2026-11-15T09:30:00.000Z`. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString();
}
