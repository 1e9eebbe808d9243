import assert from "node:assert/strict";
import fc from "fast-check";
import { STAFF_WRITES } from "../../src/app/all-writes.ts";
import { AppError } from "../../src/core/errors.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import type { Database, OpenDatabase } from "../../src/db/database.ts";
import { pooled, type Statement } from "../../src/db/statements.ts";
import { applyDueChanges } from "../../src/domain/due-changes/due-changes.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { numberCommitted } from "../../src/sync/changes/numbering.ts";
import { atInstant, findContradictions, ZONE } from "../support/booking-studio.ts";
import { addSchedule, addSession } from "../support/calendar.ts";
import { VERSION_OF } from "../support/data-versions.ts";
import { newId } from "../support/ids.ts";
import { findMoneyDeviations } from "../support/money-deviations.ts";
import { addContract, addLocation, addPlan, addServiceType } from "../support/records.ts";
import { OWNER, performWrite } from "../support/staff-writes.ts";
import { readStored, type Stored, shownRows } from "../walk/studio.ts";
import { Turns } from "./turns.ts";

/**
 * A few operations of a front desk at once, on the same few seats, credits, invoices and people, with their statements in an order
 * that was drawn. After them, what must hold at any time holds.
 */

const one = <Kind extends string, More extends object = object>(
  kind: Kind,
  more: { [Name in keyof More]: fc.Arbitrary<More[Name]> } = {} as never,
) => fc.record({ kind: fc.constant(kind), ...more }) as fc.Arbitrary<{ kind: Kind } & More>;

const client = fc.nat({ max: 4 });
const which = fc.nat({ max: 2 });
/** The first of them more often: there they meet. */
const session = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4);

const book = one("book", { client, session });
const cancel = one("cancel", { which });
const seats = [
  ...[book, book, book, cancel, cancel],
  one("promote", { which }),
  one("join", { client, session }),
  one("restore"),
  one("move", {
    session,
    start: fc.constantFrom("2026-11-16T12:00", "2026-11-16T18:00", "2026-11-17T12:00"),
    capacity: fc.integer({ min: 1, max: 3 }),
  }),
  one("cancelSession", { session }),
  one("cancelContract", { which: fc.constant(2) }),
] as const;
const payer = fc.constantFrom(0, 0, 1);
const pay = one("pay", { client: payer, amountCents: fc.constantFrom(500, 9_900, 30_000) });
const sell = one("sell", { client: payer, isPaid: fc.boolean() });
const money = [
  ...[pay, pay, sell, sell],
  one("useBalance"),
  one("refund"),
  one("voidPayment"),
  one("voidInvoice"),
  one("charge", { client: payer }),
  one("cancelContract", { which }),
  one("due"),
] as const;
/** Somebody who can be erased, and the import of a list in which everybody is. */
const stranger = fc.constant(4);
const bring = one("import", { client });
const erase = one("erase");
const people = [
  ...[erase, erase, bring, bring],
  one("import", { client: stranger }),
  one("editClient", { client: stranger }),
  one("archive", { client: stranger }),
  one("sell", { client: stranger, isPaid: fc.boolean() }),
  one("pay", { client: stranger, amountCents: fc.constant(500) }),
  one("charge", { client: stranger }),
  one("number"),
] as const;
type Drawn<Item> = Item extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Drawn<(typeof seats)[number] | (typeof money)[number] | (typeof people)[number]>;

/** Of one kind, which meet, or of all. */
const steps = fc.oneof(
  ...[seats, seats, money, people, [...seats, ...money, ...people]].map((themes) =>
    fc.array(fc.oneof(...(themes as readonly fc.Arbitrary<Step>[])), {
      minLength: 2,
      maxLength: 4,
      size: "max",
    }),
  ),
);

/** Operations at once, and the order of their statements. */
export interface Schedule {
  readonly steps: readonly Step[];
  readonly choices: readonly number[];
}

const schedule: fc.Arbitrary<Schedule> = fc.noBias(
  fc.record({
    steps,
    /** Who of those who could go on does; see `Turns`. */
    choices: fc.array(fc.nat({ max: 11 }), { maxLength: 80, size: "max" }),
  }),
);

