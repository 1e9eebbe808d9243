import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor } from "../../src/core/actor.ts";
import type { DataClass } from "../../src/core/data-snapshot.ts";
import { AppError } from "../../src/core/errors.ts";
import { versionSum } from "../../src/db/data-version.ts";
import { pooled, read } from "../../src/db/statements.ts";
import { listAudit } from "../../src/domain/audit/queries.ts";
import * as schedules from "../../src/domain/schedules/operations.ts";
import * as sessions from "../../src/domain/sessions/operations.ts";
import type { WriteOperation } from "../../src/domain/writes/recorded-write.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { addSession as storeSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addServiceType } from "../support/records.ts";

// A Monday, noon in London and nine in the morning in São Paulo.
const NOW = "2026-11-16T12:00:00.000Z";
const first = await startApi();
const api = await serverAt(NOW);
const ZONE = "America/Sao_Paulo";
const BY: Actor = { name: "staff:test", role: "owner", locationIds: undefined };

function serverAt(instant: string): Promise<TestApi> {
  return startApi({ beside: first, clockOffsetMs: Date.parse(instant) - Date.now() });
}

const insertBooking = pooled(
  "test_insert_booking",
  `with made as (
     insert into bookings (organization_id, id, session_id, client_id, contract_id, entitlement_id, visit_date, state,
       uncovered_reason, booked_at, checked_in_at)
     select $1, $2, s.id, $4, $5, $6, s.start::date, $7, case when $6::uuid is null then 'owed' end, now(),
       case when $7 = 'attended' then now() end
     from sessions s where s.organization_id = $1 and s.id = $3
   )
   update sessions set booked_count = booked_count + 1 where organization_id = $1 and id = $3`,
);
const insertWaiting = pooled(
  "test_insert_waiting",
  "insert into waiting (organization_id, id, session_id, client_id, joined_at) values ($1, $2, $3, $4, now())",
);
const bookingsOf = read(
  "test_bookings_of",
  `select b.client_id as "clientId", b.state, b.visit_date as day, b.moved, b.to_tell as "toTell",
     b.uncovered_reason as "uncoveredReason"
   from bookings b where b.organization_id = $1 and b.session_id = $2 order by b.booked_at, b.id`,
);
const claimsOf = read(
  "test_claims_of",
  "select resource_id as id from resource_claims where organization_id = $1 and session_id = $2 order by 1",
);
const addResourceStatement = pooled(
  "test_add_resource",
  "insert into resources (organization_id, id, name, kind, status) values ($1, $2, $3, 'person', $4)",
);
const CLASSES: readonly DataClass[] = ["catalog", "contracts", "sessions"];
const versions = read(
  "test_timetable_versions",
  `select ${CLASSES.map((name) => `${versionSum([name])} as ${name}`).join(", ")}
   from organization_counters where organization_id = $1`,
);
const setStatus = (table: "locations" | "service_types" | "resources") =>
  pooled(
    `test_set_status_${table}`,
    `update ${table} set status = $3 where organization_id = $1 and id::text = $2`,
  );

type Input<Called extends (call: never, input: never) => unknown> = Parameters<Called>[1];

