import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzCalendar } from "./calendar.ts";

test("random rules expand as a second implementation expands them", (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const near = fuzzCalendar({ seed, rounds: 300, reach: "weeks" });
  const far = fuzzCalendar({ seed, rounds: 10 });
  t.diagnostic(`seed ${seed}: ${near.rounds + far.rounds} rules, ${near.slots + far.slots} slots`);
  assert.deepEqual([...near.wrong, ...far.wrong], [], `seed ${seed}`);
});
