import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor } from "../../src/core/actor.ts";
import { daysAfter, daysBefore, MS_PER_DAY } from "../../src/core/dates.ts";
import { AppError } from "../../src/core/errors.ts";
import type { Static } from "../../src/core/fields.ts";
import { compileCheck } from "../../src/core/validation.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { listAudit } from "../../src/domain/audit/queries.ts";
import * as contracts from "../../src/domain/contracts/operations.ts";
import { SetEndDate } from "../../src/domain/contracts/schema.ts";
import * as plans from "../../src/domain/plans/operations.ts";
import { type AddPlan, EditPlan } from "../../src/domain/plans/schema.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import type { WriteOperation } from "../../src/domain/writes/recorded-write.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addServiceType } from "../support/records.ts";

const api = await startApi();
const BY: Actor = { name: "staff:test", role: "owner", locationIds: undefined };
const FRONT_DESK: Actor = { ...BY, role: "front_desk" };
const ZONE = "America/Sao_Paulo";

/** The server's own connections: the guard of versions looks at what they write. */
function programOf(server: TestApi): Database {
  return server.served;
}

function serverAt(instant: string): Promise<TestApi> {
  return startApi({ beside: api, clockOffsetMs: Date.parse(instant) - Date.now() });
}

const access = { type: "access" as const };
const monthly: Static<typeof AddPlan> = {
  name: "Mensal",
  billingKind: "recurring",
  billingInterval: "month",
  priceCents: 25_000,
  entitlements: [access],
};

async function newStudio(server: TestApi = api) {
  const studio = await server.newOrganization();
  const db = programOf(server);
  const locationIds = [await addLocation(server.db, studio.id), await addLocation(server.db, studio.id)];
  const newClient = async () =>
    (await studio.call("POST", "/v1/clients", { body: { contactName: "Ana", locationIds } })).body
      .id as string;
  const bind =
    <Input, Result>(operation: WriteOperation<object, Input, Result>) =>
    (input: Input) =>
      operation({ db, actor: BY, organizationId: studio.id }, input);
  const sell = (input: Parameters<typeof contracts.sellContract>[1], mayChangePrice = true) =>
    contracts.sellContract({ db, actor: mayChangePrice ? BY : FRONT_DESK, organizationId: studio.id }, input);
  const newPlan = async (plan: Partial<Static<typeof AddPlan>> = {}) =>
    (await plans.addPlan({ db, actor: BY, organizationId: studio.id }, { ...monthly, ...plan })).result.id;
  return {
    ...studio,
    db,
    locationIds,
    newClient,
    newPlan,
    sell,
    /** A contract of a new plan, sold to a new client. */
    async sold(plan: Partial<Static<typeof AddPlan>> = {}, input: object = {}) {
      return (await sell({ clientId: await newClient(), planId: await newPlan(plan), ...input })).result;
    },
    voidSale: bind(contracts.voidSale),
    answerTerms: bind(contracts.answerTerms),
    blockAccess: bind(contracts.blockAccess),
    unblockAccess: bind(contracts.unblockAccess),
    adjustCredits: bind(contracts.adjustCredits),
    setEndDate: bind(contracts.setEndDate),
    pauseContract: bind(contracts.pauseContract),
    endPause: bind(contracts.endPause),
    cancelContract: bind(contracts.cancelContract),
    reinstateContract: bind(contracts.reinstateContract),
    editPlan: bind(plans.editPlan),
    archivePlan: bind(plans.archivePlan),
    restorePlan: bind(plans.restorePlan),
    deletePlan: bind(plans.deletePlan),
    async contract(id: string, by: TestApi = server) {
      return (
        await by.call("GET", `/v1/contracts/${id}`, { headers: { authorization: `Bearer ${studio.key}` } })
      ).body;
    },
  };
}

/** The word of a refusal, or the codes of the faults of an invalid input. */
async function refused(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    const faults = error.faults.map(({ location, code }) => `${location} ${code}`);
    return faults.length > 0 ? faults.join("; ") : (error.detail?.code ?? error.message);
  }
  return "done";
}

