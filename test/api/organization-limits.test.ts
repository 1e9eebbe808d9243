import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { importRecords } from "../../src/data/bundle/import.ts";
import { read } from "../../src/db/statements.ts";
import { book } from "../../src/domain/bookings/operations.ts";
import { countStored } from "../../src/domain/organizations/limit-queries.ts";
import { GENERAL_LIMIT, type OrganizationChange } from "../../src/domain/organizations/queries.ts";
import { cancelSession } from "../../src/domain/sessions/operations.ts";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { numberChanges } from "../../src/sync/changes/numbering.ts";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { atInstant, BY, MONDAY, newBookingStudio } from "../support/booking-studio.ts";
import { fileForm, sendFile } from "../support/forms.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const other = await startApi({ beside: api });
const limited = await startApi({
  beside: api,
  limits: { requestsPerMinute: 30, maxRecords: 3, uploadMegabytesPerDay: 1 },
});

const setLimits = (id: string, change: OrganizationChange) => changeOrganization(api.db, "test", id, change);

/** An organization with one location, which is its first record. */
async function newStudio(change: OrganizationChange = {}) {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id, { name: "Centro" });
  if (Object.keys(change).length > 0) await setLimits(studio.id, change);
  let made = 0;
  const add = (through = api, headers = {}) =>
    through.call("POST", "/v1/clients", {
      body: { contactName: `Client ${++made}` },
      headers: { authorization: `Bearer ${studio.key}`, ...headers },
    });
  return { ...studio, locationId, add, stored: () => countStored(api.db, studio.id) };
}

test("the record that reaches the limit is stored, and the next one is refused, whether or not changes were numbered", async () => {
  for (const numbers of [false, true]) {
    const studio = await newStudio({ maxRecords: 4 });
    for (let records = 2; records <= 4; records++) {
      assert.equal((await studio.add(records % 2 === 0 ? api : other)).status, 201);
      if (numbers) await numberChanges(api.db, studio.id);
      assert.equal(await studio.stored(), records);
    }
    for (const through of [api, other]) {
      const { status, body, headers } = await studio.add(through, { "accept-language": "pt-BR" });
      assert.deepEqual([status, body.code, body.title], [403, "storage_full", "Armazenamento cheio"]);
      assert.match(body.detail, /guarda 4 de no máximo 4 registros/);
      assert.equal(headers.get("retry-after"), null);
    }
    assert.equal(await studio.stored(), 4);
  }
});

test("in a full organization records are read, changed and archived; a higher limit holds from the next request on", async () => {
  const studio = await newStudio({ maxRecords: 2 });
  const { id } = (await studio.add()).body;
  assert.equal((await studio.add()).status, 403);
  assert.equal((await studio.get(`/v1/clients/${id}`)).status, 200);
  const renamed = await studio.call("PATCH", `/v1/clients/${id}`, { body: { contactName: "Ana" } });
  assert.equal(renamed.status, 200);
  assert.equal((await studio.call("DELETE", `/v1/clients/${id}`)).status, 204);
  await setLimits(studio.id, { maxRecords: 3 });
  assert.equal((await studio.add(other)).status, 201);
  assert.equal((await studio.add(other)).status, 403);
  await setLimits(studio.id, { maxRecords: 0 });
  assert.equal((await studio.add(other)).status, 201);
});

test("a limit below what is stored takes nothing away", async () => {
  const studio = await newStudio();
  for (let n = 0; n < 3; n++) await studio.add();
  await setLimits(studio.id, { maxRecords: 1 });
  const { body } = await studio.get("/v1/clients");
  assert.equal(body.total, 3);
  assert.match((await studio.add()).body.detail, /stores 4 of at most 1 records/);
});

test("a repeated request is answered by what its first one stored, also when there is no room any more", async () => {
  const studio = await newStudio({ maxRecords: 2 });
  const headers = { "idempotency-key": newId() };
  const body = { contactName: "Ana" };
  const first = await studio.call("POST", "/v1/clients", { body, headers });
  const again = await studio.call("POST", "/v1/clients", { body, headers });
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.equal(again.body.id, first.body.id);
});

