import assert from "node:assert/strict";
import { test } from "node:test";
import { Batches } from "./batches.ts";

test("a batch that is full leaves at once, and the items after it make the next", async () => {
  const sizes: number[] = [];
  const batches = new Batches<number>(async (items) => {
    sizes.push(items.length);
    return () => undefined;
  }, 64);
  for (let n = 0; n < 150; n++) batches.add(n);
  assert.deepEqual(sizes, [64, 64]);
  await new Promise(setImmediate);
  assert.deepEqual(sizes, [64, 64, 22]);
  assert.ok(batches.isIdle);
});
