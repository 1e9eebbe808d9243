import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const makeOverdue = pooled("test_make_overdue", "update invoices set due_on = $2 where organization_id = $1");

interface Booking {
  readonly clientName: string;
}
interface DaySession {
  readonly session: { readonly id?: string; readonly resourceIds?: string[] };
  readonly bookings: readonly Booking[];
}

/** A studio with a class of a teacher's today, one of a colleague's, and a client with everything noted in each. */
async function newTeaching() {
  const studio = await newBookingStudio(api, "UTC", "UTC");
  const teacher = await newStaff(api, studio.id, { role: "teacher" });
  const desk = await newStaff(api, studio.id, { role: "front_desk" });
  const start = `${dateIn("UTC", Date.now())}T00:00`;
  const own = await studio.session(start, { resourceIds: [teacher.id] });
  const foreign = await studio.session(start, { resourceIds: [newId()] });
  const { body: made } = await desk.write("addClient", {
    contactName: "Ana Souza",
    contactEmail: "ana@example.com",
    contactPhone: "+55 11 91234-5678",
    notes: "Left knee",
    locationIds: [studio.place.locationId],
  });
  const clientId: string = made.result.id;
  const booked: string[] = [];
  for (const sessionId of [own, foreign]) {
    const input = { clientId, session: { sessionId }, uncovered: { reason: "A guest" } };
    const { status, body } = await desk.write("book", input);
    assert.equal(status, 200, JSON.stringify(body));
    booked.push(body.result.id);
  }
  const [ownBooking, foreignBooking] = booked;
  return { studio, teacher, desk, own, foreign, clientId, ownBooking, foreignBooking };
}

test("a teacher sees the sessions that they run and no others: today, in the calendar and as a roster", async () => {
  const { teacher, own, foreign } = await newTeaching();
  const { body: today } = await teacher.read("today");
  assert.deepEqual(
    (today.sessions as DaySession[]).map(({ session }) => session.id),
    [own],
  );
  const day = dateIn("UTC", Date.now());
  const window = `from=${day}T00:00:00Z&to=${day}T23:59:59Z`;
  const { body: calendar } = await teacher.read(`calendar?${window}`);
  assert.deepEqual(
    calendar.data.map(({ id }: { id: string }) => id),
    [own],
  );
  assert.equal((await teacher.read(`roster?sessionId=${own}`)).status, 200);
  for (const path of [`roster?sessionId=${foreign}`, `calendar?${window}&resourceId=somebody`]) {
    const { status, body } = await teacher.read(path);
    assert.deepEqual([status, body.reason], [403, "not_allowed"], path);
  }
});

test("of those who come a teacher reads name and notes, and nothing of contact or money", async () => {
  const { teacher, desk, own, clientId, studio } = await newTeaching();
  const owner = await newStaff(api, studio.id);
  await owner.write("editSettings", { changes: { invoicesFrom: "2026-01-01" } });
  const yesterday = dateIn("UTC", Date.now() - 86_400_000);
  const invoice = await desk.write("addInvoice", { clientId, description: "Water", amountCents: 500 });
  assert.equal(invoice.status, 200, JSON.stringify(invoice.body));
  await api.db.query(makeOverdue, [studio.id, yesterday]);
  const { body: ofDesk } = await desk.read(`roster?sessionId=${own}`);
  assert.equal(ofDesk.bookings[0].owesSince, yesterday);
  assert.equal(ofDesk.bookings[0].clientNotes, undefined);
  const { body } = await teacher.read(`roster?sessionId=${own}`);
  assert.deepEqual(
    [body.bookings[0].clientName, body.bookings[0].clientNotes, body.bookings[0].owesSince],
    ["Ana Souza", "Left knee", undefined],
  );
  const checkedIn = await teacher.write("checkIn", { clientId, session: { sessionId: own } });
  assert.equal(checkedIn.status, 200, JSON.stringify(checkedIn.body));
  for (const answer of [body, checkedIn.body, (await teacher.read("today")).body])
    assert.doesNotMatch(JSON.stringify(answer), /ana@example|91234|owesSince|priceCents/);
});

