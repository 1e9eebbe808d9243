import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import { pooled } from "../../src/db/statements.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { newStaff } from "../support/staff.ts";

/** What comes back when something is undone: places, seats and coverage are asked again. */

const api = await startApi();
const today = dateIn(ZONE, Date.now());
const day = daysAfter(today, 3);
const reason = "by mistake";

interface Person {
  readonly clientId: string;
  readonly contractId: string;
}

async function newDesk() {
  const studio = await newBookingStudio(api);
  const owner = await newStaff(api, studio.id);
  /** What is answered, which must not be a refusal. */
  const write = async (operation: string, input: object) => {
    const { status, body } = await owner.write(operation, input);
    assert.equal(status, 200, `${operation}: ${JSON.stringify(body)}`);
    return body;
  };
  const scheduleId = await studio.schedule({ start: `${day}T07:00`, rrule: "FREQ=DAILY" });
  const session = { scheduleId, originalStart: `${day}T07:00` };
  const newPerson = async (entitlement: object = { type: "credits", remainingCredits: 2 }) => {
    const clientId = await studio.newClient();
    return { clientId, contractId: await studio.newContract(clientId, entitlement) };
  };
  const book = async ({ clientId }: Person) =>
    (await write("book", { clientId, session })).result.id as string;
  const cancel = () => write("cancelSession", { session, reason });
  const roster = async () => {
    const { body } = await owner.read(`roster?${new URLSearchParams(session)}`);
    return body.bookings as {
      clientId: string;
      state: string;
      uncoveredReason?: string;
      moved: boolean;
      toTell: boolean;
      day: string;
    }[];
  };
  const outcomes = (body: { result: { bookings: { clientId: string; outcome: string }[] } }) =>
    new Map(body.result.bookings.map(({ clientId, outcome }) => [clientId, outcome]));
  return { studio, owner, write, scheduleId, session, newPerson, book, cancel, roster, outcomes };
}

test("nobody comes back beyond the capacity of now, nor an archived or erased client, and the dry run names them", async () => {
  const desk = await newDesk();
  const { write, newPerson, book, session, scheduleId } = desk;
  const [ana, bia, caio, duda, elsa, fabio] = await Promise.all(Array.from({ length: 6 }, () => newPerson()));
  assert.ok(ana && bia && caio && duda && elsa && fabio);
  const everybody = [ana, bia, caio, duda, elsa, fabio];
  for (const person of everybody) await book(person);
  await desk.cancel();
  await write("archiveClient", { clientId: bia.clientId });
  await write("cancelContract", { contractId: caio.contractId, now: true, reason });
  await write("cancelContract", { contractId: fabio.contractId, now: true, reason });
  await write("eraseClient", { clientId: fabio.clientId, basis: "on request" });
  await write("editSchedule", { scheduleId, changes: { capacity: 3 } });
  const told = (await desk.roster()).filter(({ clientId }) => clientId !== ana.clientId);
  await write("markTold", { bookingIds: told.map((each) => (each as unknown as { id: string }).id) });

  const expected = [
    [ana.clientId, "booked"],
    [bia.clientId, "archived"],
    [caio.clientId, "uncovered"],
    [duda.clientId, "booked"],
    [elsa.clientId, "full"],
    [fabio.clientId, "erased"],
  ];
  const dry = await write("reinstateSession", { session, dryRun: true });
  assert.deepEqual([...desk.outcomes(dry)], expected);
  assert.deepEqual(dry.changes, { contracts: 2, sessions: 1, bookings: 3, creditsReturned: 0, promoted: 0 });
  assert.equal(dry.result.bookedCount, 3);
  assert.ok(
    (await desk.roster()).every(({ state }) => state === "cancelled"),
    "a dry run changes nothing",
  );

  const headers = { "idempotency-key": newId() };
  const done = await desk.owner.write("reinstateSession", { session }, { headers });
  assert.deepEqual([...desk.outcomes(done.body)], expected);
  assert.deepEqual((await desk.owner.write("reinstateSession", { session }, { headers })).body, done.body);
  const found = new Map((await desk.roster()).map((booking) => [booking.clientId, booking]));
  assert.deepEqual(
    everybody.map(({ clientId }) => {
      const { state = "", uncoveredReason = "", toTell = false } = found.get(clientId) ?? {};
      return [state, uncoveredReason, toTell].join(" ");
    }),
    [
      "booked  true",
      "cancelled  false",
      "booked reinstated true",
      "booked  true",
      "cancelled  true",
      "cancelled  false",
    ],
  );
  const credits = await Promise.all(
    everybody.map(async ({ contractId }) => (await desk.studio.shownContract(contractId)).credits),
  );
  assert.deepEqual(credits, [1, 2, 2, 1, 2, 2], "only who is covered draws");
  assert.deepEqual(await desk.studio.contradictions(), []);
  const again = await write("reinstateSession", { session });
  assert.equal(again.result.bookings, undefined, "there is nothing left to bring back");
});

