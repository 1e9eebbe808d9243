import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeFormula, unescapeFormula } from "./formulas.ts";

const CASES: readonly [text: string, written: string][] = [
  ["=1+1", "'=1+1"],
  ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
  ["-2+3x", "'-2+3x"],
  ["+1+1", "'+1+1"],
  ["+1-1", "'+1-1"],
  ["-1+1", "'-1+1"],
  ["@x", "'@x"],
  ["\tx", "'\tx"],
  ["\rx", "'\rx"],
  ["\nx", "'\nx"],
  ["＝1", "'＝1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠1", "'＠1"],
  ["'=x", "''=x"],
  ["'''@x", "''''@x"],
  ["'+55 11 9", "''+55 11 9"],
  // Where another program would divide the text.
  ["a;=1+1", "a;'=1+1"],
  ["a,=1+1", "a,'=1+1"],
  ["a|@x\n-y", "a|'@x\n'-y"],
  ["=a;'=b", "'=a;''=b"],
  ["Rua A, 12; fundos", "Rua A, 12; fundos"],
  // Phones stay as they are.
  ["+55 11 9", "+55 11 9"],
  ["+55 (11) 98765-4321", "+55 (11) 98765-4321"],
  ["-", "-"],
  ["+", "+"],
  ["+1.5/2", "+1.5/2"],
  ["+55 11 9 ext 2", "'+55 11 9 ext 2"],
  ["+٥", "'+٥"],
  // Nothing that a spreadsheet would run.
  ["", ""],
  ["Ana", "Ana"],
  ["a=b", "a=b"],
  [" =1", " =1"],
  ["'", "'"],
  ["'Ana", "'Ana"],
  ["d'=x", "d'=x"],
];

test("a text that a spreadsheet would run gets one apostrophe, and reading takes exactly that one off", () => {
  for (const [text, written] of CASES) {
    assert.equal(escapeFormula(text), written, JSON.stringify(text));
    assert.equal(unescapeFormula(written), text, JSON.stringify(written));
  }
});

test("an apostrophe that we did not write stays", () => {
  for (const text of ["'", "'Ana", "'+55 11 9", "''", "'-"]) assert.equal(unescapeFormula(text), text);
});

test("any text is read back as it was", () => {
  const signs = ["'", "=", "+", "-", "@", "\t", "\r", "\n", "＝", ";", "1", " ", "a"];
  for (const a of signs)
    for (const b of signs)
      for (const c of signs)
        for (const text of [a, a + b, a + b + c])
          assert.equal(unescapeFormula(escapeFormula(text)), text, JSON.stringify(text));
});
