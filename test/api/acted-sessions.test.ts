import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../src/core/errors.ts";
import { compileCheck } from "../../src/core/validation.ts";
import { pooled } from "../../src/db/statements.ts";
import { operator } from "../../src/domain/audit/queries.ts";
import { freeUntil } from "../../src/domain/bookings/rules.ts";
import {
  type LockedSession,
  lockSession,
  requireOpenRecord,
} from "../../src/domain/calendar/locked-session.ts";
import { SessionName } from "../../src/domain/calendar/schema.ts";
import { claimResources, dropClaims } from "../../src/domain/resources/claims.ts";
import { exclusiveTransaction, type OpenOrganization } from "../../src/domain/writes/transactions.ts";
import { startApi } from "../support/api.ts";
import { addSchedule, addSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addLocation, addServiceType } from "../support/records.ts";
import { OWNER } from "../support/staff-writes.ts";

const api = await startApi();
const otherNode = await startApi({ beside: api });
const NEW_YORK = "America/New_York";

async function newStudio(timezone = NEW_YORK) {
  const studio = await api.newOrganization({ timezone });
  const locationId = await addLocation(api.db, studio.id, { timezone });
  const serviceTypeId = await addServiceType(api.db, studio.id, { name: "Yoga" });
  const held = await addServiceType(api.db, studio.id, { name: "Physio", holdsResource: true });
  const place = { locationId, serviceTypeId, timezone };
  const acting = <Result>(work: (open: OpenOrganization) => Promise<Result>, node = api) =>
    exclusiveTransaction({ db: node.served, actor: operator(), organizationId: studio.id }, work);
  return {
    ...studio,
    place,
    held,
    acting,
    schedule: (schedule: Partial<Parameters<typeof addSchedule>[2]> & { start: string }) =>
      addSchedule(api.db, studio.id, { ...place, ...schedule }),
    session: (session: Partial<Parameters<typeof addSession>[2]> & { start: string }) =>
      addSession(api.db, studio.id, { ...place, ...session }),
    act: (name: SessionName, node = api) => acting((open) => lockSession(open, OWNER, name), node),
    /** Takes the first seat of a session, as a booking does. */
    claim: (sessionId: string, node = api) =>
      acting(async (open) => {
        const session = await lockSession(open, OWNER, { sessionId });
        await claimResources(open, session);
      }, node),
    async calendar(from: string, to: string) {
      return (await studio.get(`/v1/calendar?${new URLSearchParams({ from, to })}`)).body.data;
    },
  };
}

async function refused(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    const {
      name = "",
      from = "",
      to = "",
      date = "",
    } = (error.detail?.params ?? {}) as Record<string, string>;
    return [error.detail?.code, name, from, to, date].filter(Boolean).join(" ");
  }
  return "done";
}

test("a session is named by its id or by its slot, and what is wrong is said of the form that was meant", () => {
  const check = compileCheck(SessionName, "body.session");
  const faults = (value: unknown) => check(value).map(({ location, code }) => `${location} ${code}`);
  const id = newId();
  assert.deepEqual(faults({ sessionId: id }), []);
  assert.deepEqual(faults({ scheduleId: id, originalStart: "2026-11-16T07:00" }), []);
  assert.deepEqual(faults({}), ["body.session.scheduleId required", "body.session.originalStart required"]);
  assert.deepEqual(faults({ scheduleId: id }), ["body.session.originalStart required"]);
  assert.deepEqual(faults({ sessionId: id, scheduleId: id }), ["body.session.scheduleId invalid"]);
  assert.deepEqual(faults({ scheduleId: id, originalStart: "2026-11-16T07:00Z" }), [
    "body.session.originalStart local_date_time_invalid",
  ]);
  assert.deepEqual(faults({ sessionId: "x", other: 1 }), [
    "body.session.other unknown_member",
    "body.session.sessionId uuid_invalid",
  ]);
});