const revoke = pooled(
  "test_revoke_grants",
  "update contract_entitlements set revoked_at = now() where organization_id = $1 and contract_id = $2",
);

test("who is not covered any more comes back uncovered, whatever the reason is", async () => {
  const desk = await newDesk();
  const { write, newPerson, book, session, studio } = desk;
  const ways: Record<string, (person: Person) => Promise<unknown>> = {
    cancelled: ({ contractId }) => write("cancelContract", { contractId, now: true, reason }),
    "cancelled before that day": ({ contractId }) =>
      write("cancelContract", { contractId, lastDay: today, reason }),
    ended: ({ contractId }) => write("setEndDate", { contractId, endDate: today, reason }),
    paused: ({ contractId }) => write("pauseContract", { contractId, firstDay: day, lastDay: day }),
    blocked: ({ contractId }) => write("blockAccess", { contractId, reason }),
    revoked: ({ contractId }) => api.db.query(revoke, [studio.id, contractId]),
    "at its cap": ({ clientId }) =>
      write("book", {
        clientId,
        session: { ...session, originalStart: `${daysAfter(day, 1)}T07:00` },
      }),
  };
  const people = new Map<string, Person>();
  for (const way of Object.keys(ways)) {
    const person = await newPerson(way === "at its cap" ? { maxVisitsPerPeriod: 1 } : {});
    people.set(way, person);
    await book(person);
  }
  const covered = await newPerson({ maxVisitsPerPeriod: 1 });
  await book(covered);
  await desk.cancel();
  for (const [way, person] of people) await ways[way]?.(person);
  const outcomes = desk.outcomes(await write("reinstateSession", { session }));
  for (const [way, { clientId }] of people) assert.equal(outcomes.get(clientId), "uncovered", way);
  assert.equal(outcomes.get(covered.clientId), "booked");
  assert.equal(await studio.count("bookings where uncovered_reason = 'reinstated'"), people.size);
});

test("who comes back to another hour is moved and to be told", async () => {
  const desk = await newDesk();
  const { write, newPerson, book, session, scheduleId } = desk;
  const person = await newPerson();
  await book(person);
  const left = await newPerson();
  const bookingId = await book(left);
  await write("cancelBooking", { bookingId });
  await desk.cancel();
  await write("editSchedule", { scheduleId, changes: { start: `${day}T09:00` } });
  session.originalStart = `${day}T09:00`;
  await write("reinstateSession", { session });
  const [back] = (await desk.roster()).filter(({ clientId }) => clientId === person.clientId);
  assert.deepEqual([back?.state, back?.moved, back?.toTell], ["booked", true, true]);
  const restored = (await write("restoreBooking", { bookingId })).result;
  assert.deepEqual([restored.state, restored.moved, restored.toTell], ["booked", true, true]);
});

test("a booking that is restored is on the day that its session has now", async () => {
  const desk = await newDesk();
  const { write, newPerson, book, session } = desk;
  const bookingId = await book(await newPerson());
  await write("cancelBooking", { bookingId });
  await write("editSession", { session, changes: { start: `${daysAfter(day, 1)}T10:00` } });
  const restored = (await write("restoreBooking", { bookingId })).result;
  assert.deepEqual([restored.day, restored.moved, restored.toTell], [daysAfter(day, 1), true, true]);
  assert.deepEqual(await desk.studio.contradictions(), []);
});

