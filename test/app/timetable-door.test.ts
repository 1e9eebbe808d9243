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
    newMember: () => newClient({ type: "access" }),
    newPackHolder: (remainingCredits: number) => newClient({ type: "credits", remainingCredits }),
  };

  async function newClient(entitlement: { type: string; remainingCredits?: number }): Promise<string> {
    const body = { contactName: "Ana", locationIds: [locationId] };
    const clientId = (await studio.call("POST", "/v1/clients", { body })).body.id as string;
    await addContract(api.db, studio.id, { clientId, entitlements: [{ id: newId(), ...entitlement }] });
    return clientId;
  }
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

test("schedules are listed by whether they are over on a day", async () => {
  const { manager, given } = await newStudio();
  const add = async (rrule: string) => (await manager.write("addSchedule", { ...given, rrule })).body.result;
  const open = await add("FREQ=WEEKLY;BYDAY=MO,WE");
  const ending = await add("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2");
  assert.deepEqual([open.lastSlot, ending.lastSlot], [undefined, "2026-11-04T07:00"]);
  const list = async (filter: string) => {
    const { body } = await manager.read(`schedules?${filter}`);
    return [body.data.map(({ id }: { id: string }) => id), body.total];
  };
  assert.deepEqual(await list("endsFrom=2026-11-04"), [[ending.id, open.id], 2]);
  assert.deepEqual(await list("endsFrom=2026-11-05"), [[open.id], 1]);
  assert.deepEqual(await list("endsBefore=2026-11-05"), [[ending.id], 1]);
  assert.deepEqual(await list("endsBefore=2026-11-04"), [[], 0]);
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

test("a slot that nothing was changed about is not stored, and a repeat of the request finds it", async () => {
  const { manager, given, get } = await newStudio();
  const scheduleId = (await manager.write("addSchedule", given)).body.result.id;
  const session = { scheduleId, originalStart: "2026-11-18T07:00" };
  const window = "/v1/calendar?from=2026-11-18T00:00:00-03:00&to=2026-11-19T00:00:00-03:00";
  const before = await get(window);
  const edited = { session, changes: { start: "2026-11-18T07:00", capacity: 1, resourceIds: ["carla"] } };
  const headers = { "idempotency-key": newId() };
  const unchanged = await manager.write("editSession", edited, { headers });
  assert.equal(unchanged.status, 200, unchanged.text);
  const { id, originalStart, startAt, status } = unchanged.body.result;
  assert.deepEqual(
    [id, originalStart, startAt, status],
    [undefined, "2026-11-18T07:00", "2026-11-18T10:00:00.000Z", "scheduled"],
  );
  const reinstated = await manager.write("reinstateSession", { session });
  assert.deepEqual(reinstated.body.result, unchanged.body.result);
  const after = await get(window);
  assert.deepEqual([after.text, after.headers.get("etag")], [before.text, before.headers.get("etag")]);
  assert.deepEqual((await manager.write("editSession", edited, { headers })).body, unchanged.body);
  const entries = (await manager.read("audit?limit=2")).body.data;
  assert.deepEqual(
    entries.map((entry: { action: string; subjectId: string }) => [entry.action, entry.subjectId]),
    [
      ["reinstateSession", scheduleId],
      ["editSession", scheduleId],
    ],
  );
  const { body } = await manager.write("editSession", { session, changes: { capacity: 2 } });
  assert.equal((await manager.write("editSession", edited, { headers })).body.result.id, body.result.id);
});

test("what a cancelled class and its return do to contracts is counted", async () => {
  const { id, manager, given, locationId, newMember, newPackHolder } = await newStudio();
  const scheduleId = (await manager.write("addSchedule", { ...given, capacity: 2 })).body.result.id;
  const [session, next] = ["2026-11-18T07:00", "2026-11-23T07:00"].map((originalStart) => ({
    scheduleId,
    originalStart,
  }));
  const holder = await newPackHolder(4);
  for (const clientId of [holder, await newMember()]) await manager.write("book", { clientId, session });
  await manager.write("book", { clientId: holder, session: next });
  const changesOf = async (operation: string, input: object) =>
    (await manager.write(operation, { ...input, dryRun: true })).body.changes;
  const none = { contracts: 0, sessions: 0, bookings: 0, creditsReturned: 0, promoted: 0 };
  const one = { ...none, contracts: 1, sessions: 1, bookings: 2, creditsReturned: 1 };
  const reason = "ill";
  assert.deepEqual(await changesOf("cancelSession", { session, reason }), one);
  const days = { locationId, firstDay: "2026-11-18", lastDay: "2026-11-18", reason, cancelBooked: true };
  assert.deepEqual(await changesOf("closeDays", days), one);
  const all = { ...one, sessions: 2, bookings: 3, creditsReturned: 2 };
  assert.deepEqual(
    await changesOf("endSchedule", { scheduleId, lastDay: "2026-11-16", cancelBooked: true }),
    all,
  );
  const fridays = { start: "2026-11-20T07:00", rrule: "FREQ=WEEKLY;BYDAY=FR" };
  const edit = { scheduleId, from: "2026-11-18T07:00", changes: fridays, cancelBooked: true };
  assert.deepEqual(await changesOf("editSchedule", edit), all);
  const owner = await newStaff(api, id, { role: "owner" });
  const closed = await owner.write("closeLocation", { locationId, cancelBooked: true, dryRun: true });
  assert.deepEqual(closed.body.changes, all);
  await manager.write("cancelSession", { session, reason });
  assert.deepEqual(await changesOf("reinstateSession", { session }), {
    ...none,
    contracts: 1,
    sessions: 1,
    bookings: 2,
  });
  await manager.write("reinstateSession", { session });
  await manager.write("joinWaiting", { clientId: await newPackHolder(1), session });
  assert.deepEqual(await changesOf("editSession", { session, changes: { capacity: 3 } }), {
    ...none,
    contracts: 1,
    sessions: 1,
    bookings: 1,
    promoted: 1,
  });
});

test("a session that is moved keeps its bookings, also where nothing would cover them now", async () => {
  const { id, manager, given, newPackHolder } = await newStudio();
  const write = async (operation: string, input: object) => {
    const { status, body, text } = await manager.write(operation, input);
    assert.equal(status, 200, text);
    return body.result;
  };
  const clientId = await newPackHolder(1);
  const { rrule: _, ...single } = given;
  const { id: sessionId } = await write("addSession", { ...single, start: "2026-11-18T07:00" });
  const { id: bookingId, contractId } = await write("book", { clientId, session: { sessionId } });
  await write("setEndDate", { contractId, endDate: "2026-11-20", reason: "moves away" });
  const elsewhere = await addLocation(api.db, id, { timezone: "America/Sao_Paulo" });
  await write("editSession", {
    session: { sessionId },
    changes: { start: "2026-12-02T07:00", locationId: elsewhere },
  });
  const { body } = await manager.read(`roster?sessionId=${sessionId}`);
  const [kept] = body.bookings;
  assert.deepEqual(
    [kept.id, kept.state, kept.contractId, kept.day, kept.moved, kept.toTell],
    [bookingId, "booked", contractId, "2026-12-02", true, true],
  );
});

/** Somebody is checked in to a class of tomorrow, which settings of a whole day allow. */
async function newCheckedIn() {
  const studio = await newStudio();
  const { id, given, locationId, newPackHolder } = studio;
  const owner = await newStaff(api, id);
  const write = async (operation: string, input: object) => {
    const { status, body } = await owner.write(operation, input);
    return status === 200 ? body.result : `${body.reason}: ${body.detail}`;
  };
  await write("editSettings", { changes: { checkInOpensMinutes: 1_440 } });
  const { id: scheduleId } = await write("addSchedule", {
    ...given,
    start: "2026-11-02T08:30",
    rrule: "FREQ=DAILY",
  });
  const slot = { scheduleId, originalStart: "2026-11-17T08:30" };
  const { sessionId } = await write("checkIn", { clientId: await newPackHolder(3), session: slot });
  const attendance = async () => {
    const { body } = await owner.read(`roster?sessionId=${sessionId}`);
    return [body.session.status, body.session.startAt, body.bookings[0].state];
  };
  return { ...studio, write, attendance, locationId, scheduleId, session: { sessionId } };
}

test("whatever withdraws a session is refused while somebody is checked in, and they stay so", async () => {
  const { write, attendance, locationId, scheduleId, session, given } = await newCheckedIn();
  const before = await attendance();
  assert.deepEqual(before, ["scheduled", "2026-11-17T11:30:00.000Z", "attended"]);
  const [cancelBooked, reason] = [true, "rain"];
  const [firstDay, lastDay] = ["2026-11-17", "2026-11-17"];
  for (const [operation, input] of [
    ["cancelSession", { session, reason }],
    ["closeDays", { locationId, firstDay, lastDay, reason, cancelBooked }],
    ["closeLocation", { locationId, cancelBooked }],
    ["archiveServiceType", { serviceTypeId: given.serviceTypeId, cancelBooked }],
    ["endSchedule", { scheduleId, lastDay: "2026-11-16", cancelBooked }],
    ["editSchedule", { scheduleId, changes: { start: "2026-11-18T08:30" }, cancelBooked }],
  ] as const) {
    assert.equal(await write(operation, input), "checked_in: 1 person is checked in.", operation);
    assert.deepEqual(await attendance(), before, operation);
  }
});

test("a session with somebody checked in is moved only to where they could be checked in now", async () => {
  const { write, attendance, scheduleId, session } = await newCheckedIn();
  const before = await attendance();
  for (const [operation, input] of [
    ["editSession", { session, changes: { start: "2026-12-06T08:30" } }],
    ["editSession", { session, changes: { start: "2026-11-17T09:01" } }],
    ["editSchedule", { scheduleId, changes: { start: "2026-11-17T10:30" } }],
  ] as const) {
    assert.equal(await write(operation, input), "checked_in: 1 person is checked in.", operation);
    assert.deepEqual(await attendance(), before, operation);
  }
  await write("editSession", { session, changes: { start: "2026-11-17T09:00" } });
  assert.deepEqual(await attendance(), ["scheduled", "2026-11-17T12:00:00.000Z", "attended"]);
});

test("faults of members together come with those of each member", async () => {
  const { manager, locationId } = await newStudio();
  const id = newId();
  const session = { sessionId: id };
  const choice = { entitlementId: id, uncovered: { reason: "owed" } };
  const cases: [string, object, string[]][] = [
    ["book", { session, ...choice }, ["body.clientId", "body.entitlementId"]],
    ["checkIn", { session, ...choice }, ["body.clientId", "body.entitlementId"]],
    ["promoteWaiting", { ...choice }, ["body.entitlementId", "body.waitingId"]],
    ["cancelBooking", { waive: true }, ["body.bookingId", "body.reason"]],
    [
      "bookMany",
      { clientId: id, fromDay: "2026-11-16", untilDay: "2027-02-16" },
      ["body.scheduleId", "body.untilDay"],
    ],
    [
      "editSchedule",
      { scheduleId: id, keepBooked: true, cancelBooked: true },
      ["body.cancelBooked", "body.changes"],
    ],
    [
      "closeDays",
      { locationId, firstDay: "2026-11-18", lastDay: "2026-11-17" },
      ["body.lastDay", "body.reason"],
    ],
  ];
  for (const [operation, input, locations] of cases) {
    const { status, body } = await manager.write(operation, input);
    assert.equal(status, 422, operation);
    assert.deepEqual(
      body.errors.map(({ location }: { location: string }) => location).sort(),
      locations,
      operation,
    );
  }
});

test("a regular is booked for 92 days, the first and the last included, and never further than 366 ahead", async () => {
  const { manager, given, newMember } = await newStudio();
  const schedule = { ...given, start: "2026-11-17T23:00", rrule: "FREQ=WEEKLY;BYDAY=TU,WE" };
  const scheduleId = (await manager.write("addSchedule", schedule)).body.result.id;
  const clientId = await newMember();
  const bookMany = (fromDay: string, untilDay: string) =>
    manager.write("bookMany", { clientId, scheduleId, fromDay, untilDay, dryRun: true });
  assert.equal((await bookMany("2026-11-17", "2027-02-16")).status, 200);
  assert.equal((await bookMany("2026-11-17", "2027-02-17")).body.errors[0].code, "span_too_long");
  const ahead = await bookMany("2027-11-16", "2027-11-17");
  assert.deepEqual(
    ahead.body.result.map(({ reason }: { reason?: string }) => reason),
    [undefined, "too_far_ahead"],
    ahead.text,
  );
});

test("days of the last year, after which no record could close, are refused as input", async () => {
  const { manager, given, locationId } = await newStudio();
  const scheduleId = (await manager.write("addSchedule", given)).body.result.id;
  const session = { scheduleId, originalStart: "2026-11-18T07:00" };
  const { rrule: _, ...single } = given;
  const start = "9999-12-31T23:59";
  const days = { firstDay: "9999-12-30", lastDay: "9999-12-31" };
  const cases: [string, object, string][] = [
    ["addSession", { ...single, start }, "body.start"],
    ["editSession", { session, changes: { start } }, "body.changes.start"],
    ["closeDays", { locationId, ...days, reason: "Holidays" }, "body.lastDay"],
    ["endSchedule", { scheduleId, lastDay: "9999-12-31" }, "body.lastDay"],
  ];
  for (const [operation, input, location] of cases) {
    const { status, body } = await manager.write(operation, input);
    assert.deepEqual([status, body.errors?.[0]?.location], [422, location], operation);
    assert.equal(body.errors[0].code, "year_out_of_range");
  }
});

test("the roster shows a session as the calendar does, with names and the location's clock", async () => {
  const { manager, given } = await newStudio();
  const scheduleId = (await manager.write("addSchedule", given)).body.result.id;
  const read = async () => {
    const roster = await manager.read(`roster?scheduleId=${scheduleId}&originalStart=2026-11-18T07:00`);
    const { body } = await manager.read(
      "calendar?from=2026-11-18T00:00:00-03:00&to=2026-11-19T00:00:00-03:00",
    );
    const { waiting, ...shown } = body.data[0];
    return [roster.body.session, shown];
  };
  const [slot, shown] = await read();
  assert.deepEqual(slot, shown);
  assert.deepEqual([slot.localStart, slot.timezone], ["2026-11-18 07:00", "America/Sao_Paulo"]);
  const session = { scheduleId, originalStart: "2026-11-18T07:00" };
  await manager.write("editSession", { session, changes: { capacity: 3 } });
  const [stored, shownStored] = await read();
  assert.deepEqual(stored, shownStored);
  await manager.write("editSession", { session, changes: { resourceIds: null } });
  const [bare, shownBare] = await read();
  assert.deepEqual(bare, shownBare);
  assert.deepEqual([stored.resourceNames?.length, bare.resourceNames], [given.resourceIds.length, undefined]);
});

test("the slots of a schedule that is about to be written are shown, with what is wrong with it", async () => {
  const { manager, given, locationId } = await newStudio();
  const ask = (query: Readonly<Record<string, string>>) =>
    manager.read(`slots?${new URLSearchParams({ start: given.start, ...query })}`);
  const { status, body } = await ask({
    rrule: given.rrule,
    locationId,
    exdates: "2026-11-18T07:00",
    limit: "2",
  });
  assert.equal(status, 200);
  assert.deepEqual(
    body.data.map(({ originalStart }: { originalStart: string }) => originalStart),
    ["2026-11-23T07:00", "2026-11-25T07:00"],
  );
  assert.deepEqual([body.timezone, body.hasMore], ["America/Sao_Paulo", true]);
  const added = await manager.write("addSchedule", { ...given, rrule: "FREQ=WEEKLY;BYDAY=TU;BYWEEKNO=3" });
  const shown = await ask({ rrule: "FREQ=WEEKLY;BYDAY=TU;BYWEEKNO=3" });
  const codes = ({ body: { errors } }: typeof added) => errors.map(({ code }: { code: string }) => code);
  assert.equal(shown.status, 422);
  assert.deepEqual(codes(shown), codes(added), "the faults of addSchedule");
  assert.equal((await ask({ locationId: newId() })).body.errors[0].code, "location_unknown");
  assert.equal((await ask({ timezone: "Mars/Olympus" })).body.errors[0].code, "time_zone_unknown");
  const twice = await ask({ rrule: "FREQ=DAILY", timezone: "Europe/London", start: "2027-10-30T01:30" });
  assert.equal(twice.body.data[1].clockChange, "repeated");
});

const holdSession = pooled(
  "test_hold_session",
  "select id from sessions where organization_id = $1 and id = $2 for update",
);
const holdSchedule = pooled(
  "test_hold_schedule",
  "select id from schedules where organization_id = $1 and id = $2 for update",
);

test("a repeated write is answered while somebody holds the session or its schedule", async () => {
  const { id, manager, given } = await newStudio();
  const { body: added } = await manager.write("addSchedule", given);
  const scheduleId = added.result.id as string;
  const named = (day: string) => ({ session: { scheduleId, originalStart: `2026-11-${day}T07:00` } });
  const headers = [newId(), newId()].map((key) => ({ "idempotency-key": key }));
  const [ofStored, ofSlot] = headers.map((each) => ({ headers: each }));
  const cancel = { ...named("18"), reason: "ill" };
  const cancelled = await manager.write("cancelSession", cancel, ofStored);
  // Nothing to undo: the slot stays one, so that the repeat finds it by its name.
  const unchanged = await manager.write("reinstateSession", named("23"), ofSlot);
  assert.deepEqual([cancelled.status, unchanged.status, unchanged.body.result.id], [200, 200, undefined]);
  await api.db.transaction(async (tx) => {
    assert.equal((await tx.query(holdSession, [id, cancelled.body.result.id])).length, 1);
    assert.equal((await tx.query(holdSchedule, [id, scheduleId])).length, 1);
    assert.deepEqual((await manager.write("cancelSession", cancel, ofStored)).body, cancelled.body);
    assert.deepEqual((await manager.write("reinstateSession", named("23"), ofSlot)).body, unchanged.body);
  });
});
