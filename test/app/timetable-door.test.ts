import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addServiceType } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const first = await startApi();
/** A Monday, nine in the morning in São Paulo. */
const api = await serverAt("2026-11-16T12:00:00.000Z");

function serverAt(instant: string): Promise<TestApi> {
  return startApi({ beside: first, clockOffsetMs: Date.parse(instant) - Date.now() });
}

const addResource = pooled(
  "test_add_named_resource",
  "insert into resources (organization_id, id, name, kind, status) values ($1, $2, $3, 'person', 'active')",
);

async function newStudio() {
  const studio = await api.newOrganization({ timezone: "America/Sao_Paulo" });
  const locationId = await addLocation(api.db, studio.id, { timezone: "America/Sao_Paulo" });
  const serviceTypeId = await addServiceType(api.db, studio.id, { name: "Pilates" });
  await api.db.query(addResource, [studio.id, "carla", "Carla Dias"]);
  const manager = await newStaff(api, studio.id, { role: "manager" });
  const given = {
    serviceTypeId,
    locationId,
    resourceIds: ["carla"],
    start: "2026-11-02T07:00",
    durationMinutes: 50,
    capacity: 1,
    rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
  };
  return {
    ...studio,
    locationId,
    manager,
    given,
    async newMember() {
      const body = { contactName: "Ana", locationIds: [locationId] };
      const clientId = (await studio.call("POST", "/v1/clients", { body })).body.id as string;
      await addContract(api.db, studio.id, { clientId, entitlements: [{ id: newId(), type: "access" }] });
      return clientId;
    },
  };
}

test("the timetable through the door: a schedule, a booking, a move, and what the calendar then says", async () => {
  const { manager, given, newMember, get } = await newStudio();
  const { body: added } = await manager.write("addSchedule", given);
  const scheduleId = added.result.id;
  const session = { scheduleId, originalStart: "2026-11-18T07:00" };
  const booked = await manager.write("book", { clientId: await newMember(), session });
  assert.equal(booked.status, 200, booked.text);
  const full = await manager.write("book", { clientId: await newMember(), session });
  assert.equal(full.body.reason, "full");
  const waiting = await manager.write("joinWaiting", { clientId: await newMember(), session });
  assert.equal(waiting.status, 200);
  const read = async () => {
    const answer = await manager.read("calendar?from=2026-11-18T00:00:00-03:00&to=2026-11-19T00:00:00-03:00");
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.total, answer.body.data.length);
    return answer.body.data;
  };
  const sessionId = booked.body.result.sessionId;
  assert.deepEqual(await read(), [
    {
      id: sessionId,
      scheduleId,
      originalStart: "2026-11-18T07:00",
      serviceTypeId: given.serviceTypeId,
      locationId: given.locationId,
      resourceIds: ["carla"],
      startAt: "2026-11-18T10:00:00.000Z",
      endAt: "2026-11-18T10:50:00.000Z",
      capacity: 1,
      bookedCount: 1,
      status: "scheduled",
      serviceTypeName: "Pilates",
      locationName: (await read())[0].locationName,
      localStart: "2026-11-18 07:00",
      localEnd: "2026-11-18 07:50",
      timezone: "America/Sao_Paulo",
      resourceNames: ["Carla Dias"],
      waiting: 1,
    },
  ]);
  const edit = { scheduleId, changes: { start: "2026-11-18T08:00" } };
  const dry = await manager.write("editSchedule", { ...edit, dryRun: true });
  assert.deepEqual(dry.body.changes, {
    contracts: 0,
    sessions: 1,
    bookings: 1,
    creditsReturned: 0,
    promoted: 0,
  });
  assert.equal((await read())[0].localStart, "2026-11-18 07:00");
  const edited = await manager.write("editSchedule", edit);
  assert.equal(edited.body.result.continuesId, scheduleId);
  assert.equal((await read())[0].localStart, "2026-11-18 08:00");
  const shown = await get("/v1/calendar?from=2026-11-18T00:00:00-03:00&to=2026-11-19T00:00:00-03:00");
  assert.deepEqual(
    shown.body.data.map(({ id, startAt }: { id: string; startAt: string }) => [id, startAt]),
    [[sessionId, "2026-11-18T11:00:00.000Z"]],
  );
  const grown = await manager.write("editSession", { session: { sessionId }, changes: { capacity: 2 } });
  assert.equal(grown.body.result.bookedCount, 2);
  assert.equal((await read())[0].waiting, 0);
});

