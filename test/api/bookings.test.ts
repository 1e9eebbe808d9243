import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { listAudit } from "../../src/domain/audit/queries.ts";
import { book } from "../../src/domain/bookings/operations.ts";
import { archiveClientByStaff } from "../../src/domain/clients/staff-operations.ts";
import { cancelSession, reinstateSession } from "../../src/domain/sessions/operations.ts";
import { startApi } from "../support/api.ts";
import { atInstant, BY, MONDAY, newBookingStudio, refused } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { addLocation, addServiceType } from "../support/records.ts";

const api = await startApi();
/** 18:00 in São Paulo is 21:00Z. */
const EVENING = "2026-11-16T18:00";

test("a booking takes a seat and a credit, and the API shows both and nothing of the client", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(8);
  const scheduleId = await studio.schedule({ start: EVENING, rrule: "FREQ=DAILY" });
  const session = { scheduleId, originalStart: EVENING };
  const before = await studio.shownContract(contractId);
  const { entry: written, result, changes } = await studio.book({ clientId, session });
  assert.deepEqual(changes, { contracts: 1, sessions: 1, bookings: 1, creditsReturned: 0, promoted: 0 });
  const { id, sessionId, entitlementId, ...rest } = result;
  assert.deepEqual(rest, {
    clientId,
    day: "2026-11-16",
    state: "booked",
    contractId,
    moved: false,
    toTell: false,
    bookedAt: MONDAY,
  });
  assert.ok(entitlementId);
  assert.equal((await studio.shownSession(sessionId, "2026-11-16"))?.bookedCount, 1);
  const after = await studio.shownContract(contractId);
  assert.deepEqual([before.credits, after.credits, after.updatedAt], [8, 7, MONDAY]);
  const [entry] = (await listAudit(api.db, studio.id, 1)).data;
  assert.deepEqual(
    [entry?.id, entry?.actor, entry?.action, entry?.subject],
    [written.id, BY.name, "book", id],
  );

  // Checked in, undone: nothing on the API moves. Cancelled by the client in time: the credit is back.
  const start = "2026-11-16T21:00:00.000Z";
  await studio.checkIn({ clientId, session }, start);
  assert.deepEqual(await studio.shownContract(contractId), after);
  await studio.setAttendance({ bookingId: id, state: "booked" }, start);
  assert.deepEqual(await studio.shownContract(contractId), after);
  const cancelled = await studio.cancelBooking(
    { bookingId: id, waive: true, reason: "class fell out" },
    start,
  );
  assert.equal(cancelled.result.state, "cancelled");
  assert.deepEqual(await studio.shownContract(contractId), { credits: 8, updatedAt: start });
  assert.deepEqual(await studio.contradictions(), []);
});

test("the same booking sent again answers the same booking and draws nothing", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(2);
  const session = { sessionId: await studio.session(EVENING) };
  const first = await studio.book({ clientId, session });
  const again = await studio.book({ clientId: clientId.toUpperCase(), session });
  assert.deepEqual(again.result, first.result);
  assert.deepEqual(again.changes, {
    contracts: 0,
    sessions: 0,
    bookings: 0,
    creditsReturned: 0,
    promoted: 0,
  });
  assert.equal((await studio.shownContract(contractId)).credits, 1);
});

