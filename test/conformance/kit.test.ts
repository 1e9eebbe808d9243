import assert from "node:assert/strict";
import { test } from "node:test";
import sax from "sax";
import {
  CHECKS,
  count,
  NotBegun,
  type Report,
  reportJson,
  reportJunit,
  reportText,
  runChecks,
} from "../../packages/conformance/src/index.ts";
import { startApi } from "../support/api.ts";
import { addSchedule } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addPlan, addServiceType } from "../support/records.ts";
import { FLAWS, type Flaw, KEY, startStandIn } from "./stand-in.ts";

const api = await startApi();

function failures({ results }: Report): string[] {
  return results.filter(({ outcome }) => outcome === "failed").map(({ id, reason }) => `${id}: ${reason}`);
}

test("this server passes every check, those that write included, and every check has something to look at", async () => {
  const studio = await api.newOrganization();
  const [centro, norte] = [
    await addLocation(api.db, studio.id, { name: "Centro" }),
    await addLocation(api.db, studio.id, { name: "Norte", status: "closed" }),
  ];
  const types = [
    await addServiceType(api.db, studio.id, { name: "Pilates solo" }),
    await addServiceType(api.db, studio.id, { name: "Ioga", status: "archived" }),
  ];
  const entitlements = [{ type: "access", period: "week", maxVisitsPerPeriod: 2 }];
  const recurring = { billingKind: "recurring", billingInterval: "month" } as const;
  await addPlan(api.db, studio.id, { name: "Mensal", ...recurring, entitlements });
  const planId = await addPlan(api.db, studio.id, {
    name: "Dez aulas",
    billingKind: "one_time",
    locationIds: [centro],
  });
  const ids: string[] = [];
  for (const client of [
    { contactName: "Ana Conceição", contactEmail: "ana@example.com", contactPhone: "+55 11 98765-4321" },
    { contactName: "Bruno Dias", idDocument: { type: "cpf", value: "52998224725" } },
    { contactName: "Carla Prado", status: "archived" },
  ])
    ids.push(
      (await studio.call("POST", "/v1/clients", { body: { ...client, locationIds: [centro] } })).body.id,
    );
  const [ana = "", bruno = ""] = ids;
  const granted = entitlements.map((entitlement) => ({ id: newId(), ...entitlement }));
  await addContract(api.db, studio.id, { clientId: ana, entitlements: granted });
  await addContract(api.db, studio.id, {
    clientId: bruno,
    planId,
    locationIds: [norte],
    status: "cancelled",
  });
  const slots = { timezone: "America/Sao_Paulo", start: "2025-01-06T07:00", rrule: "FREQ=DAILY" };
  for (const serviceTypeId of types.slice(0, 1))
    await addSchedule(api.db, studio.id, { locationId: centro, serviceTypeId, ...slots });

  const before = (await studio.get("/v1/changes?limit=1000")).body.data.length;
  const reading = await runChecks({ url: api.url, key: studio.key });
  assert.deepEqual(failures(reading), []);
  assert.equal(count(reading).skipped, 0, reportText(reading));
  assert.equal(
    (await studio.get("/v1/changes?limit=1000")).body.data.length,
    before,
    "a run that reads has written",
  );

  const writing = await runChecks({ url: api.url, key: studio.key, writes: true });
  assert.deepEqual(failures(writing), []);
  assert.equal(count(writing).passed, CHECKS.length);
  // What it has made is archived.
  const active = (await studio.get("/v1/clients?status=active&limit=200")).body.data;
  assert.deepEqual(active.map(({ contactName }: { contactName: string }) => contactName).sort(), [
    "Ana Conceição",
    "Bruno Dias",
  ]);
});

test("the stand-in that is right passes every check", async (t) => {
  const standIn = await startStandIn();
  t.after(() => standIn.close());
  const report = await runChecks({ url: standIn.url, key: KEY, writes: true });
  assert.deepEqual(failures(report), []);
  assert.deepEqual(
    report.results.filter(({ outcome }) => outcome === "skipped").map(({ id }) => id),
    [],
  );
});

test("a server that is wrong on purpose fails, whichever of the many ways it is wrong in", async (t) => {
  const flaws = Object.keys(FLAWS) as Flaw[];
  assert.ok(flaws.length >= 40);
  const unseen: string[] = [];
  for (const flaw of flaws) {
    const standIn = await startStandIn(flaw);
    const report = await runChecks({ url: standIn.url, key: KEY, writes: true, checks: FLAWS[flaw] });
    await standIn.close();
    for (const id of FLAWS[flaw]) {
      const result = report.results.find((one) => one.id === id);
      if (result?.outcome !== "failed")
        unseen.push(`${flaw}: ${id} ${result?.outcome} ${result?.reason ?? ""}`);
    }
  }
  assert.deepEqual(unseen, []);
  t.diagnostic(`${flaws.length} ways to be wrong, ${CHECKS.length} checks`);
});

