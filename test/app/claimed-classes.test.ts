import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { addContract } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const first = await startApi();
/** A Monday, nine in the morning in São Paulo. */
const api = await startApi({
  beside: first,
  clockOffsetMs: Date.parse("2026-11-16T12:00:00.000Z") - Date.now(),
});

const ZONE = "America/Sao_Paulo";
/** In November an hour behind São Paulo. */
const AN_HOUR_BEHIND = "America/Manaus";

/** Two places with one teacher, who gives classes and has appointments that are for one person alone. */
async function newStudio() {
  const { id, call } = await api.newOrganization({ timezone: ZONE });
  const owner = await newStaff(api, id, { role: "owner" });
  const done = async (name: string, input: object) => {
    const { status, body, text } = await owner.write(name, input);
    assert.equal(status, 200, `${name}: ${text}`);
    return body.result;
  };
  const made = async (name: string, input: object): Promise<string> => (await done(name, input)).id;
  const place = (name: string) => made("addLocation", { name, timezone: ZONE });
  const type = (name: string, holdsResource: boolean) => made("addServiceType", { name, holdsResource });
  const [here, there] = [await place("Here"), await place("There")];
  const [pilates, physio, massage] = [
    await type("Pilates", false),
    await type("Physio", true),
    await type("Massage", true),
  ];
  const carla = await made("addResource", { name: "Carla", kind: "person" });
  const body = { contactName: "Ana", locationIds: [here] };
  const clientId = (await call("POST", "/v1/clients", { body })).body.id as string;
  await addContract(api.db, id, { clientId, entitlements: [{ id: newId(), type: "access" }] });
  const content = { resourceIds: [carla], durationMinutes: 60, capacity: 4 };
  const session = (serviceTypeId: string, locationId: string, start: string) =>
    made("addSession", { ...content, serviceTypeId, locationId, start });
  return {
    ...{ here, there, pilates, physio, massage, carla, done, session },
    daily: (serviceTypeId: string, locationId: string, start: string, resourceIds = [carla]) =>
      made("addSchedule", { ...content, resourceIds, serviceTypeId, locationId, start, rrule: "FREQ=DAILY" }),
    /** A session that somebody is booked in. */
    async booked(serviceTypeId: string, locationId: string, start: string) {
      const sessionId = await session(serviceTypeId, locationId, start);
      await done("book", { clientId, session: { sessionId } });
      return sessionId;
    },
    cancel: (named: object) => done("cancelSession", { session: named, reason: "ill" }),
    /** The session whose claim a write is refused for, and when it is. */
    async busy(name: string, input: object) {
      const answer = await owner.write(name, input);
      assert.deepEqual([answer.status, answer.body.reason], [409, "resource_busy"], answer.text);
      assert.equal(answer.body.resourceId, carla);
      const [, hours] = /from (\S+ to \S+)\.$/.exec(answer.body.detail) ?? [];
      return [answer.body.sessionId, hours];
    },
  };
}

test("a location is not opened again over a claim on the resource of its classes; without one it is", async () => {
  const { here, there, pilates, physio, daily, booked, busy, cancel, done } = await newStudio();
  await daily(pilates, there, "2026-11-18T10:30", []);
  await daily(pilates, there, "2026-11-18T10:00");
  await done("closeLocation", { locationId: there });
  const claiming = await booked(physio, here, "2026-11-24T10:30");
  await booked(physio, here, "2026-11-19T11:00");
  assert.deepEqual(await busy("reopenLocation", { locationId: there }), [claiming, "10:30 to 11:30"]);
  assert.equal((await done("closeLocation", { locationId: there })).status, "closed");
  await cancel({ sessionId: claiming });
  assert.equal((await done("reopenLocation", { locationId: there })).status, "active");
});

test("a slot that was cancelled before its location closed does not keep it from being opened again", async () => {
  const { here, there, pilates, physio, daily, booked, cancel, done } = await newStudio();
  const scheduleId = await daily(pilates, there, "2026-11-18T10:00");
  await cancel({ scheduleId, originalStart: "2026-11-20T10:00" });
  await done("closeLocation", { locationId: there });
  await booked(physio, here, "2026-11-20T10:30");
  assert.equal((await done("reopenLocation", { locationId: there })).status, "active");
});