const today = (server: TestApi = api) => dateIn(ZONE, Date.now() + server.db.clockOffsetMs);

test("a sale keeps what was agreed, and the API shows it", async () => {
  const studio = await newStudio();
  const serviceTypeId = await addServiceType(api.db, studio.id);
  const clientId = await studio.newClient();
  const planId = await studio.newPlan({
    durationCount: 30,
    durationUnit: "day",
    terms: "As combinadas.",
    entitlements: [
      { type: "credits", creditQuantity: 10, serviceTypeId },
      { type: "access", period: "week", maxVisitsPerPeriod: 2 },
    ],
  });
  const startDate = daysBefore(today(), 3);
  const {
    entry: written,
    result,
    changes,
  } = await studio.sell({
    clientId,
    planId,
    startDate,
    termsResponse: "accepted",
  });
  const { terms, pauses, ...shown } = result;
  assert.deepEqual([terms, pauses, changes.contracts], ["As combinadas.", [], 1]);
  const { $schema, ...answered } = await studio.contract(result.id);
  assert.deepEqual(answered, JSON.parse(JSON.stringify(shown)));
  assert.deepEqual(
    [
      shown.planId,
      shown.planName,
      shown.priceCents,
      shown.currency,
      shown.status,
      shown.startDate,
      shown.endDate,
    ],
    [planId, "Mensal", 25_000, "BRL", "active", startDate, daysAfter(startDate, 29)],
  );
  assert.equal(shown.termsRespondedAt, shown.createdAt);
  assert.deepEqual(
    shown.entitlements.map(({ id, ...grant }) => grant),
    [
      { type: "credits", remainingCredits: 10, serviceTypeId },
      { type: "access", period: "week", maxVisitsPerPeriod: 2 },
    ],
  );
  assert.equal((await studio.get("/v1/contracts")).body.total, 1);
  const [entry] = (await listAudit(api.db, studio.id, 1)).data;
  assert.deepEqual(
    [entry?.id, entry?.actor, entry?.action, entry?.subject],
    [written.id, BY.name, "sellContract", result.id],
  );
  assert.match(JSON.stringify(entry?.details), /"termsSha256":"[0-9a-f]{64}"/);
});

test("a sale is refused in the order of its rule", async () => {
  const studio = await newStudio();
  const other = await newStudio();
  const [clientId, planId] = [await studio.newClient(), await studio.newPlan()];
  const input = { clientId, planId };
  const ask = (more: object, mayChangePrice = false) =>
    refused(studio.sell({ ...input, ...more }, mayChangePrice));
  assert.equal(await ask({ clientId: newId() }), "no_client");
  assert.equal(await ask({ clientId: await other.newClient() }), "no_client");
  assert.equal(await ask({ planId: await other.newPlan() }), "no_plan");
  assert.equal(await ask({ startDate: daysBefore(today(), 32) }), "body.startDate start_out_of_range");
  assert.equal(await ask({ startDate: daysAfter(today(), 367) }), "body.startDate start_out_of_range");
  assert.equal(
    await ask({ startDate: "2020-01-01", termsResponse: "accepted", locationIds: [newId()] }),
    "body.startDate start_out_of_range; body.termsResponse only_with_terms; body.locationIds[0] not_of_plan",
  );
  assert.equal(await ask({ priceCents: 1 }), "price_needs_manager");
  assert.equal(await ask({ priceCents: 25_000 }), "done");
  assert.equal(await ask({ priceCents: 1 }, true), "done");
  const trial = await studio.newPlan({ isTrial: true });
  assert.equal(await ask({ planId: trial }), "trial_used");
  await studio.archivePlan({ planId: trial });
  assert.equal(await ask({ planId: trial, priceCents: 1 }), "plan_archived");
  await studio.call("DELETE", `/v1/clients/${clientId}`);
  assert.equal(await ask({ planId: trial }), "archived_client");
  await api.db.query(
    pooled(
      "test_erase",
      "insert into erasures (organization_id, client_id, at, actor, basis) values ($1, $2, now(), 'test', 'test')",
    ),
    [studio.id, clientId],
  );
  assert.equal(await ask({ planId: trial }), "erased_client");
});

