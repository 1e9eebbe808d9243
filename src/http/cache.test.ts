import assert from "node:assert/strict";
import { test } from "node:test";
import { ResponseCache } from "./cache.ts";

test("what the cache says of itself is what it holds, and never more than it may", () => {
  const cache = new ResponseCache(100_000);
  const store = (address: string, version: number) => {
    for (let asked = 0; asked < 2; asked++) cache.store(address, version, "x".repeat(1_000), {});
  };
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 200; i++) {
      store(`/${i}`, round);
      cache.find(`/${i % 7}`, round);
      const { bytes, maxBytes } = cache.state();
      assert.ok(bytes > 0 && bytes <= maxBytes, `${bytes}`);
    }
  }
  const { hits, misses, droppedBytes } = cache.state();
  assert.equal(hits + misses, 600);
  assert.ok(hits > 500, `${hits} hits: what is asked for again and again stays`);
  assert.ok(droppedBytes > 100_000);
  // One body alone is as large as its text, its address and what an entry costs.
  const small = new ResponseCache(100_000);
  for (let i = 0; i < 4; i++) small.store("/one", i, "x".repeat(1_000), {});
  assert.equal(small.state().bytes, 1_000 + 8 + 200);
});
