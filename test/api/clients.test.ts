import assert from "node:assert/strict";
import { test } from "node:test";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();

async function newStudio() {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  return { ...studio, locationId };
}

test("a client is stored and returned exactly as sent, trimmed where white space means nothing", async () => {
  const studio = await newStudio();
  const created = await studio.call("POST", "/v1/clients", {
    body: {
      contactName: "  José d’Ávila  ",
      contactEmail: " jose@example.com ",
      contactPhone: "+55 (11) 98765-4321",
      birthdate: "1990-02-28",
      address: { city: " São Paulo ", line2: "" },
      idDocument: { type: "cpf", value: " 529.982.247-25 " },
      notes: "\tline one\r\nline two ",
      locationIds: [studio.locationId.toUpperCase(), studio.locationId],
    },
  });
  assert.equal(created.status, 201);
  const { id, createdAt, updatedAt, ...rest } = created.body;
  assert.deepEqual(rest, {
    $schema: `${PUBLIC_URL}/schemas/Client.json`,
    contactName: "José d’Ávila",
    contactEmail: "jose@example.com",
    contactPhone: "+55 (11) 98765-4321",
    birthdate: "1990-02-28",
    address: { city: " São Paulo " },
    idDocument: { type: "cpf", value: "52998224725" },
    locationIds: [studio.locationId],
    notes: "\tline one\r\nline two ",
    status: "active",
  });
  assert.equal(createdAt, updatedAt);
  const read = await studio.get(`/v1/clients/${id}`);
  assert.equal(read.text, created.text);
});

test("POST answers where the client can be read, in Location, and nothing else has that header", async () => {
  const studio = await newStudio();
  const created = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
  const path = `/v1/clients/${created.body.id}`;
  assert.equal(created.headers.get("location"), PUBLIC_URL + path);
  const replaced = await studio.call("PUT", path, { body: { contactName: "Bia" } });
  const refused = await studio.call("POST", "/v1/clients", { body: {} });
  for (const answer of [replaced, refused, await studio.get(path)]) {
    assert.equal(answer.headers.get("location"), null);
  }
});

test("what GET returned is accepted by PUT and changes nothing, updatedAt included", async () => {
  const studio = await newStudio();
  const created = await studio.call("POST", "/v1/clients", {
    body: { contactName: "Ana", idDocument: { type: "other", value: "X-1" }, address: { state: "SP" } },
  });
  const replaced = await studio.call("PUT", `/v1/clients/${created.body.id}`, { raw: created.text });
  assert.equal(replaced.status, 200);
  assert.equal(replaced.text, created.text);
});

test("replace clears what is left out, keeps the status, and moves updatedAt", async () => {
  const studio = await newStudio();
  const created = await studio.call("POST", "/v1/clients", {
    body: { contactName: "Ana", contactPhone: "1", notes: "n", status: "archived", birthdate: "2000-01-01" },
  });
  const replaced = await studio.call("PUT", `/v1/clients/${created.body.id}`, {
    body: { contactName: "Ana B" },
  });
  assert.equal(replaced.body.status, "archived");
  assert.equal(replaced.body.notes, undefined);
  assert.equal(replaced.body.contactPhone, undefined);
  assert.equal(replaced.body.birthdate, undefined);
  assert.ok(replaced.body.updatedAt > created.body.updatedAt);
  assert.equal(replaced.body.createdAt, created.body.createdAt);
});

test("every fault of a request is reported at once, each with its place", async () => {
  const studio = await newStudio();
  const stranger = "01890000-0000-7000-8000-000000000000";
  const { status, body } = await studio.call("PUT", "/v1/clients/not-a-uuid", {
    body: {
      contactName: " ",
      contactEmail: "nobody",
      birthdate: "1899-12-31",
      idDocument: { type: "cpf", value: "11111111111" },
      locationIds: [studio.locationId, stranger, "x"],
      notes: 5,
      surname: "B",
    },
  });
  assert.equal(status, 422);
  assert.deepEqual(
    Object.fromEntries(
      body.errors.map((e: { location: string; message: string }) => [e.location, e.message]),
    ),
    {
      "path.id": "must be a UUID",
      "body.contactName": "must not be empty",
      "body.contactEmail": "must be an e-mail address",
      "body.birthdate": "must be from 1900-01-01 to today",
      "body.idDocument.value": "is not a valid CPF",
      "body.locationIds[1]": "is not a location of this organization",
      "body.locationIds[2]": "must be a UUID",
      "body.notes": "must be a string",
      "body.surname": "is not a known member",
    },
  );
});

test("an id document is refused a second time with its holder, but only within one organization", async () => {
  const studio = await newStudio();
  const other = await newStudio();
  const body = { contactName: "Ana", idDocument: { type: "other", value: "Ñandú-1" } };
  const first = await studio.call("POST", "/v1/clients", { body });
  await studio.call("DELETE", `/v1/clients/${first.body.id}`);
  const again = await studio.call("POST", "/v1/clients", {
    body: { ...body, idDocument: { type: "other", value: "ñANDÚ-1" } },
  });
  assert.equal(again.status, 409);
  assert.equal(again.body.clientId, first.body.id);
  assert.equal(again.body.clientStatus, "archived");
  assert.equal((await other.call("POST", "/v1/clients", { body })).status, 201);
  const third = await studio.call("POST", "/v1/clients", { body: { contactName: "Bia" } });
  const stolen = await studio.call("PUT", `/v1/clients/${third.body.id}`, { body });
  assert.equal(stolen.status, 409);
  assert.equal(stolen.body.clientId, first.body.id);
});

