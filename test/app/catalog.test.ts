import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "../../src/db/statements.ts";
import { startApi } from "../support/api.ts";
import { addSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { newStaff } from "../support/staff.ts";

/** The catalog, clients and keys through the door of the application; their rules are tested in `test/api/`. */

const api = await startApi();
const ZONE = "America/Sao_Paulo";
const SOON = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

async function newStudio() {
  const studio = await api.newOrganization();
  const owner = await newStaff(api, studio.id);
  const done = async (operation: string, input: object) => {
    const { status, body, text } = await owner.write(operation, input);
    assert.equal(status, 200, text);
    return body.result;
  };
  return { ...studio, owner, done };
}

test("staff reads the lists of the API as the API has them, searched and paged", async () => {
  const studio = await newStudio();
  const { id: locationId } = await studio.done("addLocation", { name: "Centro", timezone: ZONE });
  const types = ["Yoga", "Pilates", "Pilates duo"];
  for (const name of types) await studio.done("addServiceType", { name, holdsResource: false });
  await studio.done("addServiceGroup", { name: "Mat", serviceTypeIds: [] });
  await studio.done("addResource", { name: "Sala 2", kind: "room" });
  for (const contactName of ["Ana Prado", "Bia Prado", "Caio Reis"])
    await studio.done("addClient", { contactName, locationIds: [locationId] });
  const desk = await newStaff(api, studio.id, { role: "front_desk", locationIds: [locationId] });
  const bare = ({ $schema, ...body }: Record<string, unknown>) => body;
  for (const path of [
    "locations",
    "service-groups",
    "resources",
    "service-types",
    "service-types?query=pilates&limit=1",
    "clients",
    "clients?query=prado&limit=1",
    "clients?status=archived",
  ]) {
    const [own, shown] = [await desk.read(path), await studio.get(`/v1/${path}`)];
    assert.equal(own.status, 200, path);
    const { nextCursor: _, ...read } = bare(own.body);
    // What each client has is the staff's alone.
    const data = own.body.data.map(({ contracts, ...record }: Record<string, unknown>) => record);
    const page = { ...read, data };
    const { nextCursor: __, ...expected } = bare(shown.body);
    assert.deepEqual(page, expected, path);
  }
  const first = (await desk.read("clients?query=prado&limit=1")).body;
  assert.equal(first.total, 2);
  const second = (await desk.read(`clients?query=prado&limit=1&cursor=${first.nextCursor}`)).body;
  assert.deepEqual(
    [first, second].map(({ data }) => data[0].contactName),
    ["Bia Prado", "Ana Prado"],
  );
  for (const path of ["clients", "service-types"]) {
    const { id } = (await desk.read(path)).body.data[0];
    const [own, shown] = [await desk.read(`${path}/${id}`), await studio.get(`/v1/${path}/${id}`)];
    assert.deepEqual(bare(own.body), bare(shown.body));
    assert.equal((await desk.read(`${path}/${newId()}`)).status, 404);
  }
});

test("what is written is read at once, on every node", async () => {
  const studio = await newStudio();
  const other = await startApi({ beside: api });
  const { id: locationId } = await studio.done("addLocation", { name: "A", timezone: ZONE });
  const names = async (through = api) =>
    (await studio.owner.read("locations", { through })).body.data.map(({ name }: { name: string }) => name);
  assert.deepEqual([await names(), await names(other)], [["A"], ["A"]]);
  await studio.done("editLocation", { locationId, changes: { name: "B" } });
  assert.deepEqual([await names(other), await names()], [["B"], ["B"]]);
});

test("a key is listed without its secret, and a repeat of the request that made it does not show it again", async () => {
  const studio = await newStudio();
  const headers = { "idempotency-key": "mint-1" };
  const made = await studio.owner.write("mintKey", { name: "Site" }, { headers });
  assert.match(made.body.result.key, /^rbk_/);
  const again = await studio.owner.write("mintKey", { name: "Site" }, { headers });
  const { key, ...withoutSecret } = made.body.result;
  assert.deepEqual([again.status, again.body.auditId], [200, made.body.auditId]);
  assert.deepEqual(again.body.result, withoutSecret);
  const dry = await studio.owner.write("mintKey", { name: "Never", dryRun: true });
  assert.equal("key" in dry.body.result, false);
  const { data } = (await studio.owner.read("keys")).body;
  assert.deepEqual(
    data.map(({ name }: { name?: string }) => name),
    [undefined, "Site"],
  );
  assert.ok(!JSON.stringify(data).includes("rbk_"));
});

test("a repeated request adds one client, and nothing of the person is stored for the repeat", async () => {
  const studio = await newStudio();
  await studio.done("addLocation", { name: "A", timezone: ZONE });
  const input = { contactName: "Zuleica Quintino", contactPhone: "+55 11 97777-1234" };
  const headers = { "idempotency-key": "client-1" };
  const answers = await Promise.all([1, 2, 3].map(() => studio.owner.write("addClient", input, { headers })));
  const ids = new Set(answers.map(({ body }) => body.result.id));
  assert.deepEqual([ids.size, (await studio.get("/v1/clients")).body.total], [1, 1]);
  for (const { body } of answers) assert.equal(body.result.contactName, input.contactName);
  const other = await studio.owner.write("addClient", { ...input, contactName: "Ana" }, { headers });
  assert.deepEqual([other.status, other.body.reason], [409, "key_reused"]);
  const trail = read("test_trail", "select a::text as text from audit a where a.organization_id = $1");
  const text = JSON.stringify(await api.db.query(trail, [studio.id]));
  for (const trace of ["Zuleica", "Quintino", "97777"]) assert.ok(!text.includes(trace), trace);
});

test("a dry run of closing a location says what would be cancelled and changes nothing", async () => {
  const studio = await newStudio();
  const { id: locationId } = await studio.done("addLocation", { name: "A", timezone: ZONE });
  const { id: serviceTypeId } = await studio.done("addServiceType", { name: "Yoga", holdsResource: false });
  const start = `${SOON}T09:00`;
  await addSession(api.db, studio.id, { locationId, serviceTypeId, timezone: ZONE, start, bookedCount: 2 });
  const refused = await studio.owner.write("closeLocation", { locationId });
  const { status, reason, sessions, bookings, detail } = refused.body;
  assert.deepEqual([refused.status, status, reason, sessions, bookings], [409, 409, "has_bookings", 1, 2]);
  assert.equal(detail, "2 people are booked. Say whether their sessions are to be cancelled.");
  const dry = await studio.owner.write("closeLocation", { locationId, cancelBooked: true, dryRun: true });
  assert.deepEqual([dry.body.dryRun, dry.body.changes.sessions, dry.body.result.status], [true, 1, "closed"]);
  assert.equal((await studio.owner.read("locations")).body.data[0].status, "active");
  await studio.done("closeLocation", { locationId, cancelBooked: true });
  assert.equal((await studio.owner.read("locations")).body.data[0].status, "closed");
});

test("faults come all at once, a use is told in the caller's words, and who is limited to places is refused", async () => {
  const studio = await newStudio();
  const { id: locationId } = await studio.done("addLocation", { name: "A", timezone: ZONE });
  const faults = async (operation: string, input: object) => {
    const { status, body } = await studio.owner.write(operation, input);
    assert.equal(status, 422);
    return body.errors.map(({ location, code }: Record<string, string>) => `${location} ${code}`).sort();
  };
  assert.deepEqual(await faults("addLocation", { name: "", timezone: "Brasilia", id: newId() }), [
    "body.id unknown_member",
    "body.name empty",
    "body.timezone time_zone_unknown",
  ]);
  assert.deepEqual(
    await faults("addClient", { contactEmail: "x", birthdate: "2999-01-01", organizationId: "1" }),
    [
      "body.birthdate birthdate_out_of_range",
      "body.contactEmail email_invalid",
      "body.contactName required",
      "body.organizationId unknown_member",
    ],
  );
  const { id: clientId } = await studio.done("addClient", { contactName: " Ana ", contactEmail: "" });
  assert.deepEqual(
    await faults("editClient", {
      clientId,
      changes: { idDocument: { value: "1" }, contactName: "", locationIds: [newId()] },
    }),
    [
      "body.changes.contactName empty",
      "body.changes.idDocument.type required",
      "body.changes.locationIds[0] location_unknown",
    ],
  );
  const used = await studio.owner.write(
    "deleteLocation",
    { locationId },
    { headers: { "accept-language": "pt-BR" } },
  );
  assert.deepEqual(
    [used.status, used.body.reason, used.body.uses],
    [409, "in_use", [{ kind: "clients", count: 1 }]],
  );
  assert.match(used.body.detail, /1 cliente/);
  const limited = await newStaff(api, studio.id, { role: "manager", locationIds: [locationId] });
  const refused = await limited.write("addServiceType", { name: "Yoga", holdsResource: false });
  assert.deepEqual([refused.status, refused.body.reason], [403, "wrong_location"]);
  const missing = await studio.owner.write("closeLocation", { locationId: newId() });
  assert.deepEqual([missing.status, missing.body.reason], [404, "no_location"]);
});

test("an erased client is neither changed nor brought back by staff, and archiving it changes nothing", async () => {
  const studio = await newStudio();
  await studio.done("addLocation", { name: "A", timezone: ZONE });
  const { id: clientId } = await studio.done("addClient", { contactName: "Ana" });
  await studio.done("eraseClient", { clientId, basis: "Asked for it" });
  const before = (await studio.owner.read(`clients/${clientId}`)).body;
  for (const [operation, input] of [
    ["editClient", { clientId, changes: { notes: "x" } }],
    ["restoreClient", { clientId }],
  ] as const) {
    const { status, body } = await studio.owner.write(operation, input);
    assert.deepEqual([status, body.reason], [409, "erased_client"], operation);
  }
  assert.equal((await studio.owner.write("archiveClient", { clientId })).status, 200);
  assert.deepEqual((await studio.owner.read(`clients/${clientId}`)).body, before);
});

test("the staff reads how many contracts each plan has, and how many of them run", async () => {
  const studio = await newStudio();
  await studio.done("addLocation", { name: "Centro", timezone: ZONE });
  const plan = (name: string) =>
    studio.done("addPlan", {
      name,
      billingKind: "one_time",
      priceCents: 100,
      entitlements: [{ type: "access" }],
    });
  const [often, once] = [await plan("Often"), await plan("Once")];
  await plan("Never");
  const { id: clientId } = await studio.done("addClient", { contactName: "Ana Prado" });
  const sell = (planId: string) => studio.done("sellContract", { clientId, planId });
  const [first] = [await sell(often.id), await sell(often.id), await sell(once.id)];
  await studio.done("cancelContract", { contractId: first.id, now: true, reason: "moved away" });

  const { body } = await studio.owner.read("plan-contracts");
  const byPlan = new Map(
    body.data.map(({ planId, ...numbers }: { planId: string }) => [planId, numbers] as const),
  );
  assert.equal(body.total, 2);
  assert.deepEqual(byPlan.get(often.id), { running: 1, sold: 2 });
  assert.deepEqual(byPlan.get(once.id), { running: 1, sold: 1 });
  await studio.done("deletePlan", { planId: once.id });
  assert.equal((await studio.owner.read("plan-contracts")).body.total, 1, "the next answer is a fresh one");
});
