import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULT_TOPICS } from "../core/faults.ts";
import { en } from "./en.ts";
import { wordKeptDetail, wordKeptFault } from "./kept-words.ts";
import { wordTemplate } from "./wording.ts";

test("what is told of a kept code has nothing that its sentence would have been filled with", () => {
  const codes = Object.values(FAULT_TOPICS).flat();
  assert.ok(codes.length > 100);
  for (const code of codes) {
    const { words, params } = wordTemplate(en.faults[code]);
    const told = wordKeptFault(code);
    assert.doesNotMatch(told, /[{}…]|undefined|params|did you mean/, code);
    if (params.length > 0) assert.notEqual(told, words, code);
    // Of this one the place is kept without its name.
    else if (code !== "given_twice") assert.equal(told, words, code);
  }
  assert.equal(wordKeptFault("of_a_later_version"), "is not valid");
});

test("what is told of a request as a whole is left out if it would have to be filled", () => {
  let filled = 0;
  for (const [code, sentence] of Object.entries(en.details)) {
    const { words, params } = wordTemplate(sentence);
    const told = wordKeptDetail(code);
    if (params.length === 0) assert.equal(told, words);
    else if (code !== "body_not_json") {
      filled++;
      assert.equal(told, undefined, code);
    }
  }
  assert.ok(filled > 20);
  assert.equal(wordKeptDetail("of_a_later_version"), undefined);
});
