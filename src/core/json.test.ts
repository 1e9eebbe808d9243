import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countValues, measure, repeatedMembers } from "./json.ts";

test("a value has as many values as its text, however it is written", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, isIndented) => {
      const text = JSON.stringify(value, null, isIndented ? 2 : 0);
      assert.equal(countValues(JSON.parse(text)), measure(text).values);
    }),
  );
});

test("a member that is given twice leaves fewer values than the text has", () => {
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":{},"a":{}}',
    '{"a":{"b":1},"a":[]}',
    '[{"x":[1,2,3]},{"y":{"z":1,"z":1}}]',
    '{"__proto__":1,"__proto__":2}',
    '{"a":1,"\\u0061":2}',
    '{"a":[1,2],"b":",,{{","a":"x"}',
  ]) {
    assert.ok(countValues(JSON.parse(text)) < measure(text).values, text);
    assert.equal(repeatedMembers(text, "body").length, 1, text);
  }
});
