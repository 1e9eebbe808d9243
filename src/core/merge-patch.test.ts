import assert from "node:assert/strict";
import { test } from "node:test";
import { mergePatch } from "./merge-patch.ts";

/** The cases of RFC 7396, appendix A, and some of our own. */
const CASES: readonly (readonly [target: string, patch: string, merged: string])[] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', "null", "null"],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ['{"a":1}', "{}", '{"a":1}'],
  ['{"a":{"b":1}}', '{"a":{}}', '{"a":{"b":1}}'],
  ['{"a":1}', '{"a":[null]}', '{"a":[null]}'],
  ['{"a":1}', '{"__proto__":{"b":2}}', '{"a":1,"__proto__":{"b":2}}'],
];

for (const [target, patch, merged] of CASES) {
  test(`${target} patched with ${patch} is ${merged}`, () => {
    const [before, change] = [JSON.parse(target), JSON.parse(patch)];
    assert.equal(JSON.stringify(mergePatch(before, change)), merged);
    assert.equal(JSON.stringify(before), target);
    assert.equal(JSON.stringify(change), patch);
  });
}
