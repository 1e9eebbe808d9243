import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();

/** A studio with these clients, and a search that answers with their places in the list. */
async function newStudio(clients: readonly object[], locations = 1) {
  const studio = await api.newOrganization();
  const locationIds: string[] = [];
  for (let n = 0; n < locations; n++) locationIds.push(await addLocation(api.db, studio.id));
  const ids: string[] = [];
  for (const client of clients) {
    const { status, body, text } = await studio.call("POST", "/v1/clients", {
      body: { contactName: "Nobody", locationIds: locationIds.slice(0, 1), ...client },
    });
    assert.equal(status, 201, text);
    ids.push(body.id);
  }
  const ask = (query: string, filter = ""): Promise<Answer> =>
    studio.get(`/v1/clients?query=${encodeURIComponent(query)}${filter}`);
  const find = async (query: string, filter = ""): Promise<number[]> => {
    const { body, status, text } = await ask(query, filter);
    assert.equal(status, 200, text);
    assert.equal(body.total, body.data.length);
    return body.data.map(({ id }: { id: string }) => ids.indexOf(id)).reverse();
  };
  return { ...studio, ids, locationIds, ask, find };
}

test("every term must occur, in any order and in any of the searched fields", async () => {
  const { find } = await newStudio([
    { contactName: "Ana Maria Silva", contactEmail: "amsilva@example.com", contactPhone: "11 5555-0001" },
    {
      contactName: "Maria Souza",
      contactEmail: "ms@example.org",
      idDocument: { type: "other", value: "ANA-77" },
    },
    { contactName: "Silvana", notes: "maria", address: { city: "Ana" } },
  ]);
  for (const [query, expected] of [
    ["maria", [0, 1]],
    ["silva", [0, 2]],
    ["silva maria ana", [0]],
    ["maria ana", [0, 1]],
    ["MARIA  \t ana\n", [0, 1]],
    ["example.com 0001 ana", [0]],
    ["souza 77 org", [1]],
    ["ana ana ANA", [0, 1, 2]],
    ["maria nobody", []],
    ["mariasilva", []],
    ["silvaamsilva", []],
  ] as const) {
    assert.deepEqual(await find(query), expected, query);
  }
});

test("case and accents do not matter, in any script", async () => {
  const names = [
    "José Ângelo",
    "Jose\u0301 Decomposto",
    "ΟΔΥΣΣΕΥΣ",
    "Ναταλία Οδυσσεύς",
    "Işıl İnönü",
    "Jürgen Großmann",
    "GROẞ",
    "Иван Ёлкин",
    "山田 太郎",
    "Łukasz Øster",
    "Đặng Đức",
    "ﬁona Ａｌｉｃｅ",
  ];
  const { find } = await newStudio(names.map((contactName) => ({ contactName })));
  for (const [query, expected] of [
    ["jose", [0, 1]],
    ["JOSÉ", [0, 1]],
    ["jose\u0301", [0, 1]],
    ["angelo", [0]],
    ["οδυσσευς", [2, 3]],
    ["ΟΔΥΣΣΕΎΣ", [2, 3]],
    ["οδυσσευσ", [2, 3]],
    ["νατάλια", [3]],
    ["isil", [4]],
    ["IŞIL", [4]],
    ["inonu", [4]],
    ["grossmann", [5]],
    ["GROSSMANN", [5]],
    ["groß", [5, 6]],
    ["елкин", [7]],
    ["ИВАН", [7]],
    ["太郎", [8]],
    ["山", [8]],
    ["lukasz oster", [9]],
    ["ŁUKASZ", [9]],
    ["dang duc", [10]],
    ["fiona alice", [11]],
  ] as const) {
    assert.deepEqual(await find(query), expected, query);
  }
});

