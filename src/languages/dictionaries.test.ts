import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULT_TOPICS } from "../core/faults.ts";
import { DICTIONARIES } from "./dictionaries.ts";
import { type Dictionary, LANGUAGE_TAGS } from "./dictionary.ts";

type Params = Readonly<Record<string, unknown>>;

/** Something for every parameter that a sentence may have: its own name in brackets, unless it is no text. */
const PARAMS = new Proxy<Params>(
  {
    type: "integer",
    allowed: ["<allowed>"],
    supported: ["<one>", "<two>"],
    uses: [{ kind: "plans", count: "<uses>" }],
    why: "fragment",
  },
  { get: (known, name) => known[String(name)] ?? `<${String(name)}>` },
);

type Section = Readonly<Record<string, string | ((params: Params) => string)>>;

function sentences(dictionary: Dictionary): Map<string, string> {
  const sections = Object.entries(dictionary as unknown as Record<string, Section>);
  return new Map(
    sections.flatMap(([section, texts]) =>
      Object.entries(texts).map(([code, text]) => [
        `${section}.${code}`,
        typeof text === "string" ? text : text(PARAMS),
      ]),
    ),
  );
}

const english = sentences(DICTIONARIES.en);

test("every code has words in every language, and they are filled with the same numbers and words", () => {
  assert.ok(english.size > 100);
  for (const language of LANGUAGE_TAGS) {
    const texts = sentences(DICTIONARIES[language]);
    assert.deepEqual([...texts.keys()], [...english.keys()], language);
    for (const [code, text] of texts) {
      const filled = (words: string) => (words.match(/<\w+>/g) ?? []).sort();
      assert.deepEqual(filled(text), filled(english.get(code) ?? ""), `${language} ${code}`);
      assert.doesNotMatch(text, /undefined|\[object| {2}|^\s|\s$/, `${language} ${code}`);
    }
  }
});

test("every fault is in the list of one topic", () => {
  const grouped = Object.values<readonly string[]>(FAULT_TOPICS).flat();
  assert.deepEqual(grouped.toSorted(), Object.keys(DICTIONARIES.en.faults).sort());
});

test("no sentence was left in English", () => {
  for (const language of LANGUAGE_TAGS.filter((tag) => tag !== "en"))
    for (const [code, text] of sentences(DICTIONARIES[language]))
      assert.notEqual(text, english.get(code), `${language} ${code}`);
});

test("a sentence about a request ends with a full stop; one about a place goes on after it and has none", () => {
  for (const language of LANGUAGE_TAGS) {
    for (const [code, text] of sentences(DICTIONARIES[language])) {
      const isSentence = code.startsWith("details.") || code.startsWith("faults.rule_");
      if (isSentence) assert.match(text, /^[\p{Lu}<].*\.$/u, `${language} ${code}`);
      else assert.match(text, /[^.]$/, `${language} ${code}`);
      assert.ok(text.length <= 300, `${language} ${code}`);
    }
  }
});

test("numbers are followed by the form of the word that goes with them", () => {
  const { faults: pt } = DICTIONARIES["pt-BR"];
  assert.equal(pt.too_short({ min: 1 }), "deve ter pelo menos 1 caractere");
  assert.equal(pt.too_many({ max: 200 }), "deve ter no máximo 200 itens");
  const { faults: es, details } = DICTIONARIES.es;
  assert.equal(es.too_few({ min: 1 }), "debe tener al menos 1 elemento");
  assert.equal(details.values_invalid({ count: 1 }), "La solicitud tiene 1 valor no válido.");
  assert.equal(details.values_invalid({ count: 2 }), "La solicitud tiene 2 valores no válidos.");
  assert.equal(
    details.in_use({
      uses: [
        { kind: "plans", count: 1 },
        { kind: "schedules", count: 2 },
      ],
    }),
    "Esto está en uso (1 plan, 2 horarios) y no puede borrarse.",
  );
});