test("a contract is sold for some of the plan's locations, or for all of them", async () => {
  const studio = await newStudio();
  const [first = "", second = ""] = studio.locationIds.toSorted();
  const everywhere = await studio.sold();
  assert.deepEqual([everywhere.allLocations, everywhere.locationIds], [true, []]);
  const some = await studio.sold({}, { locationIds: [second.toUpperCase(), second] });
  assert.deepEqual([some.allLocations, some.locationIds], [false, [second]]);
  const both = await studio.sold({ locationIds: [second, first] });
  assert.deepEqual([both.allLocations, both.locationIds], [false, [first, second]]);
});

test("of two trials sold at once one is sold; a voided one leaves no history, a cancelled one does", async () => {
  const studio = await newStudio();
  const planId = await studio.newPlan({ isTrial: true });
  const clientId = await studio.newClient();
  const both = await Promise.all([1, 2, 3].map(() => refused(studio.sell({ clientId, planId }))));
  assert.deepEqual(both.sort(), ["done", "trial_used", "trial_used"]);
  const [sold] = (await studio.get(`/v1/contracts?clientId=${clientId}`)).body.data;
  await studio.voidSale({ contractId: sold.id });
  assert.equal((await studio.get(`/v1/contracts/${sold.id}`)).status, 404);
  assert.equal((await studio.get("/v1/contracts")).body.total, 0);
  const { result } = await studio.sell({ clientId, planId });
  await studio.cancelContract({ contractId: result.id, now: true, reason: "moved away" });
  assert.equal(await refused(studio.sell({ clientId, planId })), "trial_used");
});

test("a sale is undone within a day", async () => {
  const studio = await newStudio();
  const { id: contractId } = await studio.sold();
  const later = programOf(await startApi({ beside: api, clockOffsetMs: MS_PER_DAY + 60_000 }));
  assert.equal(
    await refused(contracts.voidSale({ db: later, actor: BY, organizationId: studio.id }, { contractId })),
    "sale_too_old",
  );
  assert.equal(await refused(studio.voidSale({ contractId: newId() })), "no_contract");
  assert.equal(await refused(studio.voidSale({ contractId })), "done");
});

test("terms are answered once; declined may become accepted, accepted stays", async () => {
  const studio = await newStudio();
  const { id: contractId } = await studio.sold({ terms: "As combinadas." });
  assert.equal(
    await refused(studio.answerTerms({ contractId: (await studio.sold()).id, termsResponse: "accepted" })),
    "no_terms",
  );
  const declined = (await studio.answerTerms({ contractId, termsResponse: "declined" })).result;
  assert.equal(declined.termsResponse, "declined");
  const again = await studio.answerTerms({ contractId, termsResponse: "declined" });
  assert.deepEqual([again.changes.contracts, again.result.updatedAt], [0, declined.updatedAt]);
  const accepted = (await studio.answerTerms({ contractId, termsResponse: "accepted" })).result;
  assert.deepEqual(
    [accepted.termsResponse, accepted.termsRespondedAt === accepted.updatedAt],
    ["accepted", true],
  );
  assert.equal(
    await refused(studio.answerTerms({ contractId, termsResponse: "declined" })),
    "terms_accepted",
  );
});

test("access is blocked and unblocked, and a repetition changes nothing", async () => {
  const studio = await newStudio();
  const { id: contractId } = await studio.sold();
  const blocked = (await studio.blockAccess({ contractId, reason: "owes" })).result;
  assert.equal((await studio.contract(contractId)).accessBlocked, true);
  assert.equal(
    (await studio.blockAccess({ contractId, reason: "owes" })).result.updatedAt,
    blocked.updatedAt,
  );
  assert.equal((await studio.unblockAccess({ contractId })).result.accessBlocked, false);
  assert.equal((await studio.contract(contractId)).accessBlocked, false);
});