async function newStudio(node: TestApi = api, timezone = ZONE) {
  const studio = await node.newOrganization({ timezone });
  const locationId = await addLocation(node.db, studio.id, { timezone });
  const serviceTypeId = await addServiceType(node.db, studio.id, { name: "Pilates" });
  const held = await addServiceType(node.db, studio.id, { name: "Physio", holdsResource: true });
  for (const [id, name] of [
    ["anna", "Anna"],
    ["bea", "Bea"],
    ["carla", "Carla"],
  ] as const)
    await node.db.query(addResourceStatement, [studio.id, id, name, "active"]);
  const bind =
    <Given, Result>(operation: WriteOperation<object, Given, Result>) =>
    (input: Given, actor = BY, on = node) =>
      operation({ db: on.served, actor, organizationId: studio.id }, input);
  const place = { locationId, serviceTypeId };
  const [addSchedule, addSession] = [bind(schedules.addSchedule), bind(sessions.addSession)];
  const newClient = async () =>
    (await studio.call("POST", "/v1/clients", { body: { contactName: "Ana", locationIds: [locationId] } }))
      .body.id as string;
  return {
    ...studio,
    ...place,
    held,
    place,
    newClient,
    addSchedule,
    addSession,
    editSchedule: bind(schedules.editSchedule),
    endSchedule: bind(schedules.endSchedule),
    deleteSchedule: bind(schedules.deleteSchedule),
    editSession: bind(sessions.editSession),
    cancelSession: bind(sessions.cancelSession),
    reinstateSession: bind(sessions.reinstateSession),
    closeDays: bind(sessions.closeDays),
    releaseUnnamed: bind(sessions.releaseUnnamed),
    async newSchedule(given: Partial<Input<typeof schedules.addSchedule>> & { start: string }) {
      return (await addSchedule({ ...place, durationMinutes: 50, capacity: 12, ...given })).result.id;
    },
    async newSession(given: Partial<Input<typeof sessions.addSession>> & { start: string }) {
      const made = await addSession({ ...place, durationMinutes: 50, capacity: 12, ...given });
      return made.result.id ?? assert.fail();
    },
    /** A stored session with seats that have no name, as an import brings one. */
    store: (given: Partial<Parameters<typeof storeSession>[2]> & { start: string }) =>
      storeSession(node.db, studio.id, { ...place, timezone, ...given }),
    /** A booking, on a credit if an entitlement is given. */
    async book(sessionId: string, drawn: Drawn = {}, state = "booked") {
      const clientId = drawn.clientId ?? (await newClient());
      const { contractId = null, entitlementId = null } = drawn;
      const values = [studio.id, newId(), sessionId, clientId, contractId, entitlementId, state];
      await node.db.query(insertBooking, values);
      return clientId;
    },
    async wait(sessionId: string) {
      const clientId = await newClient();
      await node.db.query(insertWaiting, [studio.id, newId(), sessionId, clientId]);
      return clientId;
    },
    bookings: (sessionId: string) =>
      node.db.query<Record<string, unknown>>(bookingsOf, [studio.id, sessionId]),
    async claims(sessionId: string) {
      return (await node.db.query<{ id: string }>(claimsOf, [studio.id, sessionId])).map(({ id }) => id);
    },
    async calendar(from: string, to: string) {
      const query = new URLSearchParams({ from: `${from}T00:00:00-03:00`, to: `${to}T00:00:00-03:00` });
      return (await studio.get(`/v1/calendar?${query}`)).body.data as Shown[];
    },
    /** The classes of data whose versions a piece of work moves, and by how much if not by one. */
    async moves(work: () => Promise<unknown>): Promise<string> {
      const ask = async () => (await node.db.query<Record<DataClass, number>>(versions, [studio.id]))[0];
      const [before, , after] = [await ask(), await work(), await ask()];
      return CLASSES.flatMap((name) => {
        const by = (after?.[name] ?? 0) - (before?.[name] ?? 0);
        return by === 0 ? [] : [by === 1 ? name : `${name}×${by}`];
      }).join(" ");
    },
    setStatus: (table: Parameters<typeof setStatus>[0], id: string, status: string) =>
      node.db.query(setStatus(table), [studio.id, id, status]),
  };
}

interface Drawn {
  readonly clientId?: string;
  readonly contractId?: string;
  readonly entitlementId?: string;
}

interface Shown {
  readonly id?: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
  readonly startAt: string;
  readonly bookedCount: number;
  readonly capacity: number;
  readonly status: string;
}

/** The word of a refusal with what its sentence is filled with, or the faults of an invalid input. */
async function refused(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof AppError, String((error as Error).stack));
    const faults = error.faults.map(({ location, code }) => `${location} ${code}`);
    if (faults.length > 0) return faults.join("; ");
    const params = Object.values(error.detail?.params ?? {}).map((value) =>
      typeof value === "object" ? JSON.stringify(value) : String(value),
    );
    return [error.detail?.code ?? error.message, ...params].join(" ");
  }
  return "done";
}

const starts = (shown: readonly Shown[]) => shown.map(({ startAt }) => startAt.slice(5, 16));

test("a new schedule is on the calendar at once, with its faults told all at once", async () => {
  const studio = await newStudio();
  let scheduleId = "";
  const given = {
    start: "2026-11-16T07:00",
    rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
    resourceIds: ["anna", "anna"],
  };
  assert.equal(await studio.moves(async () => (scheduleId = await studio.newSchedule(given))), "catalog");
  const shown = await studio.calendar("2026-11-16", "2026-11-23");
  assert.deepEqual(starts(shown), ["11-16T10:00", "11-18T10:00"]);
  const again = await studio.editSchedule({ scheduleId, changes: {} });
  assert.deepEqual(again.result, {
    id: scheduleId,
    ...studio.place,
    resourceIds: ["anna"],
    start: "2026-11-16T07:00",
    durationMinutes: 50,
    capacity: 12,
    rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
  });
  await studio.setStatus("resources", "bea", "archived");
  const faulty = studio.addSchedule({
    locationId: newId(),
    serviceTypeId: newId(),
    resourceIds: ["bea", "nobody"],
    start: "2026-11-17T07:00",
    durationMinutes: 50,
    capacity: 1,
  });
  assert.equal(
    await refused(faulty),
    "body.locationId location_unknown; body.serviceTypeId service_type_unknown; " +
      "body.resourceIds[0] resource_archived; body.resourceIds[1] resource_unknown",
  );
  assert.equal(
    await refused(studio.newSchedule({ start: "2026-11-17T07:00", rrule: "FREQ=WEEKLY;BYDAY=MO" })),
    "body.rrule rule_start_excluded",
  );
  await studio.setStatus("locations", studio.locationId, "closed");
  await studio.setStatus("service_types", studio.serviceTypeId, "archived");
  assert.equal(
    await refused(studio.newSchedule({ start: "2026-11-17T07:00" })),
    "body.locationId location_closed; body.serviceTypeId service_type_archived",
  );
});

