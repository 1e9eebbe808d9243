import { setTimeout as delay } from "node:timers/promises";

/** Asks again and again until there is an answer, and fails when the time is up. */
export async function until<Result>(
  what: string,
  ask: () => Promise<Result | undefined | false>,
  deadlineMs = 10_000,
): Promise<Result> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`in ${deadlineMs} ms it did not happen that ${what}`);
    await delay(20);
  }
}