test("what cannot be booked is refused in the order of the checks", async () => {
  const studio = await newBookingStudio(api);
  const clientId = await studio.newClient();
  const archived = await studio.newClient("Bia", "archived");
  const erased = await studio.newClient("Erased client", "archived");
  await api.db.query(
    pooled(
      "test_erase_visitor",
      "insert into erasures (organization_id, client_id, at, actor, basis) values ($1, $2, now(), 'test', 'asked')",
    ),
    [studio.id, erased],
  );
  const sessionId = await studio.session(EVENING, { capacity: 1 });
  const cancelled = await studio.session(EVENING, { status: "cancelled" });
  const past = await studio.session("2026-11-01T18:00");
  const far = await studio.session("2027-11-18T18:00");
  const booking = (input: Partial<Parameters<typeof studio.book>[0]>, actor = BY) =>
    refused(studio.book({ clientId, session: { sessionId }, ...input }, MONDAY, { actor }));
  assert.equal(await booking({ clientId: newId(), session: { sessionId: newId() } }), "no_client");
  assert.equal(await booking({ clientId: archived, session: { sessionId: newId() } }), "no_slot");
  const elsewhere = { ...BY, locationIds: [newId()] };
  assert.equal(await booking({ clientId: archived }, elsewhere), "wrong_location");
  assert.equal(await booking({ clientId: erased, session: { sessionId: cancelled } }), "erased_client");
  assert.equal(await booking({ clientId: archived, session: { sessionId: cancelled } }), "archived_client");
  assert.equal(await booking({ session: { sessionId: cancelled } }), "session_cancelled");
  assert.equal(await booking({ session: { sessionId: past } }), "record_closed 2026-11-09");
  assert.equal(await booking({ session: { sessionId: far } }), "body.session too_far_ahead");
  assert.equal(await booking({ takeUnnamed: true }), "no_unnamed");
  assert.equal(await booking({}), "not_covered");
  const both = { entitlementId: newId(), uncovered: { reason: "owed" } };
  assert.equal(await booking(both), "body.entitlementId not_together_with");
  const contractId = await studio.newContract(clientId, { type: "credits", remainingCredits: 0 });
  assert.equal(await booking({}), "not_covered no_credits");
  await studio.newContract(clientId, {});
  assert.equal(await booking({ entitlementId: newId() }), "not_offered no_credits");
  await studio.blockAccess({ contractId, reason: "owes" });
  assert.equal(await booking({}), "done");
  const other = await studio.member();
  await assert.rejects(
    studio.book({ clientId: other, session: { sessionId } }),
    (error: { facts?: object }) => {
      assert.deepEqual(error.facts, { reason: "full", capacity: 1, bookedCount: 1, waiting: 0 });
      return true;
    },
  );
  assert.deepEqual(await studio.contradictions(), []);
});

test("a cancellation up to the minute of the deadline returns the credit, a millisecond later it is kept", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(5);
  const session = { sessionId: await studio.session(EVENING) };
  const cancelAt = async (instant: string) => {
    const { id } = (await studio.book({ clientId, session })).result;
    const { state, endedAt } = (await studio.cancelBooking({ bookingId: id }, instant)).result;
    assert.equal(endedAt, instant);
    const seats = (await studio.shownSession(session.sessionId, "2026-11-16"))?.bookedCount;
    return [state, (await studio.shownContract(contractId)).credits, seats];
  };
  assert.deepEqual(await cancelAt("2026-11-16T18:00:00.000Z"), ["cancelled", 5, 0]);
  assert.deepEqual(await cancelAt("2026-11-16T18:00:00.001Z"), ["late_cancelled", 4, 0]);
});

test("what is cancelled stays so, who is checked in is not cancelled, and a no-show only if it is waived", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(5);
  const sessionId = await studio.session(EVENING);
  const session = { sessionId };
  const [start, end] = ["2026-11-16T21:00:00.000Z", "2026-11-16T22:00:00.000Z"];
  const { id: bookingId } = (await studio.book({ clientId, session })).result;
  const cancelling = (input: object, instant = end) =>
    refused(studio.cancelBooking({ bookingId, ...input }, instant));
  assert.equal(await cancelling({ waive: true }), "body.reason required_with");
  assert.equal(await refused(studio.cancelBooking({ bookingId: newId() })), "no_booking");
  await studio.setAttendance({ bookingId, state: "attended" }, start);
  assert.equal(await cancelling({}), "checked_in");
  await studio.setAttendance({ bookingId, state: "no_show" }, start);
  assert.equal(await cancelling({}), "already_ended");
  const closed = "2026-11-24T03:00:00.000Z";
  assert.equal(await cancelling({ waive: true, reason: "ill" }, closed), "record_closed 2026-11-24");
  const { result } = await studio.cancelBooking({ bookingId, waive: true, reason: "ill" }, end);
  assert.deepEqual([result.state, (await studio.shownContract(contractId)).credits], ["cancelled", 5]);
  const again = await studio.cancelBooking({ bookingId }, closed);
  assert.deepEqual([again.result, again.changes.bookings], [result, 0]);
});

