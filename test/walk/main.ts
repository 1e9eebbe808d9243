import { openApi } from "../support/api.ts";
import { walkBookings } from "./booking-walk.ts";
import { walkMoney, walkMoneyTwice } from "./money-walk.ts";
import { type WalkTally, walk } from "./walk.ts";

/**
 * `npm run walk`: thousands of writes of the staff. `npm run walk -- bookings`: of the front desk, of which ABREAST meet at
 * once; `npm run walk -- money`: of invoices and payments, on two servers; `npm run walk -- money-twice`: the same in two studios, into one
 * of which somebody looks on every day. WALKS and STEPS say how many, SEED repeats a run that failed.
 */
const { WALKS = "20", STEPS = "300", ABREAST = "1", SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
const options = { walks: Number(WALKS), steps: Number(STEPS), seed };
const WALKS_OF = {
  bookings: () => walkBookings(api, { ...options, abreast: Number(ABREAST) }),
  money: () => walkMoney(api, { ...options, abreast: Number(ABREAST) }),
  "money-twice": () => walkMoneyTwice(api, options),
  all: () => walk(api, options),
};
const kind = Object.keys(WALKS_OF).find((name) => process.argv.includes(name)) ?? "all";
process.stdout.write(`${WALKS} walks of ${STEPS} steps with seed ${seed}\n`);
const api = await openApi();
try {
  report(await WALKS_OF[kind as keyof typeof WALKS_OF]());
} finally {
  await api.close();
}

function report(tally: WalkTally): void {
  for (const [name, { done, refusals }] of tally) {
    const words = [...refusals].map(([word, count]) => `${word} ${count}`).join(", ");
    process.stdout.write(
      `${name.padEnd(20)} ${String(done).padStart(6)} done; refused: ${words || "never"}\n`,
    );
  }
}
