import { openApi } from "../support/api.ts";
import { walk } from "./walk.ts";

/** `npm run walk`: thousands of writes. WALKS and STEPS say how many, SEED repeats a run that failed. */
const { WALKS = "20", STEPS = "300", SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
process.stdout.write(`${WALKS} walks of ${STEPS} steps with seed ${seed}\n`);
const api = await openApi();
try {
  const tally = await walk(api, { walks: Number(WALKS), steps: Number(STEPS), seed });
  for (const [name, { done, refusals }] of tally) {
    const words = [...refusals].map(([word, count]) => `${word} ${count}`).join(", ");
    process.stdout.write(
      `${name.padEnd(20)} ${String(done).padStart(6)} done; refused: ${words || "never"}\n`,
    );
  }
} finally {
  await api.close();
}
