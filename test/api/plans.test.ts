import assert from "node:assert/strict";
import { test } from "node:test";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { addLocation, addPlan, addServiceGroup, addServiceType, removePlan } from "../support/records.ts";

const api = await startApi();

test("a plan has exactly its fields, the same in the list and alone", async () => {
  const studio = await api.newOrganization();
  const places = await Promise.all([0, 1, 2].map(() => addLocation(api.db, studio.id)));
  const serviceTypeId = await addServiceType(api.db, studio.id);
  const serviceGroupId = await addServiceGroup(api.db, studio.id);
  const full = {
    id: "0190a000-0000-7000-8000-00000000000b",
    name: "Trial “week”",
    status: "archived" as const,
    billingKind: "recurring" as const,
    billingInterval: "quarter",
    durationCount: 2_147_483_647,
    durationUnit: "week",
    priceCents: 9_007_199_254_740_991,
    isTrial: true,
    locationIds: [...places].reverse(),
    terms: 'Line one\nline two \\ "quoted"',
    entitlements: [
      { type: "credits", creditQuantity: 10, serviceTypeId },
      { type: "access", period: "week", maxVisitsPerPeriod: 0, serviceGroupId },
      { type: "access" },
    ],
    createdAt: "2026-01-02T03:04:05.006Z",
    updatedAt: "2026-02-02T03:04:05.000Z",
  };
  const bare = {
    id: "0190a000-0000-7000-8000-00000000000a",
    name: "Drop-in",
    status: "active" as const,
    billingKind: "one_time" as const,
    priceCents: 0,
    isTrial: false,
    entitlements: [],
    createdAt: "2026-01-02T03:04:05.100Z",
    updatedAt: "2026-01-02T03:04:05.100Z",
  };
  await addPlan(api.db, studio.id, bare);
  await addPlan(api.db, studio.id, full);
  const wire = [
    { ...full, currency: "BRL", allLocations: false, locationIds: [...places].sort() },
    { ...bare, currency: "BRL", allLocations: true, locationIds: [] },
  ];
  for (const plan of wire) {
    const { body } = await studio.get(`/v1/plans/${plan.id}`);
    assert.deepEqual(body, { $schema: `${PUBLIC_URL}/schemas/Plan.json`, ...plan });
  }
  const { body } = await studio.get("/v1/plans");
  assert.deepEqual(body, {
    $schema: `${PUBLIC_URL}/schemas/PlanPage.json`,
    data: wire,
    limit: 50,
    offset: 0,
    total: 2,
  });
});

test("plans are filtered by name, status and billing kind together", async () => {
  const studio = await api.newOrganization();
  const add = (name: string, status: "active" | "archived", billingKind: "recurring" | "one_time") =>
    addPlan(api.db, studio.id, { name, status, billingKind });
  const monthly = await add("Mensal Básico", "active", "recurring");
  const yearly = await add("Anual básico", "archived", "recurring");
  const single = await add("Aula avulsa", "active", "one_time");
  const find = async (query: string) => {
    const { body } = await studio.get(`/v1/plans?${query}`);
    assert.equal(body.total, body.data.length);
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await find(""), [single, yearly, monthly]);
  assert.deepEqual(await find("status=active"), [single, monthly]);
  assert.deepEqual(await find("billingKind=recurring"), [yearly, monthly]);
  assert.deepEqual(await find("billingKind=one_time&status=archived"), []);
  assert.deepEqual(await find("query=BASICO"), [yearly, monthly]);
  assert.deepEqual(await find("query=basico%20anual"), [yearly]);
  assert.deepEqual(await find("query=basico&status=active&billingKind=recurring"), [monthly]);
  assert.deepEqual(await find("query=basico&status=active&billingKind=one_time"), []);
  await removePlan(api.db, studio.id, yearly);
  assert.deepEqual(await find(""), [single, monthly]);
  assert.equal((await studio.get(`/v1/plans/${yearly}`)).status, 404);
});