test("a slot becomes a stored session when somebody acts on it, once, and keeps its id", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.schedule({
    start: "2026-03-02T18:00",
    rrule: "FREQ=DAILY",
    durationMinutes: 50,
    capacity: 7,
    resourceIds: ["anna"],
  });
  const name = { scheduleId, originalStart: "2026-03-03T18:00" };
  const session = await studio.act(name);
  const { isNew, startAt, endAt, day, capacity, bookedCount, resourceIds, holdsResource, status } = session;
  assert.deepEqual(
    { isNew, startAt, endAt, day, capacity, bookedCount, resourceIds, holdsResource, status },
    {
      isNew: true,
      startAt: Date.parse("2026-03-03T23:00:00Z"),
      endAt: Date.parse("2026-03-03T23:50:00Z"),
      day: "2026-03-03",
      capacity: 7,
      bookedCount: 0,
      resourceIds: ["anna"],
      holdsResource: false,
      status: "scheduled",
    },
  );
  const again = await studio.act(name);
  assert.deepEqual([again.id, again.isNew], [session.id, false]);
  assert.equal((await studio.act({ sessionId: session.id.toUpperCase() })).id, session.id);
  const shown = await studio.calendar("2026-03-03T00:00:00Z", "2026-03-04T12:00:00Z");
  assert.deepEqual(
    shown.map((each: { id?: string; originalStart: string }) => [each.id, each.originalStart]),
    [[session.id, "2026-03-03T18:00"]],
  );
});

test("forty callers on two nodes act on one slot: it is stored once", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.schedule({ start: "2026-03-02T18:00", rrule: "FREQ=DAILY" });
  const name = { scheduleId, originalStart: "2026-03-05T18:00" };
  const acted = await Promise.all(
    Array.from({ length: 40 }, (_, n) => studio.act(name, n % 2 ? otherNode : api)),
  );
  assert.equal(new Set(acted.map(({ id }: LockedSession) => id)).size, 1);
  assert.equal(acted.filter(({ isNew }) => isNew).length, 1);
});

test("a slot in a gap is named by its clock, and where two clocks meet either names the one that exists", async () => {
  const studio = await newStudio();
  const alone = await studio.schedule({ start: "2026-03-01T02:30", rrule: "FREQ=DAILY" });
  const session = await studio.act({ scheduleId: alone, originalStart: "2026-03-08T02:30" });
  assert.deepEqual(
    [session.originalStart, session.day, new Date(session.startAt).toISOString()],
    ["2026-03-08T02:30", "2026-03-08", "2026-03-08T07:30:00.000Z"],
  );
  const both = await studio.schedule({
    start: "2026-03-01T02:30",
    rrule: "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=30",
  });
  const one = await studio.act({ scheduleId: both, originalStart: "2026-03-08T02:30" });
  const other = await studio.act({ scheduleId: both, originalStart: "2026-03-08T03:30" });
  assert.deepEqual([one.id, one.originalStart, other.id], [other.id, "2026-03-08T03:30", one.id]);
});

test("a deadline is exact minutes before the start, also across a change of clocks", async () => {
  const studio = await newStudio();
  for (const [start, minutes, expected] of [
    // Clocks go back that night: 22:00 on the wall the evening before.
    ["2026-11-01T09:00", 720, "2026-11-01T02:00:00.000Z"],
    // And forward: 20:00.
    ["2026-03-08T09:00", 720, "2026-03-08T01:00:00.000Z"],
    ["2026-03-08T02:30", 180, "2026-03-08T04:30:00.000Z"],
  ] as const) {
    const scheduleId = await studio.schedule({ start });
    const session = await studio.act({ scheduleId, originalStart: start });
    assert.equal(new Date(freeUntil(session, minutes)).toISOString(), expected, start);
  }
});

test("what the calendar does not show cannot be acted on, and what it shows can", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.schedule({
    start: "2026-03-02T18:00",
    rrule: "FREQ=DAILY;UNTIL=20260305",
    exdates: ["2026-03-03T18:00"],
  });
  const act = (originalStart: string, id = scheduleId) =>
    refused(studio.act({ scheduleId: id, originalStart }));
  assert.equal(await act("2026-03-04T18:00"), "done");
  for (const wall of ["2026-03-03T18:00", "2026-03-04T18:01", "2026-03-06T18:00", "2026-03-01T18:00"])
    assert.equal(await act(wall), "no_slot", wall);
  assert.equal(await act("2026-03-04T18:00", newId()), "no_slot");
  assert.equal(await refused(studio.act({ sessionId: newId() })), "no_slot");
  // A session whose slot the rule no longer produces is still on the calendar.
  await studio.session({ start: "2026-04-01T10:00", scheduleId, originalStart: "2026-04-01T18:00" });
  assert.equal(await act("2026-04-01T18:00"), "done");
  const other = await api.newOrganization();
  const elsewhere = exclusiveTransaction(
    { db: api.served, actor: operator(), organizationId: other.id },
    (open) => lockSession(open, OWNER, { scheduleId, originalStart: "2026-03-04T18:00" }),
  );
  assert.equal(await refused(elsewhere), "no_slot");
  const archive = pooled("test_archive_type", "update service_types set status = 'archived' where id = $1");
  await api.db.query(archive, [studio.place.serviceTypeId]);
  assert.equal(await act("2026-03-05T18:00"), "no_slot");
  assert.equal(await act("2026-03-04T18:00"), "done");
});

