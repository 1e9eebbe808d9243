import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { addContract, addLocation, addPlan, addServiceType } from "../support/records.ts";

// Two servers on one database, each with bodies that it computed before at hand.
const one = await startApi();
const other = await startApi({ beside: one });

async function newStudio() {
  const studio = await one.newOrganization();
  const locationId = await addLocation(one.db, studio.id);
  /** The same organization and key, asked at the other server. */
  const there = (path: string) =>
    other.call("GET", path, { headers: { authorization: `Bearer ${studio.key}` } });
  return { ...studio, locationId, there };
}

test("a read at one server sees what another has written before it, with every body at hand", async () => {
  const studio = await newStudio();
  const { body: client } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana 0" } });
  const paths = [
    "/v1/clients",
    "/v1/clients?status=active",
    "/v1/clients?query=ana",
    `/v1/clients?locationId=${studio.locationId}`,
    `/v1/clients/${client.id}`,
  ];
  const name = (body: { data?: { contactName: string }[]; contactName?: string }) =>
    body.contactName ?? body.data?.find((record) => record.contactName.startsWith("Ana"))?.contactName;
  for (let round = 1; round <= 10; round++) {
    for (const path of [...paths, ...paths]) await studio.there(path);
    await studio.call("PUT", `/v1/clients/${client.id}`, { body: { contactName: `Ana ${round}` } });
    for (const path of paths) assert.equal(name((await studio.there(path)).body), `Ana ${round}`, path);
    await studio.call("POST", "/v1/clients", { body: { contactName: "Bia" } });
    for (const path of ["/v1/clients?limit=1", `/v1/clients?locationId=${studio.locationId}&limit=1`]) {
      assert.equal((await studio.there(path)).body.total, round + 1, path);
    }
  }
  await studio.call("DELETE", `/v1/clients/${client.id}`);
  assert.equal((await studio.there(`/v1/clients/${client.id}`)).body.status, "archived");
  assert.equal((await studio.there("/v1/clients?status=active&query=ana")).body.total, 0);
});

test("writers and readers at both servers at the same time: who has read his write reads it everywhere", async () => {
  const studio = await newStudio();
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const { body } = await studio.call("POST", "/v1/clients", { body: { contactName: `Zed${n}z` } });
      for (let round = 0; round < 5; round++) {
        const contactName = `Zed${n}z round${round}x`;
        await studio.call("PUT", `/v1/clients/${body.id}`, { body: { contactName } });
        const [alone, found] = await Promise.all([
          studio.there(`/v1/clients/${body.id}`),
          studio.there(`/v1/clients?query=zed${n}z%20round${round}x`),
        ]);
        assert.equal(alone.body.contactName, contactName);
        assert.equal(found.body.total, 1);
      }
    }),
  );
});

test("the catalog is as fresh: locations, plans, service types and contracts", async () => {
  const studio = await newStudio();
  const { body: client } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
  const total = async (path: string) => (await studio.there(path)).body.total;
  for (let round = 1; round <= 5; round++) {
    await addLocation(one.db, studio.id);
    assert.equal(await total("/v1/locations"), round + 1);
    await addPlan(one.db, studio.id);
    assert.equal(await total("/v1/plans"), round);
    await addServiceType(one.db, studio.id);
    assert.equal(await total("/v1/service-types"), round);
    await addContract(one.db, studio.id, { clientId: client.id });
    assert.equal(await total("/v1/contracts"), round);
    assert.equal(await total(`/v1/contracts?clientId=${client.id}&locationId=${studio.locationId}`), round);
  }
});

test("a location that was just added may be named at once, and makes naming one necessary", async () => {
  const studio = await newStudio();
  const create = (locationIds?: string[]) =>
    studio.call("POST", "/v1/clients", { body: { contactName: "Ana", locationIds } });
  assert.equal((await create()).status, 201);
  const added = await addLocation(other.db, studio.id);
  assert.equal((await create()).status, 422);
  assert.deepEqual((await create([added])).body.locationIds, [added]);
});
