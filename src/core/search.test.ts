import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkSearch, fold, searchTerms, searchText } from "./search.ts";

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
    ({ pattern, otherPatterns }) => like(text, pattern) || otherPatterns.some((other) => like(text, other)),
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

test("a name is found with whichever apostrophe it is stored and looked for", () => {
  for (const stored of ["'", "\u2019"])
    for (const typed of ["'", "\u2019", "\u2018", "\u02bc"])
      assert.ok(finds(`d${typed}ávila`, [`Ana D${stored}Ávila`]), `${typed} for ${stored}`);
  assert.ok(finds("o\u2018neil", ["O\u2018Neil"]), "as it is stored, in any case");
  assert.ok(!finds("d\u2019avila", ["Davila", "D-Avila"]));
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

test("a phone is found however it is written: with or without country code, trunk zero and punctuation", () => {
  for (const phones of [
    [
      "+55 11 98765-4321",
      "+55 (11) 98765-4321",
      "(+55) 11 98765-4321",
      "+5511987654321",
      "5511987654321",
      "55 11 98765 4321",
      "(11) 98765-4321",
      "11987654321",
      "11 98765 4321",
      "011 98765-4321",
      "(011) 98765-4321",
      "011987654321",
      "+55 (0)11 98765-4321",
      "+55 011 98765-4321",
      "0055 11 98765-4321",
      "005511987654321",
    ],
    ["+55 11 3333-4444", "(11) 3333-4444", "1133334444", "011 3333 4444", "0055 11 3333-4444"],
    // The area code 55 is not the country code.
    ["+55 55 98765-4321", "(55) 98765-4321", "055 98765-4321", "5555987654321"],
    ["+1 415 555 2671", "(415) 555-2671", "415.555.2671", "4155552671", "001 415 555 2671"],
    ["+351 912 345 678", "912345678", "912 345 678", "00351912345678"],
    ["+33 6 12 34 56 78", "06 12 34 56 78", "0033 612345678", "+33 (0)6 12 34 56 78"],
    ["+39 06 1234 5678", "06 1234 5678", "0039 0612345678"],
    ["+44 20 7946 0958", "020 7946 0958", "(020) 7946 0958", "+44 (0)20 7946 0958"],
    ["+47 22 86 43 00", "22864300", "004722864300"],
  ])
    for (const stored of phones)
      for (const query of phones) assert.ok(finds(query, ["Ana"], [stored]), `${query} in ${stored}`);
});

test("beside a phone there may be a name, an extension or a document", () => {
  assert.ok(finds("ana +55 11 98765-4321", ["Ana Souza"], ["(11) 98765-4321", "52998224725"]));
  assert.ok(finds("+55 11 98765-4321 souza", ["Ana Souza"], ["11987654321"]));
  assert.ok(finds("529.982.247-25 +55 11 98765-4321", [], ["(11) 98765-4321", "52998224725"]));
  for (const query of ["+55 11 3333-4444", "(11) 3333-4444", "+55 11 3333-4444 ramal 12", "ramal 12"])
    assert.ok(finds(query, [], ["(11) 3333-4444 ramal 12"]), query);
  assert.ok(finds("+55 11 3333-4444", [], ["11 98765-4321 / 11 3333-4444"]));
  assert.ok(!finds("+55 11 98765-4321 maria", ["Ana Souza"], ["11987654321"]));
});

test("only a whole phone is found in other ways of writing it; short terms, documents and other phones are not", () => {
  for (const [query, stored] of [
    ["+55", "(11) 98765-4321"],
    ["+55 11", "(11) 98765-4321"],
    ["+55 11 9876", "(11) 98765-4321"],
    ["0055", "(11) 98765-4321"],
    ["011", "(11) 98765-4321"],
    ["011 98765", "(11) 98765-4321"],
    ["+55 11 98765-4321", "(21) 98765-4321"],
    ["+55 11 98765-4321", "(11) 98765-4322"],
    ["011 98765-4321", "(21) 98765-4321"],
    ["+351 912 345 678", "+55 91 91234-5678"],
    ["+351 912 345 678", "+34 912 345 678"],
    ["+1 415 555 2671", "+1 416 555 2671"],
    // Documents that begin with a zero, and others that end as they do.
    ["0123456789", "123456789"],
    ["012.345.678-90", "912.345.678-90"],
    ["01234567890", "11234567890"],
    ["012 345", "12345"],
  ] as const)
    assert.ok(!finds(query, [], [stored]), `${query} in ${stored}`);
  // What is no code is searched as it is written.
  assert.ok(!finds("+55 11 98765-4321", ["11987654321"]));
});

test("a term that is part of another is not looked for twice, unless the other may match without it", () => {
  assert.equal(searchTerms("a an ana ana maria").length, 2);
  assert.equal(searchTerms("- 1-2").length, 2);
  assert.ok(!finds("- 1-2", [], ["12"]));
  assert.ok(!finds("0055 ana 005511987654321", ["Ana"], ["11987654321"]));
});

test("a query may have ten different terms, and no more", () => {
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}x`).join(" ");
  assert.deepEqual(checkSearch({ query: words(10) }), []);
  assert.deepEqual(checkSearch({ query: words(11) }), [
    { location: "query.query", code: "too_many", params: { max: 10 }, phrase: "search_terms" },
  ]);
  assert.deepEqual(checkSearch({ query: `${words(10)} ${words(10)} w x` }), []);
  // Each is looked for as it is written and as a whole phone: two terms for a word.
  const phones = (count: number) => Array.from({ length: count }, (_, n) => `+55302211${40 + n}`).join(" ");
  assert.equal(searchTerms(phones(5)).length, 10);
  assert.deepEqual(checkSearch({ query: phones(5) }), []);
  assert.equal(checkSearch({ query: phones(6) }).length, 1);
  for (const query of [undefined, 5, "", words(2_000)]) assert.deepEqual(checkSearch({ query }), []);
});