test("credits are adjusted within 0 and a million", async () => {
  const studio = await newStudio();
  const sold = await studio.sold({ entitlements: [{ type: "credits", creditQuantity: 10 }, access] });
  const [credits = { id: "" }, visits = { id: "" }] = sold.entitlements;
  const adjust = (by: number, entitlementId = credits.id) =>
    refused(studio.adjustCredits({ entitlementId, by, reason: "courtesy" }));
  assert.equal(await adjust(0), "body.by zero");
  assert.equal(await adjust(-11), "body.by balance_out_of_range");
  assert.equal(await adjust(999_991), "body.by balance_out_of_range");
  assert.equal(await adjust(1, visits.id), "body.entitlementId only_for_credits");
  assert.equal(await adjust(1, newId()), "no_entitlement");
  assert.equal(await adjust(-10), "done");
  const shown = await studio.contract(sold.id);
  assert.deepEqual([shown.entitlements[0].remainingCredits, shown.updatedAt > sold.updatedAt], [0, true]);
});

test("a pause extends the term, ends early or is taken back, by the days of the organization", async () => {
  const server = await serverAt("2026-06-15T12:00:00Z");
  const studio = await newStudio(server);
  const make = async () => {
    const { id } = await studio.sold({ durationCount: 1, durationUnit: "year" }, { startDate: "2026-06-15" });
    await studio.setEndDate({ contractId: id, endDate: "2026-12-31", reason: "agreed" });
    return id;
  };
  const pause = { firstDay: "2026-07-01", lastDay: "2026-07-31" };
  const paused = async () => {
    const contractId = await make();
    assert.equal((await studio.pauseContract({ contractId, ...pause })).result.endDate, "2027-01-31");
    return contractId;
  };
  const back = async (contractId: string, firstDayBack: string) =>
    (await studio.endPause({ contractId, firstDayBack })).result;
  const [kept, shortened, removed] = [await paused(), await paused(), await paused()];
  assert.equal((await back(shortened, "2026-07-15")).endDate, "2027-01-14");
  const none = await back(removed, "2026-07-01");
  assert.deepEqual([none.endDate, none.pauses], ["2026-12-31", []]);
  // The status follows the days, on whatever server: July begins at 03:00 UTC.
  const [july, mid, august] = [
    await serverAt("2026-07-01T03:00:00Z"),
    await serverAt("2026-07-20T12:00:00Z"),
    await serverAt("2026-08-01T03:00:00Z"),
  ];
  const statuses = (by: TestApi) =>
    Promise.all([kept, shortened, removed].map(async (id) => (await studio.contract(id, by)).status));
  assert.deepEqual(await statuses(july), ["paused", "paused", "active"]);
  assert.equal((await studio.contract(kept, july)).updatedAt, "2026-07-01T03:00:00.000Z");
  assert.deepEqual(await statuses(mid), ["paused", "active", "active"]);
  assert.equal((await studio.contract(shortened, mid)).updatedAt, "2026-07-15T03:00:00.000Z");
  assert.deepEqual(await statuses(august), ["active", "active", "active"]);
});

test("a last day set inside a pause ends the pause, whose days then take nothing from it when they are given up", async () => {
  const studio = await newStudio(await serverAt("2026-06-15T12:00:00Z"));
  const { id: contractId } = await studio.sold(
    { durationCount: 1, durationUnit: "year" },
    { startDate: "2026-06-15" },
  );
  await studio.pauseContract({ contractId, firstDay: "2026-07-01", lastDay: "2026-07-31" });
  const { result } = await studio.setEndDate({ contractId, endDate: "2026-07-20", reason: "agreed" });
  const [pause] = result.pauses;
  assert.deepEqual([pause?.lastDay, pause?.extendsTerm], ["2026-07-20", false]);
  const back = await studio.endPause({ contractId, firstDayBack: "2026-07-11" });
  assert.equal(back.result.endDate, "2026-07-20");
  assert.deepEqual(
    back.result.pauses.map(({ lastDay, extendsTerm }) => [lastDay, extendsTerm]),
    [["2026-07-10", false]],
  );
});