test("many at once on two servers exceed the limit by no more than are under way, and are counted exactly", async () => {
  const studio = await newStudio({ maxRecords: 21 });
  const statuses: number[] = [];
  // Eight callers, each of whom waits for its answer.
  await Promise.all(
    Array.from({ length: 8 }, async (_, caller) => {
      for (let n = 0; n < 10; n++) statuses.push((await studio.add(caller % 2 === 0 ? api : other)).status);
    }),
  );
  const made = statuses.filter((status) => status === 201).length;
  assert.deepEqual([...new Set(statuses)].sort(), [201, 403]);
  assert.ok(made >= 20 && made < 20 + 8, `${made} were stored`);
  assert.equal(await studio.stored(), made + 1);
  await numberChanges(api.db, studio.id);
  assert.equal(await studio.stored(), made + 1);
});

const counted = read(
  "test_counted_records",
  `select (select sum(records)::bigint from organization_counters where organization_id = $1) as numbered,
     (select count(*) from locations where organization_id = $1) + (select count(*) from resources where organization_id = $1)
     + (select count(*) from service_types where organization_id = $1)
     + (select count(*) from service_groups where organization_id = $1)
     + (select count(*) from plans where organization_id = $1) + (select count(*) from clients where organization_id = $1)
     + (select count(*) from contracts where organization_id = $1)
     + (select count(*) from schedules where organization_id = $1)
     + (select count(*) from sessions where organization_id = $1) as stored`,
);

test("what is counted as changes are numbered is what the tables have, after adding and deleting", async () => {
  const studio = await newStudio();
  const owner = await newStaff(api, studio.id);
  await studio.add();
  const group = (await owner.write("addServiceGroup", { name: "Yoga", serviceTypeIds: [] })).body.result;
  const { result: plan } = (
    await owner.write("addPlan", {
      name: "Mensal",
      billingKind: "recurring",
      billingInterval: "month",
      priceCents: 100,
      isTrial: false,
      allLocations: true,
      entitlements: [{ type: "access" }],
    })
  ).body;
  for (const end of [false, true]) {
    if (end) {
      assert.equal((await owner.write("deleteServiceGroup", { serviceGroupId: group.id })).status, 200);
      assert.equal((await owner.write("deletePlan", { planId: plan.id })).status, 200);
    }
    await numberChanges(api.db, studio.id);
    const [row] = await api.db.query<{ numbered: number; stored: number }>(counted, [studio.id]);
    assert.equal(row?.stored, end ? 2 : 4);
    assert.equal(row?.numbered, row?.stored);
    assert.equal(await studio.stored(), row?.stored);
  }
});

test("the staff is refused what adds a record, is not refused what takes away, and is told before", async () => {
  const studio = await newStudio({ maxRecords: 20 });
  const owner = await newStaff(api, studio.id);
  const desk = await newStaff(api, studio.id, { role: "front_desk" });
  const me = async () => {
    await numberChanges(api.db, studio.id);
    return (await desk.read("me")).body.storage;
  };
  const group = (await owner.write("addServiceGroup", { name: "Yoga", serviceTypeIds: [] })).body.result;
  for (let records = 3; records <= 17; records++) assert.equal((await studio.add()).status, 201);
  assert.equal(await me(), undefined);
  for (let records = 18; records <= 20; records++) {
    const answer = await desk.write("addClient", { contactName: "Bia" }, { through: other });
    assert.equal(answer.status, 200);
    assert.deepEqual(await me(), { records, limit: 20 });
  }
  for (const dryRun of [true, false]) {
    const refused = await desk.write("addClient", { contactName: "Bia", dryRun });
    assert.deepEqual([refused.status, refused.body.code], [403, "storage_full"]);
    assert.match(refused.body.detail, /stores 20 of at most 20 records/);
  }
  assert.equal((await owner.write("addLocation", { name: "Praia", timezone: "UTC" })).status, 403);
  assert.equal(await studio.stored(), 20);
  const { id } = (await studio.get("/v1/clients?limit=1")).body.data[0];
  assert.equal(
    (await desk.write("editClient", { clientId: id, changes: { contactName: "Ana" } })).status,
    200,
  );
  assert.equal((await owner.write("eraseClient", { clientId: id, basis: "asked for" })).status, 200);
  assert.equal((await owner.write("deleteServiceGroup", { serviceGroupId: group.id })).status, 200);
  assert.equal((await desk.write("addClient", { contactName: "Bia" })).status, 200);
  assert.equal((await desk.write("addClient", { contactName: "Bia" })).status, 403);
});