test("a series is moved from a slot on: its bookings go along, and what was moved by hand stays", async () => {
  const studio = await newStudio();
  const rrule = "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=100";
  const scheduleId = await studio.newSchedule({ start: "2026-01-05T07:00", rrule });
  const slot = (originalStart: string) => ({ session: { scheduleId, originalStart } });
  const stored = async (wall: string, changes: object = { capacity: 11 }) =>
    (await studio.editSession({ ...slot(wall), changes })).result.id ?? "";
  const monday = await stored("2026-11-23T07:00");
  const moved = await stored("2026-11-25T07:00", { start: "2026-11-25T10:00" });
  await studio.book(monday);
  await studio.book(moved);
  const before = await studio.calendar("2026-01-01", "2026-11-18");
  let edited: Awaited<ReturnType<typeof studio.editSchedule>> | undefined;
  const work = async () =>
    (edited = await studio.editSchedule({
      scheduleId,
      from: "2026-11-18T07:00",
      changes: { start: "2026-11-18T07:30" },
    }));
  assert.equal(await studio.moves(work), "catalog sessions");
  const { result, changes } = edited ?? assert.fail();
  assert.deepEqual(
    [result.start, result.rrule, result.continuesId],
    ["2026-11-18T07:30", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=9", scheduleId],
  );
  assert.deepEqual([changes.sessions, changes.bookings], [2, 1]);
  const old = await studio.editSchedule({ scheduleId: result.id, changes: {} });
  assert.equal(old.result.id, result.id);
  assert.deepEqual(await studio.calendar("2026-01-01", "2026-11-18"), before);
  assert.equal(before.length, 91);
  const after = await studio.calendar("2026-11-18", "2027-11-01");
  assert.equal(after.length, 9);
  assert.deepEqual(
    after
      .slice(0, 4)
      .map(({ id, scheduleId: of, originalStart, startAt }) => [id, of, originalStart, startAt]),
    [
      [undefined, result.id, "2026-11-18T07:30", "2026-11-18T10:30:00.000Z"],
      [monday, result.id, "2026-11-23T07:30", "2026-11-23T10:30:00.000Z"],
      [moved, result.id, "2026-11-25T07:30", "2026-11-25T13:00:00.000Z"],
      [undefined, result.id, "2026-11-30T07:30", "2026-11-30T10:30:00.000Z"],
    ],
  );
  const [booking] = await studio.bookings(monday);
  assert.deepEqual(
    [booking?.state, booking?.day, booking?.moved, booking?.toTell],
    ["booked", "2026-11-23", true, true],
  );
  const [untouched] = await studio.bookings(moved);
  assert.deepEqual([untouched?.state, untouched?.moved], ["booked", false]);
  const trail = (await listAudit(api.db, studio.id, 5)).data[1];
  assert.deepEqual(
    [trail?.action, trail?.subject, trail?.details.from, trail?.details.continuedBy],
    ["editSchedule", scheduleId, "2026-11-18T07:00", result.id],
  );
});

test("sessions without a slot: nobody booked, cancelled; booked, kept or cancelled as it is said", async () => {
  const studio = await newStudio();
  const other = { start: "2026-11-19T07:00", rrule: "FREQ=WEEKLY;BYDAY=TU,TH" };
  const build = async () => {
    const scheduleId = await studio.newSchedule({
      start: "2026-11-02T07:00",
      rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
    });
    const slot = (originalStart: string) =>
      studio.editSession({ session: { scheduleId, originalStart }, changes: { capacity: 11 } });
    const [booked, empty] = [await slot("2026-11-23T07:00"), await slot("2026-11-25T07:00")];
    await studio.book(booked.result.id ?? "");
    return { scheduleId, booked: booked.result.id ?? "", empty: empty.result.id ?? "" };
  };
  const one = await build();
  const asked = { scheduleId: one.scheduleId, changes: other };
  assert.equal(await refused(studio.editSchedule(asked)), "has_bookings 1");
  assert.equal(
    await refused(studio.editSchedule({ ...asked, keepBooked: true, cancelBooked: true })),
    "body.cancelBooked not_together_with",
  );
  await studio.editSchedule({ ...asked, keepBooked: true });
  const shown = await studio.calendar("2026-11-18", "2026-11-27");
  assert.deepEqual(
    shown.map(({ id, startAt, status }) => [id, startAt.slice(5, 16), status]),
    [
      [undefined, "11-19T10:00", "scheduled"],
      [one.booked, "11-23T10:00", "scheduled"],
      [undefined, "11-24T10:00", "scheduled"],
      [one.empty, "11-25T10:00", "cancelled"],
      [undefined, "11-26T10:00", "scheduled"],
    ],
  );
  const two = await build();
  const { changes } = await studio.editSchedule({
    scheduleId: two.scheduleId,
    changes: other,
    cancelBooked: true,
  });
  assert.deepEqual([changes.sessions, changes.bookings], [2, 1]);
  const [booking] = await studio.bookings(two.booked);
  assert.deepEqual([booking?.state, booking?.toTell], ["cancelled", true]);
});

test("a series that has not begun is edited in place, where slots may take each other's names", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.newSchedule({ start: "2026-11-18T07:00", rrule: "FREQ=DAILY;BYHOUR=7,8" });
  const slot = async (originalStart: string) =>
    (await studio.editSession({ session: { scheduleId, originalStart }, changes: { capacity: 11 } })).result
      .id;
  const [seven, eight] = [await slot("2026-11-19T07:00"), await slot("2026-11-19T08:00")];
  const { result } = await studio.editSchedule({
    scheduleId,
    changes: { start: "2026-11-18T08:00", rrule: "FREQ=DAILY;BYHOUR=8,9" },
  });
  assert.deepEqual([result.id, result.continuesId], [scheduleId, undefined]);
  const shown = await studio.calendar("2026-11-19", "2026-11-20");
  assert.deepEqual(
    shown.map(({ id, originalStart, startAt }) => [id, originalStart, startAt.slice(11, 16)]),
    [
      [seven, "2026-11-19T08:00", "11:00"],
      [eight, "2026-11-19T09:00", "12:00"],
    ],
  );
});