test("a teacher marks who came to their own sessions, and to nobody else's", async () => {
  const { teacher, own, foreign, clientId, ownBooking, foreignBooking } = await newTeaching();
  const attended = { bookingId: ownBooking, state: "attended" };
  assert.equal((await teacher.write("setAttendance", attended)).status, 200);
  assert.equal((await teacher.write("setAttendance", { ...attended, state: "booked" })).status, 200);
  for (const [operation, input] of [
    ["setAttendance", { bookingId: foreignBooking, state: "attended" }],
    ["checkIn", { clientId, session: { sessionId: foreign } }],
    ["markRest", { sessionId: foreign }],
    ["unmarkRest", { sessionId: foreign, bookingIds: [foreignBooking] }],
  ] as const) {
    for (const dryRun of [true, false]) {
      const { status, body } = await teacher.write(operation, { ...input, ...(dryRun && { dryRun }) });
      assert.deepEqual([status, body.reason], [403, "not_allowed"], operation);
    }
  }
  const { body: rest } = await teacher.write("markRest", { sessionId: own });
  assert.ok(rest.reason === "too_early" || rest.result.bookings === 1, JSON.stringify(rest));
});

test("a substitute's class is theirs at once, and no longer the teacher's whom they stand in for", async () => {
  const { studio, teacher, desk, own } = await newTeaching();
  const substitute = await newStaff(api, studio.id, { role: "teacher" });
  assert.equal((await substitute.read(`roster?sessionId=${own}`)).status, 403);
  const changed = { session: { sessionId: own }, changes: { resourceIds: [substitute.id] } };
  assert.equal((await desk.write("editSession", changed)).status, 200);
  assert.equal((await substitute.read(`roster?sessionId=${own}`)).status, 200);
  assert.equal((await teacher.read(`roster?sessionId=${own}`)).status, 403);
});

test("a teacher is one active person of the timetable; nobody else is", async () => {
  const studio = await newBookingStudio(api, ZONE);
  const owner = await newStaff(api, studio.id);
  const made = async (name: string, kind: string): Promise<string> =>
    (await owner.write("addResource", { name, kind })).body.result.id;
  const [carla, room, gone] = [
    await made("Carla", "person"),
    await made("Hall", "room"),
    await made("Old", "person"),
  ];
  await owner.write("archiveResource", { resourceId: gone });
  const person = { name: "Carla", email: `${newId()}@example.com`, allLocations: true };
  const faultOf = async (input: object) => {
    const { status, body } = await owner.write("addStaff", { ...person, ...input });
    assert.equal(status, 422);
    return body.errors.map(({ location, code }: { location: string; code: string }) => `${location} ${code}`);
  };
  assert.deepEqual(await faultOf({ role: "teacher" }), ["body.resourceId required"]);
  assert.deepEqual(await faultOf({ role: "teacher", resourceId: "x" }), ["body.resourceId resource_unknown"]);
  assert.deepEqual(await faultOf({ role: "teacher", resourceId: room }), ["body.resourceId not_a_person"]);
  assert.deepEqual(await faultOf({ role: "teacher", resourceId: gone }), [
    "body.resourceId resource_archived",
  ]);
  assert.deepEqual(await faultOf({ role: "manager", resourceId: carla }), [
    "body.resourceId only_for_teachers",
  ]);

  const { body: added } = await owner.write("addStaff", { ...person, role: "teacher", resourceId: carla });
  const { staff } = added.result;
  assert.deepEqual([staff.role, staff.resourceId], ["teacher", carla]);
  const { body: promoted } = await owner.write("editStaff", {
    staffId: staff.id,
    changes: { role: "front_desk" },
  });
  assert.equal(promoted.result.resourceId, undefined);
  const { operation, input } = promoted.undo;
  const { body: back } = await owner.write(operation, input);
  assert.deepEqual([back.result.role, back.result.resourceId], ["teacher", carla]);
});