test("at the limit a class is booked that is stored, one that nobody has booked yet is not, and either is cancelled", async () => {
  const studio = await newBookingStudio(api);
  const [first, second] = [await studio.member("Ana"), await studio.member("Bia")];
  const scheduleId = await studio.schedule({ start: "2026-11-16T18:00", rrule: "FREQ=DAILY" });
  const monday = { scheduleId, originalStart: "2026-11-16T18:00" };
  const tuesday = { scheduleId, originalStart: "2026-11-17T18:00" };
  await studio.book({ clientId: first, session: monday });
  const maxRecords = await countStored(api.db, studio.id);
  const call = { db: atInstant(api.served, MONDAY), actor: BY, organizationId: studio.id, maxRecords };
  await assert.rejects(book(call, { clientId: first, session: tuesday }), { kind: "storage_full" });
  await book(call, { clientId: second, session: monday });
  assert.equal(await countStored(api.db, studio.id), maxRecords);
  for (const session of [monday, tuesday]) await cancelSession(call, { session, reason: "ill" });
  // The one that was computed until now is stored as cancelled.
  assert.equal(await countStored(api.db, studio.id), maxRecords + 1);
});

test("at the limit a class that nobody has booked yet is given to another teacher, and a series goes on in another way", async () => {
  const studio = await newBookingStudio(api);
  const owner = await newStaff(api, studio.id);
  const added = await owner.write("addResource", { name: "Bia", kind: "person" });
  const teacher = added.body.result.id;
  const now = await api.db.now();
  const day = (days: number) => new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  const scheduleId = await studio.schedule({ start: `${day(-3)}T18:00`, rrule: "FREQ=DAILY" });
  const maxRecords = await countStored(api.db, studio.id);
  await setLimits(studio.id, { maxRecords });
  const session = { scheduleId, originalStart: `${day(2)}T18:00` };
  const substituted = await owner.write("editSession", { session, changes: { resourceIds: [teacher] } });
  assert.equal(substituted.status, 200, substituted.text);
  assert.equal(await countStored(api.db, studio.id), maxRecords + 1);
  const from = `${day(5)}T18:00`;
  const edited = await owner.write("editSchedule", { scheduleId, from, changes: { durationMinutes: 45 } });
  assert.equal(edited.status, 200, edited.text);
  assert.equal(await countStored(api.db, studio.id), maxRecords + 2);
  const { timezone: _, ...place } = studio.place;
  const content = { ...place, start: `${day(3)}T10:00`, durationMinutes: 60, capacity: 5 };
  assert.equal((await owner.write("addSession", content)).status, 403);
});

test("an import that would be over the limit is refused whole, before it is written, and one that fits comes in", async () => {
  const studio = await newStudio({ maxRecords: 1_000 });
  const owner = await newStaff(api, studio.id);
  const sheet = (rows: number) => `Nome\n${Array.from({ length: rows }, (_, n) => `Ana ${n}\n`).join("")}`;
  for (const input of [{}, { dryRun: true }]) {
    const refused = await sendFile(owner, "importClients", sheet(1_000), input);
    assert.deepEqual([refused.status, refused.body.code], [403, "storage_full"]);
    assert.match(refused.body.detail, /would add 1,000 records to the 1 that .* may store 1,000/);
  }
  assert.equal(await studio.stored(), 1);
  assert.equal((await sendFile(owner, "importClients", sheet(999), {})).status, 200);
  assert.equal(await studio.stored(), 1_000);
  // As the operator imports it, by the limit of the server.
  const records = Array.from({ length: 12 }, (_, n) => ({
    ...{ kind: "client", id: newId(), contactName: `Bundle ${n}`, locationIds: [studio.locationId] },
  }));
  const options = { organizationId: studio.id, actor: "test" };
  await assert.rejects(importRecords(api.db, records, options), /import_too_large/);
  await setLimits(studio.id, { maxRecords: GENERAL_LIMIT });
  await assert.rejects(importRecords(api.db, records, { ...options, maxRecords: 1_011 }), /import_too_large/);
  await importRecords(api.db, records, { ...options, maxRecords: 1_012 });
  assert.equal(await studio.stored(), 1_012);
});

