import assert from "node:assert/strict";
import { test } from "node:test";
import { OneAtATime } from "./one-at-a-time.ts";

test("work begins when the one before has ended, in order, and a failure is its own alone", async () => {
  const queue = new OneAtATime();
  const events: string[] = [];
  const work = (name: string, fails = false) =>
    queue.run(async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const outcomes = await Promise.allSettled([work("a"), work("b", true), work("c")]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : String(outcome.reason))),
    ["a", "Error: b", "c"],
  );
  assert.deepEqual(events, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});