export interface InterleaveOptions {
  /** A pool whose connections know no time limit. */
  readonly db: OpenDatabase;
  readonly runs: number;
  readonly seed: number;
  /** Begins where a failure was shrunk to. */
  readonly path?: string | undefined;
  /** Statements whose locks are left out, to see that it is found. */
  readonly withoutLocks?: readonly string[] | undefined;
  /** Does not look for a simpler schedule that fails too. */
  readonly endOnFailure?: boolean;
}

/** How often each operation was carried out, and how often it was refused with what. */
export interface InterleaveTally {
  readonly kinds: Map<string, { done: number; readonly refusals: Map<string, number> }>;
  statements: number;
  deadlocks: number;
}

export async function interleave(options: InterleaveOptions): Promise<InterleaveTally> {
  const { db, runs, seed, path, withoutLocks = [], endOnFailure = false } = options;
  const tally = newTally();
  const studio = await openStudio(db);
  const property = fc.asyncProperty(schedule, (drawn) => runOne(db, studio, drawn, tally, withoutLocks));
  const ran = await fc.check(property, {
    numRuns: runs,
    seed,
    endOnFailure,
    ...(path !== undefined && { path }),
  });
  if (ran.failed)
    throw new Error(
      `an interleaving failed with SEED=${ran.seed} SCHEDULE=${ran.counterexamplePath}, shrunk ${ran.numShrinks} times`,
      { cause: ran.errorInstance },
    );
  return tally;
}

/** One schedule that is given, by itself. */
export async function interleaveOnce(
  db: OpenDatabase,
  given: Schedule,
  withoutLocks: readonly string[] = [],
): Promise<InterleaveTally> {
  const tally = newTally();
  await runOne(db, await openStudio(db), given, tally, withoutLocks);
  return tally;
}

function newTally(): InterleaveTally {
  return { kinds: new Map(), statements: 0, deadlocks: 0 };
}

const SECRET = "not a secret, of forty characters or so";
/** 09:00 of a Monday on the studio's clocks. */
const NOW = "2026-11-16T12:00:00.000Z";
/** Three weeks ago: what was sold then was invoiced. */
const BEFORE = "2026-10-26T12:00:00.000Z";

const balances = pooled(
  "interleave_balances",
  `select e.id, e.remaining_credits + (
     select count(*) from bookings b
     where b.organization_id = $1 and b.entitlement_id = e.id and b.state <> 'cancelled'
   ) as sum
   from contract_entitlements e where e.organization_id = $1 and e.type = 'credits' and e.id = any ($2::uuid[]) order by e.id`,
);

const feedStatement = pooled(
  "interleave_feed",
  `select coalesce(array_agg(distinct kind || ' ' || record_id) filter (where sequence > $2), '{}') as told,
     coalesce(max(sequence), 0)::int as last, count(*)::int as entries,
     (select h.sequence from change_heads h where h.organization_id = $1)::int as head,
     (select count(*) from change_log l where l.organization_id = $1)::int as unnumbered
   from changes where organization_id = $1`,
);

interface Feed {
  readonly told: readonly string[];
  readonly last: number;
  readonly entries: number;
  readonly head: number;
  readonly unnumbered: number;
}

/** The kind of the feed for tables whose rows it tells of by their own id. */
const KIND_OF: Readonly<Record<string, string>> = {
  clients: "client",
  contracts: "contract",
  sessions: "session",
  schedules: "schedule",
  plans: "plan",
};

async function runOne(
  db: OpenDatabase,
  studio: Awaited<ReturnType<typeof openStudio>>,
  { steps, choices }: Schedule,
  tally: InterleaveTally,
  withoutLocks: readonly string[],
): Promise<void> {
  const id = await copyStudio(db, studio.id);
  await numberCommitted(db, id);
  const before = await readStored(db, id);
  const feedBefore = await readFeed(db, id, 0);
  const held = await db.query(balances, [id, studio.entitlements]);
  const turns = new Turns(unlocked(db, withoutLocks), choices);
  const results = await turns.run(steps.map((each) => (gated) => studio.perform(id, each, gated)));
  tally.statements += turns.steps.length;
  tally.deadlocks += turns.deadlocks;

  const where = () =>
    `of ${steps.map((each, place) => `\n  ${place} ${JSON.stringify(each)}: ${outcomeOf(results[place])}`).join("")}\nin the order\n${turns.steps
      .map(({ task, label }) => `  ${task} ${label}`)
      .join("\n")}`;
  for (const [place, result] of results.entries()) {
    const { kind } = steps[place] as Step;
    const counted = tally.kinds.get(kind) ?? { done: 0, refusals: new Map<string, number>() };
    tally.kinds.set(kind, counted);
    const outcome = outcomeOf(result);
    if (outcome === "done") counted.done++;
    else counted.refusals.set(outcome, (counted.refusals.get(outcome) ?? 0) + 1);
    // A refusal is an answer; a defect, or a lock that cannot be had, is none.
    if (result.status === "rejected" && !isRefusal(result.reason))
      assert.fail(`${(result.reason as Error)?.stack} ${where()}`);
  }
  assert.deepEqual(await findContradictions(db, id), [], where());
  assert.deepEqual(await findMoneyDeviations({ db }, id), [], where());
  assert.deepEqual(await db.query(balances, [id, studio.entitlements]), held, where());
  const after = await readStored(db, id);
  checkVersions(before, after, where);
  checkCounters(after, where);
  await numberCommitted(db, id);
  checkFeed(before, after, feedBefore, await readFeed(db, id, feedBefore.last), where);
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.kind !== "unavailable";
}

