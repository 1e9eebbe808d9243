import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();

test("the trail has the names of people, contracts, sessions and records as they are now", async () => {
  const studio = await api.newOrganization();
  const owner = await newStaff(api, studio.id);
  const done = async (operation: string, input: object) => {
    const { status, body, text } = await owner.write(operation, input);
    assert.equal(status, 200, text);
    return body.result;
  };
  const { id: locationId } = await done("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
  const { id: serviceTypeId } = await done("addServiceType", { name: "Yoga", holdsResource: false });
  const { id: resourceId } = await done("addResource", { name: "Sala 2", kind: "room" });
  const { id: planId } = await done("addPlan", {
    name: "Mensal",
    billingKind: "one_time",
    priceCents: 100,
    entitlements: [{ type: "access" }],
  });
  const { id: clientId } = await done("addClient", { contactName: "Ana Prado" });
  await done("sellContract", { clientId, planId });
  const { id: sessionId } = await done("addSession", {
    serviceTypeId,
    locationId,
    start: `${new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)}T07:00`,
    durationMinutes: 60,
    capacity: 5,
  });
  await done("book", { clientId, session: { sessionId } });
  await done("addSchedule", {
    serviceTypeId,
    locationId,
    start: "2030-01-07T18:00",
    durationMinutes: 60,
    capacity: 5,
    rrule: "FREQ=WEEKLY",
  });
  await done("addServiceGroup", { name: "Mat", serviceTypeIds: [] });
  await done("addStaff", { name: "Bia Reis", email: "bia@example.com", role: "manager", allLocations: true });
  await done("mintKey", { name: "Website" });
  await done("addWebhook", { url: "https://192.88.98.1/hooks", name: "Newsletter" });
  await done("editResource", { resourceId, changes: { name: "Sala 3" } });
  await done("editClient", { clientId, changes: { contactName: "Ana Prado Lima" } });
  await done("deletePlan", { planId });

  const { body } = await owner.read("audit?limit=200");
  const entry = (action: string) => body.data.find((one: { action: string }) => one.action === action);
  assert.equal(entry("book").clientName, "Ana Prado Lima");
  assert.equal(entry("book").sessionName, "Yoga");
  assert.match(entry("book").sessionStart, /^\d{4}-\d\d-\d\dT07:00$/);
  assert.equal(entry("book").planName, "Mensal");
  assert.equal(entry("sellContract").planName, "Mensal");
  const subjects = {
    addLocation: "Centro",
    addServiceType: "Yoga",
    addServiceGroup: "Mat",
    addResource: "Sala 3",
    addStaff: "Bia Reis",
    mintKey: "Website",
    addWebhook: "Newsletter",
    addSchedule: "Yoga",
  };
  for (const [action, name] of Object.entries(subjects))
    assert.equal(entry(action).subjectName, name, action);
  assert.equal("subjectName" in entry("deletePlan"), false, "what is gone has no name any more");
  assert.equal(entry("deletePlan").details.name, "Mensal");
});