test("punctuation does not matter in phones and documents, and matters in names and mail addresses", async () => {
  const { find } = await newStudio([
    { contactPhone: "+55 (11) 98765-4321", idDocument: { type: "cpf", value: "529.982.247-25" } },
    { contactPhone: "5511987654321", idDocument: { type: "other", value: "AB-12.34/5" } },
    { contactName: "Jean-Luc O'Neil", contactEmail: "jean.luc@example.com" },
    { contactPhone: "９８７６" },
    { contactName: "Ana O\u2019Neil" },
  ]);
  for (const [query, expected] of [
    ["52998224725", [0]],
    ["529.982.247-25", [0]],
    ["529 982", [0]],
    ["247-25", [0]],
    ["24725", [0]],
    ["+5511987654321", [0, 1]],
    ["(11)98765-4321", [0, 1]],
    ["98765 4321", [0, 1]],
    ["987-654-321", [0, 1]],
    ["ab12345", [1]],
    ["A.B.1.2.3.4.5", [1]],
    ["12.34/5", [1]],
    ["9876", [0, 1, 3]],
    ["９８７６", [0, 1, 3]],
    ["jean-luc", [2]],
    ["jeanluc", []],
    ["jean.luc", [2]],
    ["oneil", []],
    ["o'neil", [2, 4]],
    ["o\u2019neil", [2, 4]],
    ["O\u2019", [2, 4]],
    ["o-neil", []],
    ["-", [0, 1, 2]],
    ["(1", [0, 1]],
  ] as const) {
    assert.deepEqual(await find(query), expected, query);
  }
});

test("%, _ and \\ are ordinary characters, and no text of a query reaches the database as a command", async () => {
  const { find } = await newStudio([
    { contactName: "100% Ana_Maria" },
    { contactName: "back\\slash" },
    { contactName: "AnaXMaria 100" },
    { contactName: "Robert'); drop table clients;--" },
  ]);
  for (const [query, expected] of [
    ["%", [0]],
    ["100%", [0]],
    ["_", [0]],
    ["ana_maria", [0]],
    ["a%a", []],
    ["\\", [1]],
    ["k\\s", [1]],
    ["\\\\", []],
    ["\\%", []],
    ["');", [3]],
    ["drop table clients;--", [3]],
    ["$1", []],
    ["*", []],
    [".*", []],
  ] as const) {
    assert.deepEqual(await find(query), expected, query);
  }
});

test("terms of one and two characters work like any other, alone and beside longer ones", async () => {
  const { find } = await newStudio([
    { contactName: "Jo Silva", contactPhone: "11 22" },
    { contactName: "Zé", contactEmail: "z@b.co" },
    { contactName: "Ananias Silva" },
  ]);
  for (const [query, expected] of [
    ["j", [0]],
    ["jo", [0]],
    ["é", [0, 1, 2].filter((n) => n === 1)],
    ["z", [1]],
    ["a", [0, 2]],
    ["11 2", [0]],
    ["a a a s", [0, 2]],
    ["jo silva", [0]],
    ["si as", [2]],
    ["z@", [1]],
    ["x", []],
  ] as const) {
    assert.deepEqual(await find(query), expected, query);
  }
});

test("a query may have ten different terms, whatever they are; more are refused at once", async () => {
  const everything = "abcdefghijklmnopqrstuvwxyz0123456789";
  const studio = await newStudio([{ contactName: everything.repeat(5) }, { contactName: "abc" }]);
  const { ask, find } = studio;
  assert.deepEqual(await find([...everything.slice(0, 10)].join(" ")), [0]);
  assert.deepEqual(await find([...everything.slice(0, 3)].join(" ")), [0, 1]);
  for (const length of [2, 3]) {
    const terms = Array.from({ length: 10 }, (_, n) => everything.slice(2 * n, 2 * n + length));
    assert.deepEqual(await find(terms.join(" ")), [0]);
  }
  assert.deepEqual(await find(Array(100).fill("a").join(" ")), [0, 1]);
  for (const term of ["-", "a-", "(1", "é", "%", "\\", "12-", "漢"]) {
    const terms = Array.from({ length: 11 }, (_, n) => `${term}${String.fromCharCode(97 + n)}`);
    assert.equal((await ask(terms.slice(0, 10).join(" "))).status, 200, term);
    for (const path of ["clients", "plans", "service-types"]) {
      const refused = await studio.get(`/v1/${path}?query=${encodeURIComponent(terms.join(" "))}&limit=0`);
      assert.equal(refused.status, 422, term);
      assert.deepEqual(refused.body.errors.map(({ location }: { location: string }) => location).sort(), [
        "query.limit",
        "query.query",
      ]);
    }
  }
});

