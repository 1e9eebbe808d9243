import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fold, searchTerms, searchText } from "../../src/core/search.ts";
import { Addresses } from "../../src/http/addresses.ts";
import { startApi } from "../support/api.ts";
import { attackText, LINEAR, measureGrowth } from "./backtracking.ts";
import { regexLiterals } from "./literals.ts";

const SOURCES = fileURLToPath(new URL("../../../src", import.meta.url));

/**
 * Where the program puts an expression together as it runs, with examples of what comes out. A call that is not
 * listed fails the test. The patterns that core/patterns.ts and core/validation.ts compile are those of the schemas, taken from
 * the source.
 */
const PUT_TOGETHER: Readonly<Record<string, readonly RegExp[]>> = {
  "core/patterns.ts": [],
  "core/search.ts": [/[æđł]/g],
  "core/validation.ts": [],
  "data/spreadsheet/cell-texts.ts": [
    /^(?:#(?:#+|n\/[ad]|getting_data|¡?(?:ref|value|valor|num|div\/0|error)!|¿?(?:name|nome|nombre)\?)|Err:\d{3})$/i,
  ],
  "data/spreadsheet/columns.ts": [
    /^(?:is|esta|cliente?|alun[oa]|alumn[oa]|member)?(?:ativ[oa]s?|active)(?:sn|simnao|sino|yn|yesno)?$/,
  ],
  "http/addresses.ts": [/^\/v1\/clients\/[^/]+$/, /^\/docs\/$/, /^\/a\/[^/]+\/b\/[^/]+$/],
};

interface Sources {
  /** By where it stands. */
  readonly expressions: ReadonlyMap<string, RegExp>;
  readonly schemaPatterns: ReadonlySet<string>;
}

async function readSources(): Promise<Sources> {
  const expressions = new Map<string, RegExp>();
  const schemaPatterns = new Set<string>();
  const constructing: string[] = [];
  for (const file of await readdir(SOURCES, { recursive: true })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const source = await readFile(`${SOURCES}/${file}`, "utf8");
    for (const { source: written, flags } of regexLiterals(source)) {
      expressions.set(`${file} /${written}/${flags}`, new RegExp(written, flags));
    }
    for (const [, written] of source.matchAll(/(?:\bpattern:|PATTERN =)\s*("(?:[^"\\]|\\.)*")/g)) {
      const pattern = String(JSON.parse(written ?? '""'));
      schemaPatterns.add(pattern);
      expressions.set(`${file} pattern ${pattern}`, new RegExp(pattern, "u"));
    }
    for (const _ of source.matchAll(/\bRegExp\(/g)) constructing.push(file);
  }
  assert.deepEqual(constructing.sort(), Object.keys(PUT_TOGETHER).sort());
  for (const [file, examples] of Object.entries(PUT_TOGETHER)) {
    for (const example of examples) expressions.set(`${file} ${example}`, example);
  }
  return { expressions, schemaPatterns };
}

test(`the time of every regular expression of the program grows linearly, whatever the text`, async (t) => {
  const { expressions } = await readSources();
  assert.ok(expressions.size > 60, `only ${expressions.size} expressions were found`);
  const bad: string[] = [];
  for (const [name, expression] of expressions) {
    const { ratio, attack, costly } = measureGrowth(expression);
    if (ratio > LINEAR) {
      bad.push(`${name}: × ${ratio.toFixed(1)} for twice ${JSON.stringify(attack)}`);
      continue;
    }
    // The real engine agrees: a quadratic one would take seconds of CPU for 100 KB, a linear one less than one ms.
    for (const costlyAttack of costly) {
      const text = attackText(costlyAttack, Math.ceil(100_000 / costlyAttack.repeated.length));
      expression.lastIndex = 0;
      const ms = cpuMs(() => expression.test(text));
      if (ms > 500) bad.push(`${name}: ${ms} ms for 100 KB of ${JSON.stringify(costlyAttack)}`);
    }
  }
  t.diagnostic(`of ${expressions.size} expressions`);
  assert.deepEqual(bad, []);
});

test("an expression that is not linear is found, whatever character ends the attack", () => {
  const bad = [
    /^(?:[^\p{Cc}\p{Cs}]|\s)*$/u,
    /^(?:a|a)*$/,
    /^(a+)+$/,
    /^(?:a*)*b$/,
    /^(?:[a-z]+ ?)+$/,
    /^(?:\d|\d\d)+$/,
    /^\w*\w*$/,
    /^.*.*.*!$/,
    /^(?:abc|ab|c)*$/,
    /\s+$/,
    /,.*;/,
    /^(.*?end) -D (.*?) -c /,
    /^(?:x(?:a|aa)+)+$/i,
    /^a{0,}a{0,}[^!]$/,
  ];
  for (const expression of bad) assert.ok(measureGrowth(expression).ratio > LINEAR, String(expression));
  const good = [
    /^[^\p{Cc}\p{Cs}]*$/u,
    /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u,
    /^(?:a|b)*$/,
    /^[a-z]+(?: [a-z]+)*$/,
    /^(.)\1*$/,
    /\d{1,30}x/,
    /"[^"]*"/g,
    /^(?=a)\w+$/,
    /(?:;|^) *= *;/,
  ];
  for (const expression of good) {
    const { ratio, attack } = measureGrowth(expression);
    assert.ok(ratio <= LINEAR, `${expression} × ${ratio} for ${JSON.stringify(attack)}`);
  }
});

test("every pattern of a published schema is among those that are checked", async () => {
  const { schemaPatterns } = await readSources();
  const published = new Set(patternsOf((await startApi()).document));
  assert.ok(published.size >= 4, `only ${published.size} patterns are published`);
  assert.deepEqual(
    [...published].filter((pattern) => !schemaPatterns.has(pattern)),
    [],
  );
});

test("finding an address and folding a text take no more than linear time", () => {
  const addresses = new Addresses();
  for (const template of ["/v1/clients/:id", "/schemas/:file", "/docs/"]) addresses.add(template, "GET");
  const work: [string, (text: string) => unknown][] = [
    ["allowedAt", (text) => addresses.allowedAt(`/v1/clients/${text}\n`)],
    ["fold", fold],
    ["searchTerms", searchTerms],
    ["searchText", (text) => searchText([text], [text])],
  ];
  for (const piece of [
    "/",
    "a",
    "%41",
    "/v1/clients/",
    ":id",
    ".",
    "é",
    "ß",
    " ",
    "a ",
    "%",
    "\u0301",
    "ﷺ",
  ]) {
    const text = piece.repeat(Math.ceil(40_000 / piece.length));
    for (const [name, act] of work) {
      // Quadratic work on 40,000 characters takes a second and more; ours takes milliseconds.
      const ms = cpuMs(() => act(text));
      assert.ok(ms < 500, `${name} takes ${ms} ms for ${JSON.stringify(piece)}`);
    }
  }
});

/** Milliseconds of CPU: a busy machine makes work wait, which does not count. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function patternsOf(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === "pattern" && typeof value === "string" ? [value] : patternsOf(value),
  );
}
