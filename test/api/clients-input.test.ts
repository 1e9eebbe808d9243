import assert from "node:assert/strict";
import { test } from "node:test";
import { findZone, instantToWall } from "../../src/domain/recurrence/zones.ts";
import { type Answer, startApi, type TestOrganization } from "../support/api.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();
const STRANGER = "01890000-0000-7000-8000-000000000000";

async function newStudio(timezone?: string) {
  const studio = await api.newOrganization(timezone === undefined ? {} : { timezone });
  return { ...studio, locationId: await addLocation(api.db, studio.id) };
}

const studio = await newStudio();

function create(body: unknown, at: TestOrganization = studio): Promise<Answer> {
  return at.call("POST", "/v1/clients", { body });
}

/** The faults of a refused create, by their places. */
async function faults(body: unknown, at?: TestOrganization): Promise<Record<string, string>> {
  return faultsOf(await create(body, at), JSON.stringify(body));
}

function faultsOf(answer: Answer, about: string): Record<string, string> {
  assert.equal(answer.status, 422, `${about.slice(0, 200)} gave ${answer.status}: ${answer.text}`);
  assert.equal(answer.body.code, "invalid");
  const { errors } = answer.body as { errors: { location: string; message: string }[] };
  const expected = errors.length === 1 ? "1 invalid value" : `${errors.length} invalid values`;
  assert.equal(answer.body.detail, `The request has ${expected}.`);
  return Object.fromEntries(errors.map(({ location, message }) => [location, message]));
}

async function stored(body: object, at?: TestOrganization): Promise<Record<string, unknown>> {
  const answer = await create(body, at);
  assert.equal(answer.status, 201, `${JSON.stringify(body).slice(0, 200)} gave ${answer.text}`);
  const read = await (at ?? studio).get(`/v1/clients/${answer.body.id}`);
  assert.equal(read.text, answer.text);
  return answer.body;
}

/** Every string a caller can send, with how to put a value there and how long it may be. */
const STRINGS: [place: string, limit: number, put: (value: unknown) => object][] = [
  ["contactName", 200, (contactName) => ({ contactName })],
  ["contactPhone", 40, (contactPhone) => ({ contactName: "A", contactPhone })],
  ...(["city", "country", "line1", "line2", "postalCode", "state"] as const).map(
    (part): (typeof STRINGS)[number] => [
      `address.${part}`,
      200,
      (value) => ({ contactName: "A", address: { [part]: value } }),
    ],
  ),
  ["idDocument.value", 64, (value) => ({ contactName: "A", idDocument: { type: "other", value } })],
  ["notes", 10_000, (notes) => ({ contactName: "A", notes })],
];

function at(record: unknown, place: string): unknown {
  return place
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], record);
}

test("types are never coerced and null is no value, in any field", async () => {
  for (const wrong of [5, 0, true, false, null, [], ["A"], {}, 1.5]) {
    for (const [place, , put] of STRINGS) {
      assert.deepEqual(await faults(put(wrong)), { [`body.${place}`]: "must be a string" });
    }
  }
  const wrongTypes: [object, string, string][] = [
    [{ contactEmail: 5 }, "contactEmail", "must be a string"],
    [{ contactEmail: null }, "contactEmail", "must be a string"],
    [{ birthdate: 19900101 }, "birthdate", "must be a string"],
    [{ birthdate: null }, "birthdate", "must be a string"],
    [{ address: null }, "address", "must be an object"],
    [{ address: "Rua" }, "address", "must be an object"],
    [{ address: [] }, "address", "must be an object"],
    [{ idDocument: null }, "idDocument", "must be an object"],
    [{ idDocument: "52998224725" }, "idDocument", "must be an object"],
    [{ idDocument: { type: null, value: "1" } }, "idDocument.type", "must be one of: cpf, other"],
    [{ locationIds: null }, "locationIds", "must be an array"],
    [{ locationIds: studio.locationId }, "locationIds", "must be an array"],
    [{ locationIds: "" }, "locationIds", "must be an array"],
    [{ locationIds: { 0: studio.locationId } }, "locationIds", "must be an array"],
    [{ locationIds: [5] }, "locationIds[0]", "must be a string"],
    [{ locationIds: [null] }, "locationIds[0]", "must be a string"],
    [{ locationIds: [[studio.locationId]] }, "locationIds[0]", "must be a string"],
  ];
  for (const [body, place, message] of wrongTypes) {
    const found = await faults({ contactName: "A", ...body });
    assert.equal(found[`body.${place}`], message, JSON.stringify(body));
  }
  for (const status of [null, 5, true, "ACTIVE", "deleted", " active"]) {
    assert.deepEqual(Object.keys(await faults({ contactName: "A", status })), ["body.status"]);
  }
});

