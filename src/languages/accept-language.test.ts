import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLanguage } from "./accept-language.ts";
import type { Language } from "./dictionary.ts";

const CASES: [string | undefined, Language][] = [
  [undefined, "en"],
  ["", "en"],
  ["en", "en"],
  ["pt-BR,pt;q=0.9", "pt-BR"],
  ["pt", "pt-BR"],
  ["PT-br", "pt-BR"],
  ["pt-PT", "pt-BR"],
  ["pt-Latn-BR-x-studio", "pt-BR"],
  ["es", "es"],
  ["es-AR", "es"],
  ["es-419,en", "es"],
  ["en-GB,es;q=0.9", "en"],
  ["de", "en"],
  ["de,es;q=0.2", "es"],
  ["*", "en"],
  ["*,es;q=0.5", "es"],
  ["de, *;q=0.5", "en"],
  ["en;q=0.1, es", "es"],
  ["en;q=0.1,es;q=0.2,pt;q=0.3", "pt-BR"],
  ["es;q=0.5,pt;q=0.5", "es"],
  ["es ; q=0.5 , pt\t;\tq=0.6", "pt-BR"],
  ["es;Q=0.5", "es"],
  ["es;q=0", "en"],
  ["es;q=0.000,pt;q=0.001", "pt-BR"],
  ["en;q=0,es;q=0.1", "es"],
  // What is malformed says nothing.
  ["es;q=2", "en"],
  ["es;q=-1", "en"],
  ["es;q=", "en"],
  ["es;q=0.1234", "en"],
  ["es;q=1e0", "en"],
  ["es;level=1", "en"],
  ["es;q=1;q=1", "en"],
  ["pt_BR", "en"],
  ["pt-", "en"],
  ["-pt", "en"],
  ["español", "en"],
  ["portuguese", "en"],
  [",;,;q=1,,es", "es"],
  ["constructor,__proto__", "en"],
];

test("the language of the highest weight is chosen that there is, English if there is none", () => {
  for (const [header, language] of CASES) assert.equal(chooseLanguage(header), language, header);
});

test("a header of ten times the length takes about ten times as long, whatever is in it", () => {
  const hostile: ((length: number) => string)[] = [
    (length) => ",".repeat(length),
    (length) => ";".repeat(length),
    (length) => " ".repeat(length),
    (length) => "a-".repeat(length / 2),
    (length) => `${"a".repeat(length)}!`,
    (length) => "de;q=0.1,".repeat(length / 9),
    (length) => `es;q=0.${"0".repeat(length)}`,
    (length) => `es${" \t".repeat(length / 2)};`,
  ];
  for (const write of hostile) {
    const [short, long] = [write(1_600), write(16_000)];
    const cost = (header: string, rounds: number) => {
      const begun = process.cpuUsage();
      for (let round = 0; round < rounds; round++) chooseLanguage(header);
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    };
    cost(short, 200);
    // A quadratic one would take a hundred times as long for a tenth of the rounds: ten times as much, not once.
    assert.ok(cost(long, 100) < 4 * cost(short, 1_000) + 10_000, long.slice(0, 20));
  }
});