test("a late cancellation is waived afterwards while the record is open: the credit is back, once", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(5);
  const session = { sessionId: await studio.session(EVENING) };
  const [late, later, closed] = [
    "2026-11-16T20:00:00.000Z",
    "2026-11-18T12:00:00.000Z",
    "2026-11-24T03:00:00.000Z",
  ];
  const { id: bookingId } = (await studio.book({ clientId, session })).result;
  const { result: kept } = await studio.cancelBooking({ bookingId }, late);
  assert.deepEqual([kept.state, (await studio.shownContract(contractId)).credits], ["late_cancelled", 4]);
  const waive = (instant: string) =>
    studio.cancelBooking({ bookingId, waive: true, reason: "her child was ill" }, instant);
  assert.equal(await refused(waive(closed)), "record_closed 2026-11-24");
  const { result, changes } = await waive(later);
  assert.deepEqual(result, { ...kept, state: "cancelled" });
  assert.deepEqual([changes.bookings, changes.creditsReturned, changes.sessions], [1, 1, 0]);
  assert.equal((await waive(later)).changes.bookings, 0);
  assert.equal((await studio.shownContract(contractId)).credits, 5);
  assert.deepEqual(await studio.contradictions(), []);
});

test("a cancellation is undone if there is a seat and the draw can be had again", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(1);
  const session = { sessionId: await studio.session(EVENING, { capacity: 1 }) };
  const late = "2026-11-16T20:00:00.000Z";
  const { id: bookingId } = (await studio.book({ clientId, session })).result;
  const restored = async (instant = MONDAY) =>
    (await studio.restoreBooking({ bookingId }, instant)).result.state;
  assert.equal(await restored(), "booked");
  await studio.cancelBooking({ bookingId }, late);
  // Kept by the late cancellation, so nothing is to be drawn.
  assert.deepEqual([await restored(late), (await studio.shownContract(contractId)).credits], ["booked", 0]);
  await studio.cancelBooking({ bookingId });
  assert.deepEqual([await restored(), (await studio.shownContract(contractId)).credits], ["booked", 0]);
  await studio.cancelBooking({ bookingId });
  const other = await studio.member();
  const taken = (await studio.book({ clientId: other, session })).result;
  assert.equal(await refused(studio.restoreBooking({ bookingId })), "full");
  await studio.cancelBooking({ bookingId: taken.id });
  const tomorrow = { sessionId: await studio.session("2026-11-17T18:00") };
  const spent = (await studio.book({ clientId, session: tomorrow })).result;
  assert.equal(await refused(studio.restoreBooking({ bookingId })), "not_covered no_credits");
  await studio.cancelBooking({ bookingId: spent.id });
  await studio.book({ clientId, session });
  assert.equal(await refused(studio.restoreBooking({ bookingId })), "already_booked");
  assert.deepEqual(await studio.contradictions(), []);
});