test("a body that is JSON but no object is 422", async () => {
  for (const raw of ["null", "5", '"text"', "true", "[]", '[{"contactName":"A"}]']) {
    const answer = await studio.call("POST", "/v1/clients", { raw });
    assert.deepEqual(faultsOf(answer, raw), { body: "must be an object" });
  }
});

test("only contactName is required", async () => {
  assert.deepEqual(await faults({}), { "body.contactName": "is required" });
  const { id, createdAt, updatedAt, $schema, ...rest } = await stored({ contactName: "A" });
  assert.deepEqual(rest, {
    contactName: "A",
    address: {},
    locationIds: [studio.locationId],
    status: "active",
  });
  assert.deepEqual(await faults({ contactName: "A", idDocument: {} }), {
    "body.idDocument.type": "is required",
    "body.idDocument.value": "is required",
  });
  assert.deepEqual(await faults({ contactName: "A", idDocument: { type: "cpf" } }), {
    "body.idDocument.value": "is required",
  });
  assert.deepEqual(await faults({ contactName: "A", idDocument: { value: "52998224725" } }), {
    "body.idDocument.type": "is required",
  });
});

test("unknown members are refused at every level, those that name parts of a prototype among them", async () => {
  const unknown = "is not a known member";
  assert.deepEqual(await faults({ contactName: "A", contactname: "B" }), {
    "body.contactname": `${unknown}; did you mean contactName?`,
  });
  assert.deepEqual(await faults({ contactName: "A", address: { zip: "1" } }), {
    "body.address.zip": unknown,
  });
  assert.deepEqual(
    await faults({ contactName: "A", idDocument: { type: "other", value: "u-1", country: "BR" } }),
    { "body.idDocument.country": unknown },
  );
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"]) {
    for (const content of ["{}", '{"contactName":"B"}', '"x"', "null"]) {
      const body = await studio.call("POST", "/v1/clients", {
        raw: `{"contactName":"A","${name}":${content}}`,
      });
      assert.deepEqual(faultsOf(body, name), { [`body.${name}`]: unknown });
      const nested = await studio.call("POST", "/v1/clients", {
        raw: `{"contactName":"A","address":{"${name}":${content}}}`,
      });
      assert.deepEqual(faultsOf(nested, name), { [`body.address.${name}`]: unknown });
    }
  }
  // Inherited members do not stand in for missing ones.
  const poisoned = await studio.call("POST", "/v1/clients", { raw: '{"__proto__":{"contactName":"A"}}' });
  assert.deepEqual(faultsOf(poisoned, "poisoned"), {
    "body.contactName": "is required",
    "body.__proto__": unknown,
  });
  // A name that may be somebody's data is not repeated.
  const found = await faults({ contactName: "A", "Ana Souza <ana@example.com>": 1 });
  assert.deepEqual(found, { body: "has a member that is not known" });
});

test("a member that is given twice is refused, at every level", async () => {
  for (const [raw, place] of [
    ['{"contactName":"A","contactName":"A"}', "body.contactName"],
    ['{"contactName":"A","contact\\u004eame":"B"}', "body.contactName"],
    ['{"contactName":"A","address":{"city":"X","city":""}}', "body.address.city"],
    ['{"contactName":"A","idDocument":{"type":"other","value":"1","value":"1"}}', "body.idDocument.value"],
  ] as const) {
    const answer = await studio.call("POST", "/v1/clients", { raw });
    assert.deepEqual(faultsOf(answer, raw), { [place]: "is given twice" });
  }
});

