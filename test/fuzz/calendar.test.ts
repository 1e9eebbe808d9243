import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzCalendar } from "./calendar.ts";

test("random rules expand as a second implementation expands them", () => {
  const seed = 7;
  const { wrong } = fuzzCalendar({ seed, rounds: 300 });
  assert.deepEqual(wrong, [], `seed ${seed}`);
});
