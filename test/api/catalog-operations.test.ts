import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor } from "../../src/core/actor.ts";
import type { DataClass } from "../../src/core/data-snapshot.ts";
import { AppError } from "../../src/core/errors.ts";
import { ONLY_PUBLIC } from "../../src/core/network-addresses.ts";
import { pooled, read } from "../../src/db/statements.ts";
import { listAudit } from "../../src/domain/audit/queries.ts";
import { clientWrites } from "../../src/domain/clients/staff-writes.ts";
import { keyWrites } from "../../src/domain/keys/staff-writes.ts";
import { locationWrites } from "../../src/domain/locations/staff-writes.ts";
import { findSettings, findVersions } from "../../src/domain/organizations/queries.ts";
import { resourceWrites } from "../../src/domain/resources/staff-writes.ts";
import { serviceGroupWrites } from "../../src/domain/service-groups/staff-writes.ts";
import { serviceTypeWrites } from "../../src/domain/service-types/staff-writes.ts";
import { locationSessionWrites } from "../../src/domain/sessions/location-writes.ts";
import { serviceTypeSessionWrites } from "../../src/domain/sessions/service-type-writes.ts";
import { settingsWrites } from "../../src/domain/settings/staff-writes.ts";
import { startApi } from "../support/api.ts";
import { addSchedule, addSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addPlan } from "../support/records.ts";
import { OWNER, performWrite, refusalOf } from "../support/staff-writes.ts";

const api = await startApi();
const CATALOG = [
  ...locationWrites,
  ...locationSessionWrites,
  ...serviceGroupWrites,
  ...serviceTypeWrites,
  ...serviceTypeSessionWrites,
  ...resourceWrites,
];
const WRITES = new Map(
  [...CATALOG, ...clientWrites, ...keyWrites, ...settingsWrites].map((write) => [write.name, write]),
);
const ZONE = "America/Sao_Paulo";
const SOON = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

async function newStudio() {
  const studio = await api.newOrganization();
  const call = { db: api.served, organizationId: studio.id, keySecret: api.keySecret };
  const run = async (name: string, input: object, actor: Actor = OWNER) => {
    const write = WRITES.get(name);
    assert.ok(write, `no such write: ${name}`);
    return performWrite(write, { ...call, actor }, input);
  };
  return {
    ...studio,
    run,
    /** The record that a write answers with. */
    done: async (name: string, input: object) => (await run(name, input)).result,
    refused: (name: string, input: object, actor?: Actor) => refusalOf(run(name, input, actor)),
    data: async (path: string) => (await studio.get(path)).body.data,
    audit: async () => (await listAudit(api.db, studio.id, 1)).data[0],
    /** The classes whose versions a write moves, each by how many. */
    async moves(name: string, input: object): Promise<string> {
      const before = await findVersions(api.db, studio.id);
      await run(name, input);
      const after = await findVersions(api.db, studio.id);
      const classes = (Object.keys(after) as DataClass[]).filter((key) => after[key] > before[key]);
      return classes.sort().join(" ");
    },
  };
}

const uses = async (work: Promise<unknown>) => {
  try {
    await work;
  } catch (error) {
    if (error instanceof AppError && error.detail?.code === "in_use") return error.facts.uses;
    throw error;
  }
  return assert.fail("it was deleted");
};

test("a location is added, changed, closed, opened again and deleted; the API shows each at once", async () => {
  const studio = await newStudio();
  const first = await studio.done("addLocation", { name: "Vila", address: "Rua A 1", timezone: ZONE });
  assert.deepEqual(first, {
    id: first.id,
    name: "Vila",
    address: "Rua A 1",
    status: "active",
    timezone: ZONE,
  });
  const locationId = first.id;
  assert.deepEqual(await studio.data("/v1/locations"), [first]);
  const edited = await studio.done("editLocation", {
    locationId,
    changes: { name: "Centro", address: null },
  });
  assert.deepEqual(edited, { id: locationId, name: "Centro", status: "active", timezone: ZONE });
  assert.deepEqual((await studio.audit())?.details, {
    before: { name: "Vila", address: "Rua A 1" },
    after: { name: "Centro" },
  });
  assert.deepEqual(await studio.done("closeLocation", { locationId }), { ...edited, status: "closed" });
  assert.deepEqual(await studio.data("/v1/locations"), [{ ...edited, status: "closed" }]);
  assert.deepEqual(await studio.done("reopenLocation", { locationId }), edited);
  assert.deepEqual(await studio.done("deleteLocation", { locationId }), { id: locationId });
  assert.deepEqual(await studio.data("/v1/locations"), []);
  const { action, actor, subject } = (await studio.audit()) ?? {};
  assert.deepEqual([action, actor, subject], ["deleteLocation", OWNER.name, locationId]);
});