test("$schema, id, createdAt and updatedAt are accepted and ignored, whatever they contain", async () => {
  for (const content of ["x", 5, null, true, [], {}, { a: [1] }, STRANGER, "2020-01-01T00:00:00Z"]) {
    const body = await stored({
      $schema: content,
      id: content,
      createdAt: content,
      updatedAt: content,
      contactName: "A",
    });
    assert.notEqual(body.id, content);
    assert.ok(String(body.createdAt) > "2026-01-01");
    assert.match(String(body.$schema), /\/schemas\/Client\.json$/);
  }
});

test("lengths are counted in code points: the limit passes, one more does not", async () => {
  for (const [place, limit, put] of STRINGS) {
    // Each document once: what repeats is all but the first characters.
    const full = (letter: string) =>
      `${Math.random()}`.padEnd(30, "0").slice(0, 30) + letter.repeat(limit - 30);
    for (const letter of ["a", "é", "😀", "漢"]) {
      const value = full(letter);
      assert.equal(at(await stored(put(value)), place), value, `${place} of ${limit} × ${letter}`);
      assert.deepEqual(await faults(put(`${value}${letter}`)), {
        [`body.${place}`]: `must have at most ${limit} characters`,
      });
    }
  }
  const mail = (length: number) =>
    `${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(length)}`;
  const longest = mail(60).length + 11;
  assert.equal(longest, 254);
  const domain = `${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.com`;
  const limit = `${"a".repeat(254 - domain.length - 1)}@${domain}`;
  assert.equal((await stored({ contactName: "A", contactEmail: limit })).contactEmail, limit);
  assert.deepEqual(await faults({ contactName: "A", contactEmail: `a${limit}` }), {
    "body.contactEmail": "must have at most 254 characters",
  });
  // White space around does not count, as it is not kept.
  const padded = await stored({ contactName: ` ${"n".repeat(200)} ` });
  assert.equal(padded.contactName, "n".repeat(200));
});

test("a body of nearly a megabyte is answered like any other", async () => {
  const found = await faults({
    contactName: "A",
    notes: "\t".repeat(400_000),
    address: { city: "x".repeat(200_000) },
  });
  assert.deepEqual(found, {
    "body.notes": "must have at most 10000 characters",
    "body.address.city": "must have at most 200 characters",
  });
});

test("control characters and lone surrogates are refused in every string, at its ends too", async () => {
  const message = "must not contain control characters or unpaired surrogates";
  const controls = ["\u0000", "\u0001", "\u0008", "\u000b", "\u000c", "\u001b", "\u007f", "\u0085", "\u009f"];
  const surrogates = ["\ud800", "\udfff", "\udc00\ud800"];
  for (const [place, , put] of STRINGS) {
    const allowed = place === "notes" ? [] : ["\t", "\n", "\r"];
    for (const character of [...controls, ...surrogates, ...allowed]) {
      const values = [`a${character}b`, `${character}a`, `a${character}`, character];
      const found = await Promise.all(values.map((value) => faults(put(value))));
      for (const fault of found) assert.equal(fault[`body.${place}`], message, JSON.stringify(character));
    }
  }
  for (const character of [...controls, ...surrogates, "\t", "\n"]) {
    for (const contactEmail of [
      `a${character}b@example.com`,
      `a@exam${character}ple.com`,
      `a@example.com${character}`,
    ]) {
      const found = await faults({ contactName: "A", contactEmail });
      assert.ok("body.contactEmail" in found, JSON.stringify(contactEmail));
    }
  }
});

test("tab, line feed and carriage return stay in notes, and all else is stored exactly as sent", async () => {
  const notes = " \tone\r\ntwo\n\u2028three 😀\u200d \ufeff\u202e\uffff\ufffd";
  const address = { line1: " Rua  A ", city: "Sa\u0303o Paulo", country: "\u00a0", state: '"\\/' };
  const name = "Sa\u0303o <b>&amp; 'x' \"y\" \\ 𝒜\u200b";
  const body = await stored({ contactName: name, notes, address });
  assert.equal(body.notes, notes);
  assert.deepEqual(body.address, address);
  assert.equal(body.contactName, name);
});

