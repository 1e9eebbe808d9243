import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { importRecords } from "../../src/data/bundle/import.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled, read } from "../../src/db/statements.ts";
import { listAudit } from "../../src/domain/audit/queries.ts";
import { startApi } from "../support/api.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import {
  exportText,
  faultsOf,
  importLines,
  type Line,
  rowCounts,
  smallStudio,
  textOf,
  toldOf,
  totals,
} from "./support.ts";

const api = await startApi({ isIsolated: true });
const { db } = api;

async function emptyServer(): Promise<Database> {
  const own = await newMigratedDatabase(api.store);
  const opened = openDatabase({ connection: own.connection, applicationName: "rollbook test", poolSize: 2 });
  after(() => opened.close());
  return opened;
}

function client(fields: Line = {}): Line {
  return { kind: "client", id: newId(), contactName: "Ana", ...fields };
}

function signal(): [Promise<void>, () => void] {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return [given, give];
}

function find(lines: readonly Line[], id: string): Line {
  const found = lines.find((line) => line.id === id);
  assert.ok(found);
  return found;
}

test("an export, imported on an empty server and exported again, is the same to the byte", async () => {
  const { ids, lines } = smallStudio();
  await importLines(db, lines);
  const first = await exportText(db, ids.organization);
  const other = await emptyServer();
  await importLines(other, first);
  assert.equal(await exportText(other, ids.organization), first);
  const kinds = first.split("\n").map((line) => line.slice(9, line.indexOf('",')));
  assert.deepEqual(
    [...new Set(kinds)],
    [
      "organization",
      "location",
      "serviceGroup",
      "serviceType",
      "plan",
      "client",
      "contract",
      "schedule",
      "session",
      "",
    ],
  );
});

test("the order of the lines does not matter, and the zone of a location that comes later is used", async () => {
  const { ids, lines } = smallStudio();
  await importLines(db, lines);
  const first = await exportText(db, ids.organization);
  const other = await emptyServer();
  await importLines(other, first.trim().split("\n").reverse().join("\n"));
  assert.equal(await exportText(other, ids.organization), first);
  const instants = read(
    "test_instants",
    "select id, start_at as at from sessions where organization_id = $1 order by id",
  );
  const spans = read(
    "test_spans",
    `select first_slot as first, last_slot as last, counted_slot as counted from schedules
     where organization_id = $1 order by id`,
  );
  for (const statement of [instants, spans]) {
    assert.deepEqual(
      await other.query(statement, [ids.organization]),
      await db.query(statement, [ids.organization]),
    );
  }
  assert.deepEqual(await db.query(instants, [ids.organization]), [
    { id: ids.moved, at: "2026-01-07T11:00:00.000Z" },
    { id: ids.extra, at: "2026-07-01T09:00:00.000Z" },
  ]);
  assert.deepEqual(await db.query(spans, [ids.organization]), [
    { first: "2026-01-05T07:00", last: "2026-12-01T09:00", counted: "2026-03-11T07:00" },
    { first: "2026-06-01T10:00", last: "2026-06-01T10:00" },
  ]);
});

test("what was imported is what the API answers: records, totals, search", async () => {
  const studio = await api.newOrganization();
  const { ids, lines } = smallStudio();
  const summary = await importLines(db, lines, { organizationId: studio.id });
  assert.deepEqual(summary.kinds.client, { created: 2, replaced: 0, unchanged: 0 });
  assert.equal(summary.kinds.organization, undefined);
  const { body: ana } = await studio.get(`/v1/clients/${ids.ana}`);
  assert.deepEqual(
    [ana.contactName, ana.idDocument.value, ana.status, ana.locationIds],
    ["Ana “Aninha” Souza", "52998224725", "active", [ids.centro, ids.porto]],
  );
  assert.equal((await studio.get("/v1/clients?query=angstrom")).body.data[0].id, ids.bruno);
  assert.equal((await studio.get("/v1/clients?status=archived")).body.total, 1);
  assert.equal((await studio.get("/v1/plans?query=MENSAL")).body.data[0].priceCents, 9_007_199_254_740_991);
  assert.equal((await studio.get("/v1/service-types?query=pil")).body.total, 1);
  const { body: contract } = await studio.get(`/v1/contracts/${ids.contract}`);
  assert.equal(contract.cancelledAt, "2026-05-01T08:00:00.000Z");
  assert.equal(contract.entitlements.length, 2);
  const { body: calendar } = await studio.get(
    "/v1/calendar?from=2026-01-05T00:00:00Z&to=2026-01-16T00:00:00Z",
  );
  assert.deepEqual(
    calendar.data.map(({ startAt, id }: Line) => [startAt, id]),
    [
      ["2026-01-05T10:00:00.000Z", undefined],
      ["2026-01-07T11:00:00.000Z", ids.moved],
    ],
  );
  assert.equal((await studio.get("/v1/organization")).body.name, studio.record.name);
  const { kept, counted } = await totals(db, studio.id);
  assert.deepEqual(kept, counted);
});

