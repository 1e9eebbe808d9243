import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();
const other = await startApi({ beside: api });

const FULL = {
  contactName: "Ana Souza",
  contactEmail: "ana@example.com",
  contactPhone: "+55 11 98765-4321",
  birthdate: "1990-04-23",
  address: { city: "São Paulo", country: "BR", line1: "Rua Harmonia 100" },
  idDocument: { type: "cpf", value: "52998224725" },
  notes: "Prefers mornings",
};

const MERGE_PATCH = { "content-type": "application/merge-patch+json" };

async function newStudio() {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  const { body: client } = await studio.call("POST", "/v1/clients", { body: FULL });
  const path = `/v1/clients/${client.id}`;
  const patch = (body: unknown, headers: Record<string, string> = MERGE_PATCH) =>
    studio.call("PATCH", path, { body, headers });
  const read = async () => (await studio.get(path)).body;
  return { ...studio, locationId, client, path, patch, read };
}

test("a patch of the phone keeps all else and moves updatedAt", async () => {
  const { client, patch, read } = await newStudio();
  const answer = await patch({ contactPhone: " +55 21 1 " });
  assert.equal(answer.status, 200);
  const { updatedAt } = answer.body;
  assert.ok(updatedAt > client.updatedAt);
  assert.deepEqual(answer.body, { ...client, contactPhone: "+55 21 1", updatedAt });
  assert.deepEqual(await read(), answer.body);
});

test("null clears a member, an empty box does too, and a part of the address by itself", async () => {
  const { client, patch, read } = await newStudio();
  assert.equal("notes" in (await patch({ notes: null })).body, false);
  assert.equal("contactEmail" in (await patch({ contactEmail: "" })).body, false);
  assert.equal("birthdate" in (await patch({ birthdate: null })).body, false);
  assert.deepEqual((await patch({ address: { city: null, state: "SP" } })).body.address, {
    country: "BR",
    line1: "Rua Harmonia 100",
    state: "SP",
  });
  assert.deepEqual((await patch({ address: null })).body.address, {});
  assert.equal("idDocument" in (await patch({ idDocument: null })).body, false);
  const { contactName, contactPhone, locationIds, status } = client;
  const { id, createdAt, updatedAt, $schema, ...left } = await read();
  assert.deepEqual(left, { contactName, contactPhone, address: {}, locationIds, status });
});

test("a document's value can be patched alone, by the rules of the type that is stored", async () => {
  const { patch, read } = await newStudio();
  assert.deepEqual((await patch({ idDocument: { value: "111.444.777-35" } })).body.idDocument, {
    type: "cpf",
    value: "11144477735",
  });
  const answer = await patch({ idDocument: { value: "111.444.777-36" } });
  assert.equal(answer.status, 422);
  assert.deepEqual(
    answer.body.errors.map(({ location }: { location: string }) => location),
    ["body.idDocument.value"],
  );
  await patch({ idDocument: null });
  const missing = await patch({ idDocument: { value: "X" } });
  assert.equal(missing.status, 422);
  assert.deepEqual(
    missing.body.errors.map(({ location }: { location: string }) => location),
    ["body.idDocument.type"],
  );
  assert.equal("idDocument" in (await read()), false);
});

test("a patch of an unknown member, of a wrong type or of null where there must be a value is 422, all faults at once", async () => {
  const { client, patch, read } = await newStudio();
  const answer = await patch({
    contactName: null,
    colour: null,
    address: { town: null },
    birthdate: "2999-01-01",
    locationIds: [newId()],
  });
  assert.equal(answer.status, 422);
  assert.deepEqual(answer.body.errors.map(({ location }: { location: string }) => location).sort(), [
    "body.address.town",
    "body.birthdate",
    "body.colour",
    "body.contactName",
    "body.locationIds[0]",
  ]);
  for (const body of [null, [], "x", 5]) assert.equal((await patch(body)).status, 422);
  assert.deepEqual(await read(), client);
});

test("what a patch breaks only together with the record is told with its other faults, and with those of headers", async () => {
  const { call, patch, read } = await newStudio();
  const locations = (answer: { status: number; body: { errors: { location: string; code: string }[] } }) => {
    assert.equal(answer.status, 422);
    return answer.body.errors.map(({ location, code }) => `${location} ${code}`);
  };
  // The value alone is well-formed; with the stored type it is no CPF.
  const wrong = { idDocument: { value: "1" } };
  const mail = { ...wrong, contactEmail: "x", address: { city: 5 } };
  assert.deepEqual(locations(await patch(mail)), [
    "body.contactEmail email_invalid",
    "body.address.city wrong_type",
    "body.idDocument.value cpf_invalid",
  ]);
  for (const header of ["If-Match", "If-None-Match", "Idempotency-Key"]) {
    const code = header === "Idempotency-Key" ? "idempotency_key_invalid" : "header_invalid";
    assert.deepEqual(locations(await patch(wrong, { ...MERGE_PATCH, [header]: "a b" })), [
      `header.${header} ${code}`,
      "body.idDocument.value cpf_invalid",
    ]);
  }
  // Of a client that there is not, and of one that no id names, only the patch can be judged.
  const options = { body: mail, headers: MERGE_PATCH };
  for (const [address, inPath] of [
    [`/v1/clients/${newId()}`, []],
    ["/v1/clients/x", ["path.id uuid_invalid"]],
  ] as const) {
    assert.deepEqual(locations(await call("PATCH", address, options)), [
      ...inPath,
      "body.contactEmail email_invalid",
      "body.address.city wrong_type",
    ]);
  }
  const { body: without } = await patch({ idDocument: null });
  assert.deepEqual(locations(await patch(mail)), [
    "body.contactEmail email_invalid",
    "body.address.city wrong_type",
    "body.idDocument.type required",
  ]);
  assert.deepEqual(await read(), without);
});