test("an optional string that is empty, or only white space where that is trimmed, counts as absent", async () => {
  const body = await stored({
    contactName: "A",
    contactEmail: "  ",
    contactPhone: "\u00a0",
    birthdate: "",
    notes: "",
    status: "",
    address: { city: "", country: "", line1: "", line2: "", postalCode: "", state: "" },
  });
  const { id, createdAt, updatedAt, $schema, ...rest } = body;
  assert.deepEqual(rest, {
    contactName: "A",
    address: {},
    locationIds: [studio.locationId],
    status: "active",
  });
  const blanks = await stored({ contactName: "A", notes: " ", address: { city: " " } });
  assert.equal(blanks.notes, " ");
  assert.deepEqual(blanks.address, { city: " " });
});

test("contactName and the value of a document must not be empty", async () => {
  for (const blank of ["", " ", "\u3000\u00a0"]) {
    assert.deepEqual(await faults({ contactName: blank }), { "body.contactName": "must not be empty" });
    for (const type of ["cpf", "other"]) {
      assert.deepEqual(await faults({ contactName: "A", idDocument: { type, value: blank } }), {
        "body.idDocument.value": "must not be empty",
      });
    }
  }
});

test("a birthdate is a real date from 1900-01-01 on", async () => {
  for (const birthdate of ["1900-01-01", "2000-02-29", "2024-02-29", "1999-12-31"]) {
    assert.equal((await stored({ contactName: "A", birthdate })).birthdate, birthdate);
  }
  for (const birthdate of ["1899-12-31", "0001-01-01", "9999-12-31"]) {
    assert.deepEqual(await faults({ contactName: "A", birthdate }), {
      "body.birthdate": "must be from 1900-01-01 to today",
    });
  }
  for (const birthdate of [
    "1900-02-29",
    "2023-02-29",
    "2024-02-30",
    "2020-13-01",
    "2020-00-01",
    "2020-04-31",
    "1990-1-1",
    "01/02/1990",
    "1990-01-01T00:00:00Z",
    " 1990-01-01",
    "19900101",
    "١٩٩٠-٠١-٠١",
    "0000-00-00",
  ]) {
    assert.deepEqual(await faults({ contactName: "A", birthdate }), {
      "body.birthdate": "must be a calendar date: YYYY-MM-DD",
    });
  }
});

test("the last birthdate is today on the organization's clock, not the server's", async () => {
  const dates = new Set<string>();
  for (const timezone of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu"]) {
    const there = await newStudio(timezone);
    const day = (offset: number) =>
      new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(Date.now() + offset * 86_400_000);
    const today = day(0);
    assert.equal((await stored({ contactName: "A", birthdate: today }, there)).birthdate, today);
    // Two days on, so that a midnight that passes during the test does no harm.
    assert.deepEqual(Object.keys(await faults({ contactName: "A", birthdate: day(2) }, there)), [
      "body.birthdate",
    ]);
    dates.add(today);
  }
  assert.ok(dates.size >= 2, "the farthest zones are never on the same date");
});

test("tomorrow is refused in the very zone where it is not yet", async () => {
  const east = await newStudio("Pacific/Kiritimati");
  const west = await newStudio("Pacific/Pago_Pago");
  const zone = findZone("Pacific/Kiritimati");
  assert.ok(zone);
  // Kiritimati is 25 hours ahead of Pago Pago: its today is never Pago Pago's.
  const birthdate = new Date(instantToWall(zone, Date.now())).toISOString().slice(0, 10);
  assert.equal((await stored({ contactName: "A", birthdate }, east)).birthdate, birthdate);
  assert.deepEqual(await faults({ contactName: "A", birthdate }, west), {
    "body.birthdate": "must be from 1900-01-01 to today",
  });
});