test("attendance opens with the check-in, can be corrected while the record is open, and then reads as it was left", async () => {
  const studio = await newBookingStudio(api);
  const [clientId, other] = [await studio.member(), await studio.member()];
  const sessionId = await studio.session(EVENING);
  const { id: bookingId } = (await studio.book({ clientId, session: { sessionId } })).result;
  const set = (state: "booked" | "attended" | "no_show", instant: string) =>
    refused(studio.setAttendance({ bookingId, state }, instant));
  assert.equal(await set("attended", "2026-11-16T19:59:59.999Z"), "too_early 17:00");
  assert.equal(await set("attended", "2026-11-16T20:00:00.000Z"), "done");
  assert.equal(await set("no_show", "2026-11-16T20:59:59.999Z"), "too_early 18:00");
  assert.equal(await set("no_show", "2026-11-16T21:00:00.000Z"), "done");
  assert.equal(await set("booked", "2026-11-24T02:59:59.999Z"), "done");
  assert.equal(await set("attended", "2026-11-24T03:00:00.000Z"), "record_closed 2026-11-24");
  const read = async (instant: string) => (await studio.restoreBooking({ bookingId }, instant)).result.state;
  assert.deepEqual(
    [await read("2026-11-24T02:59:59.999Z"), await read("2026-11-24T03:00:00.000Z")],
    ["booked", "no_show"],
  );
  const walkIn = (instant: string) => studio.checkIn({ clientId: other, session: { sessionId } }, instant);
  assert.equal(await refused(walkIn("2026-11-16T19:00:00.000Z")), "too_early 17:00");
  const { result, changes } = await walkIn("2026-11-16T21:05:00.000Z");
  assert.deepEqual(
    [result.state, result.checkedInAt, changes.bookings],
    ["attended", "2026-11-16T21:05:00.000Z", 1],
  );
  const again = await walkIn("2026-11-16T21:06:00.000Z");
  assert.deepEqual([again.result, again.changes.bookings], [result, 0]);
  assert.equal(await refused(studio.markRest({ sessionId }, "2026-11-16T21:59:59.999Z")), "too_early 19:00");
  const marked = await studio.markRest({ sessionId }, "2026-11-16T22:00:00.000Z");
  assert.equal(marked.result.bookings, 1);
  assert.equal(await read("2026-11-17T00:00:00.000Z"), "no_show");
  // Whoever came after all stays, and a booking of another session is not touched.
  const bookingIds = [bookingId, result.id, newId()];
  const unmarked = await studio.unmarkRest({ sessionId, bookingIds }, "2026-11-17T00:00:00.000Z");
  assert.equal(unmarked.result.bookings, 1);
  assert.equal(await read("2026-11-17T00:00:00.000Z"), "booked");
  assert.equal((await walkIn("2026-11-17T00:00:00.000Z")).result.state, "attended");
  const late = "2026-11-24T03:00:00.000Z";
  assert.equal(await refused(studio.markRest({ sessionId }, late)), "record_closed 2026-11-24");
  assert.equal(await refused(studio.unmarkRest({ sessionId, bookingIds }, late)), "record_closed 2026-11-24");
});

test("a contract that is blocked lets nobody in, and what it has booked stands", async () => {
  const studio = await newBookingStudio(api);
  const clientId = await studio.newClient();
  const contractId = await studio.newContract(clientId, {});
  const session = { sessionId: await studio.session(EVENING) };
  await studio.book({ clientId, session });
  await studio.blockAccess({ contractId, reason: "owes" });
  const start = "2026-11-16T21:00:00.000Z";
  assert.equal(await refused(studio.checkIn({ clientId, session }, start)), "blocked");
  assert.equal((await studio.shownSession(session.sessionId, "2026-11-16"))?.bookedCount, 1);
});

test("who books without cover is booked uncovered, and can be covered later", async () => {
  const studio = await newBookingStudio(api);
  const clientId = await studio.newClient();
  const session = { sessionId: await studio.session(EVENING) };
  const { result } = await studio.book({ clientId, session, uncovered: { reason: "make-up class" } });
  assert.deepEqual([result.uncoveredReason, result.contractId], ["make-up class", undefined]);
  const { id: bookingId } = result;
  const covering = (instant = MONDAY) => refused(studio.coverBooking({ bookingId }, instant));
  assert.equal(await covering(), "not_covered");
  const contractId = await studio.newContract(clientId, { type: "credits", remainingCredits: 3 });
  // The record is closed by then: what is owed is still covered.
  assert.equal(await covering("2026-12-16T12:00:00.000Z"), "done");
  assert.equal(await covering(), "is_covered");
  assert.equal((await studio.shownContract(contractId)).credits, 2);
  await studio.cancelBooking({ bookingId });
  assert.equal(await covering(), "already_ended");
});

