import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWrite, findKnownTag, parseTagList, readConditions, type TagList } from "./conditions.ts";
import { HttpError } from "./http-error.ts";

const strong = (tag: string) => ({ isWeak: false, tag });
const weak = (tag: string) => ({ isWeak: true, tag });

const LISTS: readonly (readonly [header: string, list: TagList | undefined])[] = [
  ["*", "*"],
  [" * ", "*"],
  ['"a"', [strong('"a"')]],
  ['W/"a"', [weak('"a"')]],
  ['"a", "b"', [strong('"a"'), strong('"b"')]],
  ['"a","b"', [strong('"a"'), strong('"b"')]],
  ['"a"\t ,\t"b"', [strong('"a"'), strong('"b"')]],
  ['"a", W/"b"', [strong('"a"'), weak('"b"')]],
  ['""', [strong('""')]],
  // A comma, and anything else that is visible, may stand in a tag.
  ['"a,b", "c"', [strong('"a,b"'), strong('"c"')]],
  [`"!#$%&'()*+/:;<=>?@[\\]^{|}~"`, [strong(`"!#$%&'()*+/:;<=>?@[\\]^{|}~"`)]],
  ['"\xe9"', [strong('"\xe9"')]],
  ['"*"', [strong('"*"')]],
  // Empty elements are passed over (RFC 9110, 5.6.1.2).
  [',"a",, "b",', [strong('"a"'), strong('"b"')]],
  ["", undefined],
  [" ", undefined],
  [",", undefined],
  [", ,", undefined],
  ["a", undefined],
  ["'a'", undefined],
  ['"a', undefined],
  ['a"', undefined],
  ['"a" "b"', undefined],
  ['"a""b"', undefined],
  ['"a"b', undefined],
  ['"a b"', undefined],
  ['"a\tb"', undefined],
  ['"a\x7f"', undefined],
  ['w/"a"', undefined],
  ['W/ "a"', undefined],
  ["W/", undefined],
  ["W/a", undefined],
  ['W"a"', undefined],
  ['WW/"a"', undefined],
  ["*, *", undefined],
  ['"a", *', undefined],
  ['*, "a"', undefined],
  ["**", undefined],
  ['"a", b', undefined],
];

for (const [header, list] of LISTS) {
  test(`${JSON.stringify(header)} is ${list === undefined ? "no list of tags" : "read as a list of tags"}`, () => {
    assert.deepEqual(parseTagList(header), list);
  });
}

test("a header that is no list of tags is a fault at its place, and both are reported", () => {
  assert.deepEqual(readConditions({ "if-match": "a", "if-none-match": "" })?.faults, [
    { location: "header.If-Match", code: "header_invalid" },
    { location: "header.If-None-Match", code: "header_invalid" },
  ]);
});

test("a header of 16 KiB is read in time that grows with its length alone", () => {
  const cpuOf = (header: string) => {
    const start = process.cpuUsage();
    for (let i = 0; i < 20; i++) parseTagList(header);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  for (const piece of [",", " ", '"', 'W/"', '"a",', '"a" ', "W/", '"a', "\t,"]) {
    const whole = piece.repeat(Math.floor(16_384 / piece.length));
    cpuOf(whole);
    const [short, long] = [cpuOf(whole.slice(0, 1_638)), cpuOf(whole)];
    // Ten times the length; a hundred times would be quadratic. Below a few milliseconds the clock is too coarse.
    assert.ok(long < 40 * short || long < 20_000, `${JSON.stringify(piece)}: ${short} and ${long} µs`);
  }
});

const TAG = '"aaaaaaaaaaaaaaaaaaaaaQ"';
/** Of the same state, sent as br and as gzip. */
const [BR_TAG, GZIP_TAG] = ['"aaaaaaaaaaaaaaaaaaaaaR"', '"aaaaaaaaaaaaaaaaaaaaaS"'];
const OTHER_TAG = '"aaaaaaaaaaaaaaaaaaaaag"';

/** What a check says, or the kind of failure that it throws. */
function verdictOf<Verdict>(check: () => Verdict): Verdict | string {
  try {
    return check();
  } catch (error) {
    if (error instanceof HttpError) return error.kind;
    throw error;
  }
}

const READS: readonly (readonly [
  headers: { "if-match"?: string; "if-none-match"?: string },
  verdict: "send" | "not_modified" | "precondition_failed",
])[] = [
  [{}, "send"],
  [{ "if-none-match": TAG }, "not_modified"],
  [{ "if-none-match": `W/${TAG}` }, "not_modified"],
  [{ "if-none-match": `"b", ${TAG}` }, "not_modified"],
  [{ "if-none-match": "*" }, "not_modified"],
  [{ "if-none-match": BR_TAG }, "not_modified"],
  [{ "if-none-match": `W/${GZIP_TAG}` }, "not_modified"],
  [{ "if-none-match": OTHER_TAG }, "send"],
  [{ "if-none-match": '"b"' }, "send"],
  [{ "if-match": TAG }, "send"],
  [{ "if-match": "*" }, "send"],
  [{ "if-match": `"b", ${TAG}` }, "send"],
  [{ "if-match": `W/${TAG}` }, "precondition_failed"],
  [{ "if-match": '"b"' }, "precondition_failed"],
  [{ "if-match": TAG, "if-none-match": TAG }, "not_modified"],
  [{ "if-match": '"b"', "if-none-match": TAG }, "precondition_failed"],
  [{ "if-match": TAG, "if-none-match": '"b"' }, "send"],
];

for (const [headers, verdict] of READS) {
  test(`a read of ${TAG} with ${JSON.stringify(headers)}: ${verdict}`, () => {
    const conditions = readConditions(headers);
    const found = verdictOf(() =>
      conditions && findKnownTag(conditions, TAG) !== undefined ? "not_modified" : "send",
    );
    assert.equal(found, verdict);
  });
}

const WRITES: readonly (readonly [
  headers: { "if-match"?: string; "if-none-match"?: string },
  verdict: "write" | "precondition_failed",
  verdictIfUnchanged: "write" | "precondition_failed",
])[] = [
  [{ "if-match": TAG }, "write", "write"],
  [{ "if-match": BR_TAG }, "write", "write"],
  [{ "if-match": GZIP_TAG }, "write", "write"],
  [{ "if-match": OTHER_TAG }, "precondition_failed", "write"],
  [{ "if-match": "*" }, "write", "write"],
  [{ "if-match": `"b", ${TAG}` }, "write", "write"],
  [{ "if-match": `W/${TAG}` }, "precondition_failed", "write"],
  [{ "if-match": '"b"' }, "precondition_failed", "write"],
  [{ "if-none-match": TAG }, "precondition_failed", "precondition_failed"],
  [{ "if-none-match": `W/${TAG}` }, "precondition_failed", "precondition_failed"],
  [{ "if-none-match": "*" }, "precondition_failed", "precondition_failed"],
  [{ "if-none-match": '"b"' }, "write", "write"],
  [{ "if-match": TAG, "if-none-match": "*" }, "precondition_failed", "precondition_failed"],
];

for (const [headers, verdict, verdictIfUnchanged] of WRITES) {
  test(`a write of ${TAG} with ${JSON.stringify(headers)}: ${verdict}, or ${verdictIfUnchanged} if nothing changes`, () => {
    const conditions = readConditions(headers);
    assert.ok(conditions);
    const found = (isUnchanged: boolean) =>
      verdictOf(() => checkWrite(conditions, TAG, isUnchanged)) ?? "write";
    assert.equal(found(false), verdict);
    assert.equal(found(true), verdictIfUnchanged);
  });
}