test("archiving is 204 each time, keeps the record, and an unknown id is 404", async () => {
  const studio = await newStudio();
  const { body } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
  assert.equal((await studio.call("DELETE", `/v1/clients/${body.id}`)).status, 204);
  const archived = await studio.get(`/v1/clients/${body.id}`);
  assert.equal(archived.body.status, "archived");
  assert.equal((await studio.call("DELETE", `/v1/clients/${body.id}`)).status, 204);
  assert.equal((await studio.get(`/v1/clients/${body.id}`)).body.updatedAt, archived.body.updatedAt);
  assert.equal((await studio.call("DELETE", `/v1/clients/${studio.id}`)).status, 404);
});

test("lists filter, page and count exactly, newest first, without locationIds", async () => {
  const studio = await newStudio();
  const second = await addLocation(api.db, studio.id);
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) {
    const { body } = await studio.call("POST", "/v1/clients", {
      body: {
        contactName: `Client ${i}`,
        locationIds: i % 2 ? [studio.locationId] : [studio.locationId, second],
        status: i === 3 ? "archived" : "active",
      },
    });
    ids.unshift(body.id);
  }
  const list = async (query: string) => {
    const { body } = await studio.get(`/v1/clients?${query}`);
    assert.ok(body.data.every((client: object) => !("locationIds" in client)));
    return [body.data.map((client: { id: string }) => client.id), body.total, body.limit, body.offset];
  };
  assert.deepEqual(await list(""), [ids, 7, 50, 0]);
  assert.deepEqual(await list("limit=2&offset=5"), [ids.slice(5), 7, 2, 5]);
  assert.deepEqual(await list("offset=9007199254740991"), [[], 7, 50, 9007199254740991]);
  assert.deepEqual(await list("status=archived"), [[ids[3]], 1, 50, 0]);
  assert.deepEqual(await list(`locationId=${second}&limit=2`), [[ids[0], ids[2]], 4, 2, 0]);
  assert.deepEqual(await list(`locationId=${second}&status=archived`), [[], 0, 50, 0]);
  assert.deepEqual(await list(`locationId=${studio.id}`), [[], 0, 50, 0]);
  assert.deepEqual(await list("query=client%206"), [[ids[0]], 1, 50, 0]);
  assert.deepEqual(await list("query=6"), [[ids[0]], 1, 50, 0]);
  assert.deepEqual(await list(`query=6&locationId=${second}`), [[ids[0]], 1, 50, 0]);
  assert.deepEqual(await list("query=%25"), [[], 0, 50, 0]);
});

test("clients of a location by status are the same however large a part of all are there", async () => {
  const studio = await newStudio();
  const [few, half] = [await addLocation(api.db, studio.id), await addLocation(api.db, studio.id)];
  const created: { id: string; status: string; locationIds: string[] }[] = [];
  for (let n = 0; n < 63; n++) {
    const locationIds = [studio.locationId, ...(n % 31 === 7 ? [few] : []), ...(n % 2 ? [half] : [])];
    const status = n % 7 === 3 || n === 7 ? "archived" : "active";
    const { body } = await studio.call("POST", "/v1/clients", {
      body: { contactName: `Client ${n}`, locationIds, status },
    });
    created.unshift({ id: body.id, status, locationIds });
  }
  for (const locationId of [studio.locationId, few, half])
    for (const status of ["active", "archived"]) {
      const expected = created
        .filter((client) => client.status === status && client.locationIds.includes(locationId))
        .map(({ id }) => id);
      const found: string[] = [];
      const list = `/v1/clients?locationId=${locationId}&status=${status}`;
      for (let cursor = ""; ; ) {
        const { body } = await studio.get(`${list}&limit=4${cursor}`);
        assert.equal(body.total, expected.length);
        found.push(...body.data.map(({ id }: { id: string }) => id));
        if (body.nextCursor === undefined) break;
        cursor = `&cursor=${body.nextCursor}`;
      }
      assert.deepEqual(found, expected);
      const { body } = await studio.get(`${list}&limit=100&offset=2`);
      assert.deepEqual(
        body.data.map(({ id }: { id: string }) => id),
        expected.slice(2),
      );
      const whole = await studio.call("GET", list, { headers: { accept: "application/x-ndjson" } });
      assert.deepEqual(
        whole.text
          .trimEnd()
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line).id),
        expected,
      );
    }
});

test("search ignores case, accents and the punctuation of phones and documents, and takes wildcards literally", async () => {
  const studio = await newStudio();
  const add = async (body: object) => (await studio.call("POST", "/v1/clients", { body })).body.id;
  const jose = await add({
    contactName: "José da Silva 100%",
    contactEmail: "ze_silva@example.com",
    contactPhone: "(11) 98765-4321",
    idDocument: { type: "cpf", value: "52998224725" },
  });
  const odd = await add({ contactName: "O'Neil Ação", idDocument: { type: "other", value: "AB-12.34/5" } });
  const find = async (query: string) =>
    (await studio.get(`/v1/clients?query=${encodeURIComponent(query)}`)).body.data.map(
      (c: { id: string }) => c.id,
    );
  for (const query of [
    "jose",
    "JOSÉ silva",
    "silva jose",
    "100%",
    "ze_",
    "529.982.247-25",
    "52998224725",
    "(11)",
    "987654321",
    "98765-4321",
    "11 98765",
    "529.982",
  ]) {
    assert.deepEqual(await find(query), [jose], query);
  }
  for (const query of ["acao", "o'neil", "AB12345", "ab-12345", "12.345", "ação O'"])
    assert.deepEqual(await find(query), [odd], query);
  for (const query of ["oneil", "10%", "z%e", "_e", "jose oneil", "\\", "o-neil"])
    assert.deepEqual(await find(query), [], query);
  assert.deepEqual(await find("  "), [odd, jose]);
});