test("what an archived client's seat owes can be covered, and a seat that was given up stays so", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(2);
  const sessionOf = async () => ({ sessionId: await studio.session(EVENING) });
  const owed = { clientId, session: await sessionOf(), uncovered: { reason: "make-up class" } };
  const { id: bookingId } = (await studio.book(owed)).result;
  const { id: givenUp } = (await studio.book({ clientId, session: await sessionOf() })).result;
  await studio.cancelBooking({ bookingId: givenUp });
  const here = { db: atInstant(api.served, MONDAY), actor: BY, organizationId: studio.id };
  await archiveClientByStaff(here, { clientId });
  assert.equal(await refused(studio.restoreBooking({ bookingId: givenUp })), "archived_client");
  assert.equal(await refused(studio.coverBooking({ bookingId })), "done");
  assert.equal((await studio.shownContract(contractId)).credits, 1);
  assert.deepEqual(await studio.contradictions(), []);
});

test("a place that comes free in time goes to the first in line who is covered; later to nobody", async () => {
  const studio = await newBookingStudio(api);
  const sessionId = await studio.session(EVENING, { capacity: 10 });
  const session = { sessionId };
  const booked: string[] = [];
  for (let n = 0; n < 10; n++)
    booked.push((await studio.book({ clientId: await studio.member(), session })).result.id);
  const [A, B, C] = [await studio.newClient("A"), await studio.member("B"), await studio.member("C")];
  for (const [n, clientId] of [A, B, C].entries())
    assert.equal((await studio.joinWaiting({ clientId, session })).result.position, n + 1);
  const cancel = (n: number, instant: string) =>
    studio.cancelBooking({ bookingId: booked[n] ?? "" }, instant);
  const inTime = await cancel(0, "2026-11-16T17:00:00.000Z");
  assert.deepEqual(inTime.changes, {
    contracts: 0,
    sessions: 1,
    bookings: 2,
    creditsReturned: 0,
    promoted: 1,
  });
  const seats = async () => (await studio.shownSession(sessionId, "2026-11-16"))?.bookedCount;
  assert.equal(await seats(), 10);
  const promoted = (await studio.book({ clientId: B, session })).result;
  assert.deepEqual([promoted.state, promoted.toTell], ["booked", true]);
  assert.equal((await studio.markTold({ bookingIds: [promoted.id] })).result.bookings, 1);
  assert.equal(await studio.count("bookings where to_tell"), 0);
  assert.equal(await refused(studio.joinWaiting({ clientId: A, session })), "already_waiting");

  const late = await cancel(1, "2026-11-16T19:00:00.000Z");
  assert.deepEqual([late.result.state, late.changes.promoted, await seats()], ["late_cancelled", 0, 9]);
  assert.deepEqual(await studio.contradictions(), []);
});

test("the line is for a session that is full and has not begun, and the front desk promotes from it until then", async () => {
  const studio = await newBookingStudio(api);
  const session = { sessionId: await studio.session(EVENING, { capacity: 1 }) };
  const [first, second, third] = [await studio.member(), await studio.member(), await studio.newClient()];
  const join = (clientId: string, instant?: string) =>
    refused(studio.joinWaiting({ clientId, session }, instant));
  assert.equal(await join(second), "seat_free");
  const { id: bookingId } = (await studio.book({ clientId: first, session })).result;
  assert.equal(await join(first), "already_booked");
  assert.equal(await join(second, "2026-11-16T21:00:00.000Z"), "session_begun");
  const { id: waitingId } = (await studio.joinWaiting({ clientId: second, session })).result;
  const { id: other } = (await studio.joinWaiting({ clientId: third, session })).result;
  const promote = (id: string, instant: string, choice = {}) =>
    refused(studio.promoteWaiting({ waitingId: id, ...choice }, instant));
  const late = "2026-11-16T20:00:00.000Z";
  assert.equal(await promote(newId(), late), "no_waiting");
  assert.equal(await promote(waitingId, late), "full");
  await studio.cancelBooking({ bookingId }, late);
  assert.equal(await promote(other, late), "not_covered");
  assert.equal(await promote(waitingId, "2026-11-16T21:00:00.000Z"), "session_begun");
  const { result } = await studio.promoteWaiting({ waitingId }, late);
  assert.deepEqual([result.clientId, result.toTell], [second, false]);
  const left = await studio.leaveWaiting({ waitingId: other }, late);
  assert.equal(left.result.position, undefined);
  assert.equal(await promote(other, late, { uncovered: { reason: "courtesy" } }), "no_waiting");
  assert.deepEqual(await studio.contradictions(), []);
});

