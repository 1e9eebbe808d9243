import assert from "node:assert/strict";
import { test } from "node:test";
import { STAFF_WRITES } from "../../src/app/all-writes.ts";
import { startApi } from "../support/api.ts";
import { OPERATIONS, walk } from "./walk.ts";

const api = await startApi();

test("after any write of the staff counters, versions, times, balances and the status of contracts are right", async () => {
  const tally = await walk(api, { walks: 1, steps: 90, seed: 20261119 });
  const done = [...tally.values()].filter((counted) => counted.done > 0).length;
  assert.ok(done > OPERATIONS.length / 4, `only ${done} operations were carried out`);
});

const ELSEWHERE = new Set([
  // The timetable and bookings have walks of their own.
  ...["Timetable", "Bookings", "Sessions", "Schedules"],
  // Whoever sends and whoever numbers changes write to webhooks too, between any two steps.
  "Webhooks",
]);

test("every write of people, catalog, plans, clients and contracts is walked", () => {
  const names = STAFF_WRITES.filter(({ tag }) => !ELSEWHERE.has(tag)).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), OPERATIONS.toSorted());
});