test("one bundle can be loaded into a second organization, whose records are others", async () => {
  const [one, two] = [await api.newOrganization(), await api.newOrganization()];
  const { ids, lines } = smallStudio();
  await importLines(db, lines, { organizationId: one.id });
  await importLines(db, lines, { organizationId: two.id });
  assert.deepEqual(await rowCounts(db, two.id), await rowCounts(db, one.id));
  await one.call("PUT", `/v1/clients/${ids.ana}`, {
    body: { contactName: "Eva", locationIds: [ids.centro] },
  });
  assert.equal((await two.get(`/v1/clients/${ids.ana}`)).body.contactName, "Ana “Aninha” Souza");
});

test("a record that is there is replaced, one that is the same is left alone, and times move as with PUT", async () => {
  const { ids, lines } = smallStudio();
  await importLines(db, lines);
  const before = await exportText(db, ids.organization);
  const again = await importLines(db, lines);
  assert.equal(await exportText(db, ids.organization), before);
  for (const counts of Object.values(again.kinds)) assert.equal(counts.created + counts.replaced, 0);

  const read = (text: string, id: string) =>
    find(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
      id,
    );
  const changed = lines.map((line) => {
    if (line.id === ids.ana) return { ...line, notes: undefined, locationIds: [ids.porto] };
    if (line.id === ids.bruno)
      return {
        ...line,
        status: undefined,
        contactName: "Bruno B.",
        createdAt: undefined,
        updatedAt: undefined,
      };
    if (line.id === ids.group) return { ...line, serviceTypeIds: [] };
    if (line.id === ids.monthly) return { ...line, entitlements: [], status: "archived" };
    if (line.id === ids.contract)
      return { ...line, entitlements: (line.entitlements as Line[]).map(({ id: _id, ...rest }) => rest) };
    return line;
  });
  const { kinds } = await importLines(db, changed);
  assert.deepEqual(kinds.client, { created: 0, replaced: 2, unchanged: 0 });
  assert.deepEqual(kinds.plan, { created: 0, replaced: 1, unchanged: 1 });
  assert.deepEqual(kinds.serviceGroup, { created: 0, replaced: 1, unchanged: 0 });
  assert.deepEqual(kinds.contract, { created: 0, replaced: 0, unchanged: 2 }, "entitlements keep their ids");
  const after = await exportText(db, ids.organization);
  const [ana, anaBefore] = [read(after, ids.ana), read(before, ids.ana)];
  assert.equal(ana.notes, undefined);
  assert.deepEqual(ana.locationIds, [ids.porto]);
  assert.equal(ana.createdAt, anaBefore.createdAt);
  assert.ok(String(ana.updatedAt) > String(anaBefore.updatedAt));
  const bruno = read(after, ids.bruno);
  assert.equal(bruno.status, "archived", "a status that is left out is unchanged");
  assert.equal(bruno.createdAt, "2025-01-02T03:04:05.678Z");
  assert.ok(String(bruno.updatedAt) > "2026");

  const dated = { ...find(lines, ids.bruno), updatedAt: "2026-03-03T03:03:03.003Z" };
  await importLines(db, [dated], { organizationId: ids.organization });
  assert.equal(read(await exportText(db, ids.organization), ids.bruno).updatedAt, "2026-03-03T03:03:03.003Z");
  const { kept, counted } = await totals(db, ids.organization);
  assert.deepEqual(kept, counted);
});