test("an imported session keeps its seats without a name; a name can be put to one of them", async () => {
  const studio = await newBookingStudio(api);
  const sessionId = await studio.session(EVENING, { capacity: 12, bookedCount: 15 });
  const session = { sessionId };
  const clientId = await studio.member();
  assert.equal(await refused(studio.book({ clientId, session })), "full");
  await studio.book({ clientId, session, takeUnnamed: true });
  assert.equal((await studio.shownSession(sessionId, "2026-11-16"))?.bookedCount, 15);
});

test("a regular is booked into each slot, or the slot says why not, in one write", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(2);
  const scheduleId = await studio.schedule({
    start: "2026-11-16T07:00",
    rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
    capacity: 1,
  });
  const other = await studio.member();
  await studio.book({ clientId: other, session: { scheduleId, originalStart: "2026-11-18T07:00" } });
  const span = { clientId, scheduleId, fromDay: "2026-11-17", untilDay: "2026-11-30" };
  const { result, changes } = await studio.bookMany(span);
  assert.deepEqual(
    result.map(({ originalStart, bookingId, reason }) => [originalStart, bookingId ? "booked" : reason]),
    [
      ["2026-11-18T07:00", "full"],
      ["2026-11-23T07:00", "booked"],
      ["2026-11-25T07:00", "booked"],
      ["2026-11-30T07:00", "not_covered"],
    ],
  );
  assert.deepEqual([changes.bookings, changes.sessions], [2, 2]);
  assert.equal((await studio.shownContract(contractId)).credits, 0);
  // A slot that was refused is no stored session.
  assert.equal(await studio.count("sessions where original_start = '2026-11-30 07:00'"), 0);
  const asked = (change: object) => refused(studio.bookMany({ ...span, ...change }));
  assert.equal(await asked({ untilDay: "2026-11-16" }), "body.untilDay before_member");
  assert.equal(await asked({ untilDay: "2027-02-18" }), "body.untilDay span_too_long");
  assert.equal(await asked({ fromDay: "2027-11-10", untilDay: "2027-11-18" }), "body.untilDay too_far_ahead");
  assert.equal(await asked({ scheduleId: newId() }), "no_schedule");
  const often = await studio.schedule({ start: "2026-11-16T07:00", rrule: "FREQ=DAILY" });
  assert.equal(await asked({ scheduleId: often, untilDay: "2027-01-16" }), "body.untilDay too_many_slots");
  assert.deepEqual(await studio.contradictions(), []);
});

test("the first seat claims the resource of an appointment, and the last one gives it back", async () => {
  const studio = await newBookingStudio(api);
  const serviceTypeId = await addServiceType(api.db, studio.id, { name: "Physio", holdsResource: true });
  const appointment = (start: string) => studio.session(start, { serviceTypeId, resourceIds: ["carla"] });
  const [ten, later] = [await appointment("2026-11-16T10:00"), await appointment("2026-11-16T10:30")];
  const clientId = await studio.member();
  const { id: bookingId } = (await studio.book({ clientId, session: { sessionId: ten } })).result;
  const second = () => studio.book({ clientId, session: { sessionId: later } });
  assert.equal(await refused(second()), "resource_busy");
  await studio.cancelBooking({ bookingId });
  assert.equal(await refused(second()), "done");
  assert.deepEqual(await studio.contradictions(), []);
});