test("an edit begins with a slot that has not begun, of a schedule that still has one", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.newSchedule({ start: "2026-11-02T07:00", rrule: "FREQ=WEEKLY;COUNT=4" });
  const edit = (from: string | undefined, changes: object = { capacity: 3 }) =>
    refused(studio.editSchedule({ scheduleId, ...(from !== undefined && { from }), changes }));
  assert.equal(await edit("2026-11-16T07:00"), "session_begun");
  assert.equal(await edit("2026-11-24T07:00"), "no_slot");
  assert.equal(
    await edit("2026-11-23T07:00", { start: "2026-11-24T07:00", rrule: "FREQ=WEEKLY;BYDAY=MO" }),
    "body.changes.rrule rule_start_excluded",
  );
  assert.equal(
    await edit(undefined, { locationId: newId(), resourceIds: ["nobody"] }),
    "body.changes.locationId location_unknown; body.changes.resourceIds[0] resource_unknown",
  );
  assert.equal(await refused(studio.editSchedule({ scheduleId: newId(), changes: {} })), "no_schedule");
  const over = await studio.newSchedule({ start: "2026-11-02T07:00", rrule: "FREQ=WEEKLY;COUNT=2" });
  assert.equal(
    await refused(studio.editSchedule({ scheduleId: over, changes: { capacity: 3 } })),
    "schedule_over",
  );
  assert.equal(
    await refused(studio.endSchedule({ scheduleId: over, lastDay: "2026-11-20" })),
    "schedule_over",
  );
  await studio.setStatus("service_types", studio.serviceTypeId, "archived");
  assert.equal(await edit(undefined), "schedule_over");
});

test("a schedule ends with a day; what comes after is withdrawn", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.newSchedule({
    start: "2026-11-02T07:00",
    rrule: "FREQ=WEEKLY;COUNT=50",
    rdates: ["2026-11-21T10:00", "2026-12-24T10:00"],
  });
  const { result: session } = await studio.editSession({
    session: { scheduleId, originalStart: "2026-11-30T07:00" },
    changes: { capacity: 5 },
  });
  await studio.book(session.id ?? "");
  const end = (lastDay: string, cancelBooked?: boolean) =>
    studio.endSchedule({ scheduleId, lastDay, ...(cancelBooked && { cancelBooked }) });
  assert.equal(await refused(end("2026-11-15")), "body.lastDay in_the_past");
  assert.equal(await refused(end("2026-11-23")), "has_bookings 1");
  let ended: Awaited<ReturnType<typeof end>> | undefined;
  assert.equal(await studio.moves(async () => (ended = await end("2026-11-23", true))), "catalog sessions");
  assert.deepEqual(
    [ended?.result.rrule, ended?.result.rdates, ended?.changes.sessions, ended?.changes.bookings],
    ["FREQ=WEEKLY;UNTIL=20261123", ["2026-11-21T10:00"], 1, 1],
  );
  const shown = await studio.calendar("2026-11-16", "2027-11-01");
  assert.deepEqual(
    shown.map(({ startAt, status }) => [startAt.slice(5, 16), status]),
    [
      ["11-16T10:00", "scheduled"],
      ["11-21T13:00", "scheduled"],
      ["11-23T10:00", "scheduled"],
      ["11-30T10:00", "cancelled"],
    ],
  );
  // A later day does not bring back what was ended.
  assert.equal(await studio.moves(() => end("2026-12-31")), "");
  const later = await studio.newSchedule({ start: "2026-12-01T07:00", rrule: "FREQ=WEEKLY" });
  assert.equal(
    await refused(studio.endSchedule({ scheduleId: later, lastDay: "2026-11-30" })),
    "body.lastDay before_member",
  );
});