test("an open pause keeps a contract beyond its end until the client is back", async () => {
  const server = await serverAt("2026-12-10T12:00:00Z");
  const studio = await newStudio(server);
  const { id: contractId } = await studio.sold({}, { startDate: "2026-12-01" });
  await studio.setEndDate({ contractId, endDate: "2026-12-31", reason: "agreed" });
  await studio.pauseContract({ contractId, firstDay: "2026-12-20" });
  const january = await serverAt("2027-01-05T12:00:00Z");
  const beyond = await studio.contract(contractId, january);
  assert.deepEqual(
    [beyond.status, beyond.endDate, beyond.updatedAt],
    ["paused", "2026-12-31", "2026-12-20T03:00:00.000Z"],
  );
  const { result } = await contracts.endPause(
    { db: programOf(january), actor: BY, organizationId: studio.id },
    {
      contractId,
      firstDayBack: "2027-01-10",
    },
  );
  assert.deepEqual([result.status, result.endDate], ["paused", "2027-01-21"]);
  const back = await studio.contract(contractId, await serverAt("2027-01-10T03:00:00Z"));
  assert.deepEqual([back.status, back.updatedAt], ["active", "2027-01-10T03:00:00.000Z"]);
  assert.equal((await studio.contract(contractId, await serverAt("2027-01-22T03:00:00Z"))).status, "expired");
});

test("pauses are refused that overlap", async () => {
  const studio = await newStudio();
  const { id: contractId } = await studio.sold();
  const day = (number: number) => daysAfter(today(), number);
  const pause = (firstDay: string, lastDay: string) =>
    studio.pauseContract({ contractId, firstDay, lastDay });
  await pause(day(10), day(12));
  assert.equal(await refused(pause(day(12), day(14))), "pause_overlaps");
  assert.equal(await refused(pause(day(13), day(12))), "body.lastDay before_member");
});

test("a contract cancelled with a last day ends with it, and can be reinstated before", async () => {
  const server = await serverAt("2026-11-16T12:00:00Z");
  const studio = await newStudio(server);
  const make = async () => (await studio.sold({ durationCount: 1, durationUnit: "year" })).id;
  const [cancelled, reinstated] = [await make(), await make()];
  for (const contractId of [cancelled, reinstated]) {
    const { result } = await studio.cancelContract({
      contractId,
      lastDay: "2026-11-30",
      reason: "moved away",
    });
    assert.deepEqual(
      [result.status, result.endDate, result.cancelledAt],
      ["active", "2026-11-30", result.updatedAt],
    );
    assert.equal(
      await refused(studio.setEndDate({ contractId, endDate: null, reason: "no" })),
      "cancellation_set",
    );
    assert.equal(
      await refused(studio.pauseContract({ contractId, firstDay: "2026-11-20" })),
      "cancellation_set",
    );
  }
  const friday = programOf(await serverAt("2026-11-20T12:00:00Z"));
  const { result } = await contracts.reinstateContract(
    { db: friday, actor: BY, organizationId: studio.id },
    { contractId: reinstated },
  );
  assert.deepEqual([result.status, result.endDate, result.cancelledAt], ["active", "2027-11-15", undefined]);
  const december = await serverAt("2026-12-01T03:00:00Z");
  const over = await studio.contract(cancelled, december);
  assert.deepEqual([over.status, over.updatedAt], ["cancelled", "2026-12-01T03:00:00.000Z"]);
  assert.equal((await studio.contract(reinstated, december)).status, "active");
  // Once it is over it can still be brought back, because the term that was cut short would still run.
  const later = programOf(december);
  assert.equal(
    (
      await contracts.reinstateContract(
        { db: later, actor: BY, organizationId: studio.id },
        { contractId: cancelled },
      )
    ).result.status,
    "active",
  );
});

