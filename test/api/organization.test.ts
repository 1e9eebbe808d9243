import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { PUBLIC_URL, startApi } from "../support/api.ts";

const api = await startApi();

test("a key reads its own organization, with every field of the record", async () => {
  const studio = await api.newOrganization({ name: "Estúdio “Aurora”", timezone: "Asia/Kathmandu" });
  const { status, body } = await studio.get("/v1/organization");
  const { status: _status, ...record } = studio.record;
  assert.equal(status, 200);
  assert.deepEqual(body, { $schema: `${PUBLIC_URL}/schemas/Organization.json`, ...record });
});

test("a change of the organization is seen by the next request", async () => {
  const studio = await api.newOrganization();
  await studio.get("/v1/organization");
  await changeOrganization(api.db, "test", studio.id, { name: "Another name" });
  assert.equal((await studio.get("/v1/organization")).body.name, "Another name");
});
