import assert from "node:assert/strict";
import { after, test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { read } from "../../src/db/statements.ts";
import { findSettings } from "../../src/domain/organizations/queries.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { exportText, faultsOf, importLines, type Line, smallStudio, toldOf } from "./support.ts";

/** What the application adds to the bundle: resources, the terms and pauses of contracts, the settings. */

const api = await startApi();
const { db } = api;
const TODAY = dateIn("America/Sao_Paulo", Date.now());

async function emptyServer(): Promise<Database> {
  const own = await newMigratedDatabase(api.store);
  const opened = openDatabase({ connection: own.connection, applicationName: "rollbook test", poolSize: 2 });
  after(() => opened.close());
  return opened;
}

/** The small studio with members of its organization, of its running contract, and lines beside. */
function studioWith(given: { organization?: Line; contract?: Line; lines?: Line[] }) {
  const { ids, lines } = smallStudio();
  const merged = lines.map((line) => {
    if (line.kind === "organization") return { ...line, ...given.organization };
    if (line.id !== ids.contract) return line;
    const { cancelledAt, endDate, ...running } = line;
    return { ...running, status: "active", ...given.contract };
  });
  return { ids, lines: [...merged, ...(given.lines ?? [])] };
}

const linesOf = async (on: Database, organizationId: string): Promise<Line[]> =>
  (await exportText(on, organizationId))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const pause = (first: number, last?: number, more: Line = {}): Line => ({
  firstDay: daysAfter(TODAY, first),
  ...(last !== undefined && { lastDay: daysAfter(TODAY, last) }),
  extendsTerm: true,
  ...more,
});

test("resources, terms, pauses and settings come back from an export to the byte, in their places", async () => {
  const { ids, lines } = studioWith({
    organization: { weekStart: "sunday", cancelWindowMinutes: 720 },
    contract: {
      terms: "1. Be kind.\n2. Be early.",
      pauses: [pause(40, 50), pause(20, 30, { id: newId(), extendsTerm: false }), pause(60)],
    },
    lines: [
      { kind: "resource", id: "sala-2", name: "Sala 2", type: "room", status: "active" },
      { kind: "resource", id: "Zoë", name: "Zoë", type: "person", status: "archived" },
      { kind: "resource", name: "Bola", type: "equipment", status: "active" },
    ],
  });
  await importLines(db, lines);
  const first = await exportText(db, ids.organization);
  const other = await emptyServer();
  await importLines(other, first);
  assert.equal(await exportText(other, ids.organization), first);

  const exported = await linesOf(db, ids.organization);
  assert.deepEqual([...new Set(exported.map(({ kind }) => kind))].slice(0, 4), [
    "organization",
    "location",
    "resource",
    "serviceGroup",
  ]);
  const [organization = {}] = exported;
  assert.deepEqual(Object.keys(organization).slice(-2), ["cancelWindowMinutes", "weekStart"]);
  const resources = exported.filter(({ kind }) => kind === "resource");
  // One that a schedule names and that is as it would be made by itself is not exported.
  assert.deepEqual(resources.map(({ name }) => name).sort(), ["Bola", "Sala 2", "Zoë"]);
  const contract = exported.find(({ id }) => id === ids.contract);
  assert.deepEqual(Object.keys(contract ?? {}).slice(-2), ["terms", "pauses"]);
  const pauses = contract?.pauses as Line[];
  assert.deepEqual(
    pauses.map(({ id, ...rest }) => rest),
    [pause(20, 30, { extendsTerm: false }), pause(40, 50), pause(60)],
    "in the order of their days",
  );
  const again = await importLines(db, first);
  for (const { created, replaced } of Object.values(again.kinds))
    assert.deepEqual([created, replaced], [0, 0]);
});

test("a studio without any of them is exported as before: no such line, no such member", async () => {
  const { ids, lines } = smallStudio();
  await importLines(db, lines);
  const text = await exportText(db, ids.organization);
  assert.doesNotMatch(text, /"kind":"resource"|"pauses"|cancelWindowMinutes|checkInOpensMinutes|weekStart/);
  const contracts = (await linesOf(db, ids.organization)).filter(({ kind }) => kind === "contract");
  assert.ok(contracts.length > 0 && contracts.every((line) => !("terms" in line)));
});

test("a bundle that knows nothing of them leaves them as they are; one that does replaces them", async () => {
  const { ids, lines } = studioWith({
    organization: { checkInOpensMinutes: 30 },
    contract: { terms: "Old", pauses: [pause(20, 30), pause(40, 50)] },
    lines: [{ kind: "resource", id: "ana", name: "Ana Lima", type: "person", status: "active" }],
  });
  await importLines(db, lines);
  const before = await linesOf(db, ids.organization);
  const without = before
    .filter(({ kind }) => kind !== "resource")
    .map(({ terms, pauses, checkInOpensMinutes, updatedAt, ...line }) => ({
      ...line,
      // Another content, so that the contract and its lists are written again.
      ...(line.id === ids.contract && { planName: "Renamed", locationIds: [ids.porto] }),
    }));
  await importLines(db, without);
  const kept = await linesOf(db, ids.organization);
  const contract = (all: Line[]) => all.find(({ id }) => id === ids.contract) ?? {};
  assert.equal(contract(kept).planName, "Renamed");
  assert.deepEqual(contract(kept).pauses, contract(before).pauses);
  assert.equal(contract(kept).terms, "Old");
  assert.equal(kept[0]?.checkInOpensMinutes, 30);
  assert.ok(kept.some(({ kind, name }) => kind === "resource" && name === "Ana Lima"));

  const [first] = contract(before).pauses as Line[];
  const replaced = kept.map((line) => {
    if (line.kind === "organization") return { ...line, checkInOpensMinutes: 60, weekStart: "sunday" };
    // Without its id: it is known by its first day.
    if (line.id === ids.contract) return { ...line, terms: "New", pauses: [pause(20, 25)] };
    return line.kind === "resource" ? { ...line, name: "Ana Reis", type: "room" } : line;
  });
  const summary = await importLines(db, replaced);
  assert.equal(summary.kinds.organization?.replaced, 1);
  assert.equal(summary.kinds.resource?.replaced, 1);
  const after = await linesOf(db, ids.organization);
  assert.deepEqual(contract(after).pauses, [{ id: first?.id, ...pause(20, 25) }]);
  assert.equal(contract(after).terms, "New");
  assert.deepEqual(await findSettings(db, ids.organization), {
    cancelWindowMinutes: 180,
    checkInOpensMinutes: 60,
    weekStart: "sunday",
    paymentDays: 0,
  });
  assert.ok(after.some(({ name, type }) => name === "Ana Reis" && type === "room"));
  await importLines(
    db,
    after.map((line) => (line.id === ids.contract ? { ...line, pauses: [] } : line)),
  );
  assert.equal("pauses" in contract(await linesOf(db, ids.organization)), false);
});

test("an imported contract keeps the status it was given, and its pauses change it from then on", async () => {
  const { ids, lines } = studioWith({ contract: { pauses: [pause(-5, 5), pause(20, 30)] } });
  await importLines(db, lines);
  const next = read(
    "test_next_change",
    `select status, next_change_at as at from contracts where organization_id = $1 and id = $2`,
  );
  const [stored] = await db.query<{ status: string; at: string }>(next, [ids.organization, ids.contract]);
  assert.equal(stored?.status, "active", "as it was stated");
  assert.equal(dateIn("America/Sao_Paulo", Date.parse(stored?.at ?? "")), daysAfter(TODAY, 6));
  const later = await startApi({ beside: api, clockOffsetMs: 21 * 86_400_000 });
  const exported = await linesOf(later.db, ids.organization);
  assert.equal(exported.find(({ id }) => id === ids.contract)?.status, "paused");
});

test("faults of what is new are told with their line", async () => {
  const held = newId();
  const owner = studioWith({ contract: { pauses: [pause(1, 2, { id: held })] } });
  await importLines(db, owner.lines);
  const contract = (more: Line): Line => {
    const { cancelledAt, endDate, ...running } =
      owner.lines.find(({ id }) => id === owner.ids.contract) ?? {};
    return { ...running, entitlements: [], id: newId(), ...more };
  };
  const into = (given: Line[]) => importLines(db, given, { organizationId: owner.ids.organization });
  assert.deepEqual(
    await faultsOf(
      into([
        { kind: "resource", id: "", name: "A", type: "robot", status: "closed" },
        { kind: "resource", id: "x".repeat(65), name: "", type: "room", status: "active", color: "red" },
        contract({ terms: 5, pauses: [{ firstDay: "2026-02-30", extendsTerm: "yes", until: 1 }] }),
        contract({ pauses: [pause(10, 9), pause(3), pause(4, 5), pause(1, 3)] }),
      ]),
    ),
    [
      "line 1: resource: type: must be one of: person, room, equipment",
      "line 1: resource: status: must be one of: active, archived",
      "line 1: resource: id: must not be empty",
      "line 2: resource: color: is not a known member",
      "line 2: resource: name: must not be empty",
      "line 2: resource: id: must have at most 64 characters",
      "line 3: contract: terms: must be a string",
      "line 3: contract: pauses[0].until: is not a known member",
      "line 3: contract: pauses[0].firstDay: must be a calendar date: YYYY-MM-DD",
      "line 3: contract: pauses[0].extendsTerm: must be true or false",
      "line 4: contract: pauses[1]: overlaps another pause of the contract",
      "line 4: contract: pauses[2]: overlaps another pause of the contract",
      "line 4: contract: pauses[0].lastDay: must not be before firstDay",
    ],
  );
  const twice = { kind: "resource", id: "r", name: "R", type: "room", status: "active" };
  const shared = newId();
  const told = await toldOf(
    into([
      twice,
      twice,
      contract({ pauses: [pause(1, 2, { id: held })] }),
      contract({ pauses: [pause(1, 2, { id: shared }), pause(4, 5, { id: shared })] }),
    ]),
  );
  assert.deepEqual(
    told.map(({ location, code }) => `${location} ${code}`),
    [
      "line 2: resource: id id_repeated",
      "line 3: contract: pauses[0].id pause_repeated",
      "line 4: contract: pauses[1].id pause_repeated",
    ],
  );
  const [organization] = owner.lines;
  assert.deepEqual(
    await faultsOf(
      importLines(db, [
        { ...organization, cancelWindowMinutes: 10_081, checkInOpensMinutes: "60", weekStart: "friday" },
      ]),
    ),
    [
      "line 1: organization: cancelWindowMinutes: must be at most 10080",
      "line 1: organization: checkInOpensMinutes: must be an integer",
      "line 1: organization: weekStart: must be one of: monday, sunday",
    ],
  );
});