function outcomeOf(result: PromiseSettledResult<unknown> | undefined): string {
  if (result?.status !== "rejected") return "done";
  const { reason } = result;
  if (!(reason instanceof AppError)) return String(reason);
  return reason.faults[0]?.code ?? reason.detail?.code ?? reason.message;
}

/** What shows other rows has another version. */
function checkVersions(before: Stored, after: Stored, where: () => string): void {
  for (const [table, name] of Object.entries(VERSION_OF))
    if (JSON.stringify(shownRows(before, table)) !== JSON.stringify(shownRows(after, table)))
      assert.ok(after.versions[name] > before.versions[name], `${table} changed, not its version ${where()}`);
}

function checkCounters({ tables, counters }: Stored, where: () => string): void {
  for (const [name, total] of Object.entries(counters)) {
    const [, table = "", status] = /^(.*)_([a-z]+)$/.exec(name) ?? [];
    const rows = tables[table] ?? [];
    assert.equal(total, rows.filter((row) => row.status === status).length, `${name} ${where()}`);
  }
}

/** Numbers without a gap, and every record that shows something else is told of. */
function checkFeed(before: Stored, after: Stored, old: Feed, now: Feed, where: () => string): void {
  assert.equal(now.last, now.entries, `the feed has gaps ${where()}`);
  assert.equal(now.head, now.last, `the head of the feed ${where()}`);
  assert.equal(now.unnumbered, 0, `changes without a number ${where()}`);
  assert.ok(now.last >= old.last);
  const told = new Set(now.told);
  for (const [table, kind] of Object.entries(KIND_OF)) {
    const known = new Map(shownRows(before, table).map((row) => [row.id, JSON.stringify(row)]));
    for (const row of shownRows(after, table)) {
      const was = known.get(row.id);
      known.delete(row.id);
      if (was !== JSON.stringify(row)) assert.ok(told.has(`${kind} ${row.id}`), `${kind} untold ${where()}`);
    }
    for (const gone of known.keys())
      assert.ok(told.has(`${kind} ${gone}`), `${kind} gone, untold ${where()}`);
  }
}

async function readFeed(db: Database, id: string, after: number): Promise<Feed> {
  const [feed] = await db.query<Feed>(feedStatement, [id, after]);
  if (!feed) throw new Error("a count has one row");
  return feed;
}

/**
 * Five clients: one who may always come, one who may once a week, one with a pack of one credit, one with two, and one who has nothing and
 * can be erased. Sessions of one and two
 * seats, two of them of the same teacher at the same time, and a slot that is not stored. Somebody waits; invoices are open and
 * paid, and a contract is to be invoiced.
 */
