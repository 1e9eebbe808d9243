import assert from "node:assert/strict";
import { test } from "node:test";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import {
  addContract,
  addLocation,
  addPlan,
  addServiceGroup,
  addServiceType,
  removePlan,
} from "../support/records.ts";

const api = await startApi();

async function newStudio() {
  const studio = await api.newOrganization();
  const places = await Promise.all([0, 1].map(() => addLocation(api.db, studio.id)));
  const newClient = async () =>
    (await studio.call("POST", "/v1/clients", { body: { contactName: "Ana", locationIds: places } })).body
      .id as string;
  const find = async (query: string): Promise<string[]> => {
    const { body } = await studio.get(`/v1/contracts?${query}`);
    assert.equal(body.total, body.data.length);
    return body.data.map(({ id }: { id: string }) => id);
  };
  return { ...studio, places, newClient, find };
}

test("a contract has exactly its fields; entitlements are full when read alone and empty in lists", async () => {
  const studio = await newStudio();
  const clientId = await studio.newClient();
  const planId = await addPlan(api.db, studio.id);
  const serviceTypeId = await addServiceType(api.db, studio.id);
  const serviceGroupId = await addServiceGroup(api.db, studio.id);
  // Their order is that of the contract, not that of their ids.
  const [late = "", middle = "", early = ""] = [newId(), newId(), newId()].reverse();
  const full = {
    id: "0190a000-0000-7000-8000-00000000000b",
    clientId,
    planId,
    planName: "Black “plan”",
    priceCents: 9_007_199_254_740_991,
    isTrial: true,
    billingKind: "recurring" as const,
    billingInterval: "week",
    startDate: "2026-01-31",
    endDate: "2026-02-28",
    status: "cancelled" as const,
    accessBlocked: true,
    locationIds: [...studio.places].reverse(),
    cancelledAt: "2026-02-01T00:00:00.001Z",
    termsResponse: "declined" as const,
    termsRespondedAt: "2026-01-31T23:59:59.999Z",
    entitlements: [
      {
        id: late,
        type: "credits",
        remainingCredits: 0,
        serviceTypeId,
        revokedAt: "2026-02-01T00:00:00.120Z",
      },
      { id: early, type: "access", period: "month", maxVisitsPerPeriod: 8, serviceGroupId },
      { id: middle, type: "credits", remainingCredits: 7 },
    ],
    createdAt: "2026-01-02T03:04:05.006Z",
    updatedAt: "2026-02-02T03:04:05.000Z",
  };
  const bare = {
    id: "0190a000-0000-7000-8000-00000000000a",
    clientId,
    planName: "Drop-in",
    priceCents: 0,
    isTrial: false,
    billingKind: "one_time" as const,
    startDate: "2026-03-01",
    status: "active" as const,
    accessBlocked: false,
    entitlements: [],
    createdAt: "2026-01-02T03:04:05.100Z",
    updatedAt: "2026-01-02T03:04:05.100Z",
  };
  await addContract(api.db, studio.id, bare);
  await addContract(api.db, studio.id, full);
  const wire = [
    { ...full, currency: "BRL", allLocations: false, locationIds: [...studio.places].sort() },
    { ...bare, currency: "BRL", allLocations: true, locationIds: [] },
  ];
  for (const contract of wire) {
    const { body } = await studio.get(`/v1/contracts/${contract.id}`);
    assert.deepEqual(body, { $schema: `${PUBLIC_URL}/schemas/Contract.json`, ...contract });
  }
  const { body } = await studio.get("/v1/contracts");
  assert.deepEqual(body, {
    $schema: `${PUBLIC_URL}/schemas/ContractPage.json`,
    data: wire.map((contract) => ({ ...contract, entitlements: [] })),
    limit: 50,
    offset: 0,
    total: 2,
  });
});

test("planId is absent once the plan is deleted, and the snapshot stays", async () => {
  const studio = await newStudio();
  const planId = await addPlan(api.db, studio.id, { name: "Gold" });
  const id = await addContract(api.db, studio.id, {
    clientId: await studio.newClient(),
    planId,
    planName: "Gold",
    priceCents: 990,
  });
  const before = (await studio.get(`/v1/contracts/${id}`)).body;
  assert.equal(before.planId, planId);
  await removePlan(api.db, studio.id, planId);
  const { planId: _, ...snapshot } = before;
  assert.deepEqual((await studio.get(`/v1/contracts/${id}`)).body, snapshot);
});

test("locationId finds the contracts usable there: those for all locations and those that name it", async () => {
  const studio = await newStudio();
  const [here = "", there = ""] = studio.places;
  const clientId = await studio.newClient();
  const everywhere = await addContract(api.db, studio.id, { clientId });
  const onlyHere = await addContract(api.db, studio.id, { clientId, locationIds: [here] });
  const onlyThere = await addContract(api.db, studio.id, { clientId, locationIds: [there] });
  const both = await addContract(api.db, studio.id, { clientId, locationIds: [here, there] });
  const nowhere = await addContract(api.db, studio.id, { clientId, locationIds: [] });
  assert.deepEqual(await studio.find(`locationId=${here}`), [both, onlyHere, everywhere]);
  assert.deepEqual(await studio.find(`locationId=${there}`), [both, onlyThere, everywhere]);
  assert.deepEqual(await studio.find(`locationId=${newId()}`), []);
  assert.deepEqual(await studio.find(""), [nowhere, both, onlyThere, onlyHere, everywhere]);
});

test("filters by client, location and status combine, and page over both kinds of contracts", async () => {
  const studio = await newStudio();
  const [here = "", there = ""] = studio.places;
  const [ana = "", bia = ""] = [await studio.newClient(), await studio.newClient()];
  const statuses = ["active", "paused", "cancelled", "expired"] as const;
  const made: { id: string; clientId: string; status: string; places: string[] | undefined }[] = [];
  for (let n = 0; n < 48; n++) {
    const contract = {
      clientId: n % 2 ? ana : bia,
      status: statuses[n % 4] as (typeof statuses)[number],
      ...(n % 3 && { locationIds: n % 3 === 1 ? [here] : [there] }),
    };
    const id = await addContract(api.db, studio.id, contract);
    made.unshift({ id, clientId: contract.clientId, status: contract.status, places: contract.locationIds });
  }
  for (const clientId of [undefined, ana, studio.id]) {
    for (const status of [undefined, ...statuses]) {
      for (const locationId of [undefined, here, studio.id]) {
        const expected = made
          .filter((contract) => clientId === undefined || contract.clientId === clientId)
          .filter((contract) => status === undefined || contract.status === status)
          .filter(
            ({ places }) =>
              locationId === undefined ||
              (locationId !== studio.id && (places === undefined || places.includes(locationId))),
          )
          .map(({ id }) => id);
        const filter = Object.entries({ clientId, status, locationId })
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => `${name}=${value}`)
          .join("&");
        assert.deepEqual(await studio.find(filter), expected, filter);
        const { body } = await studio.get(`/v1/contracts?limit=3&offset=2&${filter}`);
        assert.equal(body.total, expected.length);
        assert.deepEqual(
          body.data.map(({ id }: { id: string }) => id),
          expected.slice(2, 5),
        );
      }
    }
  }
});
