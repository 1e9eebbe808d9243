import assert from "node:assert/strict";
import { test } from "node:test";
import { importRecords } from "../../src/data/bundle/import.ts";
import { demoStudio } from "../../src/data/demo/studio.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { type Answer, startApi } from "../support/api.ts";
import { addSchedule, addServiceType } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addLocation, addServiceGroup } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();

interface Named {
  readonly id: string;
  readonly name: string;
}

/** An organization that came by an import, and how it is read. */
async function importStudio(records: readonly object[], organizationId?: string) {
  const into = organizationId === undefined ? {} : { organizationId };
  const summary = await api.db.transaction((tx) => importRecords(tx, records, { actor: "test", ...into }));
  const { key } = await mintKey(api.db, api.keySecret, "test", { organizationId: summary.organizationId });
  const headers = { authorization: `Bearer ${key}` };
  return {
    id: summary.organizationId,
    get: (path: string): Promise<Answer> => api.call("GET", path, { headers }),
  };
}

test("every service group and every resource that the demo names has a name", async () => {
  const records = demoStudio({ today: "2026-11-16" }).map((record) =>
    record.kind === "organization" ? { ...record, id: newId() } : record,
  );
  const studio = await importStudio(records);
  const texts = JSON.stringify(records);
  const groupIds = new Set([...texts.matchAll(/"serviceGroupId":"([^"]+)"/g)].map(([, id]) => id));
  const resourceIds = new Set(
    records.flatMap((record) => ("resourceIds" in record ? (record.resourceIds ?? []) : [])),
  );
  assert.ok(groupIds.size >= 2 && resourceIds.size >= 10);

  const groups = (await studio.get("/v1/service-groups")).body;
  assert.equal(groups.total, groups.data.length);
  const groupNames = new Map(groups.data.map(({ id, name }: Named) => [id, name]));
  for (const id of groupIds) assert.ok(groupNames.get(id ?? ""), `the group ${id} has no name`);
  const types = (await studio.get("/v1/service-types?limit=200")).body.data.map(({ id }: Named) => id);
  for (const { serviceTypeIds } of groups.data) {
    assert.deepEqual(serviceTypeIds, [...serviceTypeIds].sort());
    for (const id of serviceTypeIds) assert.ok(types.includes(id));
  }

  const resources = (await studio.get("/v1/resources")).body;
  assert.equal(resources.total, resources.data.length);
  const named = new Map<string, Named>(resources.data.map((resource: Named) => [resource.id, resource]));
  for (const id of resourceIds as Set<string>)
    assert.notEqual(named.get(id)?.name ?? id, id, `${id} has no name`);
  assert.deepEqual([...new Set(resources.data.map(({ kind }: { kind: string }) => kind))].sort(), [
    "equipment",
    "person",
    "room",
  ]);
  const calendar = await studio.get("/v1/calendar?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z");
  const shown = new Set(
    calendar.body.data.flatMap((session: { resourceIds?: string[] }) => session.resourceIds ?? []),
  );
  assert.ok(shown.size > 5);
  for (const id of shown) assert.ok(resourceIds.has(id as string));
});

test("both lists are in order of their ids and returned whole, each organization its own", async () => {
  const [studio, other] = [await api.newOrganization(), await api.newOrganization()];
  for (let n = 0; n < 60; n++) await addServiceGroup(api.db, studio.id);
  const ids = ["zé", "Zoe", "a", "A", "ä", "10", "9", "é", "😀", "ﬀ", "sala-1", "Sala 1"];
  const place = {
    locationId: await addLocation(api.db, studio.id),
    serviceTypeId: await addServiceType(api.db, studio.id),
    timezone: "UTC",
  };
  await addSchedule(api.db, studio.id, { ...place, start: "2026-01-01T07:00", resourceIds: ids });
  const groups = (await studio.get("/v1/service-groups")).body;
  assert.equal(groups.total, 60);
  const groupIds = groups.data.map(({ id }: Named) => id);
  assert.deepEqual(groupIds, [...groupIds].sort());
  const resources = (await studio.get("/v1/resources")).body.data.map(({ id }: Named) => id);
  // By code point, whatever the locale of the database.
  assert.deepEqual(
    resources,
    [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
  for (const path of ["/v1/service-groups", "/v1/resources"]) {
    const { data, total } = (await other.get(path)).body;
    assert.deepEqual([data, total], [[], 0]);
    const head = await studio.call("HEAD", path);
    const etag = head.headers.get("etag") ?? "";
    assert.match(etag, /^"[\w-]{22}"$/);
    const headers = { authorization: `Bearer ${studio.key}`, "if-none-match": etag };
    assert.equal((await fetch(api.url + path, { headers })).status, 304);
    assert.equal((await api.call("GET", path)).status, 401);
  }
});

test("a resource is there as soon as something names it, by whatever writer, and stays when nothing does", async () => {
  const studio = await api.newOrganization();
  const place = {
    locationId: await addLocation(api.db, studio.id),
    serviceTypeId: await addServiceType(api.db, studio.id),
    timezone: "UTC",
  };
  const resources = async () => (await studio.get("/v1/resources")).body.data.map(({ id }: Named) => id);
  const scheduleId = await addSchedule(api.db, studio.id, {
    ...place,
    start: "2026-01-01T07:00",
    rrule: "FREQ=DAILY",
    resourceIds: ["ana", "room-1"],
  });
  assert.deepEqual(await resources(), ["ana", "room-1"]);
  const write = (text: string, values: unknown[]) =>
    api.db.transaction(async (tx: Database) => {
      await tx.query(pooled(`test_${text.slice(0, 12)}`, text), values);
      await tx.query(
        pooled(
          "test_move_catalog",
          "update organization_counters set catalog_version = catalog_version + 1 where organization_id = $1 and slot = 0",
        ),
        [studio.id],
      );
    });
  await write("update schedules set resource_ids = $3 where organization_id = $1 and id = $2", [
    studio.id,
    scheduleId,
    ["bia"],
  ]);
  assert.deepEqual(await resources(), ["ana", "bia", "room-1"]);
  const session = {
    kind: "session",
    scheduleId,
    originalStart: "2026-01-05T07:00",
    serviceTypeId: place.serviceTypeId,
    locationId: place.locationId,
    start: "2026-01-05T08:00",
    durationMinutes: 60,
    capacity: 10,
    bookedCount: 1,
    status: "scheduled",
    resourceIds: ["carla", "ana"],
  };
  const id = newId();
  await importStudio([{ ...session, id }], studio.id);
  assert.deepEqual(await resources(), ["ana", "bia", "carla", "room-1"]);
  await importStudio([{ ...session, id, resourceIds: ["dora"] }], studio.id);
  assert.deepEqual(await resources(), ["ana", "bia", "carla", "dora", "room-1"]);
});

test("scheduleId and originalStart name a session for good: before it is booked and after, moved or not", async () => {
  const studio = await api.newOrganization({ timezone: "America/New_York" });
  const place = {
    locationId: await addLocation(api.db, studio.id, { timezone: "America/New_York" }),
    serviceTypeId: await addServiceType(api.db, studio.id),
  };
  const scheduleId = newId();
  const schedule = {
    kind: "schedule",
    id: scheduleId,
    ...place,
    start: "2026-03-07T02:30",
    durationMinutes: 60,
    rrule: "FREQ=DAILY;COUNT=4",
    capacity: 9,
  };
  await importStudio([schedule], studio.id);
  const read = async () =>
    (await studio.get("/v1/calendar?from=2026-03-01T00:00:00Z&to=2026-03-20T00:00:00Z")).body.data.map(
      ({ id, scheduleId: of, originalStart, startAt }: Record<string, string>) => ({
        hasId: id !== undefined,
        isOfSchedule: of === scheduleId,
        originalStart,
        startAt,
      }),
    );
  const slot = (originalStart: string, startAt: string, hasId = false) => ({
    hasId,
    isOfSchedule: true,
    originalStart,
    startAt,
  });
  // On 8 March the clock skips from 2 to 3: the slot keeps its own name.
  const untouched = [
    slot("2026-03-07T02:30", "2026-03-07T07:30:00.000Z"),
    slot("2026-03-08T02:30", "2026-03-08T07:30:00.000Z"),
    slot("2026-03-09T02:30", "2026-03-09T06:30:00.000Z"),
    slot("2026-03-10T02:30", "2026-03-10T06:30:00.000Z"),
  ];
  assert.deepEqual(await read(), untouched);
  const session = { kind: "session", scheduleId, ...place, durationMinutes: 60, capacity: 9, bookedCount: 1 };
  await importStudio(
    [
      { ...session, originalStart: "2026-03-08T02:30", start: "2026-03-08T02:30", status: "scheduled" },
      { ...session, originalStart: "2026-03-09T02:30", start: "2026-03-12T18:00", status: "scheduled" },
      { ...session, originalStart: "2026-03-10T02:30", start: "2026-03-10T02:30", status: "cancelled" },
      {
        ...session,
        scheduleId: undefined,
        start: "2026-03-15T10:00",
        status: "scheduled",
      },
    ].map((record) => JSON.parse(JSON.stringify(record))),
    studio.id,
  );
  assert.deepEqual(await read(), [
    untouched[0],
    slot("2026-03-08T02:30", "2026-03-08T07:30:00.000Z", true),
    slot("2026-03-10T02:30", "2026-03-10T06:30:00.000Z", true),
    slot("2026-03-09T02:30", "2026-03-12T22:00:00.000Z", true),
    // A session of no schedule stands for no slot.
    { hasId: true, isOfSchedule: false, originalStart: undefined, startAt: "2026-03-15T14:00:00.000Z" },
  ]);
});

test("scheduleId and resourceId find sessions by what they are now, few or many", async () => {
  const studio = await api.newOrganization({ timezone: "UTC" });
  const place = {
    locationId: await addLocation(api.db, studio.id, { timezone: "UTC" }),
    serviceTypeId: await addServiceType(api.db, studio.id),
    timezone: "UTC",
  };
  const every = { ...place, rrule: "FREQ=DAILY" };
  const one = await addSchedule(api.db, studio.id, {
    ...every,
    start: "2026-01-01T07:00",
    resourceIds: ["ana", "room"],
  });
  const two = await addSchedule(api.db, studio.id, {
    ...every,
    start: "2026-01-01T09:00",
    resourceIds: ["bia", "room"],
  });
  const stored = (scheduleId: string | undefined, day: string, resourceIds: string[]) => ({
    kind: "session",
    id: newId(),
    ...(scheduleId !== undefined && { scheduleId, originalStart: `${day}T07:00` }),
    serviceTypeId: place.serviceTypeId,
    locationId: place.locationId,
    start: `${day}T07:00`,
    durationMinutes: 60,
    capacity: 10,
    bookedCount: 1,
    status: "scheduled",
    resourceIds,
  });
  // One slot is Bia's now, and one session is of no schedule.
  await importStudio(
    [stored(one, "2026-01-03", ["bia"]), stored(undefined, "2026-01-04", ["bia"])],
    studio.id,
  );
  const days = async (filter: string) => {
    const { data, total } = (
      await studio.get(`/v1/calendar?from=2026-01-02T00:00:00Z&to=2026-01-06T00:00:00Z&${filter}`)
    ).body;
    assert.equal(total, data.length);
    return data.map(
      ({ startAt, id }: { startAt: string; id?: string }) => `${startAt.slice(8, 13)}${id ? " id" : ""}`,
    );
  };
  const check = async () => {
    assert.deepEqual(await days(`scheduleId=${one}`), ["02T07", "03T07 id", "04T07", "05T07"]);
    assert.deepEqual(await days(`scheduleId=${two.toUpperCase()}`), ["02T09", "03T09", "04T09", "05T09"]);
    assert.deepEqual(await days("resourceId=ana"), ["02T07", "04T07", "05T07"]);
    assert.deepEqual(await days("resourceId=bia"), [
      "02T09",
      "03T07 id",
      "03T09",
      "04T07 id",
      "04T09",
      "05T09",
    ]);
    assert.deepEqual(await days(`resourceId=bia&scheduleId=${one}`), ["03T07 id"]);
    assert.deepEqual(await days("resourceId=nobody"), []);
    assert.deepEqual(await days(`scheduleId=${newId()}`), []);
  };
  await check();
  // More sessions than are read at once: now they come in pages.
  const many = Array.from({ length: 450 }, (_, n) => ({
    ...stored(undefined, "2026-01-02", ["many"]),
    start: `2026-01-05T${String(10 + (n % 12)).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}`,
  }));
  await importStudio(many, studio.id);
  await check();
  assert.equal((await days("resourceId=many")).length, 450);
  for (const [filter, message] of [
    ["scheduleId=x", "must be a UUID"],
    ["resourceId=", "must not be empty"],
    [`resourceId=${"x".repeat(65)}`, "must have at most 64 characters"],
  ] as const) {
    const { status, body } = await studio.get(
      `/v1/calendar?from=2026-01-02T00:00:00Z&to=2026-01-06T00:00:00Z&${filter}`,
    );
    assert.deepEqual([status, body.errors[0].message], [422, message]);
  }
});

test("a name of invisible characters alone is refused at every door", async () => {
  const nobody = "\u200b\u2060\u202e";
  const { id, call } = await api.newOrganization();
  await addLocation(api.db, id);
  const created = await call("POST", "/v1/clients", { body: { contactName: nobody } });
  assert.deepEqual(
    [created.status, created.body.errors[0].location, created.body.errors[0].code],
    [422, "body.contactName", "empty"],
  );
  const owner = await newStaff(api, id);
  for (const [operation, body, location] of [
    ["addClient", { contactName: nobody }, "body.contactName"],
    ["addServiceType", { name: nobody, holdsResource: false }, "body.name"],
    ["addStaff", { name: nobody, email: "a@example.com", role: "manager", allLocations: true }, "body.name"],
    ["editStaff", { staffId: owner.id, changes: { name: nobody } }, "body.changes.name"],
    ["mintKey", { name: nobody }, "body.name"],
  ] as const) {
    const refused = await owner.write(operation, body);
    assert.deepEqual([refused.status, refused.body.errors?.[0].location], [422, location], operation);
  }
  const seen = await call("POST", "/v1/clients", { body: { contactName: "\u202eAna" } });
  assert.equal(seen.status, 201, "one that is seen is taken as it is");
});
