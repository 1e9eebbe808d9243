import assert from "node:assert/strict";
import { test } from "node:test";
import { measure } from "../../src/core/json.ts";
import { MAX_BODY_VALUES, MAX_FORM_VALUES } from "../../src/core/limits.ts";
import { startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";
import { exchange, parseAnswer } from "../support/wire.ts";

const api = await startApi();
// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
type Json = any;

async function newStudio() {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  return studio;
}

test("every text comes back exactly as it was sent, or is refused; none is changed in silence", async () => {
  const studio = await newStudio();
  const kept = [
    "שלום עולם",
    "\u202eright-to-left\u202c",
    "\u2066isolated\u2069",
    "e\u0301 and é",
    "👩‍👩‍👧‍👦 𝒳 🇧🇷",
    "zero\u200bwidth\u200d\ufeffmarks",
    "line\u2028and\u2029paragraph",
    "\ufffd\ufffe\uffff\u{10ffff}",
    "ﷺ".repeat(100),
    "Z̷͖͑a̴͝l̸̈g̶̿o",
    "a  b   c",
    "</script><!--",
    "\\u0000 \\n %00 &#0;",
    "null",
    "__proto__",
  ];
  for (const text of kept) {
    const sent = { contactName: text, notes: ` ${text}\t\r\n`, address: { city: ` ${text} `, state: text } };
    const { status, body } = await studio.call("POST", "/v1/clients", { body: sent });
    assert.equal(status, 201, text);
    const read = (await studio.get(`/v1/clients/${body.id}`)).body;
    const { contactName, notes, address } = read;
    assert.deepEqual({ contactName, notes, address }, sent);
  }
  for (const text of ["\0", "a\0b", "\ud800", "a\udc00b", "\u0085", "\u001b[0m", "\u007f"]) {
    for (const body of [{ contactName: text }, { contactName: "a", address: { city: text } }]) {
      assert.equal((await studio.call("POST", "/v1/clients", { body })).status, 422, JSON.stringify(text));
    }
  }
});

test("members with names of objects' own are unknown members, and change nothing for others", async () => {
  const studio = await newStudio();
  for (const name of ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString"]) {
    for (const raw of [
      `{"contactName":"a","${name}":{"status":"archived","polluted":true}}`,
      `{"contactName":"a","address":{"${name}":{"polluted":true}}}`,
      `{"${name}":{"contactName":"a"}}`,
    ]) {
      assert.equal((await studio.call("POST", "/v1/clients", { raw })).status, 422, raw);
    }
    assert.equal((await studio.get(`/v1/clients?${name}=1&${name}[a]=1`)).status, 422, name);
  }
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  const { status, body } = await studio.call("POST", "/v1/clients", { body: { contactName: "b" } });
  assert.deepEqual([status, body.status], [201, "active"]);
});

test("numbers at the limits of 53 and 64 bits are exact or refused", async () => {
  const studio = await newStudio();
  const offset = async (text: string) => {
    const { status, body } = await studio.get(`/v1/clients?offset=${text}`);
    return status === 200 ? String(body.offset) : status;
  };
  assert.equal(await offset("9007199254740991"), "9007199254740991");
  for (const text of [
    "9007199254740992",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "1".repeat(400),
    "-1",
    "-9223372036854775808",
  ]) {
    assert.equal(await offset(text), 422, text);
  }
});

test("dates and times that do not exist are refused, those at the ends of the calendar are not", async () => {
  const studio = await newStudio();
  const days = [
    "2026-02-29",
    "2026-02-30",
    "2026-04-31",
    "2026-00-10",
    "2026-13-01",
    "0000-01-01",
    "2026-1-1",
  ];
  for (const birthdate of [...days, "+2026-01-01", "2026-01-01T00:00:00Z", "1899-12-31", "9999-12-31"]) {
    const { status } = await studio.call("POST", "/v1/clients", { body: { contactName: "a", birthdate } });
    assert.equal(status, 422, birthdate);
  }
  const window = async (from: string, to: string) =>
    (await studio.get(`/v1/calendar?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`)).status;
  for (const day of days) {
    assert.equal(await window(`${day}T00:00:00Z`, "2026-06-01T00:00:00Z"), 422, day);
  }
  for (const time of ["24:00:00Z", "23:60:00Z", "23:59:60Z", "12:00:00", "12:00:00+24:00", "12:00Z"]) {
    assert.equal(await window(`2026-05-01T${time}`, "2026-06-01T00:00:00Z"), 422, time);
  }
  assert.equal(await window("0001-01-01T00:00:00+23:59", "0001-01-02T00:00:00Z"), 200);
  assert.equal(await window("9999-12-30T00:00:00Z", "9999-12-31T23:59:59.999-23:59"), 200);
});

test("a body beyond 5,000 members and items or 32 levels is refused as a whole, one within is checked in full", async () => {
  const studio = await newStudio();
  const faults = async (raw: string) =>
    (await studio.call("POST", "/v1/clients", { raw })).body.errors as { location: string }[];
  const list = (count: number) => `{"contactName":"a","locationIds":[${Array(count).fill('"x"').join()}]}`;
  assert.equal((await faults(list(4900)))[0]?.location, "body.locationIds");
  assert.deepEqual(await faults(list(5100)), [
    {
      location: "body",
      code: "too_many_values",
      params: { max: 5000 },
      message: "must not have more than 5000 members and items in all",
    },
  ]);
  const nested = (depth: number) => `{"contactName":"a","id":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  assert.equal((await studio.call("POST", "/v1/clients", { raw: nested(31) })).status, 201);
  assert.deepEqual(await faults(nested(32)), [
    {
      location: "body",
      code: "too_deep",
      params: { max: 32 },
      message: "must not be nested deeper than 32 levels",
    },
  ]);
  assert.equal((await studio.call("POST", "/v1/clients", { raw: "[".repeat(40) })).status, 400);
});

test("the longest lists that a document allows, all in one body, are read", async () => {
  for (const path of ["/openapi.json", "/app/openapi.json"]) {
    const document = (await api.call("GET", path)).body;
    const bodies = Object.values<Json>(document.paths).flatMap((item) =>
      Object.values<Json>(item).flatMap(({ operationId, requestBody }) =>
        Object.entries<Json>(requestBody?.content ?? {}).map(([type, { schema }]) => ({
          operationId,
          isForm: type === "multipart/form-data",
          schema: type === "multipart/form-data" ? schema.properties.input : schema,
        })),
      ),
    );
    assert.ok(bodies.length > 2, path);
    for (const { operationId, isForm, schema } of bodies) {
      const { values } = measure(JSON.stringify(longest(schema, document)));
      const most = isForm ? MAX_FORM_VALUES : MAX_BODY_VALUES;
      assert.ok(values <= most, `${operationId} may have ${values} values, and ${most} are read`);
    }
  }
});

/** A value with every member, and as many items in each list as there may be. */
function longest(schema: Json, document: Json): unknown {
  if (schema.$ref) return longest(document.components.schemas[schema.$ref.split("/").pop()], document);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) {
    const sizes = variants.map((one: Json) => JSON.stringify(longest(one, document)));
    return JSON.parse(sizes.sort((a: string, b: string) => b.length - a.length)[0]);
  }
  if (schema.type === "object" || schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, member]) => [name, longest(member, document)]),
    );
  if (schema.type !== "array" && !schema.type?.includes?.("array")) return 0;
  // One without a bound promises none.
  return Array(schema.maxItems ?? 1).fill(longest(schema.items, document));
}

test("the place of a member that is given twice is as long as the document allows, however deep it is", async () => {
  const studio = await newStudio();
  const name = "n".repeat(64);
  const raw = `{"contactName":"a","id":${`{"${name}":`.repeat(20)}{"x":1,"x":2}${"}".repeat(20)}}`;
  const { status, body } = await studio.call("POST", "/v1/clients", { raw });
  assert.equal(status, 422);
  assert.ok(body.errors[0].location.startsWith(`body.id.${name}`));
});

test("a HEAD request that is refused before it is routed has no body either", async () => {
  const answer = parseAnswer(
    await exchange(api.url, `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(17_000)}\r\n\r\n`),
  );
  const { text } = await exchange(
    api.url,
    `HEAD /livez HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(17_000)}\r\n\r\n`,
  );
  assert.equal(answer.status, 431);
  assert.match(text, /^HTTP\/1\.1 431 /);
  assert.ok(text.endsWith("\r\n\r\n"), "the answer to HEAD has a body");
});