async function openStudio(db: OpenDatabase) {
  const { id } = await createOrganization(db, "test", {
    name: "Studio",
    timezone: ZONE,
    currency: "BRL",
    plan: "Pro",
  });
  const perform = async (organizationId: string, name: string, input: object, on: Database, at = NOW) => {
    const write = STAFF_WRITES.find((each) => each.name === name);
    assert.ok(write, name);
    const call = { db: atInstant(on, at), organizationId, keySecret: SECRET, actor: OWNER };
    return (await performWrite(write, call, input)).result;
  };
  const done = (name: string, input: object, at?: string) => perform(id, name, input, db, at);
  const locationId = await addLocation(db, id, { timezone: ZONE });
  const [serviceTypeId, court] = await Promise.all([
    addServiceType(db, id),
    addServiceType(db, id, { name: "Court", holdsResource: true }),
  ]);
  const planId = await addPlan(db, id, {
    billingKind: "recurring",
    billingInterval: "month",
    priceCents: 9_900,
    entitlements: [{ type: "access" }],
  });
  await done("editSettings", { changes: { invoicesFrom: "2026-10-20" } }, BEFORE);
  const clients = [newId(), newId(), newId(), newId(), newId()];
  await importRecords(
    db,
    clients.map((clientId) => ({
      kind: "client",
      id: clientId,
      contactName: "Ana",
      locationIds: [locationId],
    })),
    { organizationId: id, actor: "test" },
  );
  const [always = "", weekly = "", one = "", two = "", stranger = ""] = clients;
  const entitlements = [newId(), newId()];
  const grants = [
    { clientId: always, entitlements: [{ id: newId(), type: "access" }] },
    {
      clientId: weekly,
      entitlements: [{ id: newId(), type: "access", period: "week", maxVisitsPerPeriod: 1 }],
    },
    { clientId: one, entitlements: [{ id: entitlements[0], type: "credits", remainingCredits: 1 }] },
    { clientId: two, entitlements: [{ id: entitlements[1], type: "credits", remainingCredits: 2 }] },
  ];
  const contracts = await Promise.all(grants.map((grant) => addContract(db, id, grant)));
  const place = { locationId, serviceTypeId, timezone: ZONE, bookedCount: 0 };
  const slot = { start: "2026-11-17T15:00" };
  const [evening, noon, ...others] = await Promise.all([
    addSession(db, id, { ...place, start: "2026-11-16T18:00" }),
    addSession(db, id, { ...place, start: "2026-11-16T12:00" }),
    addSession(db, id, { ...place, serviceTypeId: court, resourceIds: ["carla"], start: "2026-11-17T12:00" }),
    addSession(db, id, { ...place, serviceTypeId: court, resourceIds: ["carla"], start: "2026-11-17T12:00" }),
    addSchedule(db, id, { ...place, ...slot, capacity: 1 }),
  ]);
  const [court1 = "", court2 = "", scheduleId = ""] = others;
  const names = [
    { sessionId: evening },
    { sessionId: noon },
    { sessionId: court1 },
    { sessionId: court2 },
    { scheduleId, originalStart: slot.start },
  ];
  await db.query(resizeStatement, [id, [evening, noon], 1]);
  const booked = await done("book", { clientId: always, session: { sessionId: evening } });
  const other = await done("book", { clientId: two, session: { sessionId: noon } });
  const cancelled = await done("book", { clientId: always, session: { sessionId: court2 } });
  await done("cancelBooking", { bookingId: cancelled.id });
  const lines = [
    await done("joinWaiting", { clientId: one, session: { sessionId: evening } }),
    await done("joinWaiting", { clientId: two, session: { sessionId: evening } }),
    await done("joinWaiting", { clientId: weekly, session: { sessionId: noon } }),
  ];
  // A seat that nobody in the line has taken yet: for whoever is first.
  await db.query(resizeStatement, [id, [evening], 2]);
  const sold = await done("sellContract", { clientId: always, planId, startDate: "2026-10-26" }, BEFORE);
  const later = await done("sellContract", { clientId: weekly, planId, startDate: "2026-11-20" });
  const paid = await done("recordPayment", { clientId: always, amountCents: 15_000, method: "pix" }, BEFORE);
  const owed = await done("addInvoice", { clientId: two, description: "Water", amountCents: 600 });
  const bookings = [booked.id, other.id, booked.id];
  const ended = [sold.id, later.id, contracts[3]];

  return {
    id,
    entitlements,
    /** Carries one step out in a copy of the studio. */
    perform: async (organizationId: string, each: Step, on: Database): Promise<unknown> => {
      const clientId = "client" in each ? clients[each.client] : undefined;
      const name = "session" in each ? names[each.session] : undefined;
      const pick = <Item>(list: readonly Item[]) => list["which" in each ? each.which : 0];
      const reason = "asked for";
      const write = (operation: string, input: object) => perform(organizationId, operation, input, on);
      switch (each.kind) {
        case "book":
          return write("book", { clientId, session: name });
        case "cancel":
          return write("cancelBooking", { bookingId: pick(bookings) });
        case "promote":
          return write("promoteWaiting", { waitingId: pick(lines)?.id });
        case "join":
          return write("joinWaiting", { clientId, session: name });
        case "restore":
          return write("restoreBooking", { bookingId: cancelled.id });
        case "move":
          return write("editSession", {
            session: name,
            changes: { start: each.start, capacity: each.capacity },
          });
        case "cancelSession":
          return write("cancelSession", { session: name, reason });
        case "sell":
          return write("sellContract", {
            clientId,
            planId,
            startDate: "2026-11-16",
            ...(each.isPaid && { payment: { method: "pix" } }),
          });
        case "cancelContract":
          return write("cancelContract", { contractId: pick(ended), now: true, reason });
        case "pay":
          return write("recordPayment", { clientId, amountCents: each.amountCents, method: "cash" });
        case "useBalance":
          return write("useBalance", { clientId: always });
        case "refund":
          return write("refund", { clientId: always, amountCents: 5_000, method: "cash", reason });
        case "voidPayment":
          return write("voidPayment", { paymentId: paid.id, reason });
        case "voidInvoice":
          return write("voidInvoice", { invoiceId: owed.id, reason });
        case "charge":
          return write("addInvoice", { clientId, description: "Towel", amountCents: 2_000 });
        case "editClient":
          return write("editClient", { clientId, changes: { notes: "Mornings" } });
        case "archive":
          return write("archiveClient", { clientId });
        case "erase":
          return write("eraseClient", { clientId: stranger, basis: reason });
        case "import":
          return importRecords(
            atInstant(on, NOW),
            [
              { kind: "client", id: clientId, contactName: "Bia", locationIds: [locationId] },
              { kind: "client", id: newId(), contactName: "Caio", locationIds: [locationId] },
            ],
            { organizationId, actor: "test" },
          );
        case "number":
          return numberCommitted(on, organizationId);
        case "due":
          return applyDueChanges(atInstant(on, "2026-12-27T12:00:00.000Z"), organizationId);
      }
    },
  };
}

