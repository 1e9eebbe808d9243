import assert from "node:assert/strict";
import { test } from "node:test";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { addServiceType } from "../support/records.ts";

const api = await startApi();

test("a service type has exactly its fields, the same in the list and alone", async () => {
  const studio = await api.newOrganization();
  const full = {
    id: "0190a000-0000-7000-8000-00000000000b",
    name: "Avaliação física",
    description: 'Once a year.\nBring "shoes".',
    holdsResource: true,
    status: "archived" as const,
    createdAt: "2026-01-02T03:04:05.006Z",
    updatedAt: "2026-02-02T03:04:05.000Z",
  };
  const bare = {
    id: "0190a000-0000-7000-8000-00000000000a",
    name: "Pilates",
    holdsResource: false,
    status: "active" as const,
    createdAt: "2026-01-02T03:04:05.100Z",
    updatedAt: "2026-01-02T03:04:05.100Z",
  };
  await addServiceType(api.db, studio.id, bare);
  await addServiceType(api.db, studio.id, full);
  for (const type of [full, bare]) {
    const { body } = await studio.get(`/v1/service-types/${type.id}`);
    assert.deepEqual(body, { $schema: `${PUBLIC_URL}/schemas/ServiceType.json`, ...type });
  }
  const { body } = await studio.get("/v1/service-types");
  assert.deepEqual(body, {
    $schema: `${PUBLIC_URL}/schemas/ServiceTypePage.json`,
    data: [full, bare],
    limit: 50,
    offset: 0,
    total: 2,
  });
});

test("service types are filtered by name and status together", async () => {
  const studio = await api.newOrganization();
  const yoga = await addServiceType(api.db, studio.id, { name: "Ioga Avançada", description: "pilates too" });
  const mat = await addServiceType(api.db, studio.id, { name: "Pilates 100% solo" });
  const old = await addServiceType(api.db, studio.id, { name: "PILATES antigo", status: "archived" });
  const find = async (query: string) => {
    const { body } = await studio.get(`/v1/service-types?${query}`);
    assert.equal(body.total, body.data.length);
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await find("query=pilates"), [old, mat]);
  assert.deepEqual(await find("query=pilates&status=active"), [mat]);
  assert.deepEqual(await find("query=avancada%20IOGA"), [yoga]);
  assert.deepEqual(await find("query=0%25"), [mat]);
  assert.deepEqual(await find("query=l%25s"), []);
  assert.deepEqual(await find("query=a"), [old, mat, yoga]);
  assert.deepEqual(await find("status=archived"), [old]);
  assert.deepEqual(await find("query="), [old, mat, yoga]);
  // Punctuation is blind in phones and documents alone.
  assert.deepEqual(await find("query=pila-tes"), []);
});
