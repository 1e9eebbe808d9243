import assert from "node:assert/strict";
import { test } from "node:test";
import { compileCheck } from "../../core/validation.ts";
import {
  checkClient,
  checkPatch,
  chooseLocations,
  chooseStatus,
  clientContent,
  idDocumentKey,
  patchedClient,
  tidyClient,
  tidyPatch,
} from "./rules.ts";
import { type Client, ClientInput, ClientPatch } from "./schema.ts";

const A = "0190a000-0000-7000-8000-00000000000a";
const B = "0190a000-0000-7000-8000-00000000000b";
const C = "0190a000-0000-7000-8000-00000000000c";

test("a client joins the locations that are named, each once and in order, or the only one there is", () => {
  assert.deepEqual(chooseLocations(undefined, [A]), [A]);
  assert.deepEqual(chooseLocations([], [A]), [A]);
  assert.deepEqual(chooseLocations([C, A, C], [A, B, C]), [A, C]);
});

test("with none or several locations one must be named, and only existing ones can be", () => {
  const check = (locationIds: unknown, existing: string[]) =>
    checkClient({ locationIds }, { today: "2026-11-15", locationIds: existing }, "body").map(
      ({ location }) => location,
    );
  assert.deepEqual(check(undefined, []), ["body.locationIds"]);
  assert.deepEqual(check([], []), ["body.locationIds"]);
  assert.deepEqual(check(undefined, [A]), []);
  assert.deepEqual(check([], [A]), []);
  assert.deepEqual(check(undefined, [A, B]), ["body.locationIds"]);
  assert.deepEqual(check([], [A, B]), ["body.locationIds"]);
  assert.deepEqual(check([A, B, A], [A, B]), []);
  assert.deepEqual(check([C, A, C], [A, B]), ["body.locationIds[0]", "body.locationIds[2]"]);
  assert.deepEqual(check([A], []), ["body.locationIds[0]"]);
});

test("what is no client at all has no faults beyond those of its schema", () => {
  const facts = { today: "2026-11-15", locationIds: [A] };
  for (const raw of [null, 5, "x", [], [{}], true]) {
    assert.equal(tidyClient(raw), raw);
    assert.deepEqual(checkClient(raw, facts, "body"), []);
  }
  const odd = { idDocument: 5, birthdate: [], locationIds: "x", address: null };
  assert.deepEqual(checkClient(tidyClient(odd), facts, "body"), []);
});

test("tidying trims names, mail, phone and document, drops empty boxes, and changes nothing else", () => {
  assert.deepEqual(
    tidyClient({
      contactName: "\u3000 Ana \u00a0",
      contactEmail: " ",
      contactPhone: "",
      birthdate: "",
      status: "",
      notes: "",
      address: { city: "", line1: " ", state: 5 },
      idDocument: { type: "other", value: " X " },
      locationIds: [A.toUpperCase(), 5],
    }),
    {
      contactName: "Ana",
      address: { line1: " ", state: 5 },
      idDocument: { type: "other", value: "X" },
      locationIds: [A, 5],
    },
  );
  // Control characters are not white space to be forgiven.
  const refused = { contactName: "Ana\n", contactPhone: "\t", idDocument: { type: "other", value: "\r1" } };
  assert.deepEqual(tidyClient(refused), refused);
  const raw = { contactName: " Ana ", address: { city: "" }, idDocument: { value: " 1 " } };
  tidyClient(raw);
  assert.deepEqual(raw, { contactName: " Ana ", address: { city: "" }, idDocument: { value: " 1 " } });
});

test("documents compare without regard to case, in every script", () => {
  for (const [a, b] of [
    ["ab-1", "AB-1"],
    ["ñandú", "ÑANDÚ"],
    ["ΟΔΟΣ", "οδος"],
    ["οδοσ", "οδος"],
    ["straße", "STRASSE"],
    ["ẞ", "ß"],
    ["ж1", "Ж1"],
    ["ǆ", "ǅ"],
    ["\u212a1", "k1"],
    ["ԱԲԳ", "աբգ"],
    ["𐐀", "𐐨"],
  ] as const) {
    assert.equal(idDocumentKey(a), idDocumentKey(b), `${a} and ${b}`);
  }
  for (const [a, b] of [
    ["AB-1", "AB1"],
    ["é", "e"],
    ["1", "１"],
    ["a", "а"],
  ] as const) {
    assert.notEqual(idDocumentKey(a), idDocumentKey(b), `${a} and ${b}`);
  }
});