test("the record of a session is open until the eighth day after it begins at its location", async () => {
  const studio = await newStudio("America/Sao_Paulo");
  const sessionId = await studio.session({ start: "2026-11-16T07:00" });
  for (const [instant, expected] of [
    ["2026-11-24T02:59:59.999Z", "done"],
    ["2026-11-24T03:00:00.000Z", "record_closed 2026-11-24"],
  ] as const) {
    const asked = studio.acting(async (open) => {
      const session = await lockSession(open, OWNER, { sessionId });
      requireOpenRecord({ ...open, now: Date.parse(instant) }, session);
    });
    assert.equal(await refused(asked), expected, instant);
  }
});

test("a resource that a session holds is taken from its start to its end, end excluded", async () => {
  const studio = await newStudio("America/Sao_Paulo");
  const held = { serviceTypeId: studio.held, resourceIds: ["carla"] };
  const physio = await studio.session({ ...held, start: "2026-11-16T10:00" });
  const next = await studio.session({ ...held, start: "2026-11-16T11:00" });
  const between = await studio.session({ ...held, start: "2026-11-16T10:30" });
  const elsewhere = await studio.session({ ...held, start: "2026-11-16T10:30", resourceIds: ["bruno"] });
  assert.equal(await refused(studio.claim(physio)), "done");
  assert.equal(await refused(studio.claim(next)), "done");
  assert.equal(await refused(studio.claim(between)), "resource_busy carla 10:00 11:00");
  assert.equal(await refused(studio.claim(elsewhere)), "done");
  await studio.acting(({ tx }) => dropClaims(tx, studio.id, [physio, next]));
  assert.equal(await refused(studio.claim(between)), "done");
});

test("a class with the resource keeps others from claiming it, stored or still to be computed", async () => {
  const studio = await newStudio("America/Sao_Paulo");
  const held = { serviceTypeId: studio.held, resourceIds: ["carla"] };
  const scheduleId = await studio.schedule({
    start: "2026-11-02T09:30",
    rrule: "FREQ=WEEKLY",
    resourceIds: ["carla"],
  });
  const [monday, nextMonday, tuesday] = [
    await studio.session({ ...held, start: "2026-11-16T10:00" }),
    await studio.session({ ...held, start: "2026-11-23T10:00" }),
    await studio.session({ ...held, start: "2026-11-17T10:00" }),
  ];
  assert.equal(await refused(studio.claim(monday)), "resource_busy carla 09:30 10:30");
  assert.equal(await refused(studio.claim(tuesday)), "done");
  // Moved away by hand: the slot itself takes place no more.
  await studio.session({
    scheduleId,
    originalStart: "2026-11-16T09:30",
    start: "2026-11-16T15:00",
    resourceIds: ["carla"],
  });
  assert.equal(await refused(studio.claim(monday)), "done");
  const afternoon = await studio.session({ ...held, start: "2026-11-16T15:30" });
  assert.equal(await refused(studio.claim(afternoon)), "resource_busy carla 15:00 16:00");
  // Cancelled: nobody needs the resource.
  await studio.session({
    scheduleId,
    originalStart: "2026-11-23T09:30",
    start: "2026-11-23T09:30",
    resourceIds: ["carla"],
    status: "cancelled",
  });
  assert.equal(await refused(studio.claim(nextMonday)), "done");
});

test("forty callers on two nodes want one resource at one time: one has it", async () => {
  const studio = await newStudio();
  const sessions = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      studio.session({
        serviceTypeId: studio.held,
        resourceIds: n % 2 ? ["anna", "room"] : ["room", "bea"],
        start: `2026-11-16T10:${String(n).padStart(2, "0")}`,
      }),
    ),
  );
  const answers = await Promise.all(
    sessions.map((id, n) => refused(studio.claim(id, n % 3 ? otherNode : api))),
  );
  assert.equal(answers.filter((answer) => answer === "done").length, 1);
  assert.equal(answers.filter((answer) => answer.startsWith("resource_busy")).length, 39);
});