test("a schedule is deleted for as long as nothing of it has begun or is stored", async () => {
  const studio = await newStudio();
  const begun = await studio.newSchedule({ start: "2026-11-16T07:00", rrule: "FREQ=WEEKLY" });
  assert.equal(
    await refused(studio.deleteSchedule({ scheduleId: begun })),
    'in_use [{"kind":"sessions","count":1}]',
  );
  const scheduleId = await studio.newSchedule({ start: "2026-11-17T07:00", rrule: "FREQ=WEEKLY" });
  const { result: continued } = await studio.editSchedule({
    scheduleId,
    from: "2026-11-24T07:00",
    changes: { capacity: 1 },
  });
  assert.equal(continued.continuesId, scheduleId);
  const work = async () => assert.equal((await studio.deleteSchedule({ scheduleId })).result.id, scheduleId);
  assert.equal(await studio.moves(work), "catalog");
  assert.equal(await refused(studio.deleteSchedule({ scheduleId })), "no_schedule");
  const { result: alone } = await studio.editSchedule({ scheduleId: continued.id, changes: {} });
  assert.equal(alone.continuesId, undefined);
  await studio.cancelSession({
    session: { scheduleId: continued.id, originalStart: "2026-11-24T07:00" },
    reason: "rain",
  });
  assert.equal(
    await refused(studio.deleteSchedule({ scheduleId: continued.id })),
    'in_use [{"kind":"sessions","count":1}]',
  );
});

test("a single session is added; it may lie in the past while its record would be open", async () => {
  const studio = await newStudio();
  assert.equal(await studio.moves(() => studio.newSession({ start: "2026-11-20T10:00" })), "sessions");
  const [shown] = await studio.calendar("2026-11-20", "2026-11-21");
  assert.deepEqual(
    [shown?.startAt, shown?.scheduleId, shown?.bookedCount, shown?.capacity],
    ["2026-11-20T13:00:00.000Z", undefined, 0, 12],
  );
  assert.equal(await refused(studio.newSession({ start: "2026-11-09T07:00" })), "done");
  assert.equal(
    await refused(studio.newSession({ start: "2026-11-08T07:00" })),
    "body.start record_would_be_closed",
  );
});

test("a session that is moved takes its bookings along, which may then be cancelled without loss", async () => {
  const studio = await newStudio();
  const elsewhere = await addLocation(api.db, studio.id, { timezone: "America/Manaus" });
  const id = await studio.newSession({ start: "2026-11-20T23:00" });
  await studio.book(id);
  const session = { sessionId: id };
  const edit = (changes: Input<typeof sessions.editSession>["changes"]) =>
    studio.editSession({ session, changes });
  const moved = async () => edit({ start: "2026-11-21T08:00" });
  assert.equal(await studio.moves(moved), "sessions");
  assert.deepEqual(await studio.bookings(id), [
    { ...(await studio.bookings(id))[0], state: "booked", day: "2026-11-21", moved: true, toTell: true },
  ]);
  const { result, changes } = await edit({ locationId: elsewhere });
  assert.deepEqual(
    [result.startAt, result.locationId, changes.bookings],
    ["2026-11-21T12:00:00.000Z", elsewhere, 1],
  );
  assert.equal(await studio.moves(() => edit({ start: "2026-11-21T08:00" })), "");
  assert.equal(await refused(edit({ start: "2026-11-16T06:00" })), "body.changes.start in_the_past");
  assert.equal(await refused(edit({ locationId: newId() })), "body.changes.locationId location_unknown");
});

test("what has begun keeps its time and place; resources and capacity can follow until the record is closed", async () => {
  const studio = await newStudio();
  const id = await studio.newSession({ start: "2026-11-16T08:30" });
  const edit = (changes: object, node = api) =>
    refused(studio.editSession({ session: { sessionId: id }, changes }, BY, node));
  assert.equal(await edit({ start: "2026-11-16T12:00" }), "session_begun");
  assert.equal(await edit({ durationMinutes: 60 }), "session_begun");
  assert.equal(await edit({ locationId: studio.locationId }), "session_begun");
  assert.equal(await edit({ resourceIds: ["bea"], capacity: 13 }), "done");
  const later = await serverAt("2026-11-24T03:00:00.000Z");
  assert.equal(await edit({ capacity: 14 }, later), "record_closed 2026-11-24");
  const cancelled = await studio.newSession({ start: "2026-11-20T08:30" });
  await studio.cancelSession({ session: { sessionId: cancelled }, reason: "rain" });
  const asked = studio.editSession({ session: { sessionId: cancelled }, changes: { capacity: 3 } });
  assert.equal(await refused(asked), "session_cancelled");
});