test("clients may exchange their id documents, and sessions their slots", async () => {
  const { ids, lines } = smallStudio();
  const second = { ...find(lines, ids.moved), id: newId(), originalStart: "2026-01-19T07:00" };
  await importLines(db, [...lines, second]);
  const [ana, bruno, moved] = [find(lines, ids.ana), find(lines, ids.bruno), find(lines, ids.moved)];
  const { kinds } = await importLines(
    db,
    [
      { ...ana, idDocument: bruno.idDocument },
      { ...bruno, idDocument: undefined },
      client({ idDocument: ana.idDocument, locationIds: [ids.centro] }),
      { ...moved, originalStart: second.originalStart },
      { ...second, originalStart: moved.originalStart },
    ],
    { organizationId: ids.organization },
  );
  assert.deepEqual(kinds.client, { created: 1, replaced: 2, unchanged: 0 });
  assert.deepEqual(kinds.session, { created: 0, replaced: 2, unchanged: 0 });
});

test("the organization comes from the file, or from the caller, or the import is refused", async () => {
  const { ids, lines } = smallStudio();
  const [organization = {}] = lines;
  const created = await importLines(db, [organization]);
  assert.deepEqual(created.kinds.organization, { created: 1, replaced: 0, unchanged: 0 });
  const renamed = await importLines(db, [{ ...organization, name: "Outro", status: "suspended" }]);
  assert.deepEqual(renamed.kinds.organization, { created: 0, replaced: 1, unchanged: 0 });
  assert.match(await exportText(db, ids.organization), /"name":"Outro".*"status":"suspended"/);
  const made = await importLines(db, [{ ...organization, id: undefined }]);
  assert.notEqual(made.organizationId, ids.organization);
  await assert.rejects(
    importLines(db, lines.slice(1)),
    /no organization line; say where it goes with --org ID/,
  );
  await assert.rejects(
    importLines(db, [], { organizationId: newId() }),
    /There is no organization with this id/,
  );
  assert.deepEqual(await faultsOf(importLines(db, [organization, { ...organization, id: newId() }])), [
    "line 2: organization: there is one organization in a bundle, and line 1 has it",
  ]);
});