test("a cancelled contract releases what it has booked on later days, and brings none of it back", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(5, { endDate: "2027-06-30" });
  const sessions = [
    await studio.session("2026-11-30T18:00"),
    await studio.session("2026-12-02T18:00", { capacity: 1 }),
  ];
  for (const sessionId of sessions) await studio.book({ clientId, session: { sessionId } });
  const next = await studio.member();
  const noon = "2026-11-16T15:00:00.000Z";
  const [, second = ""] = sessions;
  await studio.joinWaiting({ clientId: next, session: { sessionId: second } });
  const cancelled = await studio.cancelContract(
    { contractId, lastDay: "2026-11-30", reason: "moves away" },
    noon,
  );
  assert.deepEqual(cancelled.changes, {
    contracts: 1,
    sessions: 1,
    bookings: 2,
    creditsReturned: 1,
    promoted: 1,
  });
  assert.deepEqual(
    [
      cancelled.result.status,
      cancelled.result.endDate,
      cancelled.result.cancelledAt,
      cancelled.result.updatedAt,
    ],
    ["active", "2026-11-30", noon, noon],
  );
  assert.equal(cancelled.result.entitlements[0]?.remainingCredits, 4);
  assert.equal(
    await studio.count(`bookings where client_id = '${clientId}' and state = 'cancelled' and to_tell`),
    1,
  );
  const back = await studio.reinstateContract({ contractId }, "2026-11-20T12:00:00.000Z");
  assert.equal(back.result.endDate, "2027-06-30");
  assert.equal(await studio.count(`bookings where client_id = '${clientId}' and state = 'booked'`), 1);
  assert.deepEqual(await studio.contradictions(), []);
});

test("a pause releases the bookings on its days, and cannot cover a day on which the client came", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(5);
  const [monday, friday] = [await studio.session(EVENING), await studio.session("2026-11-20T18:00")];
  for (const sessionId of [monday, friday]) await studio.book({ clientId, session: { sessionId } });
  await studio.checkIn({ clientId, session: { sessionId: monday } }, "2026-11-16T21:00:00.000Z");
  const pause = (firstDay: string) =>
    studio.pauseContract(
      { contractId, firstDay, lastDay: "2026-11-30", extendsTerm: false },
      "2026-11-17T12:00:00.000Z",
    );
  assert.equal(await refused(pause("2026-11-16")), "pause_visited 2026-11-16");
  const { changes, result } = await pause("2026-11-17");
  assert.deepEqual(changes, { contracts: 1, sessions: 1, bookings: 1, creditsReturned: 1, promoted: 0 });
  // The pause shows on the API at once: the contract reads paused, and has its credit back.
  assert.deepEqual([result.status, result.entitlements[0]?.remainingCredits], ["paused", 4]);
  assert.equal(
    await refused(studio.voidSale({ contractId }, MONDAY, { actor: { ...BY, role: "manager" } })),
    "already_drawn",
  );
  assert.equal(
    await refused(studio.book({ clientId, session: { sessionId: friday } }, "2026-11-17T12:00:00.000Z")),
    "not_covered paused",
  );
});

test("the last day of a contract is whole at a location whose day ends later", async () => {
  const studio = await newBookingStudio(api);
  // An end that has passed when a contract is stored expires nothing.
  const clientId = await studio.newClient();
  await studio.newContract(clientId, {}, { endDate: "2046-11-30" });
  const manaus = await addLocation(api.db, studio.id, { timezone: "America/Manaus" });
  const there = { locationId: manaus, timezone: "America/Manaus" };
  const [late, next] = [
    await studio.session("2046-11-30T23:30", there),
    await studio.session("2046-12-01T06:00", there),
  ];
  const booking = (sessionId: string) =>
    refused(studio.book({ clientId, session: { sessionId } }, "2046-12-01T03:10:00.000Z"));
  assert.equal(await booking(late), "done");
  assert.equal(await booking(next), "not_covered ended");
  assert.equal(await studio.count("contracts where status = 'expired'"), 1);
});