test("every letter of Unicode compares equal to its upper and lower case", () => {
  for (let code = 0; code < 0x20000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    assert.equal(idDocumentKey(letter), idDocumentKey(letter.toUpperCase()), code.toString(16));
    assert.equal(idDocumentKey(letter), idDocumentKey(letter.toLowerCase()), code.toString(16));
  }
});

test("the status is as said, else as it was, else active", () => {
  assert.equal(chooseStatus(undefined), "active");
  assert.equal(chooseStatus("archived"), "archived");
  assert.equal(chooseStatus(undefined, "archived"), "archived");
  assert.equal(chooseStatus("active", "archived"), "active");
});

test("a CPF is stored as its digits, any other document as it was written", () => {
  const facts = { today: "2026-11-15", locationIds: [A] };
  const stored = (type: "cpf" | "other", value: string) =>
    clientContent({ contactName: "Ana", idDocument: { type, value } }, facts).idDocument?.value;
  assert.equal(stored("cpf", "529.982.247-25"), "52998224725");
  assert.equal(stored("other", "529.982.247-25"), "529.982.247-25");
  assert.equal(stored("other", "aB-1"), "aB-1");
});

test("every fault of a client has a code and the numbers of its message, so that it can be said in another language", () => {
  const checkSchema = compileCheck(ClientInput, "");
  const codes = (raw: object) => {
    const tidy = tidyClient({ contactName: "Ana", ...raw });
    const faults = [
      ...checkSchema(tidy),
      ...checkClient(tidy, { today: "2026-11-15", locationIds: [A, B] }, ""),
    ];
    return faults.map(({ location, code, params }) => [location, code, ...Object.values(params ?? {})]);
  };
  const at = { locationIds: [A] };
  const cases: [object, unknown[][]][] = [
    [{ ...at, contactName: undefined }, [["contactName", "required"]]],
    [{ ...at, contactName: " " }, [["contactName", "empty"]]],
    [{ ...at, contactPhone: "1".repeat(41) }, [["contactPhone", "too_long", 40]]],
    [{ ...at, contactPhone: "\u0007" }, [["contactPhone", "characters_invalid"]]],
    [{ ...at, contactPhone: 5 }, [["contactPhone", "wrong_type", "string"]]],
    [{ ...at, contactEmail: "ana" }, [["contactEmail", "email_invalid"]]],
    [{ ...at, birthdate: "1990-02-30" }, [["birthdate", "date_invalid"]]],
    [{ ...at, birthdate: "1890-01-01" }, [["birthdate", "birthdate_out_of_range", "1900-01-01"]]],
    [{ ...at, idDocument: { type: "cpf", value: "1" } }, [["idDocument.value", "cpf_invalid"]]],
    [{ ...at, status: "asleep" }, [["status", "not_one_of", ["active", "archived"]]]],
    [{ ...at, colour: "red" }, [["colour", "unknown_member"]]],
    [{}, [["locationIds", "location_required"]]],
    [{ locationIds: [C] }, [["locationIds[0]", "location_unknown"]]],
    [
      { locationIds: ["x"] },
      [
        ["locationIds[0]", "uuid_invalid"],
        ["locationIds[0]", "location_unknown"],
      ],
    ],
  ];
  for (const [raw, expected] of cases) assert.deepEqual(codes(raw), expected, JSON.stringify(raw));
});

