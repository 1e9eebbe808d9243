import assert from "node:assert/strict";
import { after, test } from "node:test";
import { interleave, interleaveOnce } from "./interleaving.ts";
import { openPlace } from "./place.ts";

const { db, close } = await openPlace();
after(() => close());

test("seats, credits, money, numbers, versions and the feed are right in whatever order the statements of a few operations come", async () => {
  const tally = await interleave({ db, runs: 30, seed: 20261119, endOnFailure: true });
  const done = [...tally.kinds.values()].filter((counted) => counted.done > 0).length;
  assert.ok(done >= 10, `only ${done} kinds of operations were carried out`);
});

test("a lock that is missing is found: one booking is cancelled twice at once, statement by statement in turns", async () => {
  const twice = [
    { kind: "cancel" as const, which: 1 },
    { kind: "cancel" as const, which: 1 },
  ];
  const inTurns = { steps: twice, choices: Array.from({ length: 40 }, (_, turn) => turn % 2) };
  const tally = await interleaveOnce(db, inTurns);
  assert.equal(tally.kinds.get("cancel")?.done, 2, "the second finds it cancelled, and that is fine");
  const withoutLocks = ["lock_session_with_schedule"];
  await assert.rejects(interleaveOnce(db, inTurns, withoutLocks), /0 end_bookings.*1 end_bookings/s);
});
