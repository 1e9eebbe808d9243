import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprintOf, type RequestIdentity, readKey } from "./idempotency-key.ts";

const longest = "k".repeat(255);
const forms: [header: string, key: string | undefined][] = [
  ["a", "a"],
  ["8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"],
  ['"8e03978e"', "8e03978e"],
  ["!#$%&'()*+-./09:;<=>?@AZ[]^_`az{|}~", "!#$%&'()*+-./09:;<=>?@AZ[]^_`az{|}~"],
  [longest, longest],
  [`"${longest}"`, longest],
  ["", undefined],
  ['""', undefined],
  ['"', undefined],
  ['"a', undefined],
  ['a"b', undefined],
  ['"a";b=1', undefined],
  ["a b", undefined],
  ['"a b"', undefined],
  ["a, b", undefined],
  ['"a", "b"', undefined],
  ["a,b", undefined],
  ["a\\b", undefined],
  ["é", undefined],
  ["a\tb", undefined],
  ["a\u007f", undefined],
  [`${longest}k`, undefined],
  [`"${longest}k"`, undefined],
];
for (const [header, key] of forms) {
  test(`the header ${JSON.stringify(header.slice(0, 40))} (${header.length} characters) names ${key === undefined ? "no key" : "a key"}`, () => {
    assert.equal(readKey(header), key);
  });
}

const request: RequestIdentity = {
  method: "PUT",
  path: "/v1/clients/1",
  ifMatch: '"x"',
  body: { a: [1, { b: "c", d: null }], e: "" },
};

test("requests that differ only in the order of members have one fingerprint", () => {
  const reordered = { ...request, body: JSON.parse('{ "e": "", "a": [1.0, {"d": null, "b": "\\u0063"}] }') };
  assert.equal(fingerprintOf(reordered), fingerprintOf(request));
});

const others: Partial<RequestIdentity>[] = [
  { method: "PATCH" },
  { path: "/v1/clients/2" },
  { ifMatch: undefined },
  { ifMatch: '"y"' },
  { body: undefined },
  { body: null },
  { body: {} },
  { body: { a: [{ b: "c", d: null }, 1], e: "" } },
  { body: { a: [1, { b: "c" }], e: "" } },
  { body: { a: [1, { b: "c", d: "null" }], e: "" } },
  { body: { a: [1, { b: "c", d: null }], e: "", f: "" } },
  { body: { a: ["1", { b: "c", d: null }], e: "" } },
];
test("requests that differ in anything else have different ones", () => {
  const all = [request, ...others.map((other) => ({ ...request, ...other }))];
  assert.equal(new Set(all.map((one) => fingerprintOf(one))).size, all.length);
});

test("a member that is called __proto__ counts as any other", () => {
  const one = fingerprintOf({ ...request, body: JSON.parse('{"__proto__":1}') });
  assert.notEqual(one, fingerprintOf({ ...request, body: {} }));
});
