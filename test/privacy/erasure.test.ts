import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor } from "../../src/core/actor.ts";
import { AppError } from "../../src/core/errors.ts";
import { compileCheck } from "../../src/core/validation.ts";
import { pooled, read } from "../../src/db/statements.ts";
import * as contracts from "../../src/domain/contracts/operations.ts";
import { eraseClient, exportClient, findPerson } from "../../src/domain/privacy/operations.ts";
import { listErasures } from "../../src/domain/privacy/queries.ts";
import { ClientExport } from "../../src/domain/privacy/schema.ts";
import { exportText, faultsOf, importLines } from "../bundle/support.ts";
import { newStudio as newSheetStudio } from "../spreadsheet/support.ts";
import { startApi } from "../support/api.ts";
import { addServiceType, addSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addContract, addLocation, addPlan, countClients } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi({ isIsolated: true });
const OWNER: Actor = { name: "staff:owner", role: "owner", locationIds: undefined };
const BASIS = "LGPD art. 18 VI, request of 2026-11-10";

const PERSON = {
  contactName: "Zenaide Quaresma",
  contactEmail: "Zenaide.Q@example.com",
  contactPhone: "+55 11 90909-1234",
  birthdate: "1987-03-09",
  address: { line1: "Travessa do Ouvidor 7", city: "Paraty", state: "RJ", country: "BR" },
  idDocument: { type: "cpf", value: "52998224725" },
  notes: "Allergic to lavender",
};

/** What is left of a client. */
const LEFT = { contactName: "Erased client", address: {}, status: "archived" };

async function newStudio() {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  const create = async (client: object = PERSON, headers: Record<string, string> = {}) =>
    (await studio.call("POST", "/v1/clients", { body: client, headers })).body.id as string;
  const erase = (clientId: string) =>
    eraseClient(
      { db: api.served, actor: OWNER, organizationId: studio.id, keySecret: api.keySecret },
      { clientId, basis: BASIS },
    );
  return { ...studio, locationId, create, erase };
}

const insertBooking = pooled(
  "test_insert_uncovered_booking",
  `insert into bookings (organization_id, id, session_id, client_id, visit_date, state, uncovered_reason, booked_at)
   values ($1, $2, $3, $4, '2026-01-05', $5, $6, now())`,
);

async function addBooking(
  studio: { readonly id: string; readonly locationId: string },
  clientId: string,
  { start = "2026-01-05T07:00", state = "booked", reason = "make-up", sessionId = "" } = {},
): Promise<string> {
  const timezone = "America/Sao_Paulo";
  const at = { locationId: studio.locationId, timezone, start };
  const session =
    sessionId ||
    (await addSession(api.db, studio.id, { ...at, serviceTypeId: await addServiceType(api.db, studio.id) }));
  await api.db.query(insertBooking, [studio.id, newId(), session, clientId, state, reason]);
  return session;
}