test("a service type does not come back over a claim on the resource of its classes; without one it does", async () => {
  const { here, pilates, physio, daily, booked, busy, cancel, done } = await newStudio();
  await daily(pilates, here, "2026-11-18T10:00");
  await done("archiveServiceType", { serviceTypeId: pilates });
  const claiming = await booked(physio, here, "2026-11-24T09:30");
  await booked(physio, here, "2026-11-19T09:00");
  assert.deepEqual(await busy("restoreServiceType", { serviceTypeId: pilates }), [
    claiming,
    "09:30 to 10:30",
  ]);
  await cancel({ sessionId: claiming });
  assert.equal((await done("restoreServiceType", { serviceTypeId: pilates })).status, "active");
});

test("a type that holds its resource comes back beside claims: its sessions claim with their first booking", async () => {
  const { here, physio, massage, daily, booked, done } = await newStudio();
  await daily(physio, here, "2026-11-18T10:00");
  await done("archiveServiceType", { serviceTypeId: physio });
  await booked(massage, here, "2026-11-24T10:00");
  assert.equal((await done("restoreServiceType", { serviceTypeId: physio })).status, "active");
});

test("a timezone that brings classes, or claims, to where the other is is refused; any other is taken", async () => {
  const at = "2026-11-24T08:00";
  for (const [name, prepare] of [
    ["a slot comes to a claim", ({ pilates, there, daily }) => daily(pilates, there, "2026-11-18T07:00")],
    [
      "a session comes to a claim",
      ({ pilates, there, session }) => session(pilates, there, "2026-11-24T07:00"),
    ],
  ] satisfies [string, (studio: Awaited<ReturnType<typeof newStudio>>) => Promise<string>][]) {
    const studio = await newStudio();
    const { here, there, physio, booked, busy, done } = studio;
    await prepare(studio);
    const claiming = await booked(physio, here, at);
    const moveTo = (timezone: string) => ({ locationId: there, changes: { timezone } });
    // On the clock that the classes would have.
    assert.deepEqual(await busy("editLocation", moveTo(AN_HOUR_BEHIND)), [claiming, "07:00 to 08:00"], name);
    assert.equal((await done("editLocation", moveTo("Asia/Tokyo"))).timezone, "Asia/Tokyo", name);
  }
  const { here, there, pilates, physio, daily, booked, busy, done } = await newStudio();
  await daily(pilates, here, "2026-11-18T08:00");
  const claiming = await booked(physio, there, "2026-11-24T07:00");
  const moveTo = (timezone: string) => ({ locationId: there, changes: { timezone } });
  // On the clock of the class that it meets.
  assert.deepEqual(await busy("editLocation", moveTo(AN_HOUR_BEHIND)), [claiming, "08:00 to 09:00"]);
  assert.equal((await done("editLocation", moveTo("Asia/Tokyo"))).timezone, "Asia/Tokyo");
});

test("sessions do not become classes while others have their resource; with their own claims alone they do", async () => {
  const { here, physio, massage, daily, session, booked, busy, cancel, done } = await newStudio();
  const off = { serviceTypeId: physio, changes: { holdsResource: false } };
  await booked(physio, here, "2026-11-23T15:00");
  await session(physio, here, "2026-11-24T10:00");
  const onSession = await booked(massage, here, "2026-11-24T10:30");
  assert.deepEqual(await busy("editServiceType", off), [onSession, "10:30 to 11:30"]);
  await cancel({ sessionId: onSession });
  await daily(physio, here, "2026-11-18T12:00");
  const onSlot = await booked(massage, here, "2026-11-25T12:30");
  assert.deepEqual(await busy("editServiceType", off), [onSlot, "12:30 to 13:30"]);
  await cancel({ sessionId: onSlot });
  assert.equal((await done("editServiceType", off)).holdsResource, false);
});
