import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { publishedStaffDocument } from "../../src/process/published.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = readdirSync(join(root, "console"), { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.replaceAll("\\", "/"))
  .map((path) => ({ path, text: readFileSync(join(root, "console", path), "utf8") }));

test("the types of the console are those of the document", async () => {
  const { operationTypes } = await import(join(root, "scripts/openapi-types.mjs"));
  const made: string = operationTypes(JSON.parse(await publishedStaffDocument()));
  const kept = readFileSync(join(root, "console/api/operations.ts"), "utf8");
  assert.ok(made === kept, "run: npm run console:types");
});

test("the dark look is the same whether it is chosen or the device's", () => {
  const tokens = readFileSync(join(root, "console/look/tokens.css"), "utf8");
  const [ofDevice, chosen] = [...tokens.matchAll(/color-scheme: dark;([^}]+)\}/g)].map(([, values = ""]) =>
    values.trim().split(/\s*\n\s*/),
  );
  assert.ok((chosen?.length ?? 0) > 10);
  assert.deepEqual(ofDevice, chosen);
});

test("what keys and pointers meet is ready when it is drawn: an effect after the painting comes too late for a quick hand", () => {
  const late = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\buseEffect\(/g)]
      .map(({ index }) => callFrom(text, index))
      .filter((call) => /\.focus\(|addEventListener\("(key|pointer|mouse|drag|drop|click|input)/.test(call))
      .map((call) => `${path}: ${call.slice(0, 80)}`),
  );
  assert.deepEqual(late, []);
});

/** From a name to the parenthesis that closes its call. */
function callFrom(text: string, begin: number): string {
  let depth = 0;
  for (let place = begin; place < text.length; place++) {
    if (text[place] === "(") depth++;
    if (text[place] === ")" && --depth === 0) return text.slice(begin, place + 1);
  }
  return text.slice(begin);
}

/** The plan of the console, from the roof down. */
const FLOORS: readonly (readonly string[])[] = [
  ["."],
  ["screens"],
  ["first-steps", "sessions", "history", "plan-words", "calendar-links", "downloads"],
  ["booking", "account"],
  ["passkeys", "recurrence", "money"],
  ["frame"],
  ["parts"],
  ["api", "routing"],
  ["languages"],
];
/** What `main.tsx` hands to the frame. */
const LIST_OF_SCREENS = "screens/all-screens.ts";

describe("the rooms of the console", () => {
  const importsOf = (text: string) =>
    [...text.matchAll(/(?:\bfrom\s+|import\()"([^"]+)"/g)].map(([, path]) => path ?? "");

  test("every folder has its floor, and imports only from floors below it; no screen knows another", () => {
    const floorOf = new Map(FLOORS.flatMap((rooms, floor) => rooms.map((room) => [room, floor] as const)));
    const roomOf = (path: string) => (path.includes("/") ? path.split("/")[0] : ".") ?? "";
    const wrong: string[] = [];
    for (const { path, text } of sources)
      for (const name of importsOf(text)) {
        if (!name.startsWith(".")) {
          if (!/^(preact|preact\/hooks|@preact\/signals|uqr)$/.test(name))
            wrong.push(`${path} imports ${name}`);
          continue;
        }
        const target = posix.join(dirname(path), name);
        const [from, to] = [roomOf(path), roomOf(target)];
        const isBelow = (floorOf.get(from) ?? 99) < (floorOf.get(to) ?? -1);
        const isOtherScreen =
          to === "screens" && dirname(target) !== dirname(path) && path !== LIST_OF_SCREENS;
        if (from === to ? isOtherScreen : !isBelow) wrong.push(`${path} imports ${target}`);
      }
    assert.deepEqual(wrong, []);
  });

  test("no file needs itself by way of others", () => {
    const needs = new Map(
      sources.map(({ path, text }) => [
        path,
        importsOf(text)
          .filter((name) => name.startsWith("."))
          .map((name) => posix.join(dirname(path), name)),
      ]),
    );
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(path), `a circle: ${[...trail, path].join(" → ")}`);
      if (done.has(path)) return;
      for (const target of needs.get(path) ?? []) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const path of needs.keys()) visit(path, []);
  });

  test("only api/ sends requests", () => {
    const senders = sources
      .filter(({ text }) => /\bfetch\(|XMLHttpRequest|EventSource/.test(text))
      .map(({ path }) => path);
    assert.deepEqual(senders, ["api/request.ts"]);
  });
});

describe("the texts", () => {
  /** The three object literals that `dictionary(` is given, and the names in the first. */
  const dictionaries = sources
    .filter(({ path }) => path !== "languages/words.ts")
    .flatMap(({ path, text }) =>
      [...text.matchAll(/dictionary\(\s*\{/g)].map(({ index }) => {
        const literals: string[] = [];
        for (let at = index; literals.length < 3; ) {
          const start = text.indexOf("{", at);
          at = endOf(text, start);
          literals.push(text.slice(start, at));
        }
        return { path, literals, keys: keysOf(literals[0] ?? "") };
      }),
    );

  test("every text is used", () => {
    const unused: string[] = [];
    for (const { path, keys } of dictionaries) {
      const folder = dirname(path);
      // A dictionary is for its folder, unless somebody imports it from elsewhere.
      const readers = sources.filter(
        (source) =>
          source.path.startsWith(folder) || source.text.includes(path.split("/").slice(-2).join("/")),
      );
      for (const key of keys)
        if (!readers.some(({ text }) => new RegExp(`\\.${key}\\b`).test(text)))
          unused.push(`${path}: ${key}`);
    }
    assert.deepEqual(unused, []);
  });

  test("a booking has one word in each language", () => {
    const otherWords = [/[Rr]eservation/, /[Rr]eserv|[Ii]nscri/, /[Aa]gendami|[Ii]nscri/];
    const answers = ["en", "pt-br", "es"].map((name) =>
      readFileSync(join(root, `src/languages/${name}.ts`), "utf8"),
    );
    const spoken = [{ path: "src/languages", literals: answers }, ...dictionaries];
    const wrong = spoken.flatMap(({ path, literals }) =>
      literals.flatMap((text, place) => {
        const line = text.split("\n").find((words) => otherWords[place]?.test(words));
        return line === undefined ? [] : [`${path}: ${line.trim()}`];
      }),
    );
    assert.deepEqual(wrong, []);
  });

  test("no sentence stands outside of a dictionary", () => {
    const loose = sources
      // The page of all parts is for whoever builds screens.
      .filter(({ path }) => path.endsWith(".tsx") && path !== "screens/parts/parts.tsx")
      .flatMap(({ path, text }) =>
        [...text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+[.!?]?)\s*</g)].map(
          ([, words]) => `${path}: ${words}`,
        ),
      );
    assert.deepEqual(loose, []);
  });
});

/** The keys of the outermost level of an object literal. */
function keysOf(literal: string): string[] {
  const keys: string[] = [];
  endOf(literal, 0, (at) => {
    const key = /^[{,]\s*(?:\/\/[^\n]*\n\s*|\/\*.*?\*\/\s*)*([\w$]+)\s*[:(]/.exec(
      literal.slice(at, at + 300),
    );
    if (key?.[1]) keys.push(key[1]);
  });
  return keys;
}

/** Where the object literal that begins at `start` has ended; `outermost` hears each character that is not deeper. */
function endOf(text: string, start: number, outermost: (at: number) => void = () => {}): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === '"' || char === "'" || char === "`") {
      for (at += 1; at < text.length && text[at] !== char; at += 1) if (text[at] === "\\") at += 1;
      continue;
    }
    if ("{([".includes(char)) depth += 1;
    if ("})]".includes(char)) depth -= 1;
    if (depth === 0) return at + 1;
    if (depth === 1) outermost(at);
  }
  return text.length;
}
