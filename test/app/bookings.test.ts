import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const other = await startApi({ beside: api });
const today = dateIn(ZONE, Date.now());

async function newDesk() {
  const studio = await newBookingStudio(api);
  const desk = await newStaff(api, studio.id, { role: "front_desk" });
  const write = async (operation: string, input: object) => {
    const { status, body } = await desk.write(operation, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body.result;
  };
  const read = async (path: string) => {
    const { status, body } = await desk.read(path);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return { studio, desk, write, read };
}

test("a key books once, on whichever node; a dry run books nothing and says what it would change", async () => {
  const { studio, desk } = await newDesk();
  const { clientId, contractId } = await studio.packHolder(3);
  const scheduleId = await studio.schedule({ start: `${daysAfter(today, 1)}T07:00`, rrule: "FREQ=DAILY" });
  const input = { clientId, session: { scheduleId, originalStart: `${daysAfter(today, 2)}T07:00` } };
  const { body: dry } = await desk.write("book", { ...input, dryRun: true });
  assert.deepEqual(dry.changes, { contracts: 1, sessions: 1, bookings: 1, creditsReturned: 0, promoted: 0 });
  assert.equal(await studio.count("sessions where true"), 0);
  const headers = { "idempotency-key": newId() };
  const first = await desk.write("book", input, { headers });
  const again = await desk.write("book", input, { headers, through: other });
  const otherKey = await desk.write("book", input);
  assert.deepEqual(again.body, first.body);
  assert.deepEqual(otherKey.body.result, first.body.result);
  assert.equal((await studio.shownContract(contractId)).credits, 2);
  assert.equal(await studio.count("audit where action = 'book'"), 2);
});

test("a refusal says why, with its facts", async () => {
  const { studio, desk } = await newDesk();
  const { clientId, contractId } = await studio.packHolder(0);
  const sessionId = await studio.session(`${daysAfter(today, 1)}T07:00`, { capacity: 1, bookedCount: 1 });
  const full = await desk.write("book", { clientId, session: { sessionId } });
  assert.equal(full.status, 409);
  const { reason, capacity, bookedCount, waiting } = full.body;
  assert.deepEqual([reason, capacity, bookedCount, waiting], ["full", 1, 1, 0]);
  const uncovered = await desk.write("book", { clientId, session: { sessionId }, takeUnnamed: true });
  assert.equal(uncovered.body.reason, "not_covered");
  assert.deepEqual(
    uncovered.body.reasons.map((each: { contractId: string; reason: string }) => [
      each.contractId,
      each.reason,
    ]),
    [[contractId, "no_credits"]],
  );
  const elsewhere = await newStaff(api, studio.id, { role: "front_desk", locationIds: [] });
  const refused = await elsewhere.write("book", { clientId, session: { sessionId } });
  assert.deepEqual([refused.status, refused.body.reason], [403, "wrong_location"]);
});

test("the roster has names, the line and the seats without a name, of a slot that is not stored too", async () => {
  const { studio, write, read } = await newDesk();
  const day = daysAfter(today, 1);
  const sessionId = await studio.session(`${day}T07:00`, { capacity: 4, bookedCount: 2 });
  const [zoe, ana, bia] = [
    await studio.member("Zoe"),
    await studio.member("ana"),
    await studio.member("Bia"),
  ];
  for (const clientId of [zoe, ana]) await write("book", { clientId, session: { sessionId } });
  await write("joinWaiting", { clientId: bia, session: { sessionId } });
  const roster = await read(`roster?sessionId=${sessionId}`);
  const names = (list: { clientName: string }[]) => list.map(({ clientName }) => clientName);
  assert.deepEqual(
    [names(roster.bookings), names(roster.waiting), roster.waiting[0].position, roster.unnamed],
    [["ana", "Zoe"], ["Bia"], 1, 2],
  );
  assert.equal(roster.session.bookedCount, 4);
  const { startAt } = roster.session;
  const minutesBefore = (instant: string) => (Date.parse(startAt) - Date.parse(instant)) / 60_000;
  assert.deepEqual([minutesBefore(roster.checkInFrom), minutesBefore(roster.freeUntil)], [60, 180]);
  assert.equal(typeof roster.bookings[0].planName, "string");
  const scheduleId = await studio.schedule({ start: `${day}T09:00`, rrule: "FREQ=DAILY" });
  const slot = await read(`roster?scheduleId=${scheduleId}&originalStart=${day}T09:00`);
  assert.deepEqual([slot.session.id, slot.bookings, slot.unnamed], [undefined, [], 0]);
  assert.equal(await studio.count("sessions where schedule_id is not null"), 0);
  const { desk } = await newDesk();
  assert.equal((await desk.read(`roster?sessionId=${sessionId}`)).status, 404);
  assert.equal((await desk.read("roster")).status, 422);
});

test("coverage is answered without booking, and visits are listed latest first", async () => {
  const { studio, write, read, desk } = await newDesk();
  const { clientId, contractId } = await studio.packHolder(1);
  const days = [1, 2].map((days) => daysAfter(today, days));
  const [first = "", second = ""] = await Promise.all(days.map((day) => studio.session(`${day}T07:00`)));
  const asked = (sessionId: string) => read(`coverage?clientId=${clientId}&sessionId=${sessionId}`);
  const before = await asked(second);
  assert.deepEqual([before.covered, before.contractId, before.reasons], [true, contractId, []]);
  const [choice] = before.choices;
  assert.deepEqual([choice.contractId, choice.type, choice.remainingCredits], [contractId, "credits", 1]);
  await write("book", { clientId, session: { sessionId: first } });
  const after = await asked(second);
  assert.deepEqual([after.covered, after.reasons[0].reason, after.choices], [false, "no_credits", []]);
  assert.equal(after.reasons[0].planName, choice.planName);
  await write("book", { clientId, session: { sessionId: second }, uncovered: { reason: "owed" } });
  const visits = await read(`clients/${clientId}/visits?limit=1`);
  assert.deepEqual([visits.total, visits.data[0].sessionId], [2, second]);
  assert.equal((await desk.read(`clients/${newId()}/visits`)).status, 404);
});

test("the visits of a client are walked with a cursor, which holds for that client alone", async () => {
  const { studio, desk, read, write } = await newDesk();
  const [clientId, otherId] = [await studio.member(), await studio.member("Bia")];
  const days = [1, 2, 3, 4, 5].map((ahead) => daysAfter(today, ahead));
  const sessionIds = await Promise.all(days.map((day) => studio.session(`${day}T07:00`)));
  for (const sessionId of sessionIds) await write("book", { clientId, session: { sessionId } });
  await write("book", { clientId: otherId, session: { sessionId: sessionIds[0] } });

  const walked: string[] = [];
  const path = `clients/${clientId}/visits?limit=2`;
  let page = await read(path);
  const firstCursor = page.nextCursor as string;
  for (;;) {
    walked.push(...page.data.map(({ sessionId }: { sessionId: string }) => sessionId));
    if (page.nextCursor === undefined) break;
    // What is booked meanwhile comes before the cursor, and moves nothing.
    const sessionId = await studio.session(`${daysAfter(today, 10 + walked.length)}T07:00`);
    await write("book", { clientId, session: { sessionId } });
    page = await read(`${path}&cursor=${page.nextCursor}`);
  }
  assert.deepEqual(walked, sessionIds.toReversed());

  const { headers } = await desk.read(path);
  assert.match(headers.get("link") ?? "", new RegExp(`/app/v1/clients/${clientId}/visits\\?limit=2&cursor=`));
  const foreign = await desk.read(`clients/${otherId}/visits?limit=2&cursor=${firstCursor}`);
  assert.deepEqual([foreign.status, foreign.body.errors[0].location], [422, "query.cursor"]);
});

test("today has the sessions of the day, stored or not, and what is to do has all that is left", async () => {
  const { studio, write, read, desk } = await newDesk();
  const scheduleId = await studio.schedule({ start: `${today}T00:30`, rrule: "FREQ=DAILY" });
  const moved = await studio.session(`${today}T23:30`, {
    scheduleId,
    originalStart: `${daysAfter(today, 1)}T00:30`,
  });
  const yesterday = await studio.session(`${daysAfter(today, -1)}T10:00`);
  const clientId = await studio.member("Ana");
  await studio.newContract(clientId, {}, { endDate: daysAfter(today, 14) });
  await write("book", { clientId, session: { sessionId: moved } });
  await write("book", { clientId, session: { sessionId: yesterday } });
  await write("book", {
    clientId: await studio.newClient(),
    session: { sessionId: yesterday },
    uncovered: { reason: "owed" },
  });
  const { sessions, date } = await read("today");
  assert.equal(date, today);
  assert.deepEqual(
    sessions.map((each: { session: { id?: string }; bookings: object[] }) => [
      each.session.id,
      each.bookings.length,
    ]),
    [
      [undefined, 0],
      [moved, 1],
    ],
  );
  const todo = await read("todo");
  const totals = Object.fromEntries(
    Object.entries(todo).map(([name, list]) => [name, (list as { total?: number }).total]),
  );
  assert.deepEqual(totals, {
    $schema: undefined,
    toTell: 0,
    uncovered: 1,
    unmarked: 1,
    ending: 1,
    overdue: 0,
    owes: 0,
  });
  assert.equal(todo.unmarked.data[0].bookings, 2);
  const local = `${daysAfter(today, -1)} 10:00`;
  assert.deepEqual([todo.unmarked.data[0].localStart, todo.uncovered.data[0].localStart], [local, local]);
  const { locationId } = studio.place;
  const here = await read(`todo?locationId=${locationId}`);
  const elsewhere = await read(`todo?locationId=${newId()}`);
  assert.deepEqual([here.uncovered.total, here.unmarked.total, here.ending.total], [1, 1, 1]);
  assert.deepEqual([elsewhere.uncovered.total, elsewhere.unmarked.total], [0, 0]);
  await write("markRest", { sessionId: yesterday });
  assert.equal((await read("todo")).unmarked.total, 0);
  assert.equal((await desk.read(`today?locationId=${newId()}`)).body.sessions.length, 0);
});

test("who is to be told comes with the reason that was typed; what was told is taken back", async () => {
  const { studio, desk, write, read } = await newDesk();
  const clientId = await studio.member("Ana");
  const sessionId = await studio.session(`${daysAfter(today, 1)}T07:00`);
  const { id } = await write("book", { clientId, session: { sessionId } });
  await write("cancelSession", { session: { sessionId }, reason: "Power cut" });
  const listed = async () =>
    (await read("todo")).toTell.data.map((entry: { id: string; reason?: string }) => [
      entry.id,
      entry.reason,
    ]);
  assert.deepEqual(await listed(), [[id, "Power cut"]]);
  const told = await desk.write("markTold", { bookingIds: [id] });
  assert.deepEqual(await listed(), []);
  assert.deepEqual(told.body.undo, { operation: "unmarkTold", input: { bookingIds: [id] } });
  const again = await desk.write("markTold", { bookingIds: [id] });
  assert.equal(again.body.undo, undefined, "whoever knew before knows afterwards");
  const undone = await desk.write("unmarkTold", told.body.undo.input);
  assert.equal(undone.body.result.bookings, 1);
  assert.deepEqual(await listed(), [[id, "Power cut"]]);
  assert.equal((await desk.write("unmarkTold", { bookingIds: [newId()] })).body.reason, "no_booking");
});

test("an uncovered booking that is left as a courtesy is no longer to be covered, until that is taken back", async () => {
  const { studio, desk, write, read } = await newDesk();
  const clientId = await studio.newClient("Ana");
  const sessionId = await studio.session(`${daysAfter(today, 1)}T07:00`);
  const booking = await write("book", { clientId, session: { sessionId }, uncovered: { reason: "A guest" } });
  const bookingId = booking.id;
  const uncovered = async () => (await read("todo")).uncovered.total;
  assert.equal(await uncovered(), 1);
  const left = await desk.write("markCourtesy", { bookingId });
  assert.deepEqual([left.body.result.isCourtesy, left.body.undo.operation], [true, "unmarkCourtesy"]);
  assert.equal(await uncovered(), 0);
  assert.equal((await desk.write("markCourtesy", { bookingId })).body.undo, undefined);
  const back = await desk.write("unmarkCourtesy", { bookingId });
  assert.deepEqual([back.body.result.isCourtesy, await uncovered()], [undefined, 1]);
  await write("markCourtesy", { bookingId });
  // Sold later, it can be covered all the same; then it is none any more.
  await studio.newContract(clientId, {});
  assert.equal((await write("coverBooking", { bookingId })).isCourtesy, undefined);
  assert.equal((await desk.write("markCourtesy", { bookingId })).body.reason, "is_covered");
  await write("cancelBooking", { bookingId });
  assert.equal((await desk.write("unmarkCourtesy", { bookingId })).body.reason, "already_ended");
  assert.equal((await desk.write("markCourtesy", { bookingId: newId() })).body.reason, "no_booking");
});
