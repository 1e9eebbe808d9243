import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { addLocation } from "../support/records.ts";
import { callerWith, newStaff } from "../support/staff.ts";

const api = await startApi();
const other = await startApi({ beside: api });

const PLAN = {
  name: "Mensal",
  billingKind: "recurring",
  billingInterval: "month",
  priceCents: 25_000,
  entitlements: [{ type: "access" }],
};

async function newStudio() {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  const owner = await newStaff(api, studio.id);
  const count = async (action: string) => {
    const { body } = await owner.read("audit?limit=200");
    return body.data.filter((entry: { action: string }) => entry.action === action).length as number;
  };
  return { ...studio, locationId, owner, count };
}

describe("a write", () => {
  test("answers its audit entry and the record, which the public API then shows", async () => {
    const { owner, get } = await newStudio();
    const { status, body } = await owner.write("addPlan", PLAN);
    assert.equal(status, 200);
    const { $schema, ...shown } = (await get(`/v1/plans/${body.result.id}`)).body;
    assert.deepEqual(body.result, shown);
    const [entry] = (await owner.read("audit")).body.data;
    assert.equal(entry.id, body.auditId);
    assert.equal(entry.action, "addPlan");
    assert.equal(entry.actor, `staff:${owner.id}`);
    assert.equal(entry.actorName, "Carla Dias");
    assert.equal(entry.subjectId, body.result.id);
  });

  test("is carried out once by its key: a repeat answers the record as it is now and does nothing", async () => {
    const { owner, count } = await newStudio();
    const headers = { "idempotency-key": newId() };
    const first = await owner.write("addPlan", PLAN, { headers });
    await owner.write("editPlan", { planId: first.body.result.id, changes: { name: "Anual" } });
    // Members in another order are the same request, at whichever node.
    const { entitlements, ...rest } = PLAN;
    for (const through of [api, other]) {
      // In quotes it is the same key.
      const key = through === api ? headers : { "idempotency-key": `"${headers["idempotency-key"]}"` };
      const again = await owner.write("addPlan", { entitlements, ...rest }, { headers: key, through });
      assert.equal(again.status, 200);
      assert.equal(again.headers.get("idempotent-replayed"), "true");
      assert.equal(again.body.auditId, first.body.auditId);
      assert.equal(again.body.result.id, first.body.result.id);
      assert.equal(again.body.result.name, "Anual");
    }
    assert.equal(await count("addPlan"), 1);
  });

  test("with a key that was used for another body or operation is refused, whatever the body", async () => {
    const { owner, count } = await newStudio();
    const headers = { "idempotency-key": newId() };
    const { body } = await owner.write("addPlan", PLAN, { headers });
    const others: [string, object][] = [
      ["addPlan", { ...PLAN, name: "Anual" }],
      ["addPlan", { wrong: true }],
      ["archivePlan", { planId: body.result.id }],
    ];
    for (const [operation, input] of others) {
      const answer = await owner.write(operation, input, { headers });
      assert.equal(answer.status, 409);
      assert.equal(answer.body.reason, "key_reused");
    }
    assert.equal(await count("addPlan"), 1);
  });

  test("that failed leaves its key free, and no entry", async () => {
    const { owner, count } = await newStudio();
    const headers = { "idempotency-key": newId() };
    assert.equal((await owner.write("addPlan", { ...PLAN, currency: "USD" }, { headers })).status, 422);
    assert.equal(await count("addPlan"), 0);
    assert.equal((await owner.write("addPlan", PLAN, { headers })).status, 200);
    assert.equal(await count("addPlan"), 1);
  });

  test("of another person is another one, although it has the same key", async () => {
    const { owner, id, locationId, count } = await newStudio();
    const colleague = await newStaff(api, id);
    const { body } = await owner.write("addClient", { contactName: "Ana", locationIds: [locationId] });
    const clientId = body.result.id;
    const headers = { "idempotency-key": newId() };
    const first = await owner.write("exportClient", { clientId }, { headers });
    // At once: in one process they would wait for each other's answer if it were one key.
    const answers = await Promise.all([
      colleague.write("exportClient", { clientId }, { headers }),
      owner.write("exportClient", { clientId }, { headers }),
    ]);
    assert.deepEqual(
      [first, ...answers].map((answer) => [answer.status, answer.headers.get("idempotent-replayed")]),
      [
        [200, null],
        [200, null],
        [200, "true"],
      ],
    );
    assert.equal(await count("exportClient"), 2);
    assert.notEqual(answers[0].body.auditId, first.body.auditId);
    assert.equal(answers[1].body.auditId, first.body.auditId);
    // Another request of theirs is no reuse of a key that is not theirs.
    const third = await newStaff(api, id);
    assert.equal((await third.write("addPlan", PLAN, { headers })).status, 200);
    assert.equal((await owner.write("addPlan", PLAN, { headers })).body.reason, "key_reused");
  });

  test("is forgotten by its key 24 hours after it was carried out, whatever the next one asks for", async () => {
    const { owner, count } = await newStudio();
    const headers = { "idempotency-key": newId() };
    const age = pooled("test_age_entry", "update audit set at = at - $2::interval where id = $1");
    const first = await owner.write("addPlan", PLAN, { headers });
    await api.db.query(age, [first.body.auditId, "23 hours 59 minutes"]);
    assert.equal((await owner.write("addPlan", PLAN, { headers })).body.auditId, first.body.auditId);
    await api.db.query(age, [first.body.auditId, "1 minute"]);
    const other = await owner.write("addPlan", { ...PLAN, name: "Anual" }, { headers });
    assert.equal(other.headers.get("idempotent-replayed"), null);
    const again = await owner.write("addPlan", { ...PLAN, name: "Anual" }, { headers });
    assert.equal(again.body.auditId, other.body.auditId);
    assert.equal(await count("addPlan"), 2);
  });

  test("sent at once to two nodes with one key is carried out once", async () => {
    const { owner, count } = await newStudio();
    const headers = { "idempotency-key": newId() };
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        owner.write("addPlan", PLAN, { headers, through: n % 2 === 0 ? api : other }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ body }) => body.result.id)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null).length, 1);
    assert.equal(await count("addPlan"), 1);
  });

  test("needs a key of 1 to 128 plain characters", async () => {
    const { owner } = await newStudio();
    const faultOf = async (key: string | undefined) => {
      const headers = {
        cookie: owner.cookie,
        origin: PUBLIC_URL,
        ...(key !== undefined && { "idempotency-key": key }),
      };
      const { status, body } = await api.call("POST", "/app/v1/addPlan", { body: PLAN, headers });
      return status === 422 ? body.errors[0] : status;
    };
    assert.equal((await faultOf(undefined)).code, "required");
    for (const key of ["a b", "ä", "a/b", "x".repeat(129), "a,b", '"a', 'a"b', '""', '"a b"']) {
      const fault = await faultOf(key);
      assert.equal(fault.location, "header.Idempotency-Key");
      assert.equal(fault.code, "idempotency_key_invalid");
      assert.match(fault.message, /1 to 128/);
    }
    assert.equal(await faultOf("x".repeat(128)), 200);
    assert.equal(await faultOf("A.b_c-9"), 200);
  });

  test("as a dry run needs no key, answers what would change, and changes nothing", async () => {
    const { owner, count, get, id } = await newStudio();
    const headers = { cookie: owner.cookie, origin: PUBLIC_URL };
    const body = { ...PLAN, dryRun: true };
    const versions = pooled(
      "test_versions_of",
      "select sum(catalog_version) as sum from organization_counters where organization_id = $1",
    );
    const before = await api.db.query(versions, [id]);
    const answer = await api.call("POST", "/app/v1/addPlan", { body, headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.dryRun, true);
    assert.equal(answer.body.auditId, undefined);
    assert.equal(answer.body.result.name, "Mensal");
    const none = { contracts: 0, sessions: 0, bookings: 0, creditsReturned: 0, promoted: 0 };
    assert.deepEqual(answer.body.changes, none);
    assert.equal((await get("/v1/plans")).body.total, 0);
    assert.equal(await count("addPlan"), 0);
    assert.deepEqual(await api.db.query(versions, [id]), before);
    // A refusal is the same as it would be.
    const wrong = await api.call("POST", "/app/v1/addPlan", { body: { ...body, currency: "USD" }, headers });
    assert.equal(wrong.status, 422);
    const unclear = await owner.write("addPlan", { ...PLAN, dryRun: "yes" });
    assert.equal(unclear.body.errors[0].location, "body.dryRun");
  });

  test("as a dry run gives out nothing about a person, which no audit entry would tell of", async () => {
    const { owner, locationId, count } = await newStudio();
    const { body } = await owner.write("addClient", { contactName: "Ana", locationIds: [locationId] });
    const clientId = body.result.id;
    const dry = await owner.write("exportClient", { clientId, dryRun: true });
    assert.equal(dry.status, 200);
    assert.equal(dry.body.dryRun, true);
    assert.equal(dry.body.result, undefined);
    assert.equal(await count("exportClient"), 0);
    const done = await owner.write("exportClient", { clientId });
    assert.equal(done.body.result.client.contactName, "Ana");
    assert.equal(await count("exportClient"), 1);
  });

  test("takes no blanks for a name, an address or a reason, and stores none around them", async () => {
    const { owner, locationId } = await newStudio();
    const { body } = await owner.write("addClient", { contactName: "Ana", locationIds: [locationId] });
    const person = { name: "Bo", email: "bo@example.com", role: "front_desk", allLocations: true };
    const blank: [string, object, string][] = [
      ["addStaff", { ...person, name: "  " }, "body.name"],
      ["addStaff", { ...person, email: " " }, "body.email"],
      ["editStaff", { staffId: owner.id, changes: { name: "\u00a0" } }, "body.changes.name"],
      ["addResource", { name: " ", kind: "room" }, "body.name"],
      ["mintKey", { name: " " }, "body.name"],
      ["eraseClient", { clientId: body.result.id, basis: " \n " }, "body.basis"],
    ];
    for (const [operation, input, location] of blank) {
      const { status, body: problem } = await owner.write(operation, input);
      assert.equal(status, 422, operation);
      assert.equal(problem.errors[0].location, location);
    }
    const added = await owner.write("addStaff", { ...person, name: " Bo ", email: " bo@example.com " });
    const { name, email } = added.body.result.staff;
    assert.deepEqual([name, email], ["Bo", "bo@example.com"]);
  });

  test("takes no address that is not what it looks like", async () => {
    const { owner } = await newStudio();
    const person = { name: "Bo", role: "front_desk", allLocations: true };
    for (const email of ["bo\ud800@example.com", "bo\u200b@example.com", "bo\u202e@example.com"]) {
      const added = await owner.write("addStaff", { ...person, email });
      const edited = await owner.write("editStaff", { staffId: owner.id, changes: { email } });
      for (const [{ status, body }, location] of [
        [added, "body.email"],
        [edited, "body.changes.email"],
      ] as const) {
        assert.equal(status, 422);
        const fault = body.errors.find(({ code }: { code: string }) => code === "characters_invalid");
        assert.equal(fault?.location, location, JSON.stringify(email));
      }
    }
  });

  test("of a contract follows its plan: counted in a dry run, then done", async () => {
    const { owner, locationId, call } = await newStudio();
    const client = await call("POST", "/v1/clients", {
      body: { contactName: "Ana", locationIds: [locationId] },
    });
    const plan = (await owner.write("addPlan", PLAN)).body.result;
    const sold = await owner.write("sellContract", { clientId: client.body.id, planId: plan.id });
    assert.equal(sold.status, 200);
    assert.deepEqual(sold.body.result.pauses, []);
    const edit = {
      planId: plan.id,
      changes: { entitlements: [{ type: "access", period: "week", maxVisitsPerPeriod: 2 }] },
      applyTo: "all",
    };
    assert.equal((await owner.write("editPlan", { ...edit, dryRun: true })).body.changes.contracts, 1);
    const path = `contracts/${sold.body.result.id}`;
    assert.equal((await owner.read(path)).body.entitlements[0].maxVisitsPerPeriod, undefined);
    await owner.write("editPlan", edit);
    assert.equal((await owner.read(path)).body.entitlements[0].maxVisitsPerPeriod, 2);
    const found = await owner.read(`audit?contractId=${sold.body.result.id}`);
    assert.equal(found.body.total, 1);
    assert.equal((await owner.read(`audit?clientId=${client.body.id}&action=sellContract`)).body.total, 1);
  });

  test("refuses unknown members, with all other faults at once", async () => {
    const { owner, id } = await newStudio();
    const { status, body } = await owner.write("addPlan", {
      ...PLAN,
      id: newId(),
      organizationId: id,
      status: "archived",
      priceCents: -1,
    });
    assert.equal(status, 422);
    assert.deepEqual(body.errors.map(({ location }: { location: string }) => location).sort(), [
      "body.id",
      "body.organizationId",
      "body.priceCents",
      "body.status",
    ]);
  });
});

