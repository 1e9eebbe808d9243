import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import { pooled } from "../../src/db/statements.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { addContract, addPlan, addServiceGroup } from "../support/records.ts";
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

test("the statement of credits has every change with who did it, and each balance follows from the one before", async () => {
  const studio = await newBookingStudio(api);
  const carla = await newStaff(api, studio.id, { role: "manager", name: "Carla" });
  const davi = await newStaff(api, studio.id, { role: "front_desk", name: "Davi" });
  const done = async (who: typeof carla, operation: string, input: object) => {
    const { status, body } = await who.write(operation, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body.result;
  };
  const clientId = await studio.newClient("Ana");
  const planId = await addPlan(api.db, studio.id, {
    name: "Pack of ten",
    entitlements: [
      { type: "credits", creditQuantity: 10 },
      { type: "access", serviceTypeId: studio.place.serviceTypeId },
    ],
  });
  const contract = await done(carla, "sellContract", { clientId, planId });
  const entitlementId = contract.entitlements[0].id;
  const sessionOn = (days: number) => studio.session(`${daysAfter(today, days)}T07:00`);
  const bookOn = async (who: typeof carla, days: number) =>
    done(who, "book", { clientId, session: { sessionId: await sessionOn(days) }, entitlementId });
  await bookOn(davi, 2);
  const returned = await bookOn(davi, 3);
  await done(carla, "cancelBooking", { bookingId: returned.id });
  await done(carla, "adjustCredits", { entitlementId, by: 2, reason: "A class was too short." });
  // Booked as a courtesy first, and covered later; many at once; from the waiting list.
  const free = await done(davi, "book", {
    clientId,
    session: { sessionId: await sessionOn(4) },
    uncovered: { reason: "Courtesy" },
  });
  await done(carla, "coverBooking", { bookingId: free.id, entitlementId });
  const cancelledSession = await sessionOn(5);
  await done(davi, "book", { clientId, session: { sessionId: cancelledSession }, entitlementId });
  await done(carla, "cancelSession", { session: { sessionId: cancelledSession }, reason: "No heating." });

  const { status, body } = await davi.read(`contracts/${contract.id}/credits`);
  assert.equal(status, 200, JSON.stringify(body));
  const shown = body.data.map((line: Record<string, unknown>) =>
    [line.event, line.credits, line.balance, line.actorName, line.action, line.reason]
      .filter((part) => part !== undefined)
      .join(" "),
  );
  assert.deepEqual(shown, [
    "returned 1 10 Carla cancelSession No heating.",
    "used -1 9 Davi book",
    "used -1 10 Carla coverBooking",
    "adjusted 2 11 Carla adjustCredits A class was too short.",
    "returned 1 9 Carla cancelBooking",
    "used -1 8 Davi book",
    "used -1 9 Davi book",
    "granted 10 10 Carla sellContract",
  ]);
  assert.equal(body.total, 8);
  // A visit on access is no credit.
  await done(davi, "book", { clientId, session: { sessionId: await sessionOn(6) } });
  assert.equal((await davi.read(`contracts/${contract.id}/credits`)).body.total, 8);
  assert.equal((await davi.read(`contracts/${newId()}/credits`)).status, 404);
  const stranger = await newStaff(api, (await newBookingStudio(api)).id);
  assert.equal((await stranger.read(`contracts/${contract.id}/credits`)).status, 404);
});

test("a statement says who booked a series and who let somebody move up; what was imported is nobody's", async () => {
  const studio = await newBookingStudio(api);
  const carla = await newStaff(api, studio.id, { role: "manager", name: "Carla" });
  const { clientId, contractId } = await studio.packHolder(5);
  const other = await studio.member("Bia");
  const scheduleId = await studio.schedule({
    start: `${daysAfter(today, 1)}T07:00`,
    rrule: "FREQ=DAILY;COUNT=2",
  });
  const series = await carla.write("bookMany", {
    clientId,
    scheduleId,
    fromDay: daysAfter(today, 1),
    untilDay: daysAfter(today, 2),
  });
  assert.equal(series.status, 200, JSON.stringify(series.body));
  const sessionId = await studio.session(`${daysAfter(today, 5)}T07:00`, { capacity: 1 });
  const taken = await carla.write("book", { clientId: other, session: { sessionId } });
  await carla.write("joinWaiting", { clientId, session: { sessionId } });
  await carla.write("cancelBooking", { bookingId: taken.body.result.id });
  const { body } = await carla.read(`contracts/${contractId}/credits`);
  const shown = body.data.map((line: Record<string, unknown>) =>
    [line.event, line.balance, line.actorName ?? "nobody", line.action ?? "nothing"].join(" "),
  );
  assert.deepEqual(shown, [
    "used 2 Carla cancelBooking",
    "used 3 Carla bookMany",
    "used 4 Carla bookMany",
    "granted 5 nobody nothing",
  ]);
});

test("of a long statement the newest lines come with their balances, and all are counted", async () => {
  const studio = await newBookingStudio(api);
  const carla = await newStaff(api, studio.id, { role: "manager" });
  const { contractId } = await studio.packHolder(1);
  const [entitlement] = (await carla.read(`contracts/${contractId}`)).body.entitlements;
  await api.db.query(manyAdjustments, [studio.id, contractId, entitlement.id, 250]);
  const { body } = await carla.read(`contracts/${contractId}/credits`);
  assert.deepEqual([body.data.length, body.total], [200, 251]);
  assert.deepEqual(
    [body.data[0].balance, body.data.at(-1).balance, body.data.at(-1).event],
    [1, -198, "adjusted"],
  );
});

const manyAdjustments = pooled(
  "test_many_adjustments",
  `insert into audit (id, organization_id, at, actor, action, subject, contract_id, details)
   select gen_random_uuid(), $1, now() + n * interval '1 ms', 'operator:test', 'adjustCredits', $2::text, $2::uuid,
     jsonb_build_object('entitlementId', $3::text, 'before', n, 'after', n + 1)
   from generate_series(1, $4::int) n`,
);

test("the next class and the last visit are those nearest to now; who has none has neither", async () => {
  const studio = await newBookingStudio(api);
  const staff = await newStaff(api, studio.id);
  const clientId = await studio.member("Bia");
  const nearest = async (id = clientId) => (await staff.read(`clients/${id}/nearest-visits`)).body;
  assert.deepEqual(await nearest().then(({ next, last }) => [next, last]), [undefined, undefined]);
  const book = async (days: number) => {
    const sessionId = await studio.session(`${daysAfter(today, days)}T07:00`);
    const { body } = await staff.write("book", { clientId, session: { sessionId } });
    return body.result.id as string;
  };
  const [later, soon, gone] = [await book(9), await book(2), await book(1)];
  await staff.write("cancelBooking", { bookingId: gone, waive: true, reason: "rain" });
  const [came, missed] = [await book(-3), await book(-2)];
  await staff.write("setAttendance", { bookingId: came, state: "attended" });
  await staff.write("setAttendance", { bookingId: missed, state: "no_show" });
  const { next, last } = await nearest();
  assert.deepEqual([next.id, last.id, next.localStart], [soon, came, `${daysAfter(today, 2)}T07:00`]);
  await staff.write("cancelBooking", { bookingId: soon, waive: true, reason: "rain" });
  assert.equal((await nearest()).next.id, later);
  assert.equal((await staff.read(`clients/${newId()}/nearest-visits`)).status, 404);
});