test("the server's limits hold where an organization has none of its own, which go before them", async () => {
  const studio = await newStudio();
  const policy = async () => (await studio.add(limited)).headers.get("ratelimit-policy");
  assert.equal(await policy(), '"organization";q=30;w=60');
  assert.equal((await studio.add(limited)).status, 201);
  assert.equal((await studio.add(limited)).status, 403);
  await setLimits(studio.id, { maxRecords: 5, requestsPerMinute: 0 });
  assert.equal(await policy(), null);
  assert.equal((await studio.add(limited)).status, 201);
  assert.equal((await studio.add(limited)).status, 403);
  await setLimits(studio.id, { maxRecords: GENERAL_LIMIT, requestsPerMinute: GENERAL_LIMIT });
  assert.equal(await policy(), '"organization";q=30;w=60');
  assert.equal((await studio.add(limited)).status, 403);
  assert.equal((await studio.add(api)).status, 201);
});

/** A sheet of so many bytes, which is read quickly. */
function sheetOf(bytes: number): string {
  return `Nome\n${`${"A".repeat(9_999)}\n`.repeat(bytes / 10_000)}`;
}

test("what an organization uploads is counted by its day on all servers, and refused beyond the limit until tomorrow", async () => {
  const studio = await newStudio({ uploadMegabytesPerDay: 1 });
  const owner = await newStaff(api, studio.id);
  const uploads = async () => (await owner.read("use")).body.uploads;
  assert.deepEqual(await uploads(), { bytes: 0, megabytes: 1 });
  const file = sheetOf(400_000);
  for (const through of [api, other])
    assert.equal((await sendFile(owner, "readSheet", file, {}, { through })).status, 200);
  const form = await formBytes(file);
  assert.deepEqual(await uploads(), { bytes: 2 * form, megabytes: 1 });
  for (const through of [api, other]) {
    const refused = await sendFile(owner, "readSheet", file, {}, { through });
    assert.deepEqual([refused.status, refused.body.reason], [429, "uploads_used_up"]);
    assert.match(refused.body.detail, /1 MB a day/);
    const wait = Number(refused.headers.get("retry-after"));
    assert.ok(wait > 0 && wait <= 25 * 3_600, `${wait}`);
  }
  assert.deepEqual(await uploads(), { bytes: 4 * form, megabytes: 1 });
  await setLimits(studio.id, { uploadMegabytesPerDay: 2 });
  assert.equal((await sendFile(owner, "readSheet", file, {})).status, 200);
  const tomorrow = await startApi({ beside: api, clockOffsetMs: 25 * 3_600_000 });
  const signedIn = await newStaff(tomorrow, studio.id);
  assert.deepEqual((await signedIn.read("use", { through: tomorrow })).body.uploads, {
    ...{ bytes: 0, megabytes: 2 },
  });
});

/** What arrives of a form with this file. */
const formBytes = async (file: string) => (await fileForm(file, {})).raw.length;