test("with the second location a new client must say which one it belongs to", async () => {
  const studio = await newStudio();
  await studio.done("addLocation", { name: "One", timezone: ZONE });
  const create = async () =>
    (await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } })).status;
  assert.equal(await create(), 201);
  const second = await studio.done("addLocation", { name: "Two", timezone: ZONE });
  assert.equal(await create(), 422);
  assert.equal(
    await studio.refused("addClient", { contactName: "Ana" }),
    "body.locationIds location_required",
  );
  await studio.done("deleteLocation", { locationId: second.id });
  assert.equal(await create(), 201);
});

test("closing and archiving withdraw what is stored and has not begun, the booked only if that is said", async () => {
  for (const [close, open] of [
    ["closeLocation", "reopenLocation"],
    ["archiveServiceType", "restoreServiceType"],
  ] as const) {
    const studio = await newStudio();
    const { id: locationId } = await studio.done("addLocation", { name: "A", timezone: ZONE });
    const { id: serviceTypeId } = await studio.done("addServiceType", { name: "Yoga", holdsResource: false });
    const place = { locationId, serviceTypeId, timezone: ZONE };
    await addSchedule(api.db, studio.id, { ...place, start: `${SOON}T06:00`, rrule: "FREQ=DAILY;COUNT=2" });
    const session = (start: string, bookedCount: number) =>
      addSession(api.db, studio.id, { ...place, start, bookedCount });
    const begun = await session("2026-01-05T07:00", 4);
    const empty = await session(`${SOON}T08:00`, 0);
    const booked = await session(`${SOON}T09:00`, 3);
    const window = `from=${SOON}T00:00:00-03:00&to=${SOON}T23:59:00-03:00`;
    const shown = async () =>
      (await studio.data(`/v1/calendar?${window}`)).map(
        ({ id, status, bookedCount }: Record<string, unknown>) => [id, status, bookedCount],
      );
    const named = close === "closeLocation" ? { locationId } : { serviceTypeId };
    await assert.rejects(studio.run(close, named), (error: AppError) => {
      assert.equal(error.detail?.code, "has_bookings");
      assert.deepEqual(error.facts, { reason: "has_bookings", sessions: 1, bookings: 3 });
      return true;
    });
    assert.deepEqual((await shown()).length, 3, "nothing was written");
    const { result, changes } = await studio.run(close, { ...named, cancelBooked: true });
    assert.match(result.status, /closed|archived/);
    assert.equal(changes.sessions, 2);
    assert.deepEqual(await shown(), [
      [empty, "cancelled", 0],
      [booked, "cancelled", 0],
    ]);
    const past = await studio.data("/v1/calendar?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z");
    assert.deepEqual([past[0].id, past[0].status, past[0].bookedCount], [begun, "scheduled", 4]);
    assert.equal((await studio.run(close, named)).changes.sessions, 0, "again: nothing changes");
    await studio.done(open, named);
    assert.equal((await shown()).length, 3, "the schedule produces again, what was cancelled stays so");
  }
});

test("what others refer to is not deleted, and all that refer to it are counted", async () => {
  const studio = await newStudio();
  const { id: locationId } = await studio.done("addLocation", { name: "A", timezone: ZONE });
  const { id: serviceTypeId } = await studio.done("addServiceType", { name: "Yoga", holdsResource: false });
  const { id: serviceGroupId } = await studio.done("addServiceGroup", {
    name: "All",
    serviceTypeIds: [serviceTypeId],
  });
  const place = { locationId, serviceTypeId, timezone: ZONE };
  await addSchedule(api.db, studio.id, { ...place, start: `${SOON}T06:00` });
  await addSession(api.db, studio.id, { ...place, start: `${SOON}T08:00` });
  await addSession(api.db, studio.id, { ...place, start: `${SOON}T09:00` });
  const entitlements = [
    { position: 0, type: "access", serviceTypeId },
    { position: 1, type: "access", serviceGroupId },
  ];
  await addPlan(api.db, studio.id, { locationIds: [locationId], entitlements });
  const { id: clientId } = await studio.done("addClient", { contactName: "Ana" });
  await addContract(api.db, studio.id, {
    clientId,
    locationIds: [locationId],
    entitlements: entitlements.map((entitlement) => ({ id: newId(), ...entitlement })),
  });
  const staff = (status: string) =>
    api.db.query(
      pooled(
        "test_insert_staff_of_location",
        `with made as (
           insert into staff (organization_id, id, name, email, email_key, role, all_locations, status, created_at)
           values ($1, $2, 'Rui', 'rui@example.com', 'rui@example.com', 'front_desk', false, $4, now()) returning id
         )
         insert into staff_locations (organization_id, staff_id, location_id) select $1, id, $3 from made`,
      ),
      [studio.id, newId(), locationId, status],
    );
  await staff("invited");
  await staff("removed");
  assert.deepEqual(await uses(studio.run("deleteLocation", { locationId })), [
    { kind: "clients", count: 1 },
    { kind: "contracts", count: 1 },
    { kind: "plans", count: 1 },
    { kind: "schedules", count: 1 },
    { kind: "sessions", count: 2 },
    { kind: "staff", count: 1 },
  ]);
  assert.deepEqual(await uses(studio.run("deleteServiceType", { serviceTypeId })), [
    { kind: "schedules", count: 1 },
    { kind: "sessions", count: 2 },
    { kind: "serviceGroups", count: 1 },
    { kind: "plans", count: 1 },
    { kind: "contracts", count: 1 },
  ]);
  assert.deepEqual(await uses(studio.run("deleteServiceGroup", { serviceGroupId })), [
    { kind: "plans", count: 1 },
    { kind: "contracts", count: 1 },
  ]);
  // A group refers to its members; nothing refers to a group that no grant names.
  const other = await studio.done("addServiceGroup", { name: "Other", serviceTypeIds: [serviceTypeId] });
  assert.deepEqual(await studio.done("deleteServiceGroup", { serviceGroupId: other.id }), { id: other.id });
  // Who was removed works nowhere.
  const { id: left } = await studio.done("addLocation", { name: "B", timezone: ZONE });
  await api.db.query(
    pooled(
      "test_move_staff",
      "update staff_locations set location_id = $2 where organization_id = $1 and staff_id = (select id from staff where organization_id = $1 and status = 'removed')",
    ),
    [studio.id, left],
  );
  assert.deepEqual(await studio.done("deleteLocation", { locationId: left }), { id: left });
});