async function refused(work: Promise<unknown>): Promise<string | undefined> {
  const error = await work.then(
    () => assert.fail("it was done"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  return error.detail?.code;
}

test("an erased person is gone from the record, lists, search and cached answers; the totals count an archived client", async () => {
  const studio = await newStudio();
  const id = await studio.create();
  const find = async (query: string) => (await studio.get(`/v1/clients?query=${query}`)).body.total as number;
  const before = await studio.get(`/v1/clients/${id}`);
  for (const query of ["zenaide", "52998224725", "909091234", "example.com"])
    assert.equal(await find(query), 1);
  const { result, entry } = await studio.erase(id);
  const { createdAt, locationIds } = before.body;
  const after = await studio.get(`/v1/clients/${id}`);
  const { $schema, updatedAt, ...record } = after.body;
  assert.deepEqual(record, { id, ...LEFT, createdAt, locationIds });
  assert.ok(updatedAt > before.body.updatedAt);
  assert.deepEqual(JSON.parse(JSON.stringify(result)), { ...record, updatedAt });
  for (const query of ["zenaide", "52998224725", "909091234", "example.com"])
    assert.equal(await find(query), 0);
  assert.equal((await studio.get("/v1/clients?status=archived")).body.total, 1);
  assert.equal((await studio.get("/v1/clients?status=active")).body.total, 0);
  const { active, archived, countedActive, countedArchived } = await countClients(api.db, studio.id);
  assert.deepEqual([active, archived, countedActive, countedArchived], [0, 1, 0, 1]);
  // Whoever has the old answer is told that there is a new one.
  const asked = await studio.call("GET", `/v1/clients/${id}`, {
    headers: { "if-none-match": before.headers.get("etag") ?? "" },
  });
  assert.equal(asked.status, 200);
  const [erasure] = await listErasures(api.db, studio.id);
  assert.deepEqual([erasure?.clientId, erasure?.actor, erasure?.basis], [id, OWNER.name, BASIS]);
  assert.ok(entry.id);
});

test("whoever has a contract that runs or a booking to come is not erased; what is over does not stand in the way", async () => {
  const studio = await newStudio();
  const cases: readonly [string, (clientId: string) => Promise<unknown>, boolean][] = [
    ["active", (clientId) => addContract(api.db, studio.id, { clientId, status: "active" }), true],
    ["paused", (clientId) => addContract(api.db, studio.id, { clientId, status: "paused" }), true],
    ["cancelled", (clientId) => addContract(api.db, studio.id, { clientId, status: "cancelled" }), false],
    ["expired", (clientId) => addContract(api.db, studio.id, { clientId, status: "expired" }), false],
    ["booked", (clientId) => addBooking(studio, clientId, { start: "2099-01-05T07:00" }), true],
    ["came", (clientId) => addBooking(studio, clientId, { start: "2026-01-05T07:00" }), false],
  ];
  for (const [name, prepare, isMember] of cases) {
    const id = await studio.create({ contactName: name });
    await prepare(id);
    if (isMember) assert.equal(await refused(studio.erase(id)), "still_member", name);
    else assert.equal((await studio.erase(id)).result.contactName, "Erased client", name);
    assert.equal((await studio.get(`/v1/clients/${id}`)).body.contactName, isMember ? name : "Erased client");
  }
  assert.equal(await refused(studio.erase(newId())), "no_client");
});

test("a contract whose last day has passed unnoticed does not stand in the way", async () => {
  const studio = await newStudio();
  const clientId = await studio.create();
  const planId = await addPlan(api.db, studio.id, {
    billingKind: "one_time",
    durationCount: 1,
    durationUnit: "day",
    entitlements: [{ type: "access" }],
  });
  await contracts.sellContract(
    { db: api.served, actor: OWNER, organizationId: studio.id },
    { clientId, planId },
  );
  assert.equal(await refused(studio.erase(clientId)), "still_member");
  const later = await startApi({ beside: api, clockOffsetMs: 3 * 86_400_000 });
  const input = { clientId, basis: BASIS };
  const { result } = await eraseClient(
    { db: later.served, actor: OWNER, organizationId: studio.id, keySecret: api.keySecret },
    input,
  );
  assert.equal(result.contactName, "Erased client");
});

test("on the API an erased client is there, archived, and takes no data any more", async () => {
  const studio = await newStudio();
  const id = await studio.create();
  await studio.erase(id);
  const path = `/v1/clients/${id}`;
  const merge = { "content-type": "application/merge-patch+json" };
  const erased = (await studio.get(path)).body;
  for (const [method, body, headers] of [
    ["PUT", PERSON, {}],
    ["PUT", erased, {}],
    ["PATCH", { notes: "back" }, merge],
    ["PATCH", { status: "active" }, merge],
    ["PATCH", {}, merge],
  ] as const) {
    const answer = await studio.call(method, path, { body, headers });
    assert.deepEqual(
      [answer.status, answer.body.code, answer.body.reason],
      [409, "conflict", "erased_client"],
      method,
    );
  }
  assert.equal((await studio.call("PUT", path, { body: { contactName: "" } })).status, 422);
  assert.equal((await studio.call("DELETE", path)).status, 204);
  assert.deepEqual((await studio.get(path)).body, erased);
  const planId = await addPlan(api.db, studio.id);
  const selling = contracts.sellContract(
    { db: api.served, actor: OWNER, organizationId: studio.id },
    { clientId: id, planId },
  );
  assert.equal(await refused(selling), "erased_client");
});

test("the person who comes back with the same document is a new client", async () => {
  const studio = await newStudio();
  const id = await studio.create();
  await studio.erase(id);
  const again = await studio.call("POST", "/v1/clients", { body: PERSON });
  assert.equal(again.status, 201);
  assert.notEqual(again.body.id, id);
  assert.equal((await studio.get(`/v1/clients/${id}`)).body.contactName, "Erased client");
});

test("answers that are kept for repeated requests go with the person; a repeat is carried out as a new request", async () => {
  const studio = await newStudio();
  const id = await studio.create(PERSON, { "idempotency-key": "create-1" });
  const other = await studio.create({ contactName: "Somebody else" }, { "idempotency-key": "create-2" });
  const put = () =>
    studio.call("PUT", `/v1/clients/${id}`, {
      body: { ...PERSON, notes: "Changed" },
      headers: { "idempotency-key": "put-1" },
    });
  assert.equal((await put()).status, 200);
  await studio.erase(id);
  const keys = read(
    "test_stored_keys",
    'select key, record_id as "recordId" from idempotency_keys where organization_id = $1',
  );
  assert.deepEqual(await api.db.query(keys, [studio.id]), [{ key: "create-2", recordId: other }]);
  assert.equal((await put()).body.reason, "erased_client");
});

/** Erases a client in a transaction that commits when `work` is waiting for it. */
async function eraseBeside<Result>(
  organizationId: string,
  clientId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return api.served
    .for(organizationId)
    .transaction(async (tx) => {
      await eraseClient(
        { db: tx, actor: OWNER, organizationId, keySecret: api.keySecret },
        { clientId, basis: BASIS },
      );
      const working = work();
      await until("somebody waits for a lock", async () => {
        const [row] = await api.db.query<{ count: number }>(waitingStatement);
        return (row?.count ?? 0) > 0;
      });
      return { working };
    })
    .then(({ working }) => working);
}

const waitingStatement = read(
  "test_waiting_for_locks",
  "select count(*) as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
);

test("a write that waited for the erasure is refused, however it was begun", async () => {
  const studio = await newStudio();
  const id = await studio.create();
  const { body } = await eraseBeside(studio.id, id, () =>
    studio.call("PUT", `/v1/clients/${id}`, { body: { ...PERSON, notes: "Changed" } }),
  );
  assert.equal(body.reason, "erased_client");
  assert.equal((await studio.get(`/v1/clients/${id}`)).body.contactName, "Erased client");
});

test("reasons in audit entries and bookings are replaced; contracts, bookings and dates stay", async () => {
  const studio = await newStudio();
  const [id, other] = [await studio.create(), await studio.create({ contactName: "Bruno" })];
  const planId = await addPlan(api.db, studio.id, { entitlements: [{ type: "access" }], terms: "Be kind." });
  const by = { db: api.served, actor: OWNER, organizationId: studio.id };
  const reason = "Zenaide Quaresma owes for May";
  const sold = [];
  for (const clientId of [id, other]) {
    const { result } = await contracts.sellContract(by, { clientId, planId, termsResponse: "accepted" });
    await contracts.blockAccess(by, { contractId: result.id, reason });
    await contracts.cancelContract(by, { contractId: result.id, now: true, reason });
    sold.push(result.id);
  }
  await addBooking(studio, id, { reason });
  const shared = await addBooking(studio, id, { reason });
  await addBooking(studio, other, { reason, sessionId: shared });
  const bookingReasons = read(
    "test_booking_reasons",
    `select client_id as "clientId", uncovered_reason as reason from bookings where organization_id = $1`,
  );
  const auditReasons = read(
    "test_audit_reasons",
    `select client_id as "clientId", action, reason, request_hash as hash from audit
     where organization_id = $1 and client_id is not null order by id`,
  );
  await studio.erase(id);
  for (const { clientId, reason: kept } of await api.db.query<{ clientId: string; reason: string }>(
    bookingReasons,
    [studio.id],
  ))
    assert.equal(kept, clientId === id ? "erased" : reason);
  const entries = await api.db.query<{ clientId: string; action: string; reason?: string }>(auditReasons, [
    studio.id,
  ]);
  const of = (clientId: string) =>
    entries.filter((entry) => entry.clientId === clientId).map((entry) => [entry.action, entry.reason]);
  assert.deepEqual(of(id), [
    ["addClient", undefined],
    ["sellContract", undefined],
    ["blockAccess", "erased"],
    ["cancelContract", "erased"],
    ["eraseClient", undefined],
  ]);
  assert.deepEqual(of(other), [
    ["addClient", undefined],
    ["sellContract", undefined],
    ["blockAccess", reason],
    ["cancelContract", reason],
  ]);
  const contract = (await studio.get(`/v1/contracts/${sold[0]}`)).body;
  assert.deepEqual(
    [contract.clientId, contract.status, contract.termsResponse],
    [id, "cancelled", "accepted"],
  );
});

test("an audit entry about a session is the person's own only if nobody else had booked it", async () => {
  const studio = await newStudio();
  const [id, other] = [await studio.create(), await studio.create({ contactName: "Bruno" })];
  const appointment = await addBooking(studio, id, { state: "no_show" });
  const shared = await addBooking(studio, id, { state: "no_show" });
  await addBooking(studio, other, { state: "no_show", sessionId: shared });
  const record = pooled(
    "test_session_entry",
    `insert into audit (id, organization_id, actor, action, session_id, reason, details, at)
     values ($1, $2, 'staff:x', 'editSession', $3, 'Zenaide asked', '{}', now())`,
  );
  for (const session of [appointment, shared]) await api.db.query(record, [newId(), studio.id, session]);
  await studio.erase(id);
  const found = read(
    "test_session_reasons",
    `select session_id as "sessionId", reason from audit where organization_id = $1 and session_id is not null`,
  );
  const reasons = new Map(
    (await api.db.query<{ sessionId: string; reason: string }>(found, [studio.id])).map((row) => [
      row.sessionId,
      row.reason,
    ]),
  );
  assert.deepEqual([reasons.get(appointment), reasons.get(shared)], ["erased", "Zenaide asked"]);
});

test("erasing again changes nothing, and the first evidence stays", async () => {
  const studio = await newStudio();
  const id = await studio.create();
  await studio.erase(id);
  const before = (await studio.get(`/v1/clients/${id}`)).body;
  const evidence = await listErasures(api.db, studio.id);
  const again = { clientId: id, basis: "another" };
  await eraseClient(
    {
      db: api.served,
      actor: { ...OWNER, name: "staff:other" },
      organizationId: studio.id,
      keySecret: api.keySecret,
    },
    again,
  );
  assert.deepEqual((await studio.get(`/v1/clients/${id}`)).body, before);
  assert.deepEqual(await listErasures(api.db, studio.id), evidence);
});

test("the evidence answers a later question, by document or address, and to nobody without the secret", async () => {
  const studio = await newStudio();
  const id = await studio.create();
  const foreign = await studio.create({
    contactName: "Max",
    idDocument: { type: "other", value: "ab 123" },
  });
  const nobody = await studio.create({ contactName: "Without anything" });
  for (const one of [id, foreign, nobody]) await studio.erase(one);
  const evidence = await listErasures(api.db, studio.id);
  const ask = (person: object, secret = api.keySecret) =>
    findPerson(evidence, person, secret).map(({ clientId }) => clientId);
  assert.deepEqual(ask({ document: "529.982.247-25" }), [id]);
  assert.deepEqual(ask({ document: "52998224725" }), [id]);
  assert.deepEqual(ask({ email: " zenaide.q@EXAMPLE.com " }), [id]);
  assert.deepEqual(ask({ document: "AB 123" }), [foreign]);
  assert.deepEqual(ask({ document: "11144477735" }), []);
  assert.deepEqual(ask({ email: "max@example.com" }), []);
  assert.deepEqual(ask({ document: "52998224725" }, "another secret of some length"), []);
  const elsewhere = await newStudio();
  await elsewhere.erase(await elsewhere.create());
  const [other] = await listErasures(api.db, elsewhere.id);
  assert.notEqual(other?.documentMark, evidence.find(({ clientId }) => clientId === id)?.documentMark);
});

test("an import that gives an erased client a person's data again is refused with its line; what an export has of the client comes back", async () => {
  const studio = await newStudio();
  const id = await studio.create();
  await studio.erase(id);
  const into = { organizationId: studio.id };
  const erased = (await exportText(api.db, studio.id))
    .split("\n")
    .filter((line) => line.includes('"kind":"client"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(erased.length, 1);
  const { kinds } = await importLines(api.db, erased, into);
  assert.deepEqual(kinds.client, { created: 0, replaced: 0, unchanged: 1 });
  const other = { kind: "client", contactName: "New", locationIds: [studio.locationId] };
  for (const given of [PERSON, { contactName: "Z" }, { notes: "Back" }, { status: "active" }]) {
    const faults = await faultsOf(importLines(api.db, [other, { ...erased[0], ...given }], into));
    assert.deepEqual(faults, ["line 2: client: id: was erased and takes no data any more"]);
  }
  assert.equal((await studio.get("/v1/clients")).body.total, 1);
  // With another id it is another client.
  await importLines(api.db, [{ ...other, ...PERSON, kind: "client" }], into);
  assert.equal((await studio.get("/v1/clients")).body.total, 2);
});

test("a person who is erased while an import is under way does not come back with it", async () => {
  const studio = await newStudio();
  const id = await studio.create();
  const line = { kind: "client", id, ...PERSON, notes: "From a file", locationIds: [studio.locationId] };
  const faults = await eraseBeside(studio.id, id, () =>
    faultsOf(importLines(api.db, [line], { organizationId: studio.id })),
  );
  assert.deepEqual(faults, ["line 1: client: id: was erased and takes no data any more"]);
  assert.equal((await studio.get(`/v1/clients/${id}`)).body.contactName, "Erased client");
});

test("a downloaded list of clients that comes back does not bring an erased person back", async () => {
  const studio = await newSheetStudio(api);
  const create = async (body: object) =>
    (await studio.call("POST", "/v1/clients", { body })).body.id as string;
  const [id] = [await create(PERSON), await create({ contactName: "Bruno" })];
  const download = async () => {
    const headers = { authorization: `Bearer ${studio.key}`, accept: "text/csv" };
    return (await fetch(`${api.url}/v1/clients`, { headers })).text();
  };
  const sheet = await download();
  await eraseClient(
    { db: api.served, actor: OWNER, organizationId: studio.id, keySecret: api.keySecret },
    { clientId: id, basis: BASIS },
  );
  assert.deepEqual(await studio.refusal(sheet, { update: true }), [
    'row 3, column "id": is the id of a client who was erased',
  ]);
  const rejected: string[][] = [];
  const { kinds, rejectedRows } = await studio.load(sheet, {
    update: true,
    rejected: { begin: () => {}, add: async ({ cells }) => void rejected.push([...cells]) },
  });
  assert.deepEqual([kinds.client?.unchanged, rejectedRows, rejected[0]?.[0]], [1, 1, id]);
  // As it is now it may come back, and without --update nobody is changed.
  const { kinds: same } = await studio.load(await download(), { update: true });
  assert.deepEqual(same.client, { created: 0, replaced: 0, unchanged: 2 });
  assert.equal((await studio.load(sheet)).known, 2);
  assert.deepEqual(await studio.names(), ["Bruno", "Erased client"]);
});

test("the export of a person has everything that is stored about them, and is recorded", async () => {
  const studio = await newStudio();
  const [id, other] = [await studio.create(), await studio.create({ contactName: "Bruno" })];
  const planId = await addPlan(api.db, studio.id, { entitlements: [{ type: "access" }], terms: "Be kind." });
  const by = { db: api.served, actor: OWNER, organizationId: studio.id };
  const { result: contract } = await contracts.sellContract(by, { clientId: id, planId });
  await contracts.sellContract(by, { clientId: other, planId });
  await contracts.blockAccess(by, { contractId: contract.id, reason: "owes for May" });
  const firstDay = contract.startDate;
  const paused = await contracts.pauseContract(by, { contractId: contract.id, firstDay });
  const sessionId = await addBooking(studio, id);
  await addBooking(studio, other, { sessionId });
  const { result, entry } = await exportClient(by, { clientId: id });
  const document = JSON.parse(JSON.stringify(result));
  assert.deepEqual(compileCheck(ClientExport, "")(document), []);
  const { $schema, ...client } = (await studio.get(`/v1/clients/${id}`)).body;
  assert.deepEqual(document.client, client);
  assert.deepEqual(document.contracts, [JSON.parse(JSON.stringify(paused.result))]);
  assert.equal(document.contracts[0].terms, "Be kind.");
  assert.equal(document.contracts[0].pauses.length, 1);
  assert.deepEqual(
    document.bookings.map((booking: Record<string, unknown>) => [
      booking.sessionId,
      booking.startAt,
      booking.uncoveredReason,
    ]),
    [[sessionId, "2026-01-05T10:00:00.000Z", "make-up"]],
  );
  assert.deepEqual(
    document.auditEntries.map(({ action, reason }: Record<string, unknown>) => [action, reason]),
    [
      ["addClient", undefined],
      ["sellContract", undefined],
      ["blockAccess", "owes for May"],
      ["pauseContract", undefined],
      ["exportClient", undefined],
    ],
  );
  assert.equal(document.auditEntries.at(-1).id, entry.id);
  assert.equal(await refused(exportClient(by, { clientId: newId() })), "no_client");
});

test("an owner erases over the application: a dry run erases nobody, a repeat answers what is left, and old keys tell nothing", async () => {
  const studio = await newStudio();
  const owner = await newStaff(api, studio.id);
  const manager = await newStaff(api, studio.id, { role: "manager" });
  const adding = { "idempotency-key": newId() };
  const added = await owner.write("addClient", PERSON, { headers: adding });
  const clientId = added.body.result.id as string;
  const input = { clientId, basis: BASIS };
  assert.equal((await manager.write("eraseClient", input)).body.reason, "not_allowed");
  assert.equal((await owner.write("eraseClient", { ...input, dryRun: true })).body.dryRun, true);
  assert.equal((await studio.get(`/v1/clients/${clientId}`)).body.contactName, PERSON.contactName);
  const headers = { "idempotency-key": newId() };
  const first = await owner.write("eraseClient", input, { headers });
  assert.deepEqual([first.status, first.body.result.contactName], [200, "Erased client"]);
  const again = await owner.write("eraseClient", input, { headers });
  assert.deepEqual([again.status, again.body.auditId], [200, first.body.auditId]);
  assert.equal((await owner.write("addClient", PERSON, { headers: adding })).body.reason, "key_reused");
  const editing = { clientId, changes: { notes: "Back" } };
  assert.equal((await owner.write("editClient", editing)).body.reason, "erased_client");
  assert.equal((await owner.write("restoreClient", { clientId })).body.reason, "erased_client");
  const exported = await owner.write("exportClient", { clientId });
  assert.equal(exported.body.result.client.contactName, "Erased client");
});

test("what an erased client had is not brought back by undoing a cancellation", async () => {
  const studio = await newStudio();
  const owner = await newStaff(api, studio.id);
  const clientId = await studio.create();
  const planId = await addPlan(api.db, studio.id);
  const contractId = (await owner.write("sellContract", { clientId, planId })).body.result.id as string;
  await owner.write("cancelContract", { contractId, now: true, reason: "moves away" });
  const serviceTypeId = await addServiceType(api.db, studio.id);
  const start = `${new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)}T07:00`;
  const added = { serviceTypeId, locationId: studio.locationId, start, durationMinutes: 50, capacity: 5 };
  const sessionId = (await owner.write("addSession", added)).body.result.id as string;
  const session = { sessionId };
  const booked = { session, uncovered: { reason: "trial" } };
  assert.equal((await owner.write("book", { clientId, ...booked })).status, 200);
  const other = await studio.create({ contactName: "Ana" });
  assert.equal((await owner.write("book", { clientId: other, ...booked })).status, 200);
  await owner.write("cancelSession", { session, reason: "storm" });
  assert.equal((await owner.write("eraseClient", { clientId, basis: BASIS })).status, 200);

  assert.equal((await owner.write("reinstateContract", { contractId })).body.reason, "erased_client");
  assert.equal((await owner.write("reinstateSession", { session })).body.result.bookedCount, 1);
  const { bookings } = (await owner.read(`roster?sessionId=${sessionId}`)).body;
  assert.deepEqual(
    bookings.map((booking: { clientId: string; state: string }) => [booking.clientId, booking.state]),
    [
      [other, "booked"],
      [clientId, "cancelled"],
    ],
  );
});