describe("the order of checks", () => {
  test("address, sign-in, origin, organization, role, password, replay, input, record", async () => {
    const { owner, id, call: _call } = await newStudio();
    const desk = await newStaff(api, id, { role: "front_desk" });
    const tired = await newStaff(api, id, { passwordAge: "16 minutes" });
    const nobody = callerWith(api, "__Host-rollbook=nothing");
    const foreign = { headers: { origin: "https://evil.example" } };
    const broken = { ...foreign, raw: "{" };
    const words = async (answer: Promise<{ status: number; body: { reason?: string; code: string } }>) => {
      const { status, body } = await answer;
      return `${status} ${body.reason ?? body.code}`;
    };
    assert.equal(await words(nobody.write("sellEverything", {}, broken)), "404 not_found");
    assert.equal(await words(api.call("GET", "/app/v1/deletePlan")), "405 method_not_allowed");
    assert.equal(await words(nobody.write("deletePlan", {}, broken)), "401 signed_out");
    assert.equal(await words(desk.write("deletePlan", {}, broken)), "403 wrong_origin");
    const status = pooled("test_organization_status", "update organizations set status = $2 where id = $1");
    await api.db.query(status, [id, "suspended"]);
    assert.equal(await words(desk.write("deletePlan", {}, broken)), "403 wrong_origin");
    assert.equal(await words(desk.write("deletePlan", {}, { raw: "{" })), "403 forbidden");
    await api.db.query(status, [id, "active"]);
    assert.equal(await words(desk.write("deletePlan", {}, { raw: "{" })), "403 not_allowed");
    assert.equal(await words(tired.write("deletePlan", {}, { raw: "{" })), "403 stale_sign_in");
    assert.equal(await words(owner.write("deletePlan", {}, { raw: "{" })), "400 malformed");
    assert.equal(await words(owner.write("deletePlan", {})), "422 invalid");
    assert.equal(await words(owner.write("deletePlan", { planId: newId() })), "404 not_found");
  });
});