test("a location is not deleted under a client that is being stored with it, and nobody fails by accident", async () => {
  const studio = await newStudio();
  await studio.done("addLocation", { name: "Stays", timezone: ZONE });
  for (let round = 0; round < 5; round++) {
    const { id } = await studio.done("addLocation", { name: "Goes", timezone: ZONE });
    const [created, deleted] = await Promise.all([
      studio.call("POST", "/v1/clients", { body: { contactName: "Ana", locationIds: [id] } }),
      studio.refused("deleteLocation", { locationId: id }),
    ]);
    assert.ok([201, 409, 422].includes(created.status), created.text);
    assert.equal(deleted, created.status === 201 ? "in_use" : "done");
  }
});

test("a service type's updatedAt moves when its answer on the API changes, and only then", async () => {
  const studio = await newStudio();
  const made = await studio.done("addServiceType", {
    name: "Yoga",
    description: "Mat",
    holdsResource: false,
  });
  const serviceTypeId = made.id;
  assert.deepEqual([made.status, made.createdAt], ["active", made.updatedAt]);
  const read = async () => (await studio.get(`/v1/service-types/${serviceTypeId}`)).body;
  const { $schema, ...shown } = await read();
  assert.deepEqual(shown, made);
  assert.equal(await studio.moves("editServiceType", { serviceTypeId, changes: {} }), "");
  assert.equal(await studio.moves("editServiceType", { serviceTypeId, changes: { name: "Yoga" } }), "");
  assert.equal(await studio.moves("restoreServiceType", { serviceTypeId }), "");
  assert.equal((await read()).updatedAt, made.updatedAt);
  const edited = await studio.done("editServiceType", {
    serviceTypeId,
    changes: { name: "Ioga suave", description: null, holdsResource: true },
  });
  assert.ok(edited.updatedAt > made.updatedAt);
  assert.deepEqual(
    [edited.name, edited.description, edited.holdsResource, edited.createdAt],
    ["Ioga suave", undefined, true, made.createdAt],
  );
  assert.equal((await studio.get("/v1/service-types?query=suave")).body.total, 1);
  const totals = async () =>
    Promise.all(
      ["active", "archived"].map(
        async (status) => (await studio.get(`/v1/service-types?status=${status}`)).body.total,
      ),
    );
  assert.deepEqual(await totals(), [1, 0]);
  const archived = await studio.done("archiveServiceType", { serviceTypeId });
  assert.ok(archived.updatedAt > edited.updatedAt);
  assert.deepEqual(await totals(), [0, 1]);
  await studio.done("restoreServiceType", { serviceTypeId });
  assert.deepEqual(await totals(), [1, 0]);
  await studio.done("deleteServiceType", { serviceTypeId });
  assert.deepEqual(await totals(), [0, 0]);
  assert.equal((await studio.get(`/v1/service-types/${serviceTypeId}`)).status, 404);
});