test("the capacity goes down to the seats that are taken and no further", async () => {
  const studio = await newStudio();
  const id = await studio.store({ start: "2026-11-20T10:00", bookedCount: 9 });
  const set = (capacity: number) =>
    refused(studio.editSession({ session: { sessionId: id }, changes: { capacity } }));
  assert.equal(await set(8), "below_seats 9");
  assert.equal(await set(9), "done");
  // An import may have brought more seats than there are: other changes leave that as it is.
  const over = await studio.store({ start: "2026-11-20T10:00", bookedCount: 15 });
  const other = studio.editSession({ session: { sessionId: over }, changes: { resourceIds: ["anna"] } });
  assert.equal(await refused(other), "done");
});

test("a session that is cancelled by mistake comes back with everybody, also with seats without a name", async () => {
  const studio = await newStudio();
  const id = await studio.store({ start: "2026-11-20T10:00", bookedCount: 2 });
  const clientId = await studio.newClient();
  const entitlementId = newId();
  const contractId = await addContract(api.db, studio.id, {
    clientId,
    entitlements: [{ id: entitlementId, type: "credits", remainingCredits: 0 }],
  });
  await studio.book(id, { clientId, contractId, entitlementId });
  for (let n = 0; n < 7; n++) await studio.book(id);
  const credits = async () =>
    (await studio.get(`/v1/contracts/${contractId}`)).body.entitlements[0].remainingCredits;
  const shown = async () => {
    const [{ status, bookedCount } = { status: "", bookedCount: 0 }] = await studio.calendar(
      "2026-11-20",
      "2026-11-21",
    );
    return [status, bookedCount];
  };
  const session = { sessionId: id };
  assert.deepEqual(await shown(), ["scheduled", 10]);
  let counted: object = {};
  const cancel = async () => {
    counted = (await studio.cancelSession({ session, reason: "by mistake" })).changes;
  };
  assert.equal(await studio.moves(cancel), "contracts sessions");
  assert.deepEqual(counted, { ...counted, sessions: 1, bookings: 8, creditsReturned: 1 });
  assert.deepEqual([await shown(), await credits()], [["cancelled", 0], 1]);
  assert.equal(await studio.moves(() => studio.cancelSession({ session, reason: "again" })), "");
  // Meanwhile that one spends the credit.
  await api.db.query(
    pooled("test_spend", "update contract_entitlements set remaining_credits = 0 where id = $1"),
    [entitlementId],
  );
  const { result } = await studio.reinstateSession({ session });
  assert.deepEqual([result.status, result.bookedCount], ["scheduled", 10]);
  assert.deepEqual(await shown(), ["scheduled", 10]);
  const back = await studio.bookings(id);
  assert.deepEqual(
    back.map(({ clientId: of, state, uncoveredReason }) => [of === clientId, state, uncoveredReason]),
    [[true, "booked", "reinstated"], ...Array.from({ length: 7 }, () => [false, "booked", "owed"])],
  );
  assert.equal(await studio.moves(() => studio.reinstateSession({ session })), "");
});

test("a session is cancelled while nobody is checked in and the record is open, and so is a slot", async () => {
  const studio = await newStudio();
  const id = await studio.newSession({ start: "2026-11-16T08:30" });
  await studio.book(id, {}, "attended");
  const cancel = (sessionId: string, node = api) =>
    refused(studio.cancelSession({ session: { sessionId }, reason: "rain" }, BY, node));
  assert.equal(await cancel(id), "checked_in 1");
  const other = await studio.newSession({ start: "2026-11-16T08:30" });
  const later = await serverAt("2026-11-24T03:00:00.000Z");
  assert.equal(await cancel(other, later), "record_closed 2026-11-24");
  assert.equal(await cancel(other), "done");
  const again = studio.reinstateSession({ session: { sessionId: other } }, BY, later);
  assert.equal(await refused(again), "record_closed 2026-11-24");
  const scheduleId = await studio.newSchedule({ start: "2026-11-18T07:00", rrule: "FREQ=DAILY" });
  const { result } = await studio.cancelSession({
    session: { scheduleId, originalStart: "2026-11-19T07:00" },
    reason: "rain",
  });
  const [shown] = await studio.calendar("2026-11-19", "2026-11-20");
  assert.deepEqual(
    [shown?.id, shown?.status, shown?.originalStart],
    [result.id, "cancelled", "2026-11-19T07:00"],
  );
});