test("what was read can be sent back as a patch, and a patch that changes nothing moves nothing", async () => {
  const { client, patch, read } = await newStudio();
  for (const body of [{}, client, { contactName: " Ana Souza " }, { address: {} }, { status: "" }]) {
    const answer = await patch(body);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, client);
  }
  assert.deepEqual(await read(), client);
});

test("a patch archives and revives, and leaves the status alone if it does not name it", async () => {
  const { patch, get } = await newStudio();
  assert.equal((await patch({ status: "archived" })).body.status, "archived");
  assert.equal((await patch({ notes: "x" })).body.status, "archived");
  assert.equal((await get("/v1/clients?status=archived")).body.total, 1);
  assert.equal((await patch({ status: "active" })).body.status, "active");
  assert.equal((await get("/v1/clients?status=archived")).body.total, 0);
});

test("two patches of different members at once both stand, in 20 rounds at two servers", async () => {
  const { key, path, read } = await newStudio();
  const headers = { ...MERGE_PATCH, authorization: `Bearer ${key}` };
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all([
      api.call("PATCH", path, { body: { notes: `round ${round}` }, headers }),
      other.call("PATCH", path, { body: { contactPhone: String(round) }, headers }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const { notes, contactPhone } = await read();
    assert.deepEqual({ notes, contactPhone }, { notes: `round ${round}`, contactPhone: String(round) });
  }
});

test("a document that another client holds is 409 and names the holder, with the type that is stored too", async () => {
  const { patch, call, client } = await newStudio();
  const idDocument = { type: "cpf", value: "11144477735" };
  const { body: holder } = await call("POST", "/v1/clients", { body: { contactName: "Bia", idDocument } });
  for (const body of [{ idDocument }, { idDocument: { value: "111.444.777-35" } }]) {
    const answer = await patch(body);
    assert.equal(answer.status, 409);
    assert.equal(answer.body.clientId, holder.id);
  }
  // Of any number that take a free one at the same time, one gets it.
  const free = { type: "other", value: "F-1" };
  const makers = await Promise.all(
    Array.from({ length: 6 }, () => call("POST", "/v1/clients", { body: { contactName: "Cid" } })),
  );
  const answers = await Promise.all(
    makers.map(({ body }) =>
      call("PATCH", `/v1/clients/${body.id}`, { body: { idDocument: free }, headers: MERGE_PATCH }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
  assert.equal(client.status, "active");
});

test("a patch that clears the locations falls back to the only one there is, and is refused if there are several", async () => {
  const { id, locationId, patch } = await newStudio();
  assert.deepEqual((await patch({ locationIds: null })).body.locationIds, [locationId]);
  const second = await addLocation(api.db, id);
  for (const locationIds of [null, []]) {
    const answer = await patch({ locationIds });
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.body.errors[0].location, "body.locationIds");
  }
  assert.deepEqual((await patch({ locationIds: [second] })).body.locationIds, [second]);
  // Not named, they stay, though there are several now.
  assert.deepEqual((await patch({ notes: "x" })).body.locationIds, [second]);
});

test("an unknown client is 404, another organization's too, and a wrong id is 422", async () => {
  const { client, call } = await newStudio();
  const stranger = await newStudio();
  const options = { body: { notes: "x" }, headers: MERGE_PATCH };
  assert.equal((await call("PATCH", `/v1/clients/${newId()}`, options)).status, 404);
  assert.equal((await stranger.call("PATCH", `/v1/clients/${client.id}`, options)).status, 404);
  assert.equal((await call("PATCH", "/v1/clients/x", options)).status, 422);
});

test("PATCH takes a merge patch or JSON; POST and PUT take JSON alone, and nothing is changed", async () => {
  const { client, call, patch, path, read } = await newStudio();
  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    "application/merge-patch+json",
    "Application/Merge-Patch+JSON; charset=UTF-8",
  ]) {
    assert.equal((await patch({}, { "content-type": type })).status, 200, type);
  }
  for (const type of ["application/json-patch+json", "text/plain", "application/vnd.api+json", "*/*"]) {
    const answer = await patch({ notes: "x" }, { "content-type": type });
    assert.equal(answer.status, 415, type);
    assert.match(answer.body.detail, /application\/merge-patch\+json/);
  }
  for (const [method, at] of [
    ["POST", "/v1/clients"],
    ["PUT", path],
  ] as const) {
    for (const type of ["application/merge-patch+json", "application/problem+json", "application/x+json"]) {
      const answer = await call(method, at, {
        body: { contactName: "Bia" },
        headers: { "content-type": type },
      });
      assert.equal(answer.status, 415, `${method} ${type}`);
    }
  }
  assert.deepEqual(await read(), client);
});

test("PATCH is 405 everywhere else, and Allow names it where it is", async () => {
  const { get, call, path } = await newStudio();
  const { paths } = (await get("/openapi.json")).body as { paths: Record<string, object> };
  for (const template of Object.keys(paths)) {
    if (template === "/v1/clients/{id}") continue;
    const answer = await call("PATCH", template.replace("{id}", newId()), { body: {} });
    assert.equal(answer.status, 405, template);
    assert.doesNotMatch(answer.headers.get("allow") ?? "", /PATCH/);
  }
  const allow = (await call("POST", path, { body: {} })).headers.get("allow");
  assert.equal(allow, "DELETE, GET, HEAD, PATCH, PUT");
});
