import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fold, searchTerms, searchText } from "../../src/core/search.ts";
import { Addresses } from "../../src/http/addresses.ts";
import { startApi } from "../support/api.ts";
import { regexLiterals } from "./literals.ts";

const SOURCES = fileURLToPath(new URL("../../../src", import.meta.url));
const LENGTH = 100_000;
const MOST_MS = 5;
/** No machine is so busy. */
const HOPELESS_MS = 500;

/** Pieces that tempt an expression to try again and again: what it repeats, and then what it does not expect. */
const PIECES = [
  ..."a0 -.:;,/@=%é\u0301\n\0",
  "👩",
  "a.",
  "a b",
  " \t",
  "application/json;",
  "; charset=",
  "bearer ",
  "\ud800",
  "0123456789abcdef-",
  "BYDAY=MO;",
];
const STARTS = ["bearer ", "application/json;", "http://", "{", "FREQ=", "2026-11-15T00:00:00."];

function* hostileTexts(): Generator<string> {
  for (const piece of PIECES) yield `${piece.repeat(Math.ceil(LENGTH / piece.length))}!`;
  for (const start of STARTS) for (const piece of ["a", " ", "0"]) yield `${start}${piece.repeat(LENGTH)}!`;
}

test("no regular expression of the program takes 5 ms for 100 KB of any hostile text", async (t) => {
  const expressions = new Map<string, RegExp>();
  for (const file of await readdir(SOURCES, { recursive: true })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const literals = regexLiterals(await readFile(`${SOURCES}/${file}`, "utf8"));
    for (const { source, flags } of literals) {
      expressions.set(`${file} /${source}/${flags}`, new RegExp(source, flags));
    }
  }
  assert.ok(expressions.size > 30, `only ${expressions.size} expressions were found`);
  for (const { path, pattern } of patternsOf((await startApi()).document)) {
    expressions.set(`${path} /${pattern}/u`, new RegExp(pattern, "u"));
  }

  const texts = [...hostileTexts()];
  const slowest = { name: "", ms: 0 };
  const slow = new Map<string, string>();
  for (const [name, expression] of expressions) {
    for (const text of texts) {
      const ms = leastOf(() => {
        expression.lastIndex = 0;
        expression.test(text);
      });
      if (ms > slowest.ms) Object.assign(slowest, { name, ms });
      const shown = `${JSON.stringify(text.slice(0, 20))}…${JSON.stringify(text.slice(-5))}`;
      if (ms >= MOST_MS) slow.set(name, `${name} takes ${ms.toFixed(1)} ms for ${shown}`);
      if (slow.has(name)) break;
    }
  }
  t.diagnostic(
    `${expressions.size} expressions, ${texts.length} texts; the slowest: ${slowest.ms.toFixed(2)} ms, ${slowest.name}`,
  );
  assert.deepEqual([...slow.values()], []);
});

test("expressions that are put together as the program runs are as fast", () => {
  const addresses = new Addresses();
  for (const template of ["/v1/clients/:id", "/schemas/:file", "/docs/"]) addresses.add(template, "GET");
  for (const piece of ["/", "a", "%41", "/v1/clients/", ":id", "."]) {
    const address = `/v1/clients/${piece.repeat(LENGTH / piece.length)}`;
    assert.ok(leastOf(() => addresses.allowedAt(`${address}\n`)) < MOST_MS, piece);
  }
  // Callers cannot send more than 200 characters to these; an import can send 10,000.
  for (const piece of ["a", "é", "ß", "æ", " ", "%", "\u0301", "ﷺ"]) {
    const text = piece.repeat(10_000);
    for (const work of [() => fold(text), () => searchTerms(text), () => searchText([text], [text])]) {
      assert.ok(leastOf(work) < HOPELESS_MS, piece);
    }
  }
});

/** The shortest of a few tries: a busy machine makes one of them long, a bad expression all. */
function leastOf(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 6 && least >= MOST_MS; tries++) {
    const begun = performance.now();
    const before = process.cpuUsage();
    work();
    // The time that the work had a core, if it had to wait for one.
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, performance.now() - begun, (user + system) / 1000);
    if (least > HOPELESS_MS) break;
  }
  return least;
}

function patternsOf(node: unknown, path = "openapi"): { path: string; pattern: string }[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === "pattern" && typeof value === "string"
      ? [{ path, pattern: value }]
      : patternsOf(value, `${path}.${name}`),
  );
}
