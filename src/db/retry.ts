import { isDeadlock } from "./statement-errors.ts";

/** How often a transaction is begun that meets another one in a deadlock. */
const DEADLOCK_TRIES = 3;

/** Runs a transaction again that was ended because it and another one held what the other wanted. */
export function pastDeadlocks<Result>(run: () => Promise<Result>): Promise<Result> {
  return retried(DEADLOCK_TRIES, isDeadlock, run);
}

/**
 * Runs a transaction again that failed by what another one did at the same time, so many times in all. The last failure
 * is thrown as it is: what it means is for the caller to say, by the very thing that it names.
 */
export async function retried<Result>(
  tries: number,
  isPassing: (error: unknown) => boolean,
  run: () => Promise<Result>,
): Promise<Result> {
  for (let left = tries - 1; ; left--) {
    try {
      return await run();
    } catch (error) {
      if (left === 0 || !isPassing(error)) throw error;
    }
  }
}
