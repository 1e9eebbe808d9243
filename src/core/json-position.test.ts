import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findJsonBreak } from "./json-position.ts";

test("the place where a text stops being JSON is told by line and column", () => {
  const cases: [text: string, line: number, column: number][] = [
    ["{", 1, 2],
    ["[1,2", 1, 5],
    ['{"a":1,}', 1, 8],
    ["[1,]", 1, 4],
    ['{"a" 1}', 1, 6],
    ["{'a':1}", 1, 2],
    ['{"a":1}}', 1, 8],
    ['{"a":1] ', 1, 7],
    ["nul", 1, 1],
    ["01", 1, 2],
    ["1 2", 1, 3],
    ["-", 1, 1],
    ["undefined", 1, 1],
    ['"abc', 1, 5],
    ['"a\\x"', 1, 3],
    ['{\n  "name": "Ana",\n  "notes": "a\tb"\n}', 3, 14],
    ['{\n  "name": "Zoë 🐢",\n  phone: 1\n}', 3, 3],
    ['{"name": "🐢", oops}', 1, 15],
    [" ", 1, 2],
    ["[".repeat(100_000), 1, 33],
    ['{"a":'.repeat(100_000), 1, 161],
    [`[${"1,".repeat(100_000)}`, 1, 2_001],
  ];
  for (const [text, line, column] of cases)
    assert.deepEqual(findJsonBreak(text, 1_000), { line, column }, text.slice(0, 50));
});

test("what JSON.parse reads has no break before its end", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(findJsonBreak(text, 1_000), { line: 1, column: [...text].length + 1 });
    }),
  );
});

test("a megabyte is looked through in a few times what JSON.parse needs for one, whatever it is of", () => {
  const megabytes = [
    "[".repeat(MEGABYTE),
    '{"a":'.repeat(MEGABYTE / 5),
    `[${"1,".repeat(MEGABYTE / 2)}`,
    `[${'"a",'.repeat(MEGABYTE / 4)}`,
    `["${"a".repeat(MEGABYTE)}`,
    `["${"\\n".repeat(MEGABYTE / 2)}`,
    `["${"\\u0041".repeat(MEGABYTE / 6)}`,
    `[1${" ".repeat(MEGABYTE)}`,
    `[1${"\n".repeat(MEGABYTE)}`,
    `[${"1".repeat(MEGABYTE)}`,
  ];
  const valid = JSON.stringify(Array.from({ length: MEGABYTE / 16 }, (_, i) => ({ name: `a${i}` })));
  const timeOf = (work: () => void) => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5; round++) {
      const begun = performance.now();
      work();
      least = Math.min(least, performance.now() - begun);
    }
    return least;
  };
  const most = 3 * timeOf(() => void JSON.parse(valid));
  for (const text of megabytes) {
    const took = timeOf(() => void findJsonBreak(text, 1_000));
    assert.ok(took < most, `${took} ms of ${most} for ${text.slice(0, 10)}`);
  }
});

const MEGABYTE = 1_000_000;