/** What the stand-in has no way to be wrong in: it breaks the same rule for another list, or the check is of form alone. */
const NOT_BROKEN = [
  "access.scheme-case",
  ...["service-types", "contracts", "plans", "clients"].flatMap((name) =>
    ["list", "one", "unknown-id", "paging", "page-bounds", "newest-first", "status", "search"].map(
      (check) => `${name}.${check}`,
    ),
  ),
  ...["contracts.all-locations", "calendar.list", "calendar.inside"],
  ...["create.document-race", "create.faults-together"],
];

test("each rule is broken by some way of being wrong", () => {
  const caught = new Set<string>(Object.values(FLAWS).flat());
  const ids = CHECKS.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of caught) assert.ok(ids.includes(id), id);
  assert.deepEqual(
    ids.filter((id) => !caught.has(id) && !NOT_BROKEN.includes(id)),
    [],
  );
});

test("a report says what was asked, what is said and what came, without the key and without a person's data", async (t) => {
  const standIn = await startStandIn("stored with punctuation");
  t.after(() => standIn.close());
  const checks = ["clients.documents", "organization.record"];
  const report = await runChecks({ url: standIn.url, key: KEY, checks });
  const text = reportText(report);
  assert.match(text, /1 checks passed, 1 failed, 0 had nothing to look at\./);
  assert.match(text, /FAILED clients\.documents: A stored CPF has 11 digits and is valid/);
  assert.match(text, /The specification says \(section 2\): cpf \(Brazilian id/);
  assert.match(text, /What came: a stored CPF is not 11 digits/);
  assert.match(text, /Asked: GET \/v1\/clients\?limit=100\n\s+200 application\/json \{/);
  const json = JSON.parse(reportJson(report));
  assert.deepEqual([json.passed, json.failed, json.results.length], [1, 1, 2]);
  const junit = reportJunit(report);
  const elements = new Map<string, number>();
  const parser = new sax.SAXParser(true, {});
  parser.onopentag = ({ name }) => elements.set(name, (elements.get(name) ?? 0) + 1);
  parser.onerror = (error) => assert.fail(error);
  parser.write(junit).close();
  assert.deepEqual(Object.fromEntries(elements), { testsuites: 1, testsuite: 1, testcase: 2, failure: 1 });
  for (const written of [text, JSON.stringify(json), junit])
    assert.doesNotMatch(written, /rbk_|Ana Souza|@example|98765|529\.982|Mornings/);
});

test("a run does not begin without a server, a key that it knows and, to write, an organization that nobody needs", async (t) => {
  const standIn = await startStandIn();
  t.after(() => standIn.close());
  const refused: [options: Parameters<typeof runChecks>[0], reason: RegExp][] = [
    [{ url: "http://127.0.0.1:1", key: KEY }, /does not answer/],
    [{ url: "ftp://server", key: KEY }, /http or https/],
    [{ url: standIn.url, key: "wrong" }, /does not know the key/],
    [{ url: standIn.url, key: "two words" }, /one word/],
    [{ url: standIn.url, key: KEY, checks: ["nonsense"] }, /No check/],
  ];
  for (const [options, reason] of refused)
    await assert.rejects(
      runChecks(options),
      (error) => error instanceof NotBegun && reason.test(error.message),
    );
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  for (let made = 0; made <= 200; made += 67)
    await Promise.all(
      Array.from({ length: 67 }, (_, place) =>
        studio.call("POST", "/v1/clients", { body: { contactName: `Client ${made + place}` } }),
      ),
    );
  const writes = { url: api.url, key: studio.key, writes: true, checks: ["archive."] };
  await assert.rejects(runChecks(writes), /has 201 clients|has 2\d\d clients/);
});

test("the rate limit is waited for, as long as the server says", async () => {
  const limited = await startApi({ rate: { perMinute: 6000, burst: 2 } });
  const studio = await limited.newOrganization();
  const waits: number[] = [];
  const wait = (seconds: number) => {
    waits.push(seconds);
    return new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));
  };
  const { results } = await runChecks({ url: limited.url, key: studio.key, checks: ["plans.paging"], wait });
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ["passed"],
  );
  assert.ok(waits.every((seconds) => seconds >= 1));
});