test("a contract that has not begun, cancelled now, ends on its first day", async () => {
  const server = await serverAt("2026-11-16T12:00:00Z");
  const studio = await newStudio(server);
  const { id: contractId } = await studio.sold({}, { startDate: "2026-12-01" });
  const { result } = await studio.cancelContract({ contractId, now: true, reason: "changed mind" });
  assert.deepEqual([result.status, result.endDate], ["cancelled", "2026-12-01"]);
  assert.equal(
    await refused(studio.cancelContract({ contractId, reason: "x" })),
    "body.lastDay required_unless_now",
  );
  assert.equal(
    await refused(studio.cancelContract({ contractId, now: true, lastDay: "2026-12-01", reason: "x" })),
    "body.lastDay not_together_with",
  );
  assert.equal((await studio.reinstateContract({ contractId })).result.endDate, undefined);
});

test("an open pause that a cancellation closed is open again when it is undone, unless it was ended", async () => {
  const server = await serverAt("2026-11-16T12:00:00Z");
  const studio = await newStudio(server);
  const make = async () => {
    const { id: contractId } = await studio.sold();
    await studio.pauseContract({ contractId, firstDay: "2026-11-16" });
    const { result } = await studio.cancelContract({
      contractId,
      lastDay: "2026-11-30",
      reason: "moved away",
    });
    assert.deepEqual([result.status, result.pauses[0]?.lastDay], ["paused", "2026-11-30"]);
    return contractId;
  };
  const [first, second] = [await make(), await make()];
  const undone = (await studio.reinstateContract({ contractId: first })).result;
  assert.deepEqual([undone.status, undone.pauses[0]?.lastDay], ["paused", undefined]);
  await studio.endPause({ contractId: second, firstDayBack: "2026-11-20" });
  const ended = (await studio.reinstateContract({ contractId: second })).result;
  assert.equal(ended.pauses[0]?.lastDay, "2026-11-19");
});

test("nothing can be done to a contract that is over, and only what was cancelled here is reinstated", async () => {
  const studio = await newStudio();
  const clientId = await studio.newClient();
  const entitlementId = newId();
  const over = await addContract(api.db, studio.id, {
    clientId,
    status: "expired",
    endDate: "2026-01-31",
    entitlements: [{ id: entitlementId, type: "credits", remainingCredits: 1 }],
  });
  const reason = "test";
  const contractId = over;
  const answers = await Promise.all([
    refused(studio.blockAccess({ contractId, reason })),
    refused(studio.unblockAccess({ contractId })),
    refused(studio.adjustCredits({ entitlementId, by: 1, reason })),
    refused(studio.setEndDate({ contractId, endDate: null, reason })),
    refused(studio.pauseContract({ contractId, firstDay: today() })),
    refused(studio.endPause({ contractId, firstDayBack: today() })),
    refused(studio.cancelContract({ contractId, now: true, reason })),
    refused(studio.cancelContract({ contractId, lastDay: today(), reason })),
  ]);
  assert.deepEqual([...new Set(answers)], ["contract_over"]);
  assert.equal(await refused(studio.reinstateContract({ contractId })), "not_cancelled_here");
});

test("an imported pause without days ends when somebody says so", async () => {
  const studio = await newStudio();
  const contractId = await addContract(api.db, studio.id, {
    clientId: await studio.newClient(),
    status: "paused",
  });
  assert.equal((await studio.blockAccess({ contractId, reason: "owes" })).result.status, "paused");
  assert.equal((await studio.endPause({ contractId, firstDayBack: today() })).result.status, "active");
  const counted = (await studio.get("/v1/contracts?status=active")).body;
  assert.deepEqual([counted.total, counted.data.length], [1, 1]);
});

test("an end date may be null, and nothing but a date or null", () => {
  const check = compileCheck(SetEndDate, "body");
  const given = { contractId: newId(), reason: "agreed" };
  assert.deepEqual(check({ ...given, endDate: null }), []);
  assert.deepEqual(check({ ...given, endDate: "2026-12-31" }), []);
  assert.deepEqual(
    check({ ...given, endDate: 5 }).map(({ code }) => code),
    ["wrong_type"],
  );
  assert.deepEqual(
    check({ ...given, endDate: "2026-02-30" }).map(({ code }) => code),
    ["date_invalid"],
  );
  const edit = compileCheck(EditPlan, "body");
  assert.deepEqual(
    edit({ planId: newId(), changes: { billingInterval: null, terms: null, durationUnit: "day" } }),
    [],
  );
  assert.deepEqual(
    edit({ planId: newId(), changes: { name: null } }).map(({ code }) => code),
    ["wrong_type"],
  );
});

