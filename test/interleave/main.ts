import { type InterleaveTally, interleave } from "./interleaving.ts";
import { openPlace } from "./place.ts";

/**
 * `npm run interleave`: thousands of schedules of a few operations at once, statement by statement. RUNS says how many, SEED and
 * SCHEDULE repeat what failed; WITHOUT takes the locks out of the named statements, to see that it is found.
 */
const { RUNS = "2000", SEED, SCHEDULE, WITHOUT } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
process.stdout.write(`${RUNS} schedules with seed ${seed}\n`);
const place = await openPlace();
try {
  const begunAt = performance.now();
  const tally = await interleave({
    db: place.db,
    runs: Number(RUNS),
    seed,
    path: SCHEDULE,
    withoutLocks: WITHOUT?.split(","),
  });
  report(tally, (performance.now() - begunAt) / 1000);
} finally {
  await place.close();
}

function report({ kinds, statements, deadlocks }: InterleaveTally, seconds: number): void {
  for (const [kind, { done, refusals }] of kinds) {
    const words = [...refusals].map(([word, count]) => `${word} ${count}`).join(", ");
    process.stdout.write(
      `${kind.padEnd(16)} ${String(done).padStart(6)} done; refused: ${words || "never"}\n`,
    );
  }
  process.stdout.write(`${statements} statements, ${deadlocks} deadlocks, ${seconds.toFixed(1)} s\n`);
}