test("ids and times are made where they are absent, uuids of any version and case are taken", async () => {
  const studio = await api.newOrganization();
  const id = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8";
  await importRecords(
    db,
    [
      { kind: "location", id, name: "Centro", status: "active", timezone: "UTC" },
      { kind: "client", contactName: "Ana" },
      { kind: "client", contactName: "Bea", locationIds: [id.toLowerCase()] },
    ],
    { organizationId: studio.id, actor: "test" },
  );
  const { body } = await studio.get("/v1/clients");
  assert.equal(body.total, 2);
  for (const { id: made } of body.data) {
    assert.match(made, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.deepEqual((await studio.get(`/v1/clients/${made}`)).body.locationIds, [id.toLowerCase()]);
  }
});

const faultCases: readonly [name: string, line: Line | string, fault: string][] = [
  ["no JSON", "{oops", "line 2: not JSON"],
  ["no object", "[1]", "line 2: not a JSON object"],
  ["no kind", {}, "line 2: kind: must be one of: organization, location"],
  ["another kind", { kind: "receipt" }, "line 2: kind: must be one of: organization, location"],
  ["an unknown member", client({ nickname: "A" }), "line 2: client: nickname: is not a known member"],
  [
    "a member twice",
    '{"kind":"client","contactName":"A","contactName":"B"}',
    "line 2: client: contactName: is given twice",
  ],
  ["a missing member", { kind: "client" }, "line 2: client: contactName: is required"],
  ["no uuid", client({ id: "7" }), "line 2: client: id: must be a UUID"],
  [
    "a wrong CPF",
    client({ idDocument: { type: "cpf", value: "52998224724" } }),
    "line 2: client: idDocument.value: is not a valid CPF",
  ],
  [
    "a birthdate to come",
    client({ birthdate: "2999-01-01" }),
    "line 2: client: birthdate: must be from 1900-01-01 to today",
  ],
  [
    "a location of nobody",
    client({ locationIds: ["$location", newId()] }),
    "line 2: client: locationIds[1]: is not a location of this organization",
  ],
  [
    "a zone that is none",
    { kind: "location", name: "X", status: "active", timezone: "Mars/Base" },
    "line 2: location: timezone: is not the name of an IANA time zone",
  ],
  [
    "an instant out of reach",
    {
      kind: "location",
      name: "X",
      status: "active",
      timezone: "UTC",
      createdAt: "9999-12-31T23:59:59-01:00",
    },
    "line 2: location: createdAt: must lie in the years 0001 to 9999 UTC",
  ],
  [
    "a change after which none can come",
    client({ updatedAt: "9999-12-31T23:59:59.999Z" }),
    "line 2: client: updatedAt: must lie in the years 0001 to 9998 UTC",
  ],
  [
    "a service type of nobody",
    { kind: "serviceGroup", name: "G", serviceTypeIds: [newId()] },
    "line 2: serviceGroup: serviceTypeIds[0]: is not a service type of this organization",
  ],
  [
    "a duration without unit",
    plan({ durationCount: 3 }),
    "line 2: plan: durationUnit: is required with durationCount",
  ],
  [
    "an interval of what is paid once",
    plan({ billingKind: "one_time", billingInterval: "week" }),
    "line 2: plan: billingInterval: is only for what is billed as recurring",
  ],
  [
    "locations beside all locations",
    plan({ locationIds: ["$location"] }),
    "line 2: plan: locationIds: must be empty when allLocations is true",
  ],
  [
    "credits for access",
    plan({ entitlements: [{ type: "access", creditQuantity: 1 }] }),
    "line 2: plan: entitlements[0].creditQuantity: is only for credits",
  ],
  [
    "visits for credits",
    plan({ entitlements: [{ type: "credits", maxVisitsPerPeriod: 1 }] }),
    "line 2: plan: entitlements[0].maxVisitsPerPeriod: is only for access",
  ],
  [
    "an entitlement to nothing known",
    plan({ entitlements: [{ type: "access" }, { type: "access", serviceGroupId: newId() }] }),
    "line 2: plan: entitlements[1].serviceGroupId: is not a service group of this organization",
  ],
  [
    "a contract of nobody",
    contract({ clientId: newId() }),
    "line 2: contract: clientId: is not a client of this organization",
  ],
  [
    "a plan of nobody",
    contract({ planId: newId() }),
    "line 2: contract: planId: is not a plan of this organization",
  ],
  [
    "an end before the start",
    contract({ endDate: "2025-12-31" }),
    "line 2: contract: endDate: must not be before startDate",
  ],
  [
    "a balance for access",
    contract({ entitlements: [{ type: "access", remainingCredits: 1 }] }),
    "line 2: contract: entitlements[0].remainingCredits: is only for credits",
  ],
  [
    "a wall clock that is none",
    schedule({ start: "2026-02-30T10:00" }),
    "line 2: schedule: start: must be a local date-time such as 2026-01-05T07:00",
  ],
  ["a rule that is none", schedule({ rrule: "FREQ=HOURLY" }), "line 2: schedule: rrule: FREQ must be DAILY"],
  [
    "a start beside its rule",
    schedule({ rrule: "FREQ=WEEKLY;BYDAY=TU" }),
    "line 2: schedule: rrule: The start is not an occurrence of its own rule.",
  ],
  [
    "a schedule nowhere",
    schedule({ locationId: newId() }),
    "line 2: schedule: locationId: is not a location of this organization",
  ],
  ["no length", schedule({ durationMinutes: 0 }), "line 2: schedule: durationMinutes: must be at least 1"],
  [
    "a session of no schedule",
    session({ scheduleId: newId(), originalStart: "2026-01-05T07:00" }),
    "line 2: session: scheduleId: is not a schedule of this organization",
  ],
  [
    "a schedule without its slot",
    session({ scheduleId: newId() }),
    "line 2: session: originalStart: is required with scheduleId",
  ],
  [
    "a slot without its schedule",
    session({ originalStart: "2026-01-05T07:00" }),
    "line 2: session: scheduleId: is required with originalStart",
  ],
  [
    "fewer than no bookings",
    session({ bookedCount: -1 }),
    "line 2: session: bookedCount: must be at least 0",
  ],
];

function plan(fields: Line): Line {
  return {
    kind: "plan",
    name: "P",
    status: "active",
    billingKind: "recurring",
    priceCents: 1,
    currency: "BRL",
    isTrial: false,
    allLocations: true,
    locationIds: [],
    entitlements: [],
    ...fields,
  };
}

function contract(fields: Line): Line {
  return {
    kind: "contract",
    clientId: "$client",
    planName: "P",
    priceCents: 1,
    currency: "BRL",
    isTrial: false,
    billingKind: "recurring",
    startDate: "2026-01-01",
    status: "active",
    accessBlocked: false,
    allLocations: true,
    locationIds: [],
    entitlements: [],
    ...fields,
  };
}

function schedule(fields: Line): Line {
  return {
    kind: "schedule",
    serviceTypeId: "$serviceType",
    locationId: "$location",
    start: "2026-01-05T07:00",
    durationMinutes: 60,
    capacity: 1,
    ...fields,
  };
}

function session(fields: Line): Line {
  const { kind: _kind, ...rest } = schedule(fields);
  return { kind: "session", bookedCount: 0, status: "scheduled", ...rest };
}

test("every fault is reported with its line and a code of its own, and nothing is written", async (t) => {
  const studio = await api.newOrganization();
  const location = await addLocation(db, studio.id);
  const serviceType = newId();
  const known = client();
  await importLines(
    db,
    [{ kind: "serviceType", id: serviceType, name: "T", holdsResource: false, status: "active" }, known],
    { organizationId: studio.id },
  );
  const before = [await rowCounts(db, studio.id), await totals(db, studio.id)];
  for (const [name, line, fault] of faultCases) {
    await t.test(name, async () => {
      const text = (typeof line === "string" ? line : JSON.stringify(line))
        .replaceAll("$location", location)
        .replaceAll("$serviceType", serviceType)
        .replaceAll("$client", String(known.id));
      const [told, ...more] = await toldOf(
        importLines(db, `${JSON.stringify(client({ locationIds: [location] }))}\n${text}\n`, {
          organizationId: studio.id,
        }),
      );
      assert.deepEqual(more, []);
      assert.ok(`${told?.location}: ${told?.message}`.startsWith(fault), JSON.stringify(told));
      assert.notEqual(told?.code, "invalid", told?.message);
    });
  }
  assert.deepEqual([await rowCounts(db, studio.id), await totals(db, studio.id)], before);
});

test("what is wrong between records is reported at the later line", async () => {
  const { ids, lines } = smallStudio();
  const ana = find(lines, ids.ana);
  const moved = find(lines, ids.moved);
  const [given] = find(lines, ids.contract).entitlements as Line[];
  const faults = await faultsOf(
    importLines(db, [
      ...lines,
      { ...find(lines, ids.bruno), idDocument: undefined },
      client({ idDocument: { type: "cpf", value: "52998224725" }, locationIds: [ids.centro] }),
      client({ idDocument: { type: "other", value: "ab-1" }, locationIds: [ids.centro] }),
      { ...moved, id: newId() },
      { ...find(lines, ids.oldContract), id: newId(), entitlements: [given] },
      client(),
    ]),
  );
  assert.deepEqual(faults, [
    "line 17: client: id: is the id of line 10 too",
    "line 18: client: idDocument: is held by the client of line 9 already",
    "line 19: client: idDocument: is held by the client of line 10 already",
    "line 20: session: originalStart: stands for the same slot as line 15",
    "line 21: contract: entitlements[0].id: is the id of another entitlement too",
    "line 22: client: locationIds: must name at least one of the organization's locations",
  ]);
  await importLines(db, lines);
  const later = await faultsOf(
    importLines(
      db,
      [
        client({ idDocument: ana.idDocument, locationIds: [ids.centro] }),
        { ...moved, id: newId() },
        { ...find(lines, ids.oldContract), id: newId(), entitlements: [given] },
      ],
      { organizationId: ids.organization },
    ),
  );
  assert.deepEqual(later, [
    `line 1: client: idDocument: is held by another client already: ${ids.ana}`,
    `line 2: session: originalStart: stands for the same slot as another session: ${ids.moved}`,
    "line 3: contract: entitlements[0].id: is the id of another entitlement too",
  ]);
});

test("an empty id of a resource is refused: it would be listed without a name", async () => {
  const { ids, lines } = smallStudio();
  const { resourceIds, ...moved } = find(lines, ids.moved);
  const schedule = lines.find(({ kind }) => kind === "schedule");
  const broken = [...lines, { ...moved, resourceIds: ["ana", ""] }, { ...schedule, resourceIds: [""] }];
  assert.deepEqual(await faultsOf(importLines(db, broken)), [
    `line ${lines.length + 1}: session: resourceIds[1]: must not be empty`,
    `line ${lines.length + 2}: schedule: resourceIds[0]: must not be empty`,
  ]);
});

test("a record at fault does not put those at fault that refer to it", async () => {
  const { ids, lines } = smallStudio();
  const broken = lines.map((line) => (line.id === ids.ana ? { ...line, contactName: "" } : line));
  assert.deepEqual(await faultsOf(importLines(db, broken)), [
    "line 9: client: contactName: must not be empty",
  ]);
  const closed = lines.map((line) => (line.id === ids.centro ? { ...line, timezone: "Nowhere" } : line));
  assert.deepEqual(await faultsOf(importLines(db, closed)), [
    "line 2: location: timezone: is not the name of an IANA time zone",
  ]);
});

test("bytes that are no text, lines without end and endless faults are reported within bounds", async () => {
  const studio = await api.newOrganization();
  const organizationId = studio.id;
  const good = Buffer.from(
    `\ufeff${JSON.stringify({ kind: "location", name: "X", status: "active", timezone: "UTC" })}\r\n\r\n`,
  );
  const latin = Buffer.from('{"kind":"client","contactName":"Jos\xe9"}\n', "latin1");
  const long = Buffer.from(`{"kind":"client","contactName":"${"x".repeat(5 << 20)}"}\n`);
  const deep = Buffer.from(
    `{"kind":"client","contactName":"A","notes":${"[".repeat(1e5)}${"]".repeat(1e5)}}`,
  );
  const faults = await faultsOf(
    importLines(db, Buffer.concat([good, latin, long, deep]), { organizationId }),
  );
  assert.deepEqual(faults.slice(0, 2), ["line 3: not valid UTF-8", "line 4: longer than 4 MiB"]);
  assert.match(faults.slice(2).join(), /line 5: client: must not be nested deeper than 32 levels/);
  const many = await faultsOf(importLines(db, "?\n".repeat(5000), { organizationId }));
  assert.equal(many.length, 100);
  assert.equal(many[99], "line 100: not JSON");
  await importLines(db, good, { organizationId });
  assert.deepEqual(await rowCounts(db, studio.id), { locations: 1 });
});

test("a fault in the last line of many leaves not a row, not a total, not a version", async () => {
  const studio = await api.newOrganization();
  const location = { kind: "location", id: newId(), name: "X", status: "active", timezone: "UTC" };
  const many = Array.from({ length: 3000 }, (_, n) => client({ contactName: `Client ${n}` }));
  const before = await totals(db, studio.id);
  const lines = [location, ...many, client({ contactEmail: "nobody" })];
  assert.deepEqual(await faultsOf(importLines(db, lines, { organizationId: studio.id })), [
    "line 3002: client: contactEmail: must be an e-mail address",
  ]);
  const clash = [location, ...many, client({ locationIds: [newId()] })];
  assert.deepEqual(await faultsOf(importLines(db, clash, { organizationId: studio.id })), [
    "line 3002: client: locationIds[0]: is not a location of this organization",
  ]);
  assert.deepEqual(await rowCounts(db, studio.id), {});
  assert.deepEqual(await totals(db, studio.id), before);
  assert.equal(
    (await listAudit(db, studio.id, 10)).data.filter(({ action }) => action === "import").length,
    0,
  );
});

test("a dry run says what would be done and does nothing", async () => {
  const { ids, lines } = smallStudio();
  const dryRun = await importLines(db, lines, { dryRun: true });
  assert.deepEqual(await rowCounts(db, ids.organization), {});
  await assert.rejects(exportText(db, ids.organization), /There is no organization/);
  const { auditId, ...done } = await importLines(db, lines);
  assert.ok(auditId, "only what was done is on record");
  assert.deepEqual(dryRun, { ...done, dryRun: true });
});

test("when a location's zone changes, its sessions keep their wall clocks", async () => {
  const { ids, lines } = smallStudio();
  await importLines(db, lines);
  const moved = { ...find(lines, ids.porto), timezone: "Asia/Tokyo" };
  await importLines(db, [moved], { organizationId: ids.organization });
  const statement = read(
    "test_start_at",
    "select start_at as at from sessions where organization_id = $1 and id = $2",
  );
  assert.deepEqual(await db.query(statement, [ids.organization, ids.extra]), [
    { at: "2026-07-01T01:00:00.000Z" },
  ]);
});

test("an import is on record with its counts and nobody's data", async () => {
  const { ids, lines } = smallStudio();
  await importLines(db, lines, { actor: "maria" });
  const [entry] = (await listAudit(db, ids.organization, 1)).data;
  assert.equal(entry?.action, "import");
  assert.equal(entry.actor, "maria");
  assert.deepEqual(entry.details.client, { created: 2, replaced: 0, unchanged: 0 });
  assert.doesNotMatch(JSON.stringify(entry), /Ana|52998224725|example\.com/);
});

test("beside a server: readers see all of an import or nothing, writers go on, and the total stays exact", async () => {
  const studio = await api.newOrganization();
  await addLocation(db, studio.id);
  const size = 2000;
  const lines = Array.from({ length: size }, (_, n) => client({ contactName: `Client ${n}` }));
  let done = false;
  const importing = importLines(db, lines, { organizationId: studio.id }).finally(() => {
    done = true;
  });
  let own = 0;
  const seen = new Set<number>();
  while (!done) {
    const { status } = await studio.call("POST", "/v1/clients", { body: { contactName: "Own" } });
    assert.equal(status, 201);
    own++;
    const { body } = await studio.get("/v1/clients?limit=1");
    assert.ok(body.total === own || body.total === own + size, `${body.total} of ${own} or ${own + size}`);
    seen.add(body.total - own);
    if (own % 20 === 0) await new Promise(setImmediate);
    if (own > 80) break;
  }
  await importing;
  assert.ok(seen.has(0));
  assert.equal((await studio.get("/v1/clients?limit=1")).body.total, own + size);
  const { kept, counted } = await totals(db, studio.id);
  assert.deepEqual(kept, counted);
});

test("an id document that is taken while the import writes is a fault, not a crash", async () => {
  const studio = await api.newOrganization();
  const location = await addLocation(db, studio.id);
  const idDocument = { type: "cpf", value: "52998224725" };
  // Held back until the import has checked: a client of the same document whose transaction is not over yet.
  const holder = newId();
  const insert = pooled(
    "test_insert_holder",
    `insert into clients (organization_id, id, status, contact_name, id_document_type, id_document_value,
       id_document_key, search) values ($1, $2, 'active', 'Eva', 'cpf', '52998224725', '52998224725', 'eva')`,
  );
  const waiting = read(
    "test_is_waiting",
    `select 1 as one from pg_stat_activity
     where datname = current_database() and wait_event = 'transactionid' and query like '%into clients%'`,
  );
  const [released, release] = signal();
  const [inserted, hasInserted] = signal();
  const other = db.transaction(async (tx) => {
    await tx.query(insert, [studio.id, holder]);
    hasInserted();
    await released;
  });
  await inserted;
  const faults = faultsOf(
    importLines(db, [client(), client({ idDocument, locationIds: [location] })], {
      organizationId: studio.id,
    }),
  );
  await until("the import waits for the other transaction", async () => (await db.query(waiting)).length > 0);
  release();
  await other;
  assert.deepEqual(await faults, [
    `line 2: client: idDocument: is held by another client already: ${holder}`,
  ]);
  assert.deepEqual(await rowCounts(db, studio.id), { locations: 1, clients: 1 });
});

test("after the commit nothing more is asked that could fail, however large the import was", async () => {
  const studio = await api.newOrganization();
  await addLocation(db, studio.id);
  const onlyTransactions: Database = {
    query: () => Promise.reject(new Error("asked outside of the transaction")),
    transaction: (work) => db.transaction(work),
    snapshot: (work) => db.snapshot(work),
    now: () => Promise.reject(new Error("asked outside of the transaction")),
    clockOffsetMs: 0,
  };
  const lines = Array.from({ length: 5_000 }, () => ({ kind: "client", contactName: "A" }));
  const { kinds } = await importRecords(onlyTransactions, lines, {
    organizationId: studio.id,
    actor: "test",
  });
  assert.equal(kinds.client?.created, 5_000);
});

test("an export can be read whatever time is stored", async () => {
  const { ids, lines } = smallStudio();
  await importLines(db, lines);
  const set = pooled("test_set_updated", "update clients set updated_at = $2::timestamptz where id = $1");
  for (const [stored, written] of [
    ["10000-01-01 00:00:00+00", "9999-12-31T23:59:59.999Z"],
    ["294276-12-31 23:59:59.999+00", "9999-12-31T23:59:59.999Z"],
    ["0044-03-15 00:00:00.5+00 BC", "0001-01-01T00:00:00.000Z"],
    ["0001-01-01 00:00:00+00", "0001-01-01T00:00:00.000Z"],
  ]) {
    await db.query(set, [ids.ana, stored]);
    const text = await exportText(db, ids.organization);
    const exported = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
    assert.equal(find(exported, ids.ana).updatedAt, written);
  }
});

test("two imports of the same file at once: one creates, the other finds it done", async () => {
  const { lines } = smallStudio();
  const [organization = {}, ...rest] = lines;
  const { organizationId } = await importLines(db, [organization]);
  const summaries = await Promise.all([
    importLines(db, rest, { organizationId }),
    importLines(db, rest, { organizationId }),
  ]);
  const clients = summaries.map(({ kinds }) => [kinds.client?.created, kinds.client?.unchanged]);
  assert.deepEqual(clients.sort(), [
    [0, 2],
    [2, 0],
  ]);
});

test("whatever is imported, in whatever steps, totals are what counting gives", async () => {
  const studio = await api.newOrganization();
  await addLocation(db, studio.id);
  const ids = Array.from({ length: 12 }, () => newId());
  const record = fc.oneof(
    fc.record({
      kind: fc.constant("client"),
      id: fc.constantFrom(...ids),
      contactName: fc.constantFrom("Ana", "Bea"),
      status: fc.constantFrom("active", "archived", undefined),
    }),
    fc.record({
      kind: fc.constant("serviceType"),
      id: fc.constantFrom(...ids),
      name: fc.constant("T"),
      holdsResource: fc.boolean(),
      status: fc.constantFrom("active", "archived"),
    }),
  );
  const file = fc.uniqueArray(record, { selector: ({ kind, id }) => kind + id, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(file, async (lines) => {
      const { kinds } = await importLines(db, textOf(lines), { organizationId: studio.id });
      const sum = Object.values(kinds).reduce((all, k) => all + k.created + k.replaced + k.unchanged, 0);
      assert.equal(sum, lines.length);
      const { kept, counted } = await totals(db, studio.id);
      assert.deepEqual(kept, counted);
    }),
    { numRuns: 25 },
  );
});
