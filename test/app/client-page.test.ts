import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { addContract, addServiceGroup } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const today = dateIn(ZONE, Date.now());

test("the contracts of a client come with names, and with what is used of each grant in the period of today", async () => {
  const studio = await newBookingStudio(api);
  const { serviceTypeId, locationId } = studio.place;
  const serviceGroupId = await addServiceGroup(api.db, studio.id);
  const clientId = await studio.newClient("Ana");
  const grants = [
    { id: newId(), type: "access" as const, period: "day" as const, maxVisitsPerPeriod: 2, serviceTypeId },
    { id: newId(), type: "access" as const, serviceGroupId },
    { id: newId(), type: "credits" as const, remainingCredits: 4 },
  ];
  await addContract(api.db, studio.id, { clientId, status: "expired", endDate: "2026-01-31" });
  const contractId = await addContract(api.db, studio.id, {
    clientId,
    locationIds: [locationId],
    entitlements: grants,
  });
  const staff = await newStaff(api, studio.id, { role: "manager" });
  for (const [day, time] of [
    [today, "07:00"],
    [today, "08:00"],
    [daysAfter(today, 1), "07:00"],
  ]) {
    const sessionId = await studio.session(`${day}T${time}`);
    const booked = await staff.write("book", {
      clientId,
      session: { sessionId },
      entitlementId: grants[0]?.id,
    });
    assert.equal(booked.status, 200, JSON.stringify(booked.body));
    // One that was given back does not count.
    if (time === "08:00")
      await staff.write("cancelBooking", { bookingId: booked.body.result.id, waive: true, reason: "rain" });
  }
  const read = await staff.read(`clients/${clientId}/contracts`);
  assert.equal(read.status, 200, JSON.stringify(read.body));
  assert.equal(read.body.today, today);
  assert.equal(read.body.total, 2);
  const [running, over] = read.body.data;
  assert.deepEqual([running.id, running.cancelledHere, over.status], [contractId, false, "expired"]);
  assert.equal(running.locationNames.length, 1);
  const [byType, byGroup, byCredits] = running.entitlements;
  assert.deepEqual([typeof byType.serviceTypeName, byType.visitsInPeriod], ["string", 1]);
  assert.deepEqual([typeof byGroup.serviceGroupName, byGroup.visitsInPeriod], ["string", undefined]);
  assert.deepEqual([byCredits.remainingCredits, byCredits.visitsInPeriod], [4, undefined]);
  await staff.write("cancelContract", { contractId, now: true, reason: "moves" });
  const cancelled = await staff.read(`clients/${clientId}/contracts`);
  assert.equal(cancelled.body.data[0].cancelledHere, true);
  assert.equal((await staff.read(`clients/${newId()}/contracts`)).status, 404);
});

test("visits have the names and the local time of their session", async () => {
  const studio = await newBookingStudio(api, "America/Manaus");
  const clientId = await studio.member("Bia");
  const staff = await newStaff(api, studio.id);
  const sessionId = await studio.session(`${daysAfter(today, 1)}T23:30`);
  await staff.write("book", { clientId, session: { sessionId } });
  const { body } = await staff.read(`clients/${clientId}/visits`);
  const [visit] = body.data;
  assert.deepEqual(
    [visit.localStart, visit.timezone, typeof visit.serviceTypeName, typeof visit.locationName],
    [`${daysAfter(today, 1)}T23:30`, "America/Manaus", "string", "string"],
  );
  assert.equal(typeof visit.planName, "string");
});

test("the list of clients has the contracts that are not over, and follows them", async () => {
  const studio = await newBookingStudio(api);
  const clientId = await studio.newClient("Carla Dias");
  await studio.newClient("Davi Reis");
  await addContract(api.db, studio.id, { clientId, status: "expired", endDate: "2026-01-31" });
  const contractId = await addContract(api.db, studio.id, { clientId, planName: "Pack of ten" });
  const staff = await newStaff(api, studio.id);
  const contractsOf = async (query: string) => {
    const { status, body } = await staff.read(`clients?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.map((client: { contracts: object[] }) => client.contracts);
  };
  const running = { id: contractId, planName: "Pack of ten", status: "active", accessBlocked: false };
  assert.deepEqual(await contractsOf(""), [[], [running]]);
  assert.deepEqual(await contractsOf("query=carla&status=active"), [[running]]);
  await staff.write("blockAccess", { contractId, reason: "owes a month" });
  assert.deepEqual(await contractsOf("query=carla&status=active"), [[{ ...running, accessBlocked: true }]]);
  await staff.write("cancelContract", { contractId, now: true, reason: "moves" });
  assert.deepEqual(await contractsOf("query=carla&status=active"), [[]]);
});