test("a plan is added, edited, archived, restored and deleted; its contracts keep what was agreed", async () => {
  const studio = await newStudio();
  const faults = await refused(
    plans.addPlan(
      { db: studio.db, actor: BY, organizationId: studio.id },
      {
        ...monthly,
        billingInterval: "week",
        currency: "EUR",
        locationIds: [newId()],
        entitlements: [{ type: "credits", serviceTypeId: newId() }],
      },
    ),
  );
  assert.equal(
    faults,
    "body.currency currency_differs; body.entitlements[0].creditQuantity required_for_credits; " +
      "body.locationIds[0] location_unknown; body.entitlements[0].serviceTypeId service_type_unknown",
  );
  const sold = await studio.sold();
  const planId = sold.planId ?? "";
  const edited = (
    await studio.editPlan({ planId, changes: { name: "Livre", priceCents: 1, billingInterval: "year" } })
  ).result;
  assert.deepEqual([edited.name, edited.priceCents, edited.currency], ["Livre", 1, "BRL"]);
  assert.equal((await studio.editPlan({ planId, changes: {} })).result.updatedAt, edited.updatedAt);
  assert.equal(
    await refused(studio.editPlan({ planId, changes: { billingInterval: null } })),
    "body.changes.billingInterval required_for_recurring",
  );
  assert.equal((await studio.contract(sold.id)).updatedAt, sold.updatedAt);
  assert.equal((await studio.archivePlan({ planId })).result.status, "archived");
  assert.equal((await studio.get("/v1/plans?status=archived")).body.total, 1);
  assert.equal((await studio.restorePlan({ planId })).result.status, "active");
  assert.equal((await studio.get("/v1/plans?status=active")).body.total, 1);
  const { changes } = await studio.deletePlan({ planId });
  assert.equal(changes.contracts, 1);
  const left = await studio.contract(sold.id);
  assert.deepEqual(
    [left.planId, left.planName, left.updatedAt > sold.updatedAt],
    [undefined, "Mensal", true],
  );
  assert.equal((await studio.get("/v1/plans")).body.total, 0);
  assert.equal((await studio.get(`/v1/plans/${planId}`)).status, 404);
  assert.equal(await refused(studio.deletePlan({ planId })), "no_plan");
});