test("seats without a name come back first, and not beyond the capacity either", async () => {
  const desk = await newDesk();
  const { write, newPerson, studio } = desk;
  const sessionId = await studio.session(`${day}T15:00`, { capacity: 4, bookedCount: 2 });
  const session = { sessionId };
  const people = [await newPerson(), await newPerson()];
  for (const { clientId } of people) await write("book", { clientId, session });
  const resize = pooled(
    "test_shrink",
    "update sessions set capacity = $3 where organization_id = $1 and id = $2",
  );
  for (const [capacity, back] of [
    [3, 1],
    [1, 0],
  ] as const) {
    await write("cancelSession", { session, reason });
    await api.db.query(resize, [studio.id, sessionId, capacity]);
    const { result } = await write("reinstateSession", { session });
    assert.equal(result.bookedCount, capacity);
    const booked = result.bookings.filter(({ outcome }: { outcome: string }) => outcome === "booked");
    assert.equal(booked.length, back);
  }
});

test("nothing comes back at a closed location or of an archived service type", async () => {
  for (const [close, reopen, id] of [
    ["closeLocation", "reopenLocation", "locationId"],
    ["archiveServiceType", "restoreServiceType", "serviceTypeId"],
  ] as const) {
    const { write, owner, studio, newPerson } = await newDesk();
    const { clientId } = await newPerson();
    // Of yesterday, so that closing leaves it as it is.
    const begun = await studio.session(`${daysAfter(today, -1)}T07:00`);
    const booked = await write("book", { clientId, session: { sessionId: begun } });
    await write("cancelBooking", { bookingId: booked.result.id, waive: true, reason });
    const sessionId = await studio.session(`${day}T15:00`);
    await write("book", { clientId, session: { sessionId } });
    await write(close, { [id]: studio.place[id], cancelBooked: true });
    const restore = () => owner.write("restoreBooking", { bookingId: booked.result.id });
    const reinstate = () => owner.write("reinstateSession", { session: { sessionId } });
    for (const attempt of [reinstate, restore]) {
      const { status, body } = await attempt();
      assert.equal(`${status} ${body.reason}`, "409 place_closed");
      assert.equal(body.detail, "This location is closed, or the service is no longer offered.");
    }
    await write(reopen, { [id]: studio.place[id] });
    assert.equal((await reinstate()).body.result.bookedCount, 1);
    assert.equal((await restore()).body.result.state, "booked");
  }
});

test("a late cancellation comes back on the draw that it kept, unless that covers it no more", async () => {
  const { write, owner, newPerson, studio } = await newDesk();
  await write("editSettings", { changes: { cancelWindowMinutes: 10_080 } });
  const sessionId = await studio.session(`${day}T15:00`);
  const late = async (entitlement: object) => {
    const person = await newPerson(entitlement);
    const session = { sessionId };
    const bookingId = (await write("book", { clientId: person.clientId, session })).result.id as string;
    assert.equal((await write("cancelBooking", { bookingId })).result.state, "late_cancelled");
    return { ...person, bookingId };
  };
  // Its own draw is what the last credit and the only visit went to.
  for (const entitlement of [{ type: "credits", remainingCredits: 1 }, { maxVisitsPerPeriod: 1 }]) {
    const { bookingId, contractId } = await late(entitlement);
    const before = (await studio.shownContract(contractId)).updatedAt;
    assert.equal((await write("restoreBooking", { bookingId })).result.contractId, contractId);
    assert.equal((await studio.shownContract(contractId)).updatedAt, before, "nothing was drawn");
  }
  const { bookingId, clientId, contractId } = await late({ type: "credits", remainingCredits: 1 });
  await write("blockAccess", { contractId, reason });
  const refused = await owner.write("restoreBooking", { bookingId });
  assert.equal(`${refused.body.reason} ${refused.body.reasons[0].reason}`, "not_covered blocked");
  const other = await studio.newContract(clientId, { type: "credits", remainingCredits: 5 });
  assert.equal((await write("restoreBooking", { bookingId })).result.contractId, other);
  assert.equal((await studio.shownContract(contractId)).credits, 1, "what it kept goes back");
  assert.equal((await studio.shownContract(other)).credits, 4);
});
