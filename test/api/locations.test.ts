import assert from "node:assert/strict";
import { test } from "node:test";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();

test("every location is listed, open or closed, in order of creation, with exactly its fields", async () => {
  const studio = await api.newOrganization();
  const ids = [
    "0190a000-0000-7000-8000-00000000000c",
    "0190a000-0000-7000-8000-00000000000a",
    "0190a000-0000-7000-8000-00000000000b",
  ];
  await addLocation(api.db, studio.id, {
    id: ids[0] as string,
    name: "Third",
    createdAt: "2026-03-01T00:00:00Z",
  });
  await addLocation(api.db, studio.id, {
    id: ids[1] as string,
    name: "Second “é” \\",
    status: "closed",
    timezone: "Asia/Kathmandu",
    address: "Rua Harmonia 100",
    createdAt: "2026-02-01T00:00:00Z",
  });
  await addLocation(api.db, studio.id, {
    id: ids[2] as string,
    name: "First",
    createdAt: "2026-01-01T00:00:00Z",
  });
  const { status, text } = await studio.get("/v1/locations");
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(text), {
    $schema: `${PUBLIC_URL}/schemas/LocationList.json`,
    data: [
      { id: ids[2], name: "First", status: "active", timezone: "America/Sao_Paulo" },
      {
        id: ids[1],
        name: "Second “é” \\",
        address: "Rua Harmonia 100",
        status: "closed",
        timezone: "Asia/Kathmandu",
      },
      { id: ids[0], name: "Third", status: "active", timezone: "America/Sao_Paulo" },
    ],
    total: 3,
  });
});

test("an organization without locations has an empty list", async () => {
  const studio = await api.newOrganization();
  const { body } = await studio.get("/v1/locations");
  assert.deepEqual([body.data, body.total], [[], 0]);
});

test("locations are not paginated, so limit and offset have no effect where they are numbers, and other parameters are refused", async () => {
  const studio = await api.newOrganization();
  for (let n = 0; n < 60; n++) await addLocation(api.db, studio.id);
  const { body } = await studio.get("/v1/locations?limit=1000&offset=7&csv=excel");
  assert.deepEqual([body.data.length, body.total], [60, 60]);
  assert.deepEqual(Object.keys(body), ["$schema", "data", "total"]);
  const malformed: [string, string, string][] = [
    ["limit=banana", "query.limit", "wrong_type"],
    ["offset=1.5", "query.offset", "wrong_type"],
    ["limit=a&limit=b", "query.limit", "given_twice"],
    ["limit=1&limit=1", "query.limit", "given_twice"],
    ["limit=%zz", "query.limit", "encoding_invalid"],
    ["csv=zz", "query.csv", "not_one_of"],
    ["csv=excel&csv=excel", "query.csv", "given_twice"],
  ];
  for (const [query, location, code] of malformed) {
    const { status, body } = await studio.get(`/v1/locations?${query}`);
    assert.deepEqual(
      [status, body.errors?.at(-1)?.location, body.errors?.at(-1)?.code],
      [422, location, code],
      query,
    );
  }
  const refused = await studio.get("/v1/locations?status=closed");
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.body.errors[0].params, { known: ["limit", "offset", "csv"] });
});
