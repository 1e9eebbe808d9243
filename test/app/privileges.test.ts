import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { createLogger } from "../../src/process/logs.ts";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation } from "../support/records.ts";
import { CHEAP, callerWith, newStaff } from "../support/staff.ts";

const lines: string[] = [];
const api = await startApi({
  passwords: new Passwords(CHEAP),
  logger: createLogger({ logLevel: "debug" }, { write: (line) => void lines.push(line) }),
  logsSuccesses: true,
});

const PLAN = {
  name: "Mensal",
  billingKind: "recurring",
  billingInterval: "month",
  priceCents: 25_000,
  entitlements: [{ type: "access" }],
};

async function newStudio() {
  const studio = await api.newOrganization();
  const here = await addLocation(api.db, studio.id);
  const there = await addLocation(api.db, studio.id);
  const owner = await newStaff(api, studio.id);
  const client = await studio.call("POST", "/v1/clients", {
    body: { contactName: "Ana", locationIds: [here, there] },
  });
  return { ...studio, here, there, owner, clientId: client.body.id as string };
}

describe("somebody who works at some locations", () => {
  test("is refused plans and contracts of none of them, after the record was found, and may read all", async () => {
    const { id, here, there, owner, clientId } = await newStudio();
    const manager = await newStaff(api, id, { role: "manager", locationIds: [here] });
    const [mine, theirs] = await Promise.all(
      [here, there].map(
        async (locationId) =>
          (await owner.write("addPlan", { ...PLAN, locationIds: [locationId] })).body.result.id as string,
      ),
    );
    const wordOf = async (operation: string, input: object) => {
      const { status, body } = await manager.write(operation, input);
      return status === 200 ? "done" : (body.reason ?? body.code);
    };
    assert.equal(await wordOf("archivePlan", { planId: newId() }), "not_found");
    assert.equal(await wordOf("archivePlan", { planId: theirs }), "wrong_location");
    assert.equal(await wordOf("editPlan", { planId: theirs, changes: { name: "Meu" } }), "wrong_location");
    assert.equal(await wordOf("addPlan", { ...PLAN, locationIds: [there] }), "wrong_location");
    const away = { planId: mine, changes: { locationIds: [there] } };
    assert.equal(await wordOf("editPlan", away), "wrong_location");
    const nowhere = { allLocations: false, locationIds: [] };
    assert.equal(await wordOf("addPlan", { ...PLAN, ...nowhere }), "wrong_location");
    const planId = (await owner.write("addPlan", { ...PLAN, ...nowhere })).body.result.id;
    assert.equal((await owner.write("archivePlan", { planId })).status, 200, "the owner has it all the same");
    assert.equal(await wordOf("sellContract", { clientId, planId: theirs }), "wrong_location");
    assert.equal(await wordOf("sellContract", { clientId, planId: mine }), "done");
    const sold = await owner.write("sellContract", { clientId, planId: theirs });
    const contractId = sold.body.result.id;
    assert.equal(await wordOf("blockAccess", { contractId, reason: "owes" }), "wrong_location");
    assert.equal(await wordOf("cancelContract", { contractId, now: true, reason: "left" }), "wrong_location");
    assert.equal((await manager.read(`contracts/${contractId}`)).status, 200);
    assert.equal((await manager.read(`plans/${theirs}`)).status, 200);
    assert.equal((await owner.read(`audit?contractId=${contractId}`)).body.total, 1, "nothing was written");
  });

  test("is so from the next request on when the list is changed", async () => {
    const { id, here, there, owner } = await newStudio();
    const manager = await newStaff(api, id, { role: "manager", locationIds: [here] });
    const planId = (await owner.write("addPlan", { ...PLAN, locationIds: [there] })).body.result.id;
    assert.equal((await manager.write("archivePlan", { planId })).body.reason, "wrong_location");
    await owner.write("editStaff", { staffId: manager.id, changes: { locationIds: [here, there] } });
    assert.equal((await manager.write("archivePlan", { planId })).status, 200);
    await owner.write("editStaff", { staffId: manager.id, changes: { locationIds: [here] } });
    assert.equal((await manager.write("restorePlan", { planId })).body.reason, "wrong_location");
    const everywhere = await owner.write("editStaff", {
      staffId: manager.id,
      changes: { allLocations: true },
    });
    assert.deepEqual(everywhere.body.result.locationIds, []);
    assert.equal((await manager.write("restorePlan", { planId })).status, 200);
  });
});