test("an edit for all reaches every contract of the plan that is not over, and can be taken back", async () => {
  const studio = await newStudio();
  const [pilates = "", massage = "", yoga = ""] = await Promise.all(
    [1, 2, 3].map(() => addServiceType(api.db, studio.id)),
  );
  const weekly = (maxVisitsPerPeriod: number) =>
    ({ type: "access", period: "week", maxVisitsPerPeriod, serviceTypeId: pilates }) as const;
  const credits = (creditQuantity: number) =>
    ({ type: "credits", creditQuantity, serviceTypeId: massage }) as const;
  const planId = await studio.newPlan({ entitlements: [weekly(3), credits(10)] });
  const clientId = await studio.newClient();
  const statuses = [
    ...Array.from({ length: 15 }, () => "active" as const),
    ...Array.from({ length: 2 }, () => "paused" as const),
    ...Array.from({ length: 2 }, () => "cancelled" as const),
    "expired" as const,
  ];
  const ids = await Promise.all(
    statuses.map((status) =>
      addContract(api.db, studio.id, {
        clientId,
        planId,
        status,
        entitlements: [
          { id: newId(), ...weekly(3) },
          { id: newId(), type: "credits", remainingCredits: 7, serviceTypeId: massage },
        ],
      }),
    ),
  );
  const read = async () =>
    Promise.all(
      ids.map(async (id) => {
        const { entitlements, updatedAt } = await studio.contract(id);
        return {
          entitlements: entitlements.map(({ id: _id, ...grant }: { id: string }) => grant),
          updatedAt,
        };
      }),
    );
  const before = await read();
  const yogaGrant = { type: "access", serviceTypeId: yoga } as const;
  const changes = { entitlements: [weekly(2), yogaGrant] };
  const edited = await studio.editPlan({ planId, changes, applyTo: "all" });
  assert.equal(edited.changes.contracts, 17);
  const at = edited.result.updatedAt;
  const after = await read();
  const massageGrant = { type: "credits", remainingCredits: 7, serviceTypeId: massage };
  for (const [place, status] of statuses.entries()) {
    if (status === "cancelled" || status === "expired") assert.deepEqual(after[place], before[place]);
    else
      assert.deepEqual(after[place], {
        entitlements: [weekly(2), { ...massageGrant, revokedAt: at }, yogaGrant],
        updatedAt: at,
      });
  }
  const back = await studio.editPlan({
    planId,
    changes: { entitlements: [weekly(2), yogaGrant, credits(5)] },
    applyTo: "all",
  });
  assert.equal(back.changes.contracts, 17);
  assert.deepEqual((await read())[0]?.entitlements, [weekly(2), massageGrant, yogaGrant]);
  const { result: sold } = await studio.sell({ clientId, planId });
  assert.equal(sold.entitlements[2]?.remainingCredits, 5);
  // Places follow those that had the plan's.
  const [place = ""] = studio.locationIds;
  const moved = await studio.editPlan({
    planId,
    changes: { allLocations: false, locationIds: [place] },
    applyTo: "all",
  });
  assert.equal(moved.changes.contracts, 18);
  const shown = await studio.contract(sold.id);
  assert.deepEqual([shown.allLocations, shown.locationIds], [false, [place]]);
  assert.equal(
    (await studio.editPlan({ planId, changes: { name: "Livre" }, applyTo: "all" })).changes.contracts,
    0,
  );
});

test("a write moves the versions of what it touches by one, and one that changes nothing moves none", async () => {
  const studio = await newStudio();
  const { id: contractId, planId = "" } = await studio.sold();
  const versions = pooled(
    "test_all_versions",
    `select sum(catalog_version)::bigint as catalog, sum(contracts_version)::bigint as contracts
     from organization_counters where organization_id = $1`,
  );
  const moves = async (work: () => Promise<unknown>) => {
    const find = async () => (await api.db.query<Record<string, number>>(versions, [studio.id]))[0] ?? {};
    const [before, , after] = [await find(), await work(), await find()];
    const contractsMoved = (after.contracts ?? 0) - (before.contracts ?? 0);
    return [(after.catalog ?? 0) - (before.catalog ?? 0) - contractsMoved, contractsMoved];
  };
  const reason = "test";
  assert.deepEqual(await moves(() => studio.blockAccess({ contractId, reason })), [0, 1]);
  assert.deepEqual(await moves(() => studio.blockAccess({ contractId, reason })), [0, 0]);
  assert.deepEqual(await moves(() => studio.pauseContract({ contractId, firstDay: today() })), [0, 1]);
  assert.deepEqual(await moves(() => studio.endPause({ contractId, firstDayBack: today() })), [0, 1]);
  assert.deepEqual(await moves(() => studio.endPause({ contractId, firstDayBack: today() })), [0, 0]);
  assert.deepEqual(await moves(() => studio.editPlan({ planId, changes: { name: "Livre" } })), [1, 0]);
  const grants = { entitlements: [access, { type: "credits" as const, creditQuantity: 1 }] };
  assert.deepEqual(await moves(() => studio.editPlan({ planId, changes: grants, applyTo: "all" })), [1, 1]);
  assert.deepEqual(await moves(() => studio.archivePlan({ planId })), [1, 0]);
  assert.deepEqual(await moves(() => studio.archivePlan({ planId })), [0, 0]);
  assert.deepEqual(await moves(() => studio.deletePlan({ planId })), [1, 1]);
  assert.deepEqual(await moves(() => studio.cancelContract({ contractId, now: true, reason })), [0, 1]);
});