test("e-mail addresses: what real ones look like passes, what cannot be delivered does not", async () => {
  for (const contactEmail of [
    "ana@example.com",
    "Ana.Souza+gym@Example.co.uk",
    "o'neil@example.com",
    "a@b.co",
    "1@2.3",
    "user_name-x@sub.domain.example",
    "!#$%&'*/=?^`{|}~@example.com",
    "josé@exemplo.com.br",
    "用户@例子.广告",
    "a@xn--bcher-kva.example",
  ]) {
    assert.equal((await stored({ contactName: "A", contactEmail })).contactEmail, contactEmail);
  }
  for (const contactEmail of [
    "ana",
    "@example.com",
    "ana@",
    "ana@example",
    "ana@@example.com",
    "a@b@example.com",
    "ana @example.com",
    "ana@exam ple.com",
    ".ana@example.com",
    "ana.@example.com",
    "a..b@example.com",
    "ana@example..com",
    "ana@.example.com",
    "ana@example.com.",
    "ana@-example.com",
    "ana@example-.com",
    "ana@exam_ple.com",
    `ana@${"x".repeat(64)}.com`,
    "Ana <ana@example.com>",
    "ana@example.com, bia@example.com",
    "mailto:ana@example.com",
    "ana@[127.0.0.1]",
  ]) {
    assert.deepEqual(await faults({ contactName: "A", contactEmail }), {
      "body.contactEmail": "must be an e-mail address",
    });
  }
});

test("a CPF is refused unless its digits and punctuation are right, and stored as 11 digits", async () => {
  const there = await newStudio();
  for (const [value, digits] of [
    ["111.444.777-35", "11144477735"],
    [" 00000000191 ", "00000000191"],
    ["12345678909", "12345678909"],
  ] as const) {
    const client = await stored({ contactName: "A", idDocument: { type: "cpf", value } }, there);
    assert.deepEqual(client.idDocument, { type: "cpf", value: digits });
  }
  for (const value of [
    "11111111111",
    "52998224726",
    "5299.82.247-25",
    "529982247-25",
    "529 982 247 25",
    "٥٢٩٩٨٢٢٤٧٢٥",
    "x",
  ]) {
    assert.deepEqual(await faults({ contactName: "A", idDocument: { type: "cpf", value } }, there), {
      "body.idDocument.value": "is not a valid CPF",
    });
  }
  for (const type of ["CPF", "passport", ""]) {
    assert.deepEqual(
      Object.keys(await faults({ contactName: "A", idDocument: { type, value: "1" } }, there)),
      ["body.idDocument.type"],
    );
  }
});

test("without exactly one location the caller names them, and closed ones count", async () => {
  const there = await api.newOrganization();
  const none = {
    "body.locationIds":
      "must name at least one of the organization's locations, which GET /v1/locations lists",
  };
  for (const locationIds of [undefined, []])
    assert.deepEqual(await faults({ contactName: "A", locationIds }, there), none);
  const first = await addLocation(api.db, there.id, { status: "closed" });
  for (const locationIds of [undefined, [], [first], [first.toUpperCase(), first]]) {
    assert.deepEqual((await stored({ contactName: "A", locationIds }, there)).locationIds, [first]);
  }
  const made = await create({ contactName: "A" }, there);
  const second = await addLocation(api.db, there.id);
  for (const locationIds of [undefined, []]) {
    assert.deepEqual(await faults({ contactName: "A", locationIds }, there), none);
    const replaced = await there.call("PUT", `/v1/clients/${made.body.id}`, {
      body: { contactName: "A", locationIds },
    });
    assert.deepEqual(faultsOf(replaced, "replace"), none);
  }
  assert.deepEqual(
    (await stored({ contactName: "A", locationIds: [second, first, second] }, there)).locationIds,
    [first, second],
  );
});

test("locations that are not the organization's are refused, each at its place", async () => {
  const other = await newStudio();
  const notOurs = "is not a location of this organization";
  assert.deepEqual(
    await faults({ contactName: "A", locationIds: [studio.locationId, other.locationId, STRANGER, "x", ""] }),
    {
      "body.locationIds[1]": notOurs,
      "body.locationIds[2]": notOurs,
      "body.locationIds[3]": "must be a UUID",
      "body.locationIds[4]": "must be a UUID",
    },
  );
});