test("the front desk sells at the plan's price, a manager at another", async () => {
  const { id, owner, clientId } = await newStudio();
  const desk = await newStaff(api, id, { role: "front_desk" });
  const manager = await newStaff(api, id, { role: "manager" });
  const planId = (await owner.write("addPlan", PLAN)).body.result.id;
  const sale = { clientId, planId, priceCents: 20_000 };
  const refused = await desk.write("sellContract", sale);
  assert.equal(`${refused.status} ${refused.body.reason}`, "409 price_needs_manager");
  assert.equal((await desk.write("sellContract", { ...sale, priceCents: PLAN.priceCents })).status, 200);
  assert.equal((await manager.write("sellContract", sale)).body.result.priceCents, 20_000);
});

test("nothing is sold for places that are all closed", async () => {
  const { owner, clientId, here, there } = await newStudio();
  const planId = (await owner.write("addPlan", { ...PLAN, locationIds: [here, there] })).body.result.id;
  const everywhere = (await owner.write("addPlan", PLAN)).body.result.id;
  assert.equal((await owner.write("closeLocation", { locationId: there })).status, 200);
  const sell = async (input: object) => {
    const { status, body } = await owner.write("sellContract", { clientId, ...input });
    return status === 200 ? "sold" : body.reason;
  };
  assert.equal(await sell({ planId, locationIds: [there] }), "place_closed");
  assert.equal(await sell({ planId: everywhere, locationIds: [there] }), "place_closed");
  assert.equal(await sell({ planId }), "sold");
  assert.equal(await sell({ planId: everywhere }), "sold");
  await owner.write("closeLocation", { locationId: here });
  assert.equal(await sell({ planId }), "place_closed");
});

test("of two sales of a trial at once, one is refused", async () => {
  const { owner, clientId } = await newStudio();
  const planId = (await owner.write("addPlan", { ...PLAN, isTrial: true })).body.result.id;
  const sales = await Promise.all([1, 2].map(() => owner.write("sellContract", { clientId, planId })));
  assert.deepEqual(sales.map(({ status }) => status).sort(), [200, 409]);
  assert.equal(sales.find(({ status }) => status === 409)?.body.reason, "trial_used");
});

test("nothing of another organization is found, and an id of it is answered like an unknown one", async () => {
  const { owner } = await newStudio();
  const elsewhere = await newStudio();
  const plan = (await elsewhere.owner.write("addPlan", PLAN)).body.result;
  const sold = await elsewhere.owner.write("sellContract", { clientId: elsewhere.clientId, planId: plan.id });
  const contractId = sold.body.result.id;
  for (const [foreign, unknown] of [
    [owner.read(`plans/${plan.id}`), owner.read(`plans/${newId()}`)],
    [owner.read(`contracts/${contractId}`), owner.read(`contracts/${newId()}`)],
    [owner.write("deletePlan", { planId: plan.id }), owner.write("deletePlan", { planId: newId() })],
    [owner.write("voidSale", { contractId }), owner.write("voidSale", { contractId: newId() })],
  ] as const) {
    assert.equal((await foreign).status, 404);
    const [one, other] = [await foreign, await unknown];
    assert.equal(one.text.replace(one.body.requestId, other.body.requestId), other.text);
  }
  assert.equal((await owner.read(`audit?contractId=${contractId}`)).body.total, 0);
  assert.equal((await owner.read(`audit?clientId=${elsewhere.clientId}`)).body.total, 0);
});

