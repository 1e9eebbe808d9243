import assert from "node:assert/strict";
import { test } from "node:test";
import { charactersOf } from "./text-size.ts";

test("the size of a list is told by some of its records", () => {
  assert.equal(charactersOf("four"), 4);
  assert.equal(charactersOf({ name: "four", count: 1, nothing: undefined }), 4 + 8 + 8);
  assert.equal(charactersOf([]), 0);
  const records = (count: number) => Array.from({ length: count }, () => ({ terms: "x".repeat(1_000) }));
  assert.equal(charactersOf({ data: records(50) }), 50_000);
  assert.equal(charactersOf({ data: records(10_000) }), 10_000_000);
});
