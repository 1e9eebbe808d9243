import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fold, searchTerms, searchText } from "./search.ts";

test("folding makes texts equal that differ in case, accents or the form of a letter only", () => {
  const same: [string, string][] = [
    ["José", "jose"],
    ["JOSÉ", "Jose\u0301"],
    ["Ångström", "angstrom"],
    ["São João", "SAO JOAO"],
    ["ΟΔΥΣΣΕΥΣ", "Οδυσσεύς"],
    ["Straße", "STRASSE"],
    ["STRAẞE", "strasse"],
    ["Işık", "ISIK"],
    ["İZMİR", "izmir"],
    ["ﬁlipe", "FILIPE"],
    ["５２９", "529"],
    ["Ⅷ", "viii"],
    ["Søren", "soren"],
    ["Łukasz", "lukasz"],
    ["Đức", "duc"],
    ["Æsir", "aesir"],
    ["ἀρχή", "ΑΡΧΗ"],
    ["ё", "Е"],
    ["o\u20dd", "o"],
    ["\u212a", "k"],
  ];
  for (const [a, b] of same) assert.equal(fold(a), fold(b), `${a} and ${b}`);
});

test("folding keeps apart what is different", () => {
  for (const [a, b] of [
    ["o'neil", "oneil"],
    ["ana", "anna"],
    ["ж", "ш"],
    ["की", "के"],
    ["日", "目"],
    ["a_b", "a%b"],
  ] as const) {
    assert.notEqual(fold(a), fold(b));
  }
});

test("every character of Unicode folds as its upper and lower case do, and folding twice changes nothing", () => {
  for (let code = 0; code < 0x20000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    // The iota subscript of ancient Greek is an accent in lower case and a letter in upper case.
    if (character.normalize("NFKD").includes("\u0345")) continue;
    const folded = fold(character);
    assert.equal(fold(folded), folded, code.toString(16));
    assert.equal(fold(character.toUpperCase()), folded, code.toString(16));
    assert.equal(fold(character.toLowerCase()), folded, code.toString(16));
  }
});

/** What LIKE does, said again: % any text, _ any character, \ takes the next one as it is. */
function like(text: string, pattern: string): boolean {
  const source = pattern.replace(/\\([\s\S])|([%_])|([\s\S])/gu, (_, escaped, wild, plain) =>
    wild === "%"
      ? "[\\s\\S]*"
      : wild === "_"
        ? "[\\s\\S]"
        : (escaped ?? plain).replace(/[.*+?^${}()|[\]\\/]/, "\\$&"),
  );
  return new RegExp(`^${source}$`, "u").test(text);
}

function finds(query: string, texts: string[], codes: string[] = []): boolean {
  const text = searchText(texts, codes);
  return searchTerms(query).every(
    ({ pattern, codePattern }) =>
      like(text, pattern) || (codePattern !== undefined && like(text, codePattern)),
  );
}

test("any piece of a text, in any case, finds it", () => {
  const letter = fc.constantFrom(..."aáàÁzZñÑçßẞſıİiIσςΣøØ Đ%_\\.-'@0９½ΐﬀǅ中жЖ가각ग");
  const text = fc.array(letter, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(
      text,
      fc.nat(),
      fc.nat(),
      fc.constantFrom("none", "upper", "lower"),
      (letters, from, to, change) => {
        const start = from % letters.length;
        const piece = letters.slice(start, start + 1 + (to % (letters.length - start))).join("");
        const query =
          change === "upper" ? piece.toUpperCase() : change === "lower" ? piece.toLowerCase() : piece;
        assert.ok(finds(query, [letters.join("")]), `${query} in ${letters.join("")}`);
      },
    ),
    { numRuns: 2000 },
  );
});

test("punctuation does not matter in codes, and matters everywhere else", () => {
  assert.ok(finds("529.982.247-25", [], ["52998224725"]));
  assert.ok(finds("52998224725", [], ["529.982.247-25"]));
  assert.ok(finds("5-2-9", [], ["52998224725"]));
  assert.ok(finds("+55(11)98765-4321", [], ["+55 11 98765 4321"]));
  assert.ok(finds("ab12345", [], ["AB-12.34/5"]));
  assert.ok(!finds("oneil", ["O'Neil"]));
  assert.ok(!finds("o-neil", ["O'Neil"]));
  assert.ok(!finds("1-2", ["12 Monkeys"]));
});

test("a term never reaches from one field into the next", () => {
  assert.ok(!finds("silvaana@", ["Silva", "ana@example.com"]));
  assert.ok(!finds("4321529", [], ["987654321", "52998224725"]));
  assert.ok(!finds("comx-1", ["ana@example.com"], ["X-1"]));
});

test("a query splits on any white space; one that has nothing but white space or accents has no terms", () => {
  assert.equal(searchTerms(" a\tb\u3000c\u00a0d\na ").length, 4);
  for (const query of ["", "   ", "\t\n", "\u0301", "´", "\u00a0"]) assert.deepEqual(searchTerms(query), []);
});

test("%, _ and \\ are ordinary characters", () => {
  assert.ok(finds("100%", ["100% cotton"]));
  assert.ok(!finds("1%0", ["100"]));
  assert.ok(!finds("a_b", ["aXb"]));
  assert.ok(finds("a_b", ["a_b"]));
  assert.ok(finds("\\", ["back\\slash"]));
  assert.ok(!finds("\\", ["none"]));
});
