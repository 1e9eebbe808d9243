import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { walkBookings } from "./booking-walk.ts";

const api = await startApi();

test("seats, draws, balances, claims and the line agree after every operation", async () => {
  const tally = await walkBookings(api, { walks: 4, steps: 40 });
  const done = [...tally.values()].filter((counted) => counted.done > 0).length;
  assert.ok(done >= 8, `only ${done} kinds of operations were carried out`);
});

test("they agree when three callers meet at once", async () => {
  await walkBookings(api, { walks: 2, steps: 42, abreast: 3 });
});
