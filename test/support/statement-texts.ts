import { subscribe } from "node:diagnostics_channel";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import type { Database } from "../../src/db/database.ts";
import type { PageRequest } from "../../src/db/pages.ts";
import type { Statement } from "../../src/db/statements.ts";

/**
 * All statements that the program has. `db/statements` tells of each where it is made; this loads every module of the program
 * in a thread of its own, in which none is loaded yet, and then asks each list in every way for what is written on demand.
 */
export async function allStatements(): Promise<Pick<Statement, "name" | "text">[]> {
  const worker = new Worker(new URL("./statement-texts.js", import.meta.url));
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread ended without an answer")));
  });
}

const BUILT = fileURLToPath(new URL("../../src/", import.meta.url));
const SOURCES = fileURLToPath(new URL("../../../src/", import.meta.url));

/** They run when they are loaded. */
const PROGRAMS = ["main.ts", "process/watchdog-thread.ts"];

export function sourceFiles(): { readonly file: string; readonly text: string }[] {
  return readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !PROGRAMS.includes(file))
    .sort()
    .map((file) => ({ file, text: readFileSync(`${SOURCES}${file}`, "utf8") }));
}

const ORGANIZATION = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";
const PAGES: readonly PageRequest[] = [
  { limit: 50, offset: 0 },
  { limit: 50, offset: 5_000 },
  { limit: 50, offset: 0, cursor: ORGANIZATION },
];

/** None of the filters, each by itself, each two of them, and all together: a condition more never unbinds a statement. */
function filtersOf(filters: Readonly<Record<string, unknown>>): object[] {
  const each = Object.entries(filters);
  const pairs = each.flatMap(([name, value], place) =>
    each.slice(place).map(([other, otherValue]) => ({ [name]: value, [other]: otherValue })),
  );
  return [{}, ...pairs, filters];
}

/** Asks for everything that is written on demand. What comes back is a row without a record. */
async function writeShapes(): Promise<void> {
  const load = (file: string) => import(`${BUILT}${file}.js`);
  const db: Database = {
    query: async <Row>() => [{ total: 0, version: 0 }] as Row[],
    transaction: (work) => work(db),
    snapshot: (work) => work(db),
    now: async () => 0,
    clockOffsetMs: 0,
  };
  const take = async ({ batches }: { readonly batches: AsyncIterable<unknown> }) => {
    for await (const _ of batches);
  };
  const ask = async (work: Promise<unknown>) => {
    // What it makes of a row that is none does not matter.
    await work.catch(() => {});
  };
  type Call = (...values: unknown[]) => Promise<unknown>;
  const page = async (list: Call, filters: object, ...more: unknown[]) => {
    for (const filter of filtersOf(filters as Record<string, unknown>))
      for (const reach of PAGES) await ask(list(db, ORGANIZATION, { ...filter, ...reach }, ...more));
  };
  const whole = async (read: Call, filters: object, ...more: unknown[]) => {
    for (const filter of filtersOf(filters as Record<string, unknown>))
      await ask(read(db, ORGANIZATION, filter, ...more, take));
  };
  const at = "2026-11-16T12:00:00Z";
  const day = "2026-11-16";
  const usual = { status: "active", updatedSince: at };

  const clients = await load("domain/clients/list-queries");
  for (const query of ["silva", "ana b", "12", "ana 12345", "s"]) {
    const filters = { ...usual, locationId: ORGANIZATION, query };
    await page(clients.listClients, filters);
    await page(clients.listStaffClients, filters);
    await whole(clients.readClients, filters);
    const people = await load("domain/clients/people-queries");
    await ask(people.findPeople(db, ORGANIZATION, { query, limit: 10 }));
    await ask(people.findPeople(db, ORGANIZATION, { query, limit: 10, status: "active" }));
  }
  const contracts = await load("domain/contracts/queries");
  const ofContracts = { ...usual, clientId: ORGANIZATION, locationId: ORGANIZATION, include: "names" };
  await page(contracts.listContracts, ofContracts);
  await whole(contracts.readContracts, ofContracts);
  const plans = await load("domain/plans/queries");
  const ofPlans = { ...usual, query: "a", billingKind: "recurring" };
  await page(plans.listPlans, ofPlans);
  await whole(plans.readPlans, ofPlans);
  const types = await load("domain/service-types/queries");
  await page(types.listServiceTypes, { ...usual, query: "a" });
  await whole(types.readServiceTypes, { ...usual, query: "a" });
  const days = { locationId: ORGANIZATION, serviceTypeId: ORGANIZATION, endsFrom: day, endsBefore: day };
  await page((await load("domain/schedules/queries")).listSchedules, days);
  const audit = await load("domain/audit/list-audit-queries");
  const ofAudit = {
    clientId: ORGANIZATION,
    contractId: ORGANIZATION,
    sessionId: ORGANIZATION,
    staffId: ORGANIZATION,
    actor: "staff:x",
    action: "book",
    from: at,
    to: at,
  };
  for (const readable of [undefined, ["book"]]) await page(audit.listRecordedWrites, ofAudit, readable);
  const money = await load("domain/money/queries");
  const ofMoney = {
    clientId: ORGANIZATION,
    status: "open",
    from: day,
    to: day,
    type: "payment",
    method: "cash",
  };
  for (const list of [money.invoiceList, money.paymentList]) {
    await page(list.page, ofMoney, day);
    await whole(list.whole, ofMoney, day);
  }
  const reports = await load("domain/overview/report-queries");
  const reporter = { organizationId: ORGANIZATION, timezone: "UTC", now: 0 };
  const span = { from: day, until: day, to: day, locationId: ORGANIZATION };
  for (const report of [reports.visitReport, reports.saleReport, reports.attendanceReport]) {
    for (const reach of PAGES) await ask(report.list(db, reporter, { ...span, ...reach }));
    await ask(report.read(db, reporter, span, take));
  }
  const changes = await load("domain/overview/member-changes-queries");
  await ask(changes.readMemberChanges(db, ORGANIZATION, { from: day, until: day, today: day }, take));
  const { recordBatches } = await load("db/record-batches");
  const { WHOLE_FEED } = await load("sync/changes/queries");
  await ask(take({ batches: recordBatches(db, WHOLE_FEED, []) }));
  for (const [file, make] of [
    ["plans", "openPlanLookup"],
    ["service-types", "openServiceTypeLookup"],
    ["clients", "openClientLookup"],
    ["contracts", "openContractLookups"],
  ] as const)
    (await load(`domain/${file}/queries`))[make](db);
  const { Admissions, KEYS } = await load("domain/keys/admission");
  const { CALENDAR_LINKS } = await load("sync/calendar-links/link-credentials");
  const rate = { perMinute: 60, burst: 10 };
  for (const table of [KEYS, CALENDAR_LINKS])
    for (const clockOffsetMs of [0, 1_000]) new Admissions({ ...db, clockOffsetMs }, rate, table);
}

async function collect(): Promise<void> {
  const found = new Map<string, Pick<Statement, "name" | "text">>();
  subscribe("rollbook:statement", (message) => {
    const { name, text } = message as Statement;
    found.set(`${name} ${text}`, { name, text });
  });
  for (const { file } of sourceFiles()) await import(`${BUILT}${file.replace(/\.ts$/, ".js")}`);
  await writeShapes();
  parentPort?.postMessage([...found.values()]);
}

if (!isMainThread && parentPort !== null) await collect();