test("a service type joins a group that a contract names, and the contract's updatedAt stands", async () => {
  const studio = await newStudio();
  await studio.done("addLocation", { name: "A", timezone: ZONE });
  const type = async (name: string) =>
    (await studio.done("addServiceType", { name, holdsResource: false })).id as string;
  const [yoga, pilates] = [await type("Yoga"), await type("Pilates")];
  const group = await studio.done("addServiceGroup", { name: "Mat", serviceTypeIds: [yoga, yoga] });
  assert.deepEqual(group, { id: group.id, name: "Mat", serviceTypeIds: [yoga] });
  const { id: clientId } = await studio.done("addClient", { contactName: "Ana" });
  const contractId = await addContract(api.db, studio.id, {
    clientId,
    entitlements: [{ id: newId(), position: 0, type: "access", serviceGroupId: group.id }],
  });
  const before = (await studio.get(`/v1/contracts/${contractId}`)).body;
  const changes = { serviceTypeIds: [pilates.toUpperCase(), yoga] };
  const edited = await studio.done("editServiceGroup", { serviceGroupId: group.id, changes });
  assert.deepEqual(edited.serviceTypeIds, [yoga, pilates].sort());
  assert.deepEqual(await studio.data("/v1/service-groups"), [edited]);
  assert.deepEqual((await studio.get(`/v1/contracts/${contractId}`)).body, before);
  assert.equal(await studio.moves("editServiceGroup", { serviceGroupId: group.id, changes }), "");
});