test("what is due is carried out before the staff looks, as it is before anybody looks", async () => {
  const { id, owner, clientId } = await newStudio();
  const planId = (await owner.write("addPlan", { ...PLAN, durationCount: 1, durationUnit: "day" })).body
    .result.id;
  const sold = (await owner.write("sellContract", { clientId, planId })).body.result;
  assert.equal(sold.status, "active");
  const later = await startApi({ beside: api, clockOffsetMs: 2 * 86_400_000 });
  const then = await newStaff(later, id);
  const { body } = await then.read(`contracts/${sold.id}`);
  assert.equal(body.status, "expired");
  assert.equal((await then.read("contracts?status=expired")).body.total, 1);
});

test("a list of the staff pages like the API's, by offset and cursor, and as a file", async () => {
  const { id, owner, clientId } = await newStudio();
  for (let n = 0; n < 5; n++) await addContract(api.db, id, { clientId });
  const first = await owner.read("contracts?limit=2");
  assert.equal(first.body.total, 5);
  const second = await owner.read(`contracts?limit=2&cursor=${first.body.nextCursor}`);
  assert.equal(second.body.data.length, 2);
  assert.ok(first.headers.get("link")?.includes(`<${PUBLIC_URL}/app/v1/contracts?`));
  const again = await owner.read("contracts?limit=2", {
    headers: { "if-none-match": first.headers.get("etag") ?? "" },
  });
  assert.equal(again.status, 304);
  const file = await owner.read("contracts", { headers: { accept: "text/csv" } });
  assert.equal(file.text.trim().split("\n").length, 6);
  const trail = await owner.read("audit?limit=1&offset=0");
  assert.equal(trail.body.data.length, 1);
});

test("a refusal is told in the caller's language, with the same word for programs", async () => {
  const sentences = await Promise.all(
    ["en", "pt-BR", "es"].map(async (language) => {
      const { status, body } = await api.call("GET", "/app/v1/me", {
        headers: { "accept-language": language },
      });
      assert.equal(`${status} ${body.reason}`, "401 signed_out");
      return body.detail as string;
    }),
  );
  assert.equal(sentences[0], "Sign in first.");
  assert.equal(new Set(sentences).size, 3);
});

test("a body that is too large, of another type or empty is refused after the role", async () => {
  const { id, owner } = await newStudio();
  const desk = await newStaff(api, id, { role: "front_desk" });
  const large = `{"name":"${"x".repeat(1_100_000)}"}`;
  assert.equal((await desk.write("addPlan", {}, { raw: large })).body.reason, "not_allowed");
  assert.equal((await owner.write("addPlan", {}, { raw: large })).status, 413);
  const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, raw: "name=x" };
  assert.equal((await owner.write("addPlan", {}, form)).status, 415);
  assert.equal((await owner.write("addPlan", {}, { raw: "" })).status, 400);
  for (const raw of ["[]", "1", '"x"', "null"])
    assert.equal((await owner.write("addPlan", {}, { raw })).status, 422);
});

test("no address, password, token or name is in the log", async () => {
  const { id, owner } = await newStudio();
  const email = `secret-${newId()}@example.com`;
  const added = await owner.write("addStaff", { name: "Segredo", email, role: "owner", allLocations: true });
  const token = added.body.result.link.split("#link=")[1] as string;
  const headers = { origin: PUBLIC_URL };
  const body = { token, password: "s3cret of three words" };
  const accepted = await api.call("POST", "/app/v1/acceptLink", { body, headers });
  const cookie = accepted.headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.equal((await callerWith(api, cookie).read("me")).status, 200);
  const wrong = { email, password: "wr0ng wr0ng" };
  await api.call("POST", "/app/v1/signIn", { body: wrong, headers });
  await api.call("POST", "/app/v1/signIn", { body: { ...wrong, [email]: 1 }, headers });
  const text = lines.join("");
  assert.ok(text.includes('"route":"/app/v1/signIn"'));
  assert.ok(text.includes(`"staffId":"${owner.id}"`) && text.includes(id));
  for (const secret of [email, token, cookie.split("=")[1] as string, "s3cret", "wr0ng", "Segredo"])
    assert.ok(!text.includes(secret), `${secret} was logged`);
});