test("days are closed: every session that has not begun is cancelled, slots included", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.newSchedule({ start: "2026-11-02T07:00", rrule: "FREQ=DAILY;BYHOUR=7,23" });
  const elsewhere = await addLocation(api.db, studio.id, { timezone: ZONE });
  const other = await studio.newSession({ start: "2026-11-17T10:00", locationId: elsewhere });
  const booked = await studio.editSession({
    session: { scheduleId, originalStart: "2026-11-17T07:00" },
    changes: { start: "2026-11-18T09:00" },
  });
  await studio.book(booked.result.id ?? "");
  const days = {
    locationId: studio.locationId,
    firstDay: "2026-11-16",
    lastDay: "2026-11-18",
    reason: "flood",
  };
  assert.equal(await refused(studio.closeDays(days)), "has_bookings 1");
  let changes: object = {};
  const close = async () => (changes = (await studio.closeDays({ ...days, cancelBooked: true })).result);
  assert.equal(await studio.moves(close), "sessions");
  // 16 at 23:00, 17 at 23:00, 18 at 07:00 and 23:00, and the one that was moved to 18 at 09:00.
  assert.deepEqual(changes, { contracts: 0, sessions: 5, bookings: 1, creditsReturned: 0, promoted: 0 });
  const shown = await studio.calendar("2026-11-16", "2026-11-20");
  assert.deepEqual(
    shown.map(({ id, startAt, status }) => [id === other, startAt.slice(5, 16), status]),
    [
      [false, "11-16T10:00", "scheduled"],
      [false, "11-17T02:00", "cancelled"],
      [true, "11-17T13:00", "scheduled"],
      [false, "11-18T02:00", "cancelled"],
      [false, "11-18T10:00", "cancelled"],
      [false, "11-18T12:00", "cancelled"],
      [false, "11-19T02:00", "cancelled"],
      [false, "11-19T10:00", "scheduled"],
      [false, "11-20T02:00", "scheduled"],
    ],
  );
  assert.equal(await studio.moves(() => studio.closeDays(days)), "");
  for (const [change, expected] of [
    [{ firstDay: "2026-11-15" }, "body.firstDay in_the_past"],
    [{ firstDay: "2026-11-19" }, "body.lastDay before_member"],
    [{ lastDay: "2026-12-17" }, "body.lastDay days_too_many"],
    [{ lastDay: "2026-12-16", cancelBooked: true }, "done"],
    [{ locationId: newId() }, "no_location"],
  ] as const)
    assert.equal(await refused(studio.closeDays({ ...days, ...change })), expected);
});

test("seats without a name are given free, which makes room", async () => {
  const studio = await newStudio();
  const id = await studio.store({ start: "2026-11-20T10:00", bookedCount: 14 });
  await studio.book(id);
  const release = (seats: number) => studio.releaseUnnamed({ sessionId: id, seats });
  assert.equal(await refused(release(15)), "no_unnamed");
  let left = 0;
  assert.equal(await studio.moves(async () => (left = (await release(4)).result.bookedCount)), "sessions");
  assert.equal(left, 11);
  assert.equal(await refused(release(11)), "no_unnamed");
  assert.equal((await release(10)).result.bookedCount, 1);
});

test("a held resource: next to each other, overlapping, and against a class that is added", async () => {
  const studio = await newStudio();
  const carla = { serviceTypeId: studio.held, resourceIds: ["carla"] };
  const physio = await studio.newSession({ ...carla, start: "2026-11-20T10:00" });
  await studio.book(physio);
  // As the first booking does.
  const claim = (sessionId: string) =>
    refused(studio.editSession({ session: { sessionId }, changes: { resourceIds: ["carla"] } }));
  await studio.editSession({ session: { sessionId: physio }, changes: { resourceIds: ["bea"] } });
  assert.equal(await claim(physio), "done");
  assert.deepEqual(await studio.claims(physio), ["carla"]);
  const withClass = (start: string) => refused(studio.newSession({ start, resourceIds: ["carla"] }));
  assert.equal(await withClass("2026-11-20T10:00"), "resource_busy Carla 10:00 10:50");
  assert.equal(await withClass("2026-11-20T10:50"), "done");
  const weekly = (start: string, more: object = {}) =>
    refused(studio.newSchedule({ start, rrule: "FREQ=WEEKLY", resourceIds: ["carla"], ...more }));
  assert.equal(await weekly("2026-11-06T09:30"), "resource_busy Carla 10:00 10:50");
  assert.equal(await weekly("2026-11-06T09:10"), "done");
  // Another appointment may be offered at that time: only a seat claims.
  assert.equal(await weekly("2026-11-06T10:20", { serviceTypeId: studio.held }), "done");
  const beside = await studio.newSession({ start: "2026-11-20T10:20", resourceIds: ["anna"] });
  assert.equal(await claim(beside), "resource_busy Carla 10:00 10:50");
  const scheduleId = await studio.newSchedule({ start: "2026-11-06T10:20", rrule: "FREQ=WEEKLY" });
  const substitute = studio.editSchedule({ scheduleId, changes: { resourceIds: ["carla"] } });
  assert.equal(await refused(substitute), "resource_busy Carla 10:00 10:50");
  // Moved away and back: the claim follows, and finds the class that came in between.
  const move = (start: string) =>
    refused(studio.editSession({ session: { sessionId: physio }, changes: { start } }));
  assert.equal(await move("2026-11-20T14:00"), "done");
  assert.equal(await claim(beside), "done");
  assert.equal(await move("2026-11-20T10:00"), "resource_busy Carla 10:20 11:10");
  await studio.cancelSession({ session: { sessionId: physio }, reason: "ill" });
  assert.deepEqual(await studio.claims(physio), []);
  assert.equal(await withClass("2026-11-20T14:00"), "done");
  const again = studio.reinstateSession({ session: { sessionId: physio } });
  assert.equal(await refused(again), "resource_busy Carla 14:00 14:50");
});

