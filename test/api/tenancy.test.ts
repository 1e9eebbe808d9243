import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, startApi, type TestOrganization } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addPlan, addServiceType } from "../support/records.ts";

const api = await startApi({ rate: { perMinute: 60_000, burst: 10_000 } });

async function newStudio(name: string) {
  const studio = await api.newOrganization({ name });
  const locationId = await addLocation(api.db, studio.id);
  const { body } = await studio.call("POST", "/v1/clients", {
    body: { contactName: `Ana of ${name}`, idDocument: { type: "cpf", value: "52998224725" } },
  });
  const clientId: string = body.id;
  const planId = await addPlan(api.db, studio.id, { locationIds: [locationId] });
  return {
    ...studio,
    locationId,
    clientId,
    planId,
    serviceTypeId: await addServiceType(api.db, studio.id),
    contractId: await addContract(api.db, studio.id, { clientId, planId }),
  };
}

const ours = await newStudio("ours");
const theirs = await newStudio("theirs");

/** All of an answer but what differs between any two: the time, the request's own id and the rate left. */
function essence(answer: Answer): object {
  // The tag of a list depends on its address, which names the id.
  const volatile = ["etag", "date", "x-request-id", "ratelimit", "connection", "keep-alive"];
  const headers = [...answer.headers].filter(([name]) => !volatile.includes(name)).sort();
  return { status: answer.status, headers, text: answer.text.replace(/"requestId":"[^"]+"/, "") };
}

/** Asks the same with their id and with one that nobody has: the answers must be the same to the byte. */
async function assertUnknown(
  id: string,
  ask: (studio: TestOrganization, id: string) => Promise<Answer>,
  status: number,
): Promise<void> {
  const [foreign, unknown] = [await ask(ours, id), await ask(ours, newId())];
  assert.equal(foreign.status, status, foreign.text);
  assert.deepEqual(essence(foreign), essence(unknown));
  // And it is theirs indeed: with their own key the answer is another one.
  assert.notEqual((await ask(theirs, id)).text, unknown.text);
}

const allTheirIds = (): string[] => [
  theirs.id,
  theirs.keyId,
  theirs.locationId,
  theirs.clientId,
  theirs.planId,
  theirs.serviceTypeId,
  theirs.contractId,
];

test("a record of another organization reads as one that does not exist", async () => {
  await assertUnknown(theirs.clientId, (studio, id) => studio.get(`/v1/clients/${id}`), 404);
  await assertUnknown(theirs.planId, (studio, id) => studio.get(`/v1/plans/${id}`), 404);
  await assertUnknown(theirs.serviceTypeId, (studio, id) => studio.get(`/v1/service-types/${id}`), 404);
  await assertUnknown(theirs.contractId, (studio, id) => studio.get(`/v1/contracts/${id}`), 404);
});

test("another organization's id in a filter gives the empty list of an unknown one", async () => {
  await assertUnknown(theirs.locationId, (studio, id) => studio.get(`/v1/clients?locationId=${id}`), 200);
  await assertUnknown(theirs.locationId, (studio, id) => studio.get(`/v1/contracts?locationId=${id}`), 200);
  await assertUnknown(theirs.clientId, (studio, id) => studio.get(`/v1/contracts?clientId=${id}`), 200);
  await assertUnknown(
    theirs.locationId,
    (studio, id) => studio.get(`/v1/clients?query=ana&status=active&locationId=${id}`),
    200,
  );
});

test("writes to another organization's client are refused as to an unknown one, and change nothing", async () => {
  const before = await theirs.get(`/v1/clients/${theirs.clientId}`);
  const put = (body: object) => (studio: TestOrganization, id: string) =>
    studio.call("PUT", `/v1/clients/${id}`, { body });
  for (const body of [
    { contactName: "Taken over" },
    { contactName: "T", idDocument: { type: "other", value: "T-1" } },
  ]) {
    const [foreign, unknown] = [await put(body)(ours, theirs.clientId), await put(body)(ours, newId())];
    assert.equal(foreign.status, 404);
    assert.deepEqual(essence(foreign), essence(unknown));
  }
  const archive = (id: string) => ours.call("DELETE", `/v1/clients/${id}`);
  const [foreign, unknown] = [await archive(theirs.clientId), await archive(newId())];
  assert.equal(foreign.status, 404);
  assert.deepEqual(essence(foreign), essence(unknown));
  assert.equal((await theirs.get(`/v1/clients/${theirs.clientId}`)).text, before.text);
});

test("another organization's location in a body is refused as an unknown one", async () => {
  const create = (id: string) =>
    ours.call("POST", "/v1/clients", { body: { contactName: "A", locationIds: [ours.locationId, id] } });
  const replace = (id: string) =>
    ours.call("PUT", `/v1/clients/${ours.clientId}`, { body: { contactName: "A", locationIds: [id] } });
  for (const ask of [create, replace]) {
    const [foreign, unknown] = [await ask(theirs.locationId), await ask(newId())];
    assert.equal(foreign.status, 422);
    assert.deepEqual(essence(foreign), essence(unknown));
  }
});

test("lists, totals and searches have only the organization's own records", async () => {
  for (const list of [
    "/v1/clients",
    "/v1/clients?query=ana",
    "/v1/clients?query=an",
    "/v1/clients?query=529.982.247-25",
    "/v1/plans",
    "/v1/service-types",
    "/v1/contracts",
    "/v1/locations",
  ]) {
    const { body, text } = await ours.get(list);
    assert.deepEqual([body.total, body.data.length], [1, 1], list);
    for (const id of allTheirIds()) assert.ok(!text.includes(id), list);
  }
});

test("a document held in one organization is free in another, and a conflict names the own holder alone", async () => {
  const { status, body } = await ours.call("POST", "/v1/clients", {
    body: { contactName: "B", idDocument: { type: "cpf", value: "52998224725" } },
  });
  assert.deepEqual([status, body.clientId], [409, ours.clientId]);
});

test("what one organization was answered is never answered to another at the same address", async () => {
  for (const path of ["/v1/organization", "/v1/locations", "/v1/clients", "/v1/plans", "/v1/contracts"]) {
    const first = await ours.get(path);
    const second = await theirs.get(path);
    assert.equal((await ours.get(path)).text, first.text);
    assert.notEqual(second.text, first.text);
  }
});
