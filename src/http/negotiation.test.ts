import assert from "node:assert/strict";
import { test } from "node:test";
import { DOWNLOAD_TYPES, negotiate } from "./negotiation.ts";

const JSON_TYPE = "application/json";
const CSV = "text/csv";
const NDJSON = "application/x-ndjson";
/** What a list answers, and what a single record does; nothing is 406. */
const CASES: readonly [accept: string | undefined, list: string, single: string | undefined][] = [
  [undefined, JSON_TYPE, JSON_TYPE],
  ["", JSON_TYPE, JSON_TYPE],
  ["*/*", JSON_TYPE, JSON_TYPE],
  ["text/*", JSON_TYPE, JSON_TYPE],
  ["application/*", JSON_TYPE, JSON_TYPE],
  ["text/html", JSON_TYPE, JSON_TYPE],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", JSON_TYPE, JSON_TYPE],
  ["a", JSON_TYPE, JSON_TYPE],
  [",,;;q=,", JSON_TYPE, JSON_TYPE],
  ["application/json;q=0", JSON_TYPE, JSON_TYPE],
  ["text/csv", CSV, undefined],
  ["TEXT/CSV; Charset=UTF-8; header=present", CSV, undefined],
  ["application/x-ndjson", NDJSON, undefined],
  ["application/ndjson", NDJSON, undefined],
  ["application/jsonl", NDJSON, undefined],
  ["text/csv, text/html", CSV, undefined],
  ["text/csv, */*", CSV, JSON_TYPE],
  ["text/csv;q=0.1, */*", CSV, JSON_TYPE],
  ["text/csv, application/*;q=0.1", CSV, JSON_TYPE],
  ["text/csv, text/*", CSV, undefined],
  ["text/csv, */*;q=0", CSV, undefined],
  ["text/csv, application/json;q=0.1", CSV, JSON_TYPE],
  ["text/csv, application/json", JSON_TYPE, JSON_TYPE],
  ["application/json;q=0.5, text/csv;q=0.6", CSV, JSON_TYPE],
  ["application/json;q=0.6, text/csv;q=0.5", JSON_TYPE, JSON_TYPE],
  ["text/csv, application/json;q=0, */*", CSV, undefined],
  ["text/csv;q=0.5, application/x-ndjson;q=0.6", NDJSON, undefined],
  ["application/x-ndjson, text/csv", NDJSON, undefined],
  ["text/csv;q=0", JSON_TYPE, JSON_TYPE],
  ["text/csv;q=0.000, application/jsonl;q=0.001", NDJSON, undefined],
  // A malformed weight makes its element nothing.
  ["text/csv;q=x", JSON_TYPE, JSON_TYPE],
  ["text/csv;q=1.5", JSON_TYPE, JSON_TYPE],
  ["text/csv;q=-1", JSON_TYPE, JSON_TYPE],
  ["text/csv;q=0.1234", JSON_TYPE, JSON_TYPE],
  // What is quoted is no element of the list.
  ['text/html;x=",text/csv,"', JSON_TYPE, JSON_TYPE],
  ['text/csv;x=";q=0"', CSV, undefined],
  ['text/csv;x="a\\",b"', CSV, undefined],
  ['text/html;x="text/csv, text/csv', JSON_TYPE, JSON_TYPE],
];

test("a form is chosen by its name and weight, everything else is JSON, and 406 only where nothing named is there", () => {
  for (const [accept, list, single] of CASES) {
    assert.equal(negotiate(accept, DOWNLOAD_TYPES), list, `list: ${accept}`);
    assert.equal(negotiate(accept, []), single, `single: ${accept}`);
  }
});

test("a header as large as any is read in time that grows with its length alone", () => {
  const parts = ["text/csv,", 'text/csv;x="\\', '"', ";q=", "text/csv;q=0.", ",", "*/*;", '"\\"'];
  const time = (length: number): number => {
    const headers = parts.map((part) => part.repeat(Math.ceil(length / part.length)).slice(0, length));
    const { user } = process.cpuUsage();
    for (let round = 0; round < 5; round++) for (const header of headers) negotiate(header, DOWNLOAD_TYPES);
    return process.cpuUsage().user - user;
  };
  time(16_384);
  // Eight times as long: a quadratic reader would take 64 times as long.
  assert.ok(time(131_072) < 30 * Math.max(time(16_384), 1_000));
});