const STORED: Client = {
  id: A,
  contactName: "Ana",
  contactPhone: "+55 11 98765-4321",
  address: { city: "São Paulo", country: "BR" },
  idDocument: { type: "cpf", value: "52998224725" },
  locationIds: [A, B],
  notes: "Prefers mornings",
  status: "archived",
  createdAt: "2026-11-15T09:30:00.000Z",
  updatedAt: "2026-11-15T09:30:00.000Z",
};
const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...KEPT } = STORED;

/** A patch of the stored client, and what differs then from it. */
const PATCHES: readonly (readonly [patch: object, changes: object])[] = [
  [{}, {}],
  [{ contactPhone: " +55 11 1 " }, { contactPhone: "+55 11 1" }],
  [{ notes: null }, { notes: undefined }],
  [{ notes: "" }, { notes: undefined }],
  [{ contactPhone: "  " }, { contactPhone: undefined }],
  [{ contactEmail: null }, {}],
  [{ address: { city: "Rio" } }, { address: { city: "Rio", country: "BR" } }],
  [{ address: { city: null, state: "SP" } }, { address: { country: "BR", state: "SP" } }],
  [{ address: { city: "" } }, { address: { country: "BR" } }],
  [{ address: null }, { address: undefined }],
  [{ address: {} }, {}],
  [{ idDocument: null }, { idDocument: undefined }],
  [{ idDocument: { value: " 11144477735 " } }, { idDocument: { type: "cpf", value: "11144477735" } }],
  [{ idDocument: { type: "other" } }, { idDocument: { type: "other", value: "52998224725" } }],
  [{ locationIds: [C.toUpperCase()] }, { locationIds: [C] }],
  [{ locationIds: null }, { locationIds: undefined }],
  [{ status: "active" }, { status: "active" }],
  // As for a full body: an empty box for a status says nothing.
  [{ status: "" }, {}],
];

for (const [patch, changes] of PATCHES) {
  test(`a client patched with ${JSON.stringify(patch)} keeps all else`, () => {
    const tidy = tidyPatch(patch);
    assert.deepEqual(compileCheck(ClientPatch, "body")(tidy), []);
    const expected = JSON.parse(JSON.stringify({ ...KEPT, ...changes }));
    assert.deepEqual(patchedClient(STORED, tidy as ClientPatch), expected);
  });
}

/** A patch that is refused before the client is looked for, and where. */
const BAD_PATCHES: readonly (readonly [patch: unknown, places: readonly string[]])[] = [
  [{ contactName: null }, ["body.contactName"]],
  [{ contactName: " " }, ["body.contactName"]],
  [{ status: null }, ["body.status"]],
  [{ nothing: null }, ["body.nothing"]],
  [{ nothing: 1, notes: 5 }, ["body.nothing", "body.notes"]],
  [{ address: { town: null } }, ["body.address.town"]],
  [{ address: "x" }, ["body.address"]],
  [{ idDocument: { type: null } }, ["body.idDocument.type"]],
  [{ idDocument: { value: null } }, ["body.idDocument.value"]],
  [{ idDocument: { type: "cpf", value: "1" } }, ["body.idDocument.value"]],
  [{ birthdate: "2999-01-01" }, ["body.birthdate"]],
  [{ contactEmail: "x" }, ["body.contactEmail"]],
  [{ locationIds: [A, null] }, ["body.locationIds[1]"]],
  [{ locationIds: [C] }, ["body.locationIds[0]"]],
  [{ locationIds: [] }, ["body.locationIds"]],
  [{ locationIds: null }, ["body.locationIds"]],
  [[], ["body"]],
  [null, ["body"]],
];

for (const [patch, places] of BAD_PATCHES) {
  test(`a patch such as ${JSON.stringify(patch)} has faults at ${places.join(" and ")}`, () => {
    const facts = { today: "2026-11-15", locationIds: [A, B] };
    const tidy = tidyPatch(patch);
    const faults = [...compileCheck(ClientPatch, "body")(tidy), ...checkPatch(tidy, facts, "body")];
    assert.deepEqual([...new Set(faults.map(({ location }) => location))], places);
    for (const fault of faults) assert.doesNotMatch(JSON.stringify(fault), /null/);
  });
}
