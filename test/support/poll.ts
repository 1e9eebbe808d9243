import { setTimeout as delay } from "node:timers/promises";

/**
 * Asks again and again until there is an answer, and fails when the time is up: far later than a busy machine needs,
 * as only what never happens takes so long.
 */
export async function until<Result>(
  what: string,
  ask: () => Promise<Result | undefined | false>,
  deadlineMs = 120_000,
): Promise<Result> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`in ${deadlineMs} ms it did not happen that ${what}`);
    await delay(20);
  }
}