test("a contract that was cancelled at once covers nothing, one with a last day covers it to the end", async () => {
  const studio = await newBookingStudio(api);
  const manaus = await addLocation(api.db, studio.id, { timezone: "America/Manaus" });
  const sessionId = await studio.session("2026-11-16T23:30", {
    locationId: manaus,
    timezone: "America/Manaus",
  });
  const outcome = async (change: { now: true } | { lastDay: string }) => {
    const clientId = await studio.newClient();
    const contractId = await studio.newContract(clientId, {});
    await studio.cancelContract({ contractId, ...change, reason: "moves away" });
    return refused(studio.book({ clientId, session: { sessionId } }, "2026-11-17T03:10:00.000Z"));
  };
  assert.equal(await outcome({ now: true }), "not_covered cancelled");
  assert.equal(await outcome({ lastDay: "2026-11-16" }), "done");
});

test("who cancelled too late has the credit back if the studio cancels the session after all, for good", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(3);
  const sessionId = await studio.session(EVENING);
  const { result: booking } = await studio.book({ clientId, session: { sessionId } });
  const late = "2026-11-16T20:00:00.000Z";
  const { result: ended } = await studio.cancelBooking({ bookingId: booking.id }, late);
  assert.deepEqual([ended.state, (await studio.shownContract(contractId)).credits], ["late_cancelled", 2]);

  const noon = atInstant(api.served, "2026-11-16T20:30:00.000Z");
  const name = { session: { sessionId } };
  const { changes } = await cancelSession(
    { db: noon, actor: BY, organizationId: studio.id },
    { ...name, reason: "ill" },
  );
  assert.deepEqual(changes, { contracts: 1, sessions: 1, bookings: 1, creditsReturned: 1, promoted: 0 });
  assert.equal((await studio.shownContract(contractId)).credits, 3);
  const states = () =>
    studio.count("bookings where state = 'cancelled' and not to_tell and ended_at is not null");
  assert.equal(await states(), 1);
  // They were not coming, so the session is reinstated without them.
  const { result: back } = await reinstateSession({ db: noon, actor: BY, organizationId: studio.id }, name);
  assert.deepEqual([back.bookedCount, await states()], [0, 1]);
  assert.equal((await studio.shownContract(contractId)).credits, 3);
  assert.deepEqual(await studio.contradictions(), []);
});

test("a booking that takes a credit is eleven statements, and waits for six answers", async () => {
  const studio = await newBookingStudio(api);
  const sessionId = await studio.session(EVENING);
  const { clientId } = await studio.packHolder(2);
  let statements = 0;
  let waits = 0;
  let underWay = 0;
  const counting = (db: Database): Database => ({
    ...db,
    query: (statement, values) => {
      statements++;
      if (underWay++ === 0) waits++;
      return db.query<never>(statement, values).finally(() => underWay--);
    },
    transaction: (work) => db.transaction((tx) => work(counting(tx))),
  });
  const db = counting(atInstant(api.served, MONDAY));
  const { result } = await book(
    { db, actor: BY, organizationId: studio.id },
    { clientId, session: { sessionId } },
  );
  assert.equal(result.state, "booked");
  assert.deepEqual([statements, waits], [11, 6]);
});

test("a session of many people is cancelled and reinstated in as many statements as one of few", async () => {
  const countStatements = async (people: number) => {
    const studio = await newBookingStudio(api);
    const sessionId = await studio.session(EVENING, { capacity: 40 });
    for (let i = 0; i < people; i++) {
      const { clientId } = await studio.packHolder(2);
      await studio.book({ clientId, session: { sessionId } });
    }
    let statements = 0;
    const counting = (db: Database): Database => ({
      ...db,
      query: (statement, values) => {
        statements++;
        return db.query(statement, values);
      },
      transaction: (work) => db.transaction((tx) => work(counting(tx))),
    });
    const db = counting(atInstant(api.served, MONDAY));
    const name = { session: { sessionId } };
    await cancelSession({ db, actor: BY, organizationId: studio.id }, { ...name, reason: "ill" });
    const { result } = await reinstateSession({ db, actor: BY, organizationId: studio.id }, name);
    assert.equal(result.bookedCount, people);
    assert.deepEqual(await studio.contradictions(), []);
    return statements;
  };
  assert.equal(await countStatements(12), await countStatements(2));
});
