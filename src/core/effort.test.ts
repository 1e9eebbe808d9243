import assert from "node:assert/strict";
import { test } from "node:test";
import { Effort, unboundedEffort } from "./effort.ts";

test("work is refused beyond its bound, and not a step before", () => {
  const effort = new Effort(10, () => new Error("too much"));
  for (let step = 0; step < 10; step++) effort.spend();
  assert.throws(() => effort.spend(), /too much/);
});

test("of twenty long works one goes on in each turn of the event loop, and none for longer than a slice", async () => {
  let turn = 0;
  let isDone = false;
  const tick = () => {
    turn++;
    if (!isDone) setImmediate(tick);
  };
  tick();
  const goingOn = new Map<number, number>();
  const work = async () => {
    const effort = unboundedEffort();
    for (let piece = 0; piece < 10; piece++) {
      const begun = performance.now();
      while (!effort.isDue) assert.ok(performance.now() - begun < 1_000, "it is never due");
      await effort.pause();
      goingOn.set(turn, (goingOn.get(turn) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  isDone = true;
  // The turn is counted a moment before or after the work of it goes on.
  assert.ok(Math.max(...goingOn.values()) <= 2);
  assert.ok(goingOn.size >= 100, `${goingOn.size} turns for 200 pieces`);
});