test("who works at some locations acts on nothing elsewhere, and takes nothing there", async () => {
  const studio = await newStudio();
  const elsewhere = await addLocation(api.db, studio.id, { timezone: ZONE });
  const local: Actor = { ...BY, locationIds: [elsewhere] };
  const scheduleId = await studio.newSchedule({ start: "2026-11-17T07:00", rrule: "FREQ=DAILY" });
  const sessionId = await studio.newSession({ start: "2026-11-20T10:00" });
  const session = { sessionId };
  const given = { ...studio.place, start: "2026-11-20T10:00", durationMinutes: 50, capacity: 1 };
  const day = { firstDay: "2026-11-20", lastDay: "2026-11-20", reason: "x" };
  for (const work of [
    () => studio.addSchedule(given, local),
    () => studio.editSchedule({ scheduleId, changes: {} }, local),
    () => studio.endSchedule({ scheduleId, lastDay: "2026-11-20" }, local),
    () => studio.deleteSchedule({ scheduleId }, local),
    () => studio.addSession(given, local),
    () => studio.editSession({ session, changes: {} }, local),
    () => studio.cancelSession({ session, reason: "x" }, local),
    () => studio.reinstateSession({ session }, local),
    () => studio.releaseUnnamed({ sessionId, seats: 1 }, local),
    () => studio.closeDays({ locationId: studio.locationId, ...day }, local),
  ])
    assert.equal(await refused(work()), "wrong_location");
  const here: Actor = { ...BY, locationIds: [studio.locationId] };
  const away = { locationId: elsewhere };
  assert.equal(await refused(studio.editSession({ session, changes: away }, here)), "wrong_location");
  assert.equal(await refused(studio.editSchedule({ scheduleId, changes: away }, here)), "wrong_location");
  assert.equal(await refused(studio.editSession({ session, changes: { capacity: 2 } }, here)), "done");
});

test("forty callers on two nodes move sessions to one time with one resource: one of them has it", async () => {
  const studio = await newStudio();
  const node = await serverAt(NOW);
  const ids = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const start = `2026-11-2${n % 5}T${String(8 + Math.floor(n / 5)).padStart(2, "0")}:00`;
      return studio.store({ start, serviceTypeId: studio.held, resourceIds: ["carla"] });
    }),
  );
  const changes = { start: "2026-11-27T10:00" };
  const answers = await Promise.all(
    ids.map((sessionId, n) =>
      refused(studio.editSession({ session: { sessionId }, changes }, BY, n % 2 ? node : api)),
    ),
  );
  assert.equal(answers.filter((answer) => answer === "done").length, 1);
  assert.equal(answers.filter((answer) => answer === "resource_busy Carla 10:00 11:00").length, 39);
});

test("somebody who waits is put into a class that grows, and a slot edited by forty at once is one session", async () => {
  const studio = await newStudio();
  const id = await studio.store({ start: "2026-11-20T10:00", bookedCount: 10 });
  const clientId = await studio.wait(id);
  await addContract(api.db, studio.id, { clientId, entitlements: [{ id: newId(), type: "access" }] });
  const { changes, result } = await studio.editSession({
    session: { sessionId: id },
    changes: { capacity: 11 },
  });
  assert.deepEqual([changes.promoted, result.bookedCount], [1, 11]);
  const scheduleId = await studio.newSchedule({ start: "2026-11-18T07:00", rrule: "FREQ=DAILY" });
  const edits = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      studio.editSession({
        session: { scheduleId, originalStart: "2026-11-19T07:00" },
        changes: { capacity: n + 1 },
      }),
    ),
  );
  assert.equal(new Set(edits.map(({ result: { id: of } }) => of)).size, 1);
});