test("whatever arrives counts: other parts, what stands before and after them, and what breaks off", async () => {
  const studio = await newStudio({ uploadMegabytesPerDay: 20 });
  const owner = await newStaff(api, studio.id);
  const bytes = async () => (await owner.read("use")).body.uploads.bytes;
  const filler = "x".repeat(1_000_000);
  const part = (name: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
  const sheet = part("file", "Nome\nAna\n");
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  let arrived = 0;
  for (const [raw, status] of [
    [`${filler}\r\n${sheet}--b--\r\n`, 200],
    [`${sheet}--b--\r\n${filler}`, 200],
    [`${sheet}${part("file", filler)}--b--\r\n`, 422],
    [`${part("more", filler)}${sheet}--b--\r\n`, 422],
    [`${part("input", "{")}${part("file", filler)}--b--\r\n`, 400],
    [part("file", filler), 400],
    [filler, 400],
  ] as const) {
    const answer = await owner.write("readSheet", {}, { raw: Buffer.from(raw), headers });
    assert.equal(answer.status, status, raw.slice(0, 100));
    arrived += raw.length;
    assert.equal(await bytes(), arrived);
  }
  const whole = await fileForm(filler);
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /app/v1/readSheet HTTP/1.1\r\nHost: localhost\r\nCookie: ${owner.cookie}\r\nOrigin: ${PUBLIC_URL}\r\n` +
      `Content-Type: ${whole.type}\r\nContent-Length: ${whole.raw.length}\r\n\r\n`,
  );
  socket.write(whole.raw.subarray(0, 500_000), () => socket.end());
  await until("what broke off is counted", async () => (await bytes()) === arrived + 500_000);
});

test("no more is read than the largest form has, and the caller reads why", async () => {
  const studio = await newStudio();
  const owner = await newStaff(api, studio.id);
  const filler = Buffer.alloc(64 * 1024 * 1024, "x");
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const answer = await owner.write("readSheet", {}, { raw: filler, headers });
  assert.deepEqual([answer.status, answer.body.code], [413, "too_large"]);
  const { bytes } = (await owner.read("use")).body.uploads;
  assert.ok(bytes < 21 * 1024 * 1024, `${bytes}`);
});

test("another time zone gives no room back: what was uploaded counts until its day is over there too", async () => {
  const studio = await newStudio({ uploadMegabytesPerDay: 1 });
  const owner = await newStaff(api, studio.id);
  const uploads = async () => (await owner.read("use")).body.uploads.bytes;
  const setZone = async (timezone: string) =>
    assert.equal((await owner.write("editOrganization", { changes: { timezone } })).status, 200);
  const file = sheetOf(600_000);
  // 25 hours apart: it is never the same day in both.
  await setZone("Pacific/Kiritimati");
  assert.equal((await sendFile(owner, "readSheet", file, {})).status, 200);
  await setZone("Pacific/Niue");
  const before = await uploads();
  assert.equal(before, await formBytes(file));
  const refused = await sendFile(owner, "readSheet", file, {});
  assert.deepEqual([refused.status, refused.body.reason], [429, "uploads_used_up"]);
  const wait = Number(refused.headers.get("retry-after"));
  assert.ok(wait > 24 * 3_600 && wait <= 49 * 3_600, `${wait}`);
  await setZone("Pacific/Kiritimati");
  assert.equal(await uploads(), 2 * before);
  assert.equal((await sendFile(owner, "readSheet", file, {})).status, 429);
});

test("a repeated import is answered by what its first one did, though that used up what may be uploaded", async () => {
  const studio = await newStudio({ uploadMegabytesPerDay: 1 });
  const owner = await newStaff(api, studio.id);
  const file = `Nome\n${Array.from({ length: 100 }, (_, n) => `Ana ${n}${" ".repeat(7_000)}\n`).join("")}`;
  const headers = { "idempotency-key": newId() };
  const first = await sendFile(owner, "importClients", file, {}, { headers });
  assert.equal(first.status, 200, first.text);
  const stored = await studio.stored();
  for (const through of [api, other]) {
    const again = await sendFile(owner, "importClients", file, {}, { headers, through });
    assert.deepEqual([again.status, again.body.result], [200, first.body.result]);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
  }
  const changed = await sendFile(owner, "importClients", `${file}Bia\n`, {}, { headers });
  assert.notEqual(changed.body.reason, "uploads_used_up", "that its key is taken says more");
  const refused = await sendFile(owner, "importClients", file, {});
  assert.deepEqual([refused.status, refused.body.reason], [429, "uploads_used_up"]);
  assert.equal(await studio.stored(), stored);
});

test("files that are uploaded at once do not take the same room", async () => {
  const studio = await newStudio({ uploadMegabytesPerDay: 1 });
  const owner = await newStaff(api, studio.id);
  const file = sheetOf(300_000);
  const statuses = await Promise.all(
    [api, other, api, other].map(
      async (through) => (await sendFile(owner, "readSheet", file, {}, { through })).status,
    ),
  );
  assert.deepEqual(statuses.sort(), [200, 200, 200, 429]);
  assert.equal((await owner.read("use")).body.uploads.bytes, 4 * (await formBytes(file)));
});

test("owners read what their organization may do and has done", async () => {
  const studio = await newStudio({ maxRecords: 10_000, requestsPerMinute: 1_200 });
  const owner = await newStaff(api, studio.id);
  const { $schema: _, ...use } = (await owner.read("use")).body;
  assert.deepEqual(use, {
    requests: { today: 0, perMinute: 1_200 },
    storage: { records: 1, limit: 10_000 },
    uploads: { bytes: 0 },
  });
  const manager = await newStaff(api, studio.id, { role: "manager" });
  assert.equal((await manager.read("use")).status, 403);
});
