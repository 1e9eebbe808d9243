import { openApi } from "../support/api.ts";
import { walkBookings } from "./booking-walk.ts";
import { walkMoney } from "./money-walk.ts";
import { type WalkTally, walk } from "./walk.ts";

/**
 * `npm run walk`: thousands of writes of the staff. `npm run walk -- bookings`: of the front desk, of which ABREAST meet at
 * once; `npm run walk -- money`: of invoices and payments, on two servers. WALKS and STEPS say how many, SEED repeats a run that failed.
 */
const { WALKS = "20", STEPS = "300", ABREAST = "1", SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
const options = { walks: Number(WALKS), steps: Number(STEPS), seed };
const kind = process.argv.find((word) => word === "bookings" || word === "money");
process.stdout.write(`${WALKS} walks of ${STEPS} steps with seed ${seed}\n`);
const api = await openApi();
try {
  report(
    kind === "bookings"
      ? await walkBookings(api, { ...options, abreast: Number(ABREAST) })
      : kind === "money"
        ? await walkMoney(api, { ...options, abreast: Number(ABREAST) })
        : await walk(api, options),
  );
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
