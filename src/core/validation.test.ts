import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { en } from "../languages/en.ts";
import { wordFault } from "../languages/wording.ts";
import type { Fault } from "./faults.ts";
import { compileCheck } from "./validation.ts";

const words = (faults: readonly Fault[]) =>
  faults.map((fault) => `${fault.location} ${wordFault(fault, en)}`);

test("a text that is too long never meets its pattern: only its length is a fault", () => {
  const check = compileCheck(Type.String({ maxLength: 10, pattern: "^(?:a|a)*$" }), "body");
  // 2^22 ways to read it, which takes long enough to be noticed but ends.
  assert.deepEqual(words(check(`${"a".repeat(22)}!`)), ["body must have at most 10 characters"]);
  assert.deepEqual(check("aaaaaaaaaa"), []);
  assert.deepEqual(words(check("aaaaaaaaa!")), ["body is not valid"]);
});

test("lengths count code points, for the pattern too", () => {
  const check = compileCheck(Type.String({ maxLength: 3, pattern: "^[^b]*$" }), "body");
  const cases: [string, string[]][] = [
    ["😀😀😀", []],
    ["😀😀b", ["is not valid"]],
    ["😀😀😀b", ["must have at most 3 characters"]],
    ["a\ud800", ["is not valid"]],
  ];
  for (const [text, messages] of cases) {
    assert.deepEqual(
      check(text).map((fault) => wordFault(fault, en)),
      messages,
      text,
    );
  }
});

test("a text that is too long never meets its format either", () => {
  const email = compileCheck(Type.String({ format: "email", maxLength: 20, pattern: ".*" }), "body");
  assert.deepEqual(words(email("@".repeat(21))), ["body must have at most 20 characters"]);
  assert.deepEqual(words(email("@@")), ["body must be an e-mail address"]);
  for (const [format, message] of [
    ["uuid", "must be a UUID"],
    ["date", "must be a calendar date: YYYY-MM-DD"],
  ] as const) {
    const check = compileCheck(Type.String({ format }), "body");
    assert.deepEqual(words(check("2".repeat(1_000_000))), [`body ${message}`]);
  }
});

test("a pattern without a length limit cannot be declared", () => {
  assert.throws(() => compileCheck(Type.String({ pattern: "^a*$" }), "body")("a"), /has no maxLength/);
});

test("a text that must not be empty has something that is seen", () => {
  const check = compileCheck(Type.String({ minLength: 1, maxLength: 20 }), "body");
  for (const nothing of [
    "",
    " ",
    "\u200b",
    "\u00ad\u2060\ufeff",
    "\u202e\u2066\u200f",
    "\u3164",
    "\u115f\uffa0",
    "\u2800 ",
    "\u{e0041}\ufe0f",
  ])
    assert.deepEqual(words(check(nothing)), ["body must not be empty"], JSON.stringify(nothing));
  for (const something of ["a", "\u200ba", "😀", "دنا", "က", "0", ".", "\u202eabc"])
    assert.deepEqual(check(something), [], JSON.stringify(something));
  const password = compileCheck(Type.String({ minLength: 3, maxLength: 20 }), "body");
  assert.deepEqual(words(password("😀😀")), ["body must have at least 3 characters"]);
  assert.deepEqual(password("😀😀😀"), []);
  assert.deepEqual(compileCheck(Type.String({ maxLength: 3 }), "body")(""), []);
});