test("schedules are listed newest first by pages, and read one by one", async () => {
  const { manager, given, locationId } = await newStudio();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.unshift((await manager.write("addSchedule", given)).body.result.id);
  const { body } = await manager.read(`schedules?limit=2&locationId=${locationId}`);
  assert.deepEqual([body.data.map(({ id }: { id: string }) => id), body.total], [ids.slice(0, 2), 3]);
  const next = await manager.read(`schedules?limit=2&locationId=${locationId}&cursor=${body.nextCursor}`);
  assert.deepEqual(
    next.body.data.map(({ id }: { id: string }) => id),
    ids.slice(2),
  );
  assert.equal((await manager.read(`schedules?locationId=${newId()}`)).body.total, 0);
  const one = await manager.read(`schedules/${ids[0]}`);
  assert.deepEqual([one.body.id, one.body.rrule, one.body.exdates], [ids[0], given.rrule, undefined]);
  assert.equal((await manager.read(`schedules/${newId()}`)).status, 404);
});

test("a repeated request answers the same session and does nothing; a refusal has its word and its facts", async () => {
  const { manager, given, newMember } = await newStudio();
  const headers = { "idempotency-key": newId() };
  const { rrule: _, ...single } = { ...given, start: "2026-11-20T07:00" };
  const one = await manager.write("addSession", single, { headers });
  const again = await manager.write("addSession", single, { headers });
  assert.deepEqual([again.status, again.body.result], [200, one.body.result]);
  const session = { sessionId: one.body.result.id };
  await manager.write("book", { clientId: await newMember(), session });
  const day = {
    locationId: given.locationId,
    firstDay: "2026-11-20",
    lastDay: "2026-11-20",
    reason: "flood",
  };
  const refused = await manager.write("closeDays", day);
  const { status, body } = refused;
  assert.deepEqual(
    [status, body.reason, body.sessions, body.bookings, body.detail],
    [409, "has_bookings", 1, 1, "1 person is booked. Say whether the session is to be cancelled."],
  );
  const all = await manager.write("editSchedule", {
    scheduleId: "x",
    from: "2026-11-18",
    changes: { rrule: "FREQ=HOURLY", capacity: -1, other: 1 },
  });
  assert.deepEqual(
    [all.status, all.body.errors.map(({ location }: { location: string }) => location).sort()],
    [
      422,
      ["body.changes.capacity", "body.changes.other", "body.changes.rrule", "body.from", "body.scheduleId"],
    ],
  );
});

test("an instructor who is booked: the next appointment fits, one in between and a class do not", async () => {
  const { manager, given, newMember, id: organizationId } = await newStudio();
  const held = await addServiceType(api.db, organizationId, { name: "Physio", holdsResource: true });
  const { rrule: _, ...single } = { ...given, serviceTypeId: held };
  const at = async (start: string, more: object = {}) =>
    (await manager.write("addSession", { ...single, start: `2026-11-20T${start}`, ...more })).body;
  const book = async (sessionId: string) => {
    const { status, body } = await manager.write("book", {
      clientId: await newMember(),
      session: { sessionId },
    });
    return status === 200 ? "booked" : [body.reason, body.detail].join(": ");
  };
  const [physio, massage, assessment] = [await at("10:00"), await at("10:50"), await at("10:30")];
  assert.equal(await book(physio.result.id), "booked");
  assert.equal(await book(massage.result.id), "booked");
  const busy = "resource_busy: Carla Dias is taken from 10:00 to 10:50.";
  assert.equal(await book(assessment.result.id), busy);
  const pilates = await at("10:00", { serviceTypeId: given.serviceTypeId });
  assert.deepEqual(
    [pilates.reason, pilates.resourceId, pilates.sessionId],
    ["resource_busy", "carla", physio.result.id],
  );
  // Whoever leaves gives the instructor free.
  await manager.write("cancelSession", { session: { sessionId: physio.result.id }, reason: "ill" });
  await manager.write("cancelSession", { session: { sessionId: massage.result.id }, reason: "ill" });
  assert.equal(await book(assessment.result.id), "booked");
});

test("forty people book forty appointments with one instructor at one time, on two nodes: one of them has it", async () => {
  const { manager, given, newMember, id: organizationId } = await newStudio();
  const node = await serverAt("2026-11-16T12:00:00.000Z");
  const held = await addServiceType(api.db, organizationId, { name: "Physio", holdsResource: true });
  const { rrule: _, ...single } = { ...given, serviceTypeId: held };
  const clients = await Promise.all(Array.from({ length: 40 }, newMember));
  const sessions = await Promise.all(
    clients.map(async (_client, n) => {
      const start = `2026-11-20T10:${String(n).padStart(2, "0")}`;
      return (await manager.write("addSession", { ...single, start })).body.result.id as string;
    }),
  );
  const answers = await Promise.all(
    clients.map(async (clientId, n) => {
      const through = n % 2 ? node : api;
      const session = { sessionId: sessions[n] };
      const { status, body } = await manager.write("book", { clientId, session }, { through });
      return status === 200 ? "booked" : (body.reason ?? `${status} ${body.detail}`);
    }),
  );
  const count = (word: string) => answers.filter((answer) => answer === word).length;
  assert.deepEqual([count("booked"), count("resource_busy")], [1, 39], answers.join());
});