const resizeStatement = pooled(
  "interleave_resize_sessions",
  "update sessions set capacity = $3 where organization_id = $1 and id = any ($2::uuid[])",
);

/** Tables of an organization in the order of what refers to what. */
const COPIED = [
  "organizations",
  "organization_counters",
  "locations",
  "service_types",
  "resources",
  "plans",
  "plan_entitlements",
  "clients",
  "client_locations",
  "contracts",
  "contract_entitlements",
  "schedules",
  "sessions",
  "bookings",
  "waiting",
  "invoices",
  "payments",
  "payment_allocations",
  "payment_refunds",
];

/**
 * Another organization with the same records: ids belong to their organization. To make one by its operations takes ten times
 * as long.
 */
async function copyStudio(db: OpenDatabase, from: string): Promise<string> {
  const to = newId();
  await db.transaction(async (tx) => {
    for (const statement of await copyStatements(db)) await tx.query(statement, [from, to]);
  });
  return to;
}

const columnsStatement = pooled(
  "interleave_columns",
  `select attname as name from pg_attribute
   where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
);

let copying: Promise<Statement[]> | undefined;

/** Triggers have made some of the rows by then. */
function copyStatements(db: OpenDatabase): Promise<Statement[]> {
  copying ??= Promise.all(
    COPIED.map(async (table) => {
      const key = table === "organizations" ? "id" : "organization_id";
      const columns = (await db.query<{ name: string }>(columnsStatement, [table])).map(({ name }) => name);
      const values = columns.map((name) => (name === key ? "$2::uuid" : name));
      return pooled(
        `interleave_copy_${table}`,
        `insert into ${table} (${columns}) select ${values} from ${table} where ${key} = $1 on conflict do nothing`,
      );
    }),
  );
  return copying;
}

/** The same database, whose statements of these names lock nothing. */
function unlocked<Given extends Database>(db: Given, names: readonly string[]): Database {
  if (names.length === 0) return db;
  const query: Database["query"] = (statement, values) => {
    if (!names.includes(statement.name)) return db.query(statement, values);
    const text = statement.text.replace(/\bfor (?:no key )?(?:update|share)(?: of \w+)?/g, "");
    return db.query({ ...statement, name: `${statement.name}_unlocked`, text }, values);
  };
  return {
    ...db,
    query,
    transaction: (work) => db.transaction((tx) => work(unlocked(tx, names))),
  };
}