test("a resource that an import named is given a name and a kind, archived and brought back", async () => {
  const studio = await newStudio();
  const locationId = await addLocation(api.db, studio.id);
  const { id: serviceTypeId } = await studio.done("addServiceType", { name: "Yoga", holdsResource: false });
  await addSession(api.db, studio.id, {
    locationId,
    serviceTypeId,
    timezone: ZONE,
    start: `${SOON}T08:00`,
    resourceIds: ["Profª Lia"],
  });
  const resourceId = "Profª Lia";
  const named = { id: resourceId, name: resourceId, kind: "person", status: "active" };
  assert.deepEqual(await studio.data("/v1/resources"), [named]);
  const changes = { name: "Lia Prado" };
  assert.deepEqual(await studio.done("editResource", { resourceId, changes }), { ...named, ...changes });
  assert.deepEqual((await studio.audit())?.details, { members: ["name"], before: {}, after: {} });
  const room = await studio.done("addResource", { name: "Sala 2", kind: "room" });
  assert.deepEqual(room, { id: room.id, name: "Sala 2", kind: "room", status: "active" });
  const archived = await studio.done("archiveResource", { resourceId });
  assert.equal(archived.status, "archived");
  const listed = await studio.data("/v1/resources");
  assert.deepEqual(
    listed,
    [archived, room].sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  assert.equal((await studio.done("restoreResource", { resourceId })).status, "active");
  const trail = JSON.stringify((await listAudit(api.db, studio.id, 100)).data);
  assert.ok(!trail.includes("Lia Prado") && !trail.includes("Sala 2"), "no name is in the trail");
});

test("a client is written by the rules of the API, with an audit entry that has nothing of the person", async () => {
  const studio = await newStudio();
  const locationId = await addLocation(api.db, studio.id);
  const ana = await studio.done("addClient", {
    contactName: "  Ana Prado ",
    contactEmail: "",
    contactPhone: "+55 11 90765-4321",
    idDocument: { type: "cpf", value: "529.982.247-25" },
  });
  const read = async () => (await studio.get(`/v1/clients/${ana.id}`)).body;
  const { $schema, ...stored } = await read();
  assert.deepEqual(stored, JSON.parse(JSON.stringify(ana)));
  assert.deepEqual(
    [ana.contactName, ana.contactEmail, ana.idDocument.value, ana.locationIds],
    ["Ana Prado", undefined, "52998224725", [locationId]],
  );
  const clientId = ana.id;
  const edited = await studio.done("editClient", {
    clientId,
    changes: { contactPhone: "", notes: "Joelho" },
  });
  assert.deepEqual(
    [edited.contactPhone, edited.notes, edited.contactName],
    [undefined, "Joelho", "Ana Prado"],
  );
  assert.ok(edited.updatedAt > ana.updatedAt);
  assert.deepEqual((await studio.audit())?.details, { members: ["contactPhone", "notes"] });
  assert.equal(await studio.moves("editClient", { clientId, changes: { notes: "Joelho" } }), "");
  assert.equal((await read()).updatedAt, edited.updatedAt);
  assert.equal(
    await studio.refused("addClient", {
      contactName: "Bia",
      idDocument: { type: "cpf", value: "52998224725" },
    }),
    "document_held",
  );
  assert.equal(
    await studio.refused("addClient", {
      contactName: "",
      birthdate: "1800-01-01",
      role: "owner",
      id: newId(),
      locationIds: [newId()],
    }),
    [
      "body.birthdate birthdate_out_of_range",
      "body.contactName empty",
      "body.id unknown_member",
      "body.locationIds[0] location_unknown",
      "body.role unknown_member",
    ].join("; "),
  );
  assert.equal(
    await studio.refused("editClient", {
      clientId,
      changes: {
        contactEmail: "x",
        idDocument: { type: "other" },
        birthdate: "2999-01-01",
        locationIds: [newId()],
      },
    }),
    [
      "body.changes.birthdate birthdate_out_of_range",
      "body.changes.contactEmail email_invalid",
      "body.changes.locationIds[0] location_unknown",
    ].join("; "),
  );
  assert.equal((await studio.done("archiveClient", { clientId })).status, "archived");
  assert.equal(await studio.moves("archiveClient", { clientId }), "");
  assert.equal((await studio.get("/v1/clients?status=archived")).body.total, 1);
  assert.equal((await studio.done("restoreClient", { clientId })).status, "active");
  const { data } = await listAudit(api.db, studio.id, 100);
  const trail = JSON.stringify(data);
  for (const trace of ["Ana", "Prado", "90765", "52998224725", "Joelho"])
    assert.ok(!trail.includes(trace), `${trace} is in the trail`);
});

test("a key is shown once, belongs to its organization alone, and is dead when it is revoked", async () => {
  const studio = await newStudio();
  const stranger = await newStudio();
  const { result: minted } = await studio.run("mintKey", { name: "Site", expires: "90d" });
  const lifetime = Date.parse(minted.expiresAt) - Date.parse(minted.createdAt);
  assert.deepEqual([minted.name, minted.status, lifetime], ["Site", "active", 90 * 86_400_000]);
  assert.equal("organizationId" in minted, false);
  const statusWith = async (key: string) =>
    (await api.call("GET", "/v1/organization", { headers: { authorization: `Bearer ${key}` } })).status;
  assert.equal(await statusWith(minted.key), 200);
  const write = WRITES.get("mintKey");
  const repeated = await write?.repeat?.read(
    {
      db: api.served,
      organizationId: studio.id,
      keySecret: api.keySecret,
      publicUrl: "https://a.example",
      callRules: ONLY_PUBLIC,
      actor: OWNER,
    },
    write.repeat.idOf(minted as never),
  );
  const { key, ...withoutSecret } = minted;
  assert.deepEqual({ ...withoutSecret, ...(repeated as object) }, repeated, "a repeat answers without it");
  assert.ok(!("key" in (repeated as object)));
  const keyId = minted.id;
  for (const name of ["rotateKey", "revokeKey"]) {
    assert.equal(await stranger.refused(name, { keyId }), "no_key");
    assert.equal(await studio.refused(name, { keyId: newId() }), "no_key");
  }
  const { result: rotated } = await studio.run("rotateKey", { keyId, overlap: "0s" });
  assert.deepEqual([await statusWith(minted.key), await statusWith(rotated.key)], [401, 200]);
  assert.equal(await studio.refused("rotateKey", { keyId }), "key_not_active");
  const revoked = await studio.done("revokeKey", { keyId: rotated.id });
  assert.deepEqual([revoked.status, "key" in revoked], ["revoked", false]);
  assert.equal(await statusWith(rotated.key), 401);
  const trail = JSON.stringify((await listAudit(api.db, studio.id, 100)).data);
  assert.ok(![minted.key, rotated.key].some((key) => trail.includes(key)));
  for (const expires of ["0d", "90", "1y", "-1d"])
    assert.equal(await studio.refused("mintKey", { expires }), "body.expires duration_invalid");
  assert.equal(
    await studio.refused("rotateKey", { keyId, overlap: "soon" }),
    "body.overlap duration_invalid",
  );
});

test("settings hold within their bounds, and nothing on the API moves", async () => {
  const studio = await newStudio();
  const begun = { cancelWindowMinutes: 180, checkInOpensMinutes: 60, weekStart: "monday", paymentDays: 0 };
  assert.deepEqual(await findSettings(api.db, studio.id), begun);
  const changes = { cancelWindowMinutes: 10_080, weekStart: "sunday" };
  assert.equal(await studio.moves("editSettings", { changes }), "");
  assert.deepEqual(await findSettings(api.db, studio.id), { ...begun, ...changes });
  assert.deepEqual((await studio.audit())?.details, {
    before: { cancelWindowMinutes: 180, weekStart: "monday" },
    after: changes,
  });
  assert.equal(
    await studio.refused("editSettings", {
      changes: {
        cancelWindowMinutes: 10_081,
        checkInOpensMinutes: -1,
        weekStart: "friday",
        status: "closed",
      },
    }),
    [
      "body.changes.cancelWindowMinutes above_maximum",
      "body.changes.checkInOpensMinutes below_minimum",
      "body.changes.status unknown_member",
      "body.changes.weekStart not_one_of",
    ].join("; "),
  );
});

test("the owner changes the organization's name, clock and currency; the currency stays while there are prices in it", async () => {
  const studio = await newStudio();
  const change = (changes: object) => studio.done("editOrganization", { changes });
  const begun = await change({});
  assert.deepEqual(await change({ name: "Aurora", timezone: "Asia/Tokyo", currency: "EUR" }), {
    id: studio.id,
    name: "Aurora",
    timezone: "Asia/Tokyo",
    currency: "EUR",
  });
  assert.deepEqual((await studio.audit())?.details.after, {
    name: "Aurora",
    timezone: "Asia/Tokyo",
    currency: "EUR",
  });
  assert.equal((await studio.get("/v1/organization")).body.name, "Aurora");
  const { name, timezone, currency } = begun;
  await change({ name, timezone, currency });
  assert.equal(
    await studio.refused("editOrganization", {
      changes: { name: "", timezone: "Mars/Olympus", currency: "eur", status: "closed" },
    }),
    "body.changes.currency currency_invalid; body.changes.name empty; body.changes.status unknown_member",
  );
  assert.equal(
    await studio.refused("editOrganization", { changes: { timezone: "Mars/Olympus" } }),
    "body.changes.timezone time_zone_unknown",
  );
  await addPlan(api.db, studio.id);
  assert.equal(await studio.refused("editOrganization", { changes: { currency: "EUR" } }), "currency_in_use");
  assert.equal((await change({})).currency, currency, "nothing of it stays");
});

test("the calendar is coloured by what there is; what goes loses its colour, and nothing on the API moves", async () => {
  const studio = await newStudio();
  const type = async (name: string) =>
    (await studio.done("addServiceType", { name, holdsResource: false })).id;
  const [yoga, dance] = [await type("Yoga"), await type("Dance")];
  const person = (await studio.done("addResource", { name: "Ana", kind: "person" })).id;
  const room = (await studio.done("addResource", { name: "Room", kind: "room" })).id;
  const color = (colors: object[], by?: string) =>
    studio.done("colorCalendar", { ...(by !== undefined && { by }), colors });
  assert.deepEqual(await studio.done("colorCalendar", {}), { by: "service", colors: [] });
  const both = [
    { id: yoga, color: "red" },
    { id: person, color: "blue" },
    { id: dance, color: "green" },
  ];
  const byId = (colors: readonly { id: string }[]) => [...colors].sort((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(await color(both, "teacher"), { by: "teacher", colors: byId(both) });
  assert.equal(await studio.moves("colorCalendar", { by: "none" }), "");
  await studio.done("deleteServiceType", { serviceTypeId: dance });
  const kept = [
    { id: yoga, color: "red" },
    { id: person, color: "amber" },
  ];
  assert.deepEqual(await color([{ id: person, color: "amber" }]), { by: "none", colors: byId(kept) });
  assert.deepEqual(
    (
      await color([
        { id: yoga, color: null },
        { id: dance, color: null },
      ])
    ).colors,
    [{ id: person, color: "amber" }],
  );
  const other = await newStudio();
  const foreign = (await other.done("addServiceType", { name: "Foreign", holdsResource: false })).id;
  assert.equal(
    await studio.refused("colorCalendar", {
      colors: [foreign, room, "nobody", yoga].map((id) => ({ id, color: "red" })),
    }),
    [0, 1, 2].map((place) => `body.colors[${place}].id not_colored`).join("; "),
  );
  assert.equal(
    await studio.refused("colorCalendar", { by: "location", colors: [{ id: yoga, color: "#ff0000" }] }),
    "body.by not_one_of; body.colors[0].color not_one_of",
  );
  const many = Array.from({ length: 501 }, () => ({ id: yoga, color: "red" }));
  assert.equal(await studio.refused("colorCalendar", { colors: many }), "body.colors too_many");
});

test("every fault of an input is told at once", async () => {
  const studio = await newStudio();
  const id = newId();
  const cases: [string, object, string[]][] = [
    [
      "addLocation",
      { timezone: "Brasilia", color: 1 },
      ["body.color unknown_member", "body.name required", "body.timezone time_zone_unknown"],
    ],
    ["addLocation", { name: "x".repeat(201), timezone: ZONE }, ["body.name too_long"]],
    [
      "editLocation",
      { locationId: "1", changes: { name: null, timezone: "X/Y" } },
      [
        "body.changes.name wrong_type",
        "body.changes.timezone time_zone_unknown",
        "body.locationId uuid_invalid",
      ],
    ],
    [
      "addServiceGroup",
      { name: "", serviceTypeIds: [id, "x"] },
      [
        "body.name empty",
        "body.serviceTypeIds[0] service_type_unknown",
        "body.serviceTypeIds[1] uuid_invalid",
      ],
    ],
    [
      "editServiceGroup",
      { serviceGroupId: id, changes: { serviceTypeIds: [id] } },
      ["body.changes.serviceTypeIds[0] service_type_unknown"],
    ],
    ["addServiceType", { name: "Yoga" }, ["body.holdsResource required"]],
    [
      "addResource",
      { name: "R", kind: "robot", id: "R" },
      ["body.id unknown_member", "body.kind not_one_of"],
    ],
    ["mintKey", { name: "", organizationId: id }, ["body.name empty", "body.organizationId unknown_member"]],
  ];
  for (const [name, input, faults] of cases)
    assert.equal(await studio.refused(name, input), faults.join("; "), name);
});

test("a record that is not there is said to be missing, also when it is another organization's", async () => {
  const [studio, stranger] = [await newStudio(), await newStudio()];
  const location = await stranger.done("addLocation", { name: "A", timezone: ZONE });
  const type = await stranger.done("addServiceType", { name: "Yoga", holdsResource: false });
  const group = await stranger.done("addServiceGroup", { name: "G", serviceTypeIds: [] });
  const resource = await stranger.done("addResource", { name: "R", kind: "room" });
  const client = await stranger.done("addClient", { contactName: "Ana" });
  const cases: [string, object, string[]][] = [
    [
      "no_location",
      { locationId: location.id },
      ["editLocation", "closeLocation", "reopenLocation", "deleteLocation"],
    ],
    ["no_service_group", { serviceGroupId: group.id }, ["editServiceGroup", "deleteServiceGroup"]],
    [
      "no_service_type",
      { serviceTypeId: type.id },
      ["editServiceType", "archiveServiceType", "restoreServiceType", "deleteServiceType"],
    ],
    ["no_resource", { resourceId: resource.id }, ["editResource", "archiveResource", "restoreResource"]],
    ["no_client", { clientId: client.id }, ["editClient", "archiveClient", "restoreClient"]],
  ];
  for (const [word, named, names] of cases)
    for (const name of names) {
      const input = name.startsWith("edit") ? { ...named, changes: {} } : named;
      assert.equal(await studio.refused(name, input), word, name);
    }
});

test("who works at some locations only writes nothing of the catalog, and clients all the same", async () => {
  const studio = await newStudio();
  const location = await studio.done("addLocation", { name: "A", timezone: ZONE });
  const type = await studio.done("addServiceType", { name: "Yoga", holdsResource: false });
  const group = await studio.done("addServiceGroup", { name: "G", serviceTypeIds: [] });
  const resource = await studio.done("addResource", { name: "R", kind: "room" });
  const ids = {
    locationId: location.id,
    serviceTypeId: type.id,
    serviceGroupId: group.id,
    resourceId: resource.id,
  };
  const content: Record<string, object> = {
    addLocation: { name: "B", timezone: ZONE },
    addServiceGroup: { name: "H", serviceTypeIds: [] },
    addServiceType: { name: "Tai chi", holdsResource: false },
    addResource: { name: "S", kind: "room" },
  };
  const limited: Actor = { ...OWNER, locationIds: [location.id] };
  for (const { name, input } of CATALOG) {
    const named = Object.entries(ids).filter(([id]) => id in input.properties);
    const given = content[name] ?? {
      ...Object.fromEntries(named),
      ...("changes" in input.properties && { changes: {} }),
    };
    assert.equal(await studio.refused(name, given, limited), "wrong_location", name);
  }
  assert.equal(await studio.refused("addClient", { contactName: "Ana" }, limited), "done");
});

test("each write moves the versions of what it writes, and none else", async () => {
  const studio = await newStudio();
  const locationId = (await studio.done("addLocation", { name: "A", timezone: ZONE })).id;
  const serviceTypeId = (await studio.done("addServiceType", { name: "Yoga", holdsResource: false })).id;
  const serviceGroupId = (await studio.done("addServiceGroup", { name: "G", serviceTypeIds: [] })).id;
  const resourceId = (await studio.done("addResource", { name: "R", kind: "room" })).id;
  const clientId = (await studio.done("addClient", { contactName: "Ana" })).id;
  const start = `${SOON}T08:00`;
  await addSession(api.db, studio.id, { locationId, serviceTypeId, timezone: ZONE, start, bookedCount: 0 });
  const other = (await studio.done("addServiceType", { name: "Other", holdsResource: false })).id;
  const cases: [string, object, string][] = [
    ["addLocation", { name: "B", timezone: ZONE }, "catalog"],
    ["editLocation", { locationId, changes: { name: "C" } }, "catalog"],
    ["editLocation", { locationId, changes: { timezone: "Asia/Tokyo" } }, "catalog sessions"],
    ["closeLocation", { locationId }, "catalog sessions"],
    ["reopenLocation", { locationId }, "catalog"],
    ["addServiceType", { name: "Tai chi", holdsResource: false }, "catalog"],
    ["editServiceType", { serviceTypeId, changes: { name: "Ioga" } }, "catalog"],
    ["archiveServiceType", { serviceTypeId }, "catalog"],
    ["restoreServiceType", { serviceTypeId }, "catalog"],
    ["deleteServiceType", { serviceTypeId: other }, "catalog"],
    ["addServiceGroup", { name: "H", serviceTypeIds: [] }, "catalog"],
    ["editServiceGroup", { serviceGroupId, changes: { serviceTypeIds: [serviceTypeId] } }, "catalog"],
    ["deleteServiceGroup", { serviceGroupId }, "catalog"],
    ["addResource", { name: "S", kind: "person" }, "catalog"],
    ["editResource", { resourceId, changes: { kind: "equipment" } }, "catalog"],
    ["archiveResource", { resourceId }, "catalog"],
    ["restoreResource", { resourceId }, "catalog"],
    ["addClient", { contactName: "Bia", locationIds: [locationId] }, "clients"],
    ["editClient", { clientId, changes: { notes: "x" } }, "clients"],
    ["archiveClient", { clientId }, "clients"],
    ["restoreClient", { clientId }, "clients"],
    ["mintKey", {}, ""],
    ["editSettings", { changes: { weekStart: "sunday" } }, ""],
    ["colorCalendar", { by: "teacher" }, ""],
  ];
  for (const [name, input, versions] of cases) assert.equal(await studio.moves(name, input), versions, name);
});

const claimsOf = read(
  "test_claims",
  `select resource_id as resource, lower(during) as at, upper(during) as until from resource_claims
   where organization_id = $1 order by lower(during), resource_id`,
);

test("turning holdsResource on claims what is booked to come, and is refused if two would meet; off lets go", async () => {
  const studio = await newStudio();
  const { id: locationId } = await studio.done("addLocation", { name: "A", timezone: ZONE });
  const type = async (name: string) =>
    (await studio.done("addServiceType", { name, holdsResource: false })).id as string;
  const [physio, massage] = [await type("Physio"), await type("Massage")];
  const session = (serviceTypeId: string, start: string, bookedCount: number) =>
    addSession(api.db, studio.id, {
      ...{ locationId, serviceTypeId, timezone: ZONE, bookedCount },
      start,
      resourceIds: ["carla"],
    });
  const booked = await session(physio, `${SOON}T10:00`, 1);
  await session(physio, `${SOON}T10:00`, 0);
  await session(physio, "2026-01-05T10:00", 1);
  const hold = (serviceTypeId: string, holdsResource: boolean) =>
    studio.run("editServiceType", { serviceTypeId, changes: { holdsResource } });
  const claims = () => api.db.query<Record<string, string>>(claimsOf, [studio.id]);
  await studio.done("editResource", { resourceId: "carla", changes: { name: "Carla" } });
  const before = (await studio.get(`/v1/service-types/${physio}`)).body;
  await hold(physio, true);
  const day = `${SOON}T13:00:00.000Z`;
  assert.deepEqual(await claims(), [{ resource: "carla", at: day, until: `${SOON}T14:00:00.000Z` }]);
  assert.ok((await studio.get(`/v1/service-types/${physio}`)).body.updatedAt > before.updatedAt);
  const later = await session(massage, `${SOON}T11:00`, 1);
  await hold(massage, true);
  assert.equal((await claims()).length, 2, "one begins when the other ends");
  await hold(massage, false);
  assert.equal((await claims()).length, 1);
  await session(massage, `${SOON}T10:30`, 1);
  await assert.rejects(hold(massage, true), (error: AppError) => {
    assert.equal(error.detail?.code, "resource_busy");
    assert.equal(error.facts.resourceId, "carla");
    assert.ok([booked, later].includes(String(error.facts.sessionId)));
    return true;
  });
  assert.equal((await claims()).length, 1, "nothing was written");
  assert.equal((await studio.get(`/v1/service-types/${massage}`)).body.holdsResource, false);
  await hold(physio, false);
  assert.deepEqual(await claims(), []);
});

test("claims follow their sessions to the clocks of another timezone, and two that would meet refuse it", async () => {
  const studio = await newStudio();
  const place = async (timezone: string) =>
    (await studio.done("addLocation", { name: timezone, timezone })).id as string;
  const [here, there] = [await place(ZONE), await place("America/New_York")];
  const { id: serviceTypeId } = await studio.done("addServiceType", { name: "Physio", holdsResource: false });
  const session = (locationId: string, timezone: string, start: string) =>
    addSession(api.db, studio.id, { locationId, serviceTypeId, timezone, start, resourceIds: ["carla"] });
  // In January, New York is two hours behind São Paulo.
  await session(here, ZONE, "2027-01-11T10:00");
  await session(here, ZONE, "2027-01-11T11:00");
  const other = await session(there, "America/New_York", "2027-01-11T07:00");
  await studio.done("editServiceType", { serviceTypeId, changes: { holdsResource: true } });
  const hours = async () =>
    (await api.db.query<{ at: string }>(claimsOf, [studio.id])).map(({ at }) => at.slice(11, 16));
  assert.deepEqual(await hours(), ["12:00", "13:00", "14:00"]);
  // By an hour: each comes to where another one was.
  const moveTo = (timezone: string) =>
    studio.run("editLocation", { locationId: here, changes: { timezone } });
  await moveTo("America/Manaus");
  assert.deepEqual(await hours(), ["12:00", "14:00", "15:00"]);
  await moveTo(ZONE);
  await assert.rejects(moveTo("Atlantic/South_Georgia"), (error: AppError) => {
    assert.equal(error.detail?.code, "resource_busy");
    assert.deepEqual(error.facts, { reason: "resource_busy", resourceId: "carla", sessionId: other });
    return true;
  });
  assert.deepEqual(await hours(), ["12:00", "13:00", "14:00"]);
  const location = (await studio.data("/v1/locations")).find(({ id }: { id: string }) => id === here);
  assert.equal(location.timezone, ZONE);
});