test("a phone finds its client however either of them has written it, with an exact total", async () => {
  const { find } = await newStudio([
    { contactPhone: "+55 11 98765-4321" },
    { contactPhone: "(11) 98765-4321" },
    { contactPhone: "11987654321" },
    { contactPhone: "011 98765-4321" },
    { contactPhone: "(21) 98765-4321" },
    { contactPhone: "+55 91 91234-5678" },
    { contactPhone: "+351 912 345 678" },
    { contactPhone: "912345678" },
  ]);
  for (const query of [
    "+55 11 98765-4321",
    "(11) 98765-4321",
    "11987654321",
    "011 98765-4321",
    "5511987654321",
    "0055 (11) 98765-4321",
    "+55 (0)11 98765-4321",
  ]) {
    assert.deepEqual(await find(query), [0, 1, 2, 3], query);
    assert.deepEqual(await find(`${query} nobody`), [0, 1, 2, 3], query);
    assert.deepEqual(await find(`${query} somebody`), [], query);
  }
  assert.deepEqual(await find("+351 912 345 678"), [6, 7]);
  assert.deepEqual(await find("00351912345678"), [6, 7]);
  assert.deepEqual(await find("+55"), [0, 5]);
  assert.deepEqual(await find("+55 11"), [0]);
});

test("search, status and location combine, and page with an exact total", async () => {
  const studio = await newStudio([], 2);
  const [here = "", there = ""] = studio.locationIds;
  const made: { id: string; silva: boolean; archived: boolean; places: string[] }[] = [];
  for (let n = 0; n < 24; n++) {
    const client = {
      silva: n % 2 === 0,
      archived: n % 3 === 0,
      places: n % 4 === 0 ? [here] : n % 4 === 1 ? [there] : [here, there],
    };
    const { body } = await studio.call("POST", "/v1/clients", {
      body: {
        contactName: client.silva ? `Ana Silva ${n}` : `Bia Souza ${n}`,
        status: client.archived ? "archived" : "active",
        locationIds: client.places,
      },
    });
    made.unshift({ id: body.id, ...client });
  }
  for (const query of ["silva", "si", "silva an", "s-ilva", ""]) {
    for (const status of ["active", "archived", undefined]) {
      for (const place of [here, there, undefined]) {
        const expected = made
          .filter(({ silva }) => query === "" || (query !== "s-ilva" && silva))
          .filter(({ archived }) => status === undefined || archived === (status === "archived"))
          .filter(({ places }) => place === undefined || places.includes(place))
          .map(({ id }) => id);
        const filter = `${status ? `&status=${status}` : ""}${place ? `&locationId=${place}` : ""}`;
        const { body } = await studio.ask(query, `${filter}&limit=3&offset=1`);
        const ids = body.data.map(({ id }: { id: string }) => id);
        assert.deepEqual([ids, body.total], [expected.slice(1, 4), expected.length], `${query} ${filter}`);
        const { body: past } = await studio.ask(query, `${filter}&offset=1000`);
        assert.deepEqual([past.data, past.total], [[], expected.length]);
      }
    }
  }
});

test("what is searched follows every replace", async () => {
  const studio = await newStudio([{ contactName: "Ana", contactPhone: "123-456" }]);
  assert.deepEqual(await studio.find("123456"), [0]);
  await studio.call("PUT", `/v1/clients/${studio.ids[0]}`, {
    body: { contactName: "Bia", idDocument: { type: "other", value: "Q-9" } },
  });
  for (const [query, expected] of [
    ["123456", []],
    ["ana", []],
    ["bia", [0]],
    ["q9", [0]],
  ] as const) {
    assert.deepEqual(await studio.find(query), expected, query);
  }
  await studio.call("DELETE", `/v1/clients/${studio.ids[0]}`);
  assert.deepEqual(await studio.find("bia"), [0]);
  assert.deepEqual(await studio.find("bia", "&status=active"), []);
});

test("names that fold to far more text than they have characters are stored and found", async () => {
  // One character that compatibility forms write out as eighteen.
  const contactName = "\ufdfa".repeat(200);
  const studio = await newStudio([{ contactName, contactEmail: `${"é".repeat(200)}@example.com` }]);
  assert.deepEqual(await studio.find("\ufdfa"), [0]);
  assert.deepEqual(await studio.find("\ufdfa".repeat(200)), [0]);
});