test("200 locations may be named, 201 may not, repeated ones included", async () => {
  const there = await newStudio();
  const many = await Promise.all(Array.from({ length: 200 }, () => addLocation(api.db, there.id)));
  const client = await stored({ contactName: "A", locationIds: [...many].reverse() }, there);
  assert.deepEqual(client.locationIds, [...many].sort());
  const tooMany = { "body.locationIds": "must have at most 200 items" };
  assert.deepEqual(
    await faults({ contactName: "A", locationIds: [...many, there.locationId] }, there),
    tooMany,
  );
  assert.deepEqual(await faults({ contactName: "A", locationIds: Array(201).fill(many[0]) }, there), tooMany);
});

test("ids are accepted in any case, in paths, queries and bodies, and returned in lower case", async () => {
  const client = await stored({ contactName: "A", locationIds: [studio.locationId.toUpperCase()] });
  const id = String(client.id);
  assert.equal(id, id.toLowerCase());
  const read = await studio.get(`/v1/clients/${id.toUpperCase()}`);
  assert.equal(read.body.id, id);
  const listed = await studio.get(`/v1/clients?limit=1&locationId=${studio.locationId.toUpperCase()}`);
  assert.equal(listed.body.data[0].id, id);
  const replaced = await studio.call("PUT", `/v1/clients/${id.toUpperCase()}`, {
    body: { contactName: "B" },
  });
  assert.equal(replaced.body.id, id);
  assert.equal((await studio.call("DELETE", `/v1/clients/${id.toUpperCase()}`)).status, 204);
});

test("a malformed id in the path is 422 for every method, and an unknown one 404", async () => {
  const body = { contactName: "A" };
  for (const id of [
    "x",
    "1",
    `${STRANGER}0`,
    STRANGER.replaceAll("-", ""),
    `{${STRANGER}}`,
    `urn:uuid:${STRANGER}`,
    "%20",
  ]) {
    for (const [method, options] of [
      ["GET", {}],
      ["PUT", { body }],
      ["DELETE", {}],
    ] as const) {
      const answer = await studio.call(method, `/v1/clients/${id}`, options);
      assert.deepEqual(faultsOf(answer, `${method} ${id}`), { "path.id": "must be a UUID" });
    }
  }
  for (const [method, options] of [
    ["GET", {}],
    ["PUT", { body }],
    ["DELETE", {}],
  ] as const) {
    const answer = await studio.call(method, `/v1/clients/${STRANGER}`, options);
    assert.equal(answer.status, 404);
    assert.equal(answer.body.detail, "There is no client with this id.");
  }
});

test("input is judged before the record is looked for", async () => {
  const answer = await studio.call("PUT", `/v1/clients/${STRANGER}`, { body: { contactName: "" } });
  assert.deepEqual(faultsOf(answer, "replace"), { "body.contactName": "must not be empty" });
});

test("what is refused is not repeated in the answer", async () => {
  const secret = "segredo-4711";
  for (const body of [
    { contactName: "A", contactEmail: secret },
    { contactName: "A", birthdate: secret },
    { contactName: "A", idDocument: { type: "cpf", value: secret } },
    { contactName: "A", idDocument: { type: secret, value: "1" } },
    { contactName: "A", status: secret },
    { contactName: "A", locationIds: [secret] },
    { contactName: `${secret}\u0000` },
  ]) {
    const answer = await create(body);
    assert.equal(answer.status, 422);
    assert.ok(!answer.text.includes(secret), answer.text);
  }
  for (const query of [`query=${secret}%00`, `status=${secret}`, `limit=${secret}`, `locationId=${secret}`]) {
    const answer = await studio.get(`/v1/clients?${query}`);
    assert.equal(answer.status, 422);
    assert.ok(!answer.text.includes(secret), answer.text);
  }
});
