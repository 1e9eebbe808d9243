import assert from "node:assert/strict";
import { test } from "node:test";
import { STAFF_WRITES } from "../../src/app/all-writes.ts";
import { startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { newStaff, type TestStaff } from "../support/staff.ts";

const first = await startApi();
/** A Monday, nine in the morning in São Paulo. */
const NOW = "2026-11-16T12:00:00.000Z";
const api = await startApi({ beside: first, clockOffsetMs: Date.parse(NOW) - Date.now() });

type Studio = Awaited<ReturnType<typeof newStudio>>;

/** A studio with one of everything, made by the operations themselves. */
async function newStudio() {
  const { id } = await api.newOrganization({ timezone: "America/Sao_Paulo" });
  const owner = await newStaff(api, id);
  const write = async (operation: string, input: object) => {
    const answer = await owner.write(operation, input);
    assert.equal(answer.status, 200, `${operation}: ${answer.text}`);
    return answer.body;
  };
  const make = async (operation: string, input: object) =>
    (await write(operation, input)).result.id as string;
  const read = async (path: string) => {
    const answer = await owner.read(path);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const locationId = await make("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
  const serviceTypeId = await make("addServiceType", { name: "Pilates", holdsResource: false });
  const entitlements = [{ type: "credits", creditQuantity: 10 }];
  const pack = { name: "Pack", billingKind: "one_time", priceCents: 30_000, entitlements };
  const planId = await make("addPlan", { ...pack, durationCount: 6, durationUnit: "month" });
  const newClient = (contactName: string) => make("addClient", { contactName, locationIds: [locationId] });
  const clientId = await newClient("Ana");
  const contractId = await make("sellContract", { clientId, planId });
  const place = { serviceTypeId, locationId, durationMinutes: 50, capacity: 1 };
  const session = async (start = "2026-11-16T09:30") => {
    const sessionId = await make("addSession", { ...place, start });
    return { session: { sessionId }, sessionId };
  };
  const entitlementId = (await read(`contracts/${contractId}`)).entitlements[0].id as string;
  return {
    ...{ id, owner, write, make, read, place, pack, newClient },
    ...{ locationId, serviceTypeId, planId, clientId, contractId, entitlementId, session },
    contract: () => read(`contracts/${contractId}`),
    sums: sumsOf(read, clientId),
    /** The contract and the session, as far as bookings change them, and who has a seat or waits. */
    visits: async (sessionId: string) => {
      const { session: shown, bookings, waiting } = await read(`roster?sessionId=${sessionId}`);
      const states = bookings.map(({ state }: { state: string }) => state);
      const { entitlements: grants } = await read(`contracts/${contractId}`);
      return {
        bookedCount: shown.bookedCount,
        status: shown.status,
        seats: states.filter((state: string) => !state.endsWith("cancelled")),
        waiting: waiting.length,
        credits: grants[0].remainingCredits,
      };
    },
  };
}

/** What a client owes and has left. A void payment or invoice stays in the lines of the account. */
function sumsOf(read: (path: string) => Promise<Record<string, unknown>>, clientId: string) {
  return async () => {
    const { openCents, overdueCents, balanceCents } = await read(`clients/${clientId}/account`);
    return { openCents, overdueCents, balanceCents };
  };
}

/** A write that can be undone, and what shows whether it was. */
interface Row {
  readonly input: object;
  readonly look: () => Promise<unknown>;
}

/** One write for each operation that says how it is undone. */
const ROWS: Readonly<Record<string, (studio: Studio) => Promise<Row>>> = {
  sellContract: async ({ clientId, planId, read }) => ({
    input: { clientId, planId },
    look: () => read(`contracts?clientId=${clientId}`),
  }),
  recordPayment: async ({ clientId, sums }) => ({
    input: { clientId, amountCents: 500, method: "cash" },
    look: sums,
  }),
  refund: async ({ clientId, make, sums }) => {
    await make("recordPayment", { clientId, amountCents: 500, method: "cash" });
    return { input: { clientId, amountCents: 300, method: "cash", reason: "paid too much" }, look: sums };
  },
  addInvoice: async ({ newClient, read }) => {
    const clientId = await newClient("Bia");
    return {
      input: { clientId, description: "a bottle of water", amountCents: 600 },
      look: sumsOf(read, clientId),
    };
  },
  editInvoice: async ({ newClient, make, read }) => {
    const clientId = await newClient("Caio");
    const invoiceId = await make("addInvoice", { clientId, description: "a late fee", amountCents: 600 });
    const input = { invoiceId, changes: { amountCents: 700 }, reason: "a typing error" };
    return { input, look: sumsOf(read, clientId) };
  },
  blockAccess: async ({ contractId, contract }) => ({
    input: { contractId, reason: "owes" },
    look: contract,
  }),
  unblockAccess: async ({ clientId, planId, read, make, write }) => {
    const contractId = await make("sellContract", { clientId, planId });
    await write("blockAccess", { contractId, reason: "owes" });
    return { input: { contractId }, look: () => read(`contracts/${contractId}`) };
  },
  adjustCredits: async ({ entitlementId, contract }) => ({
    input: { entitlementId, by: -3, reason: "counted twice" },
    look: contract,
  }),
  setEndDate: async ({ contractId, contract }) => ({
    input: { contractId, endDate: "2026-12-31", reason: "a gift" },
    look: contract,
  }),
  pauseContract: async ({ contractId, contract }) => ({
    input: { contractId, firstDay: "2026-11-16", lastDay: "2026-11-30" },
    look: contract,
  }),
  cancelContract: async ({ contractId, contract }) => ({
    input: { contractId, now: true, reason: "moves away" },
    look: contract,
  }),
  book: async ({ clientId, session, visits }) => {
    const { session: name, sessionId } = await session();
    return { input: { clientId, session: name }, look: () => visits(sessionId) };
  },
  bookMany: async ({ place, make, read, newClient, planId, write }) => {
    const scheduleId = await make("addSchedule", {
      ...place,
      start: "2026-11-18T07:00",
      rrule: "FREQ=DAILY",
    });
    const other = await newClient("Bia");
    await write("sellContract", { clientId: other, planId });
    return {
      input: { clientId: other, scheduleId, fromDay: "2026-11-18", untilDay: "2026-11-20" },
      look: async () => ({
        places: await read(`clients/${other}/fixed-places`),
        credits: (await read(`clients/${other}/contracts`)).data[0].entitlements[0].remainingCredits,
      }),
    };
  },
  cancelBooking: async ({ clientId, session, visits, make }) => {
    const { session: name, sessionId } = await session("2026-11-17T18:00");
    const bookingId = await make("book", { clientId, session: name });
    return { input: { bookingId }, look: () => visits(sessionId) };
  },
  restoreBooking: async ({ clientId, session, visits, make, write }) => {
    const { session: name, sessionId } = await session("2026-11-17T18:00");
    const bookingId = await make("book", { clientId, session: name });
    await write("cancelBooking", { bookingId });
    return { input: { bookingId }, look: () => visits(sessionId) };
  },
  checkIn: async ({ clientId, session, visits, write }) => {
    const { session: name, sessionId } = await session();
    await write("book", { clientId, session: name });
    return { input: { clientId, session: name }, look: () => visits(sessionId) };
  },
  setAttendance: async ({ clientId, session, visits, make }) => {
    const { session: name, sessionId } = await session();
    const bookingId = await make("checkIn", { clientId, session: name });
    return { input: { bookingId, state: "booked" }, look: () => visits(sessionId) };
  },
  markRest: async ({ clientId, session, visits, write }) => {
    const { session: name, sessionId } = await session("2026-11-16T07:00");
    await write("book", { clientId, session: name, uncovered: { reason: "a gift" } });
    return { input: { sessionId }, look: () => visits(sessionId) };
  },
  markTold: async ({ clientId, session, make, write, read }) => {
    const { session: name } = await session("2026-11-17T18:00");
    const bookingId = await make("book", { clientId, session: name });
    await write("cancelSession", { session: name, reason: "the teacher is ill" });
    return { input: { bookingIds: [bookingId] }, look: async () => (await read("todo")).toTell };
  },
  markCourtesy: async ({ clientId, session, make, read }) => {
    const { session: name } = await session("2026-11-17T18:00");
    const bookingId = await make("book", { clientId, session: name, uncovered: { reason: "a gift" } });
    return { input: { bookingId }, look: async () => (await read("todo")).uncovered };
  },
  unmarkCourtesy: async ({ clientId, session, make, write, read }) => {
    const { session: name } = await session("2026-11-17T18:00");
    const bookingId = await make("book", { clientId, session: name, uncovered: { reason: "a gift" } });
    await write("markCourtesy", { bookingId });
    return { input: { bookingId }, look: async () => (await read("todo")).uncovered };
  },
  joinWaiting: async ({ clientId, session, visits, newClient, write }) => {
    const { session: name, sessionId } = await session("2026-11-17T18:00");
    const other = await newClient("Bia");
    await write("book", { clientId: other, session: name, uncovered: { reason: "a gift" } });
    return { input: { clientId, session: name }, look: () => visits(sessionId) };
  },
  cancelSession: async ({ clientId, session, visits, write }) => {
    const { session: name, sessionId } = await session("2026-11-17T18:00");
    await write("book", { clientId, session: name });
    return { input: { session: name, reason: "the teacher is ill" }, look: () => visits(sessionId) };
  },
  editSession: async ({ session, read, make }) => {
    const { session: name, sessionId } = await session("2026-11-17T18:00");
    const resourceId = await make("addResource", { name: "Carla", kind: "person" });
    const changes = { start: "2026-11-18T19:00", capacity: 4, resourceIds: [resourceId] };
    return {
      input: { session: name, changes },
      look: async () => (await read(`roster?sessionId=${sessionId}`)).session,
    };
  },
  addSchedule: async ({ place, read }) => ({
    input: { ...place, start: "2026-11-18T07:00", rrule: "FREQ=WEEKLY" },
    look: () => read("schedules"),
  }),
  editPlan: async ({ planId, read, serviceTypeId }) => ({
    input: {
      planId,
      changes: {
        name: "Pack of 12",
        terms: "No refunds.",
        durationCount: null,
        durationUnit: null,
        entitlements: [{ type: "credits", creditQuantity: 12, serviceTypeId }],
      },
      applyTo: "all",
    },
    look: () => read(`plans/${planId}`),
  }),
  archivePlan: async ({ planId, read }) => ({ input: { planId }, look: () => read(`plans/${planId}`) }),
  restorePlan: async ({ pack, read, make, write }) => {
    const planId = await make("addPlan", pack);
    await write("archivePlan", { planId });
    return { input: { planId }, look: () => read(`plans/${planId}`) };
  },
  editLocation: async ({ locationId, read }) => ({
    input: { locationId, changes: { name: "Norte", address: "Rua A 1", timezone: "America/Manaus" } },
    look: () => read("locations"),
  }),
  closeLocation: async ({ read, make }) => ({
    input: { locationId: await make("addLocation", { name: "Oeste", timezone: "America/Sao_Paulo" }) },
    look: () => read("locations"),
  }),
  reopenLocation: async ({ read, make, write }) => {
    const locationId = await make("addLocation", { name: "Sul", timezone: "America/Sao_Paulo" });
    await write("closeLocation", { locationId });
    return { input: { locationId }, look: () => read("locations") };
  },
  editServiceGroup: async ({ serviceTypeId, make, read }) => {
    const serviceGroupId = await make("addServiceGroup", { name: "Mat", serviceTypeIds: [serviceTypeId] });
    return {
      input: { serviceGroupId, changes: { name: "Floor", serviceTypeIds: [] } },
      look: () => read("service-groups"),
    };
  },
  editServiceType: async ({ serviceTypeId, read }) => ({
    input: { serviceTypeId, changes: { name: "Yoga", description: "On the mat.", holdsResource: true } },
    look: () => read(`service-types/${serviceTypeId}`),
  }),
  archiveServiceType: async ({ read, make }) => {
    const serviceTypeId = await make("addServiceType", { name: "Stretching", holdsResource: false });
    return { input: { serviceTypeId }, look: () => read(`service-types/${serviceTypeId}`) };
  },
  restoreServiceType: async ({ read, make, write }) => {
    const serviceTypeId = await make("addServiceType", { name: "Barre", holdsResource: false });
    await write("archiveServiceType", { serviceTypeId });
    return { input: { serviceTypeId }, look: () => read(`service-types/${serviceTypeId}`) };
  },
  editResource: async ({ make, read }) => ({
    input: {
      resourceId: await make("addResource", { name: "Sala 1", kind: "person" }),
      changes: { kind: "room" },
    },
    look: () => read("resources"),
  }),
  archiveResource: async ({ make, read }) => ({
    input: { resourceId: await make("addResource", { name: "Sala 1", kind: "room" }) },
    look: () => read("resources"),
  }),
  restoreResource: async ({ make, read, write }) => {
    const resourceId = await make("addResource", { name: "Sala 1", kind: "room" });
    await write("archiveResource", { resourceId });
    return { input: { resourceId }, look: () => read("resources") };
  },
  archiveClient: async ({ newClient, read }) => {
    const clientId = await newClient("Bia");
    return { input: { clientId }, look: () => read(`clients/${clientId}`) };
  },
  restoreClient: async ({ newClient, read, write }) => {
    const clientId = await newClient("Bia");
    await write("archiveClient", { clientId });
    return { input: { clientId }, look: () => read(`clients/${clientId}`) };
  },
  editSettings: async ({ read }) => ({
    input: { changes: { cancelWindowMinutes: 720, weekStart: "sunday" } },
    look: () => read("settings"),
  }),
  editOrganization: async ({ read }) => ({
    input: { changes: { name: "Other", timezone: "Asia/Tokyo" } },
    look: () => read("me"),
  }),
  colorCalendar: async ({ serviceTypeId, read }) => ({
    input: { by: "teacher", colors: [{ id: serviceTypeId, color: "red" }] },
    look: () => read("calendar-colors"),
  }),
  editStaff: async ({ id, locationId, read }) => {
    const colleague = await newStaff(api, id, { role: "manager" });
    return {
      input: {
        staffId: colleague.id,
        changes: { role: "front_desk", allLocations: false, locationIds: [locationId] },
      },
      look: () => read("staff"),
    };
  },
};

test("every write that says how it is undone is in the table", () => {
  const declared = STAFF_WRITES.flatMap(({ name, undo }) => (undo ? [name] : []));
  assert.deepEqual(Object.keys(ROWS).sort(), declared.sort());
});

test("each such write answers what undoes it, the trail says the same, and after that all is as before", async () => {
  const studio = await newStudio();
  const answered = new Map<string, unknown>();
  for (const [operation, prepare] of Object.entries(ROWS)) {
    const { input, look } = await prepare(studio);
    const before = shown(await look());
    const key = { "idempotency-key": newId() };
    const done = await studio.owner.write(operation, input, { headers: key });
    assert.equal(done.status, 200, `${operation}: ${done.text}`);
    const { auditId, undo } = done.body;
    assert.ok(undo, `${operation} has no undo: ${done.text}`);
    assert.notDeepEqual(shown(await look()), before, `${operation} changed nothing that the table looks at`);
    answered.set(auditId, undo);
    if (operation === "sellContract") {
      const again = await studio.owner.write(operation, input, { headers: key });
      assert.deepEqual(again.body.undo, undo, "a repeat is answered alike");
    }
    const undone = await studio.owner.write(undo.operation, undo.input);
    assert.equal(undone.status, 200, `${operation} undone: ${undone.text}`);
    assert.deepEqual(shown(await look()), before, `${operation} undone`);
  }
  const { data } = await studio.read("audit?limit=200");
  const recorded = new Map(data.map((entry: { id: string; undo?: object }) => [entry.id, entry.undo]));
  const adjusted = data.findLast(({ action }: { action: string }) => action === "adjustCredits");
  for (const [auditId, undo] of answered)
    assert.deepEqual(recorded.get(auditId), auditId === adjusted.id ? undefined : undo);
});

test("an adjustment of credits is undone once, by whoever is first, and what undid it can be undone in turn", async () => {
  const { id, owner, write, read, entitlementId, contract, make, clientId, planId } = await newStudio();
  const balance = async () => (await contract()).entitlements[0].remainingCredits;
  const entryOf = async (auditId: string) =>
    (await read("audit?limit=50")).data.find((entry: { id: string }) => entry.id === auditId);
  await write("adjustCredits", { entitlementId, by: 20, reason: "a gift" });
  const { auditId, undo } = await write("adjustCredits", { entitlementId, by: 5, reason: "a gift" });
  assert.equal(await balance(), 35);
  assert.deepEqual((await entryOf(auditId)).undo, undo);
  const colleague = await newStaff(api, id, { role: "manager" });
  const answers = await Promise.all(
    [owner, colleague, owner, colleague].map((staff) => staff.write(undo.operation, undo.input)),
  );
  assert.deepEqual(answers.map(({ status, body }) => body.reason ?? status).sort(), [
    200,
    "already_undone",
    "already_undone",
    "already_undone",
  ]);
  assert.equal(await balance(), 30);
  const done = answers.find(({ status }) => status === 200)?.body;
  const { undoneBy, undo: offered } = await entryOf(auditId);
  assert.deepEqual([undoneBy, offered], [done.auditId, undefined]);
  const dry = await owner.write(undo.operation, { ...undo.input, dryRun: true });
  assert.deepEqual([dry.status, dry.body.reason], [409, "already_undone"]);

  await write(done.undo.operation, done.undo.input);
  assert.equal(await balance(), 35);
  assert.equal((await owner.write(done.undo.operation, done.undo.input)).body.reason, "already_undone");
  assert.equal((await owner.write(undo.operation, undo.input)).body.reason, "already_undone");

  // Only what it was, of the balance that it was, is taken back by naming it.
  const other = (await read(`contracts/${await make("sellContract", { clientId, planId })}`)).entitlements[0];
  const { auditId: third } = await write("adjustCredits", { entitlementId, by: 2, reason: "a gift" });
  const sold = (await read("audit?limit=50")).data.find(
    ({ action }: { action: string }) => action === "sellContract",
  );
  for (const changed of [
    { by: -1 },
    { by: 2 },
    { entitlementId: other.id },
    { undoes: newId() },
    { undoes: sold.id },
  ]) {
    const input = { entitlementId, by: -2, reason: "undone", undoes: third, ...changed };
    const { status, body } = await owner.write("adjustCredits", input);
    assert.deepEqual(
      [status, body.errors?.[0].location, body.errors?.[0].code],
      [422, "body.undoes", "adjustment_unknown"],
    );
  }
  await write("adjustCredits", { entitlementId, by: -2, reason: "undone", undoes: third.toUpperCase() });
  assert.equal((await entryOf(third)).undo, undefined);
  assert.equal(await balance(), 35);
});

test("what changed nothing, or cannot be put back by its entry alone, has no undo", async () => {
  const studio = await newStudio();
  const { write, make, contractId, clientId, session, locationId, place } = studio;
  const { session: booked } = await session("2026-11-17T18:00");
  await write("book", { clientId, session: booked });
  const { session: cancelled } = await session("2026-11-18T18:00");
  await write("cancelSession", { session: cancelled, reason: "ill" });
  await write("blockAccess", { contractId, reason: "owes" });
  const resourceId = await make("addResource", { name: "Carla", kind: "person" });
  const colleague = await newStaff(api, studio.id, { role: "manager" });
  const elsewhere = await make("addLocation", { name: "Norte", timezone: "America/Sao_Paulo" });
  await write("addSession", { ...place, locationId: elsewhere, start: "2026-11-19T18:00" });
  const cases: readonly [string, object][] = [
    ["blockAccess", { contractId, reason: "owes" }],
    ["book", { clientId, session: booked }],
    ["cancelSession", { session: cancelled, reason: "ill" }],
    ["editClient", { clientId, changes: { contactName: "Ana Lima" } }],
    ["editResource", { resourceId, changes: { name: "Carla Dias", kind: "room" } }],
    ["editStaff", { staffId: colleague.id, changes: { name: "Bia", role: "owner" } }],
    ["editLocation", { locationId, changes: { name: "Centro" } }],
    ["closeLocation", { locationId: elsewhere, cancelBooked: true }],
    ["pauseContract", { contractId, firstDay: "2026-11-16", lastDay: "2026-11-16", extendsTerm: false }],
  ];
  for (const [operation, input] of cases.slice(0, -1)) {
    const { undo } = await write(operation, input);
    assert.equal(undo, undefined, `${operation}: ${JSON.stringify(undo)}`);
  }
  const [pausing, pause] = cases.at(-1) as [string, object];
  assert.equal((await write(pausing, pause)).undo.operation, "endPause");
  const later = await startApi({ beside: first, clockOffsetMs: Date.parse(NOW) + 86_400_000 - Date.now() });
  const trail = await (await newStaff(later, studio.id)).read("audit?limit=1");
  assert.equal(trail.body.data[0].action, "pauseContract");
  assert.equal(trail.body.data[0].undo, undefined, "a pause whose first day is over");
  const dry = await studio.owner.write("unblockAccess", { contractId, dryRun: true });
  assert.equal(dry.body.undo, undefined, "a dry run has nothing to undo");
});

test("nobody is offered an undo that their role does not allow", async () => {
  const { id, planId, owner } = await newStudio();
  const desk = await newStaff(api, id, { role: "front_desk" });
  const before = await owner.write("archivePlan", { planId });
  assert.equal(before.body.undo.operation, "restorePlan");
  const undoSeenBy = async (staff: TestStaff) => (await staff.read("audit?limit=1")).body.data[0].undo;
  assert.equal(await undoSeenBy(desk), undefined);
  assert.equal((await undoSeenBy(owner)).operation, "restorePlan");
});

test("whoever sold is offered to take their own sale back, and may, for a quarter of an hour", async () => {
  const { id, clientId, planId, owner } = await newStudio();
  const desk = await newStaff(api, id, { role: "front_desk" });
  const colleague = await newStaff(api, id, { role: "front_desk" });
  const undoSeenBy = async (staff: TestStaff) => (await staff.read("audit?limit=1")).body.data[0].undo;
  const isOffered = async (staff: TestStaff) => {
    const { body } = await staff.read(`clients/${clientId}/contracts`);
    return body.data[0].isSaleUndoable as boolean;
  };
  const sold = await desk.write("sellContract", { clientId, planId });
  const undo = { operation: "voidSale", input: { contractId: sold.body.result.id } };
  assert.deepEqual(sold.body.undo, undo);
  assert.deepEqual([await undoSeenBy(desk), await undoSeenBy(owner)], [undo, undo]);
  assert.equal(await undoSeenBy(colleague), undefined);
  assert.deepEqual(
    [await isOffered(desk), await isOffered(owner), await isOffered(colleague)],
    [true, true, false],
  );
  assert.equal((await colleague.write("voidSale", undo.input)).body.reason, "not_allowed");
  const at = Date.parse(sold.body.result.createdAt);
  for (const [minutes, isDone] of [
    [16, false],
    [14, true],
  ] as const) {
    const clockOffsetMs = at + minutes * 60_000 - Date.now();
    const later = await startApi({ beside: api, clockOffsetMs });
    const options = { through: later };
    const { body } = await desk.read(`clients/${clientId}/contracts`, options);
    assert.equal(body.data[0].isSaleUndoable, isDone, `after ${minutes} minutes`);
    const { status, body: answer } = await desk.write("voidSale", undo.input, options);
    assert.equal(answer.reason ?? status, isDone ? 200 : "not_allowed");
  }
});

test("nobody is offered an undo at places where they do not work, nor of what concerns an erased client", async () => {
  const { id, owner, write, make, clientId, planId, locationId, place, pack, newClient, serviceTypeId } =
    await newStudio();
  const other = await make("addLocation", { name: "Norte", timezone: "America/Sao_Paulo" });
  const here = await newStaff(api, id, { role: "manager", locationIds: [locationId] });
  const elsewhere = await newStaff(api, id, { role: "manager", locationIds: [other] });
  const undoes = async (staff: TestStaff) => (await staff.read("audit?limit=1")).body.data[0].undo?.operation;
  const plan = { ...pack, durationCount: 1, durationUnit: "month" };
  const shared = await make("addPlan", { ...plan, locationIds: [locationId, other] });
  const sessionId = await make("addSession", { ...place, start: "2026-11-20T09:30" });
  const steps: [string, object, (string | undefined)[]][] = [
    ["sellContract", { clientId, planId, locationIds: [locationId] }, ["voidSale", undefined]],
    ["sellContract", { clientId, planId }, ["voidSale", "voidSale"]],
    ["cancelSession", { session: { sessionId }, reason: "rain" }, ["reinstateSession", undefined]],
    ["addSchedule", { ...place, start: "2026-11-20T07:00" }, ["deleteSchedule", undefined]],
    ["editPlan", { planId: shared, changes: { name: "Dois" } }, ["editPlan", "editPlan"]],
    ["archivePlan", { planId: shared }, [undefined, undefined]],
    ["archivePlan", { planId }, [undefined, undefined]],
    ["editServiceType", { serviceTypeId, changes: { name: "Yoga" } }, [undefined, undefined]],
  ];
  for (const [operation, input, offered] of steps) {
    await write(operation, input);
    assert.deepEqual([await undoes(here), await undoes(elsewhere)], offered, operation);
    assert.ok(await undoes(owner), operation);
    const { undo } = (await owner.read("audit?limit=1")).body.data[0];
    for (const staff of [here, elsewhere]) {
      const tried = await staff.write(undo.operation, { ...undo.input, dryRun: true });
      const isOffered = offered[staff === here ? 0 : 1] !== undefined;
      assert.equal(tried.body.reason, isOffered ? undefined : "wrong_location", operation);
    }
  }
  const former = await newClient("Bia");
  await write("archiveClient", { clientId: former });
  assert.equal(await undoes(owner), "restoreClient");
  await write("eraseClient", { clientId: former, basis: "asked" });
  const entries = (await owner.read(`audit?clientId=${former}`)).body.data;
  assert.deepEqual(
    entries.map(({ action, undo }: { action: string; undo?: object }) => [action, undo]),
    [
      ["eraseClient", undefined],
      ["archiveClient", undefined],
      ["addClient", undefined],
    ],
  );
});

/** A record without the time of its last change, which no undo brings back. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (name === "updatedAt" ? [] : [[name, shown(part)]])),
  );
}
