import assert from "node:assert/strict";
import { test } from "node:test";
import { STAFF_WRITES } from "../../src/app/all-writes.ts";
import type { Actor } from "../../src/core/actor.ts";
import { daysAfter, formatWallClock } from "../../src/core/dates.ts";
import { ONLY_PUBLIC } from "../../src/core/network-addresses.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { listInvoicesOf } from "../../src/domain/money/queries.ts";
import { dateIn, instantToWall, zoneOfLocation } from "../../src/domain/recurrence/zones.ts";
import { listLinks } from "../../src/domain/staff/link-queries.ts";
import { performDryRun, tidyInput } from "../../src/domain/writes/perform-write.ts";
import { startApi } from "../support/api.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { sendFile } from "../support/forms.ts";
import { newId } from "../support/ids.ts";
import { addLocation, addServiceType } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";
import { OWNER, performWrite, refusalOf } from "../support/staff-writes.ts";

/**
 * Places of work are limits of every write. What a write touches is not declared here but found: it is carried out by
 * somebody who works everywhere, and whatever it stored, changed or removed at a place where another one does not work
 * must be refused to that one. A new write needs an input here, and nothing else.
 */

const api = await startApi();
const studio = await newBookingStudio(api);
const organizationId = studio.id;
const call = { db: api.served as Database, organizationId, keySecret: api.keySecret };
const writeOf = (name: string) => STAFF_WRITES.find((write) => write.name === name) ?? assert.fail(name);
const perform = (name: string, input: object, db = call.db) =>
  performWrite(writeOf(name), { ...call, db }, input);
const run = async (name: string, input: object) => (await perform(name, input)).result;
const made = async (name: string, input: object): Promise<string> => (await run(name, input)).id;

// Everything is there, and nothing here.
const there = studio.place.locationId;
const here = await addLocation(api.db, organizationId);
const LIMITED: Actor = { ...OWNER, locationIds: [here] };
const { serviceTypeId } = studio.place;
const today = dateIn(ZONE, Date.now());
const tomorrow = daysAfter(today, 1);
const reason = "as agreed";
const at = (locationId: string) => ({ serviceTypeId, locationId, durationMinutes: 30, capacity: 5 });

const newSchedule = (locationId: string) =>
  made("addSchedule", { ...at(locationId), start: `${tomorrow}T07:00`, rrule: "FREQ=DAILY" });
const newSession = (start = `${tomorrow}T15:00`) => made("addSession", { ...at(there), start });
const newPlan = (locationIds: string[]) => made("addPlan", planAt(locationIds));
const planAt = (locationIds: string[]) => ({
  name: "Pacote",
  billingKind: "one_time",
  durationCount: 3,
  durationUnit: "month",
  priceCents: 10_000,
  terms: "Be kind.",
  entitlements: [{ type: "credits", creditQuantity: 9 }],
  ...(locationIds.length > 0 && { locationIds }),
});
const newClient = () => made("addClient", { contactName: "Ana", locationIds: [there] });

const [schedule, unused, ownSchedule] = [
  await newSchedule(there),
  await made("addSchedule", { ...at(there), start: `${tomorrow}T20:00`, rrule: "FREQ=DAILY" }),
  await newSchedule(here),
];
const [plan, archivedPlan, sharedPlan, archivedSharedPlan, ownPlan, planOfAll] = [
  await newPlan([there]),
  await newPlan([there]),
  await newPlan([here, there]),
  await newPlan([here, there]),
  await newPlan([here]),
  await newPlan([]),
];
for (const planId of [archivedPlan, archivedSharedPlan]) await run("archivePlan", { planId });
const clientId = await newClient();
const [archivedClient, formerClient] = [await newClient(), await newClient()];
await run("archiveClient", { clientId: archivedClient });
// What is over was yesterday in the first hour of a day.
const sell = () => made("sellContract", { clientId, planId: plan, startDate: daysAfter(today, -1) });
const [contractId, fresh, blocked, paused, cancelled] = [
  await sell(),
  await sell(),
  await sell(),
  await sell(),
  await sell(),
];
await run("blockAccess", { contractId: blocked, reason });
await run("pauseContract", { contractId: paused, firstDay: tomorrow });
await run("cancelContract", { contractId: cancelled, now: true, reason });
// Of a plan that is also sold here, agreed for there alone.
await made("sellContract", { clientId, planId: sharedPlan, locationIds: [there] });
const entitlementId = (await perform("unblockAccess", { contractId })).result.entitlements[0].id;

const session = { sessionId: await newSession() };
const book = (sessionId: string, who = clientId, more: object = {}) =>
  made("book", { clientId: who, session: { sessionId }, ...more });
const uncovered = { uncovered: { reason } };
const bookingId = await book(session.sessionId);
const endedBooking = await book(session.sessionId, await newClient(), uncovered);
await run("cancelBooking", { bookingId: endedBooking });
const owedBooking = await book(await newSession(), clientId, uncovered);
const freeBooking = await book(await newSession(), await newClient(), uncovered);
await run("markCourtesy", { bookingId: freeBooking });
const [fixedDay, movedDay] = [daysAfter(today, 2), daysAfter(today, 3)];
const regular = await newSchedule(there);
const fixed = { clientId, scheduleId: regular, fromDay: fixedDay, untilDay: fixedDay };
const { id: fixedPlaceId } = (await perform("bookMany", fixed)).entry;
const off = { sessionId: await newSession() };
const untoldBooking = await book(off.sessionId);
await run("cancelSession", { session: off, reason });
const full = await newSession();
await book(full, clientId);
await run("editSession", { session: { sessionId: full }, changes: { capacity: 1 } });
const grown = await newSession();
await book(grown, clientId);
await run("editSession", { session: { sessionId: grown }, changes: { capacity: 1 } });
// Nothing covers them, so that they wait on when there is a seat again.
const waitingId = await made("joinWaiting", {
  clientId: await newClient(),
  session: { sessionId: grown },
});
await run("editSession", { session: { sessionId: grown }, changes: { capacity: 2 } });
const anHourAgo = formatWallClock(instantToWall(zoneOfLocation(ZONE), Date.now() - 3_600_000)).slice(0, 16);
const over = await newSession(anHourAgo);
const comeBooking = await book(over);
const missedBooking = await book(over, await newClient(), uncovered);
await run("setAttendance", { bookingId: missedBooking, state: "no_show" });
const crowded = await studio.session(`${tomorrow}T18:00`, { bookedCount: 2 });
// Of a series that is here, moved to where others work.
const moved = { scheduleId: ownSchedule, originalStart: `${daysAfter(today, 2)}T07:00` };
await run("editSession", { session: moved, changes: { locationId: there } });
// Contracts that can be used here too, of clients who are booked there.
const sellAndBook = async (planId: string) => {
  const buyer = await newClient();
  const id = await made("sellContract", { clientId: buyer, planId });
  await book(await newSession(), buyer);
  return id;
};
const usableHere = [await sellAndBook(sharedPlan), await sellAndBook(planOfAll)];

const [closed, spare] = [
  await addLocation(api.db, organizationId),
  await addLocation(api.db, organizationId),
];
await run("closeLocation", { locationId: closed });
const [retired, spareType] = [
  await addServiceType(api.db, organizationId),
  await addServiceType(api.db, organizationId),
];
await run("archiveServiceType", { serviceTypeId: retired });
const [resourceId, archivedResource] = [
  await made("addResource", { name: "Carla", kind: "person" }),
  await made("addResource", { name: "Sala 1", kind: "room" }),
];
await run("archiveResource", { resourceId: archivedResource });
const serviceGroupId = await made("addServiceGroup", { name: "Todas", serviceTypeIds: [serviceTypeId] });
const owner = await newStaff(api, organizationId);
const imported = await sendFile(
  owner,
  "importClients",
  "Nome\nCaio\n",
  { locationId: there },
  { headers: { "idempotency-key": newId() } },
);
const colleague = (await newStaff(api, organizationId, { role: "manager" })).id;
await run("linkStaff", { staffId: colleague });
const [link] = await listLinks(api.served, organizationId, new Date().toISOString());
const keyId = (await run("mintKey", { name: "Site" })).id;
const calendarLinkId = await made("mintCalendarLink", { name: "Sul", locationId: there });
// What each contract costs is open from here on, and a part of a payment is left.
await run("editSettings", { changes: { invoicesFrom: today } });
const water = await made("addInvoice", { clientId, description: "Água", amountCents: 600 });
const paymentId = await made("recordPayment", {
  ...{ clientId, amountCents: 1_000, method: "cash", invoiceIds: [water] },
});
const invoices = await listInvoicesOf(api.served, organizationId, clientId, today);
const invoiceId = invoices.find((invoice) => invoice.contractId === contractId)?.id;
const url = "https://192.88.98.1/hooks";
const [webhookId, stoppedWebhook, stuckWebhook] = [
  await made("addWebhook", { url }),
  await made("addWebhook", { url }),
  await made("addWebhook", { url }),
];
for (const id of [stoppedWebhook, stuckWebhook]) await run("disableWebhook", { webhookId: id });
const stickStatement = pooled(
  "test_stick_webhook",
  "update webhook_endpoints set pending_to = position + 1 where organization_id = $1 and id = $2",
);
await api.db.query(stickStatement, [organizationId, stuckWebhook]);

/** For each write, what it is given to do there; several where it has several ways to reach other places. */
const INPUTS: Readonly<Record<string, readonly object[]>> = {
  addStaff: [
    { name: "Lia", email: `lia-${organizationId}@example.com`, role: "front_desk", allLocations: true },
  ],
  editStaff: [{ staffId: colleague, changes: { role: "front_desk" } }],
  linkStaff: [{ staffId: colleague }],
  revokeLink: [{ linkId: link?.id }],
  removeStaff: [{ staffId: colleague }],
  editSettings: [{ changes: { cancelWindowMinutes: 60 } }],
  colorCalendar: [{ by: "teacher" }],
  editOrganization: [{ changes: { name: "Other" } }],
  mintKey: [{ name: "Report" }],
  rotateKey: [{ keyId }],
  revokeKey: [{ keyId }],
  mintCalendarLink: [
    { name: "Yoga", locationId: there },
    { clientId, locationId: there },
  ],
  rotateCalendarLink: [{ calendarLinkId }],
  revokeCalendarLink: [{ calendarLinkId }],
  addWebhook: [{ url }],
  editWebhook: [{ webhookId, changes: { name: "Newsletter" } }],
  rotateWebhook: [{ webhookId }],
  enableWebhook: [{ webhookId: stoppedWebhook }],
  disableWebhook: [{ webhookId }],
  replayWebhook: [{ webhookId: stuckWebhook, from: "start" }],
  skipWebhook: [{ webhookId: stuckWebhook }],
  testWebhook: [{ webhookId }],
  removeWebhook: [{ webhookId }],
  addLocation: [{ name: "Norte", timezone: ZONE }],
  editLocation: [{ locationId: there, changes: { name: "Sul" } }],
  closeLocation: [{ locationId: there, cancelBooked: true }],
  reopenLocation: [{ locationId: closed }],
  deleteLocation: [{ locationId: spare }],
  addServiceGroup: [{ name: "Outras", serviceTypeIds: [] }],
  editServiceGroup: [{ serviceGroupId, changes: { name: "Outras" } }],
  deleteServiceGroup: [{ serviceGroupId }],
  addServiceType: [{ name: "Yoga", holdsResource: false }],
  editServiceType: [{ serviceTypeId, changes: { name: "Yoga" } }],
  archiveServiceType: [{ serviceTypeId, cancelBooked: true }],
  restoreServiceType: [{ serviceTypeId: retired }],
  deleteServiceType: [{ serviceTypeId: spareType }],
  addResource: [{ name: "Sala 2", kind: "room" }],
  editResource: [{ resourceId, changes: { name: "Lia" } }],
  archiveResource: [{ resourceId }],
  restoreResource: [{ resourceId: archivedResource }],
  addPlan: [planAt([there]), planAt([here, there]), planAt([])],
  editPlan: [
    { planId: plan, changes: { name: "Outro" } },
    { planId: sharedPlan, changes: { locationIds: [here] } },
    { planId: sharedPlan, changes: { locationIds: [there] } },
    { planId: ownPlan, changes: { locationIds: [here, there] } },
    { planId: planOfAll, changes: { allLocations: false, locationIds: [here] } },
    { planId: sharedPlan, changes: { entitlements: [{ type: "access" }] }, applyTo: "all" },
  ],
  archivePlan: [plan, sharedPlan, planOfAll].map((planId) => ({ planId })),
  restorePlan: [archivedPlan, archivedSharedPlan].map((planId) => ({ planId })),
  deletePlan: [{ planId: plan }],
  addClient: [{ contactName: "Bia", locationIds: [there] }],
  editClient: [{ clientId, changes: { contactName: "Bia" } }],
  archiveClient: [{ clientId }],
  restoreClient: [{ clientId: archivedClient }],
  sellContract: [
    { clientId, planId: plan },
    { clientId, planId: planOfAll, locationIds: [there] },
    { clientId, planId: sharedPlan, locationIds: [there] },
  ],
  voidSale: [{ contractId: fresh }],
  answerTerms: [{ contractId, termsResponse: "accepted" }],
  blockAccess: [{ contractId, reason }],
  unblockAccess: [{ contractId: blocked }],
  adjustCredits: [{ entitlementId, by: 1, reason }],
  setEndDate: [{ contractId, endDate: today, reason }],
  pauseContract: [{ contractId, firstDay: tomorrow, lastDay: daysAfter(today, 9) }],
  endPause: [{ contractId: paused, firstDayBack: daysAfter(today, 3) }],
  cancelContract: [{ contractId, now: true, reason }],
  reinstateContract: [{ contractId: cancelled }],
  recordPayment: [{ clientId, amountCents: 10_000, method: "pix" }],
  useBalance: [{ clientId }],
  voidPayment: [{ paymentId, reason }],
  refund: [{ clientId, amountCents: 100, method: "cash", reason }],
  addInvoice: [{ clientId, description: "Água", amountCents: 900 }],
  editInvoice: [{ invoiceId, changes: { amountCents: 5_000 }, reason }],
  voidInvoice: [{ invoiceId, reason }],
  addSchedule: [{ ...at(there), start: `${tomorrow}T09:00`, rrule: "FREQ=DAILY" }],
  editSchedule: [
    { scheduleId: schedule, changes: { capacity: 9 } },
    { scheduleId: ownSchedule, changes: { capacity: 9 } },
    { scheduleId: ownSchedule, from: `${daysAfter(today, 3)}T07:00`, changes: { locationId: there } },
  ],
  endSchedule: [
    { scheduleId: schedule, lastDay: tomorrow },
    // The session that was moved would be cancelled.
    { scheduleId: ownSchedule, lastDay: tomorrow },
  ],
  deleteSchedule: [{ scheduleId: unused }],
  addSession: [{ ...at(there), start: `${tomorrow}T11:00` }],
  editSession: [
    { session, changes: { capacity: 9 } },
    { session: { ...moved, originalStart: `${daysAfter(today, 3)}T07:00` }, changes: { locationId: there } },
  ],
  cancelSession: [{ session, reason }],
  reinstateSession: [{ session: off }],
  closeDays: [{ locationId: there, firstDay: tomorrow, lastDay: tomorrow, reason, cancelBooked: true }],
  releaseUnnamed: [{ sessionId: crowded, seats: 1 }],
  book: [{ clientId, session: { scheduleId: schedule, originalStart: `${tomorrow}T07:00` } }],
  bookMany: [{ clientId, scheduleId: schedule, fromDay: tomorrow, untilDay: tomorrow }],
  endFixedPlace: [{ fixedPlaceId }],
  moveFixedPlace: [{ fixedPlaceId, places: [{ scheduleId: regular }], untilDay: movedDay }],
  cancelBooking: [{ bookingId }],
  restoreBooking: [{ bookingId: endedBooking }],
  checkIn: [{ clientId, session: { sessionId: over } }],
  setAttendance: [{ bookingId: comeBooking, state: "attended" }],
  markRest: [{ sessionId: over }],
  unmarkRest: [{ sessionId: over, bookingIds: [missedBooking] }],
  coverBooking: [{ bookingId: owedBooking }],
  markCourtesy: [{ bookingId: owedBooking }],
  unmarkCourtesy: [{ bookingId: freeBooking }],
  joinWaiting: [{ clientId: formerClient, session: { sessionId: full } }],
  leaveWaiting: [{ waitingId }],
  promoteWaiting: [{ waitingId, ...uncovered }],
  markTold: [{ bookingIds: [untoldBooking] }],
  unmarkTold: [{ bookingIds: [bookingId] }],
  exportClient: [{ clientId }],
  eraseClient: [{ clientId: formerClient, basis: reason }],
  undoImport: [{ importId: imported.body.auditId }],
};

/** What is done to a contract of there is also done to those that are usable here: others may be booked there by them. */
function withContractsUsableHere(inputs: readonly object[]): object[] {
  const ofContracts = inputs.filter((input) => "contractId" in input && input.contractId === contractId);
  return ofContracts.flatMap((input) => usableHere.map((id) => ({ ...input, contractId: id })));
}

/** Writes of people and what they pay, of keys and what else programs have, and of settings, which are of no place. */
const OF_NO_PLACE = [
  ...["addStaff", "editStaff", "linkStaff", "revokeLink", "removeStaff", "editSettings"],
  ...["colorCalendar", "editOrganization"],
  ...["mintKey", "rotateKey", "revokeKey", "undoImport"],
  ...["mintCalendarLink", "rotateCalendarLink", "revokeCalendarLink"],
  ...["addWebhook", "editWebhook", "rotateWebhook", "enableWebhook", "disableWebhook"],
  ...["replayWebhook", "skipWebhook", "testWebhook", "removeWebhook"],
  ...["recordPayment", "useBalance", "voidPayment", "refund", "addInvoice"],
  ...["addClient", "editClient", "archiveClient", "restoreClient", "exportClient", "eraseClient"],
];
/** Writes that are only recorded, or change the organization's own row alone. */
const CHANGE_NO_RECORD = ["exportClient", "editSettings", "colorCalendar", "editOrganization"];

/** What everybody at every location shares: who works at some of them writes none of it. */
const CATALOG = ["locations", "service_types", "service_groups", "service_group_members", "resources"];
/** The trail and the counters are of the whole organization; clients and colleagues belong to no place. */
const UNPLACED = ["audit", "organization_counters", "client_locations", "staff_locations"];

type Row = Readonly<Record<string, unknown>>;
type Snapshot = ReadonlyMap<string, ReadonlyMap<string, Row>>;

const tablesStatement = pooled(
  "test_tables_of_organizations",
  `select table_name as name from information_schema.columns
   where column_name = 'organization_id' and table_schema = current_schema() order by 1`,
);
const tables = (await api.db.query<{ name: string }>(tablesStatement))
  .map(({ name }) => name)
  .filter((name) => !UNPLACED.includes(name));

/**
 * Every row of the organization, by itself as text; among them, as rows of `sales`, where each plan is sold, and, as rows of
 * `paid`, what is paid of each invoice: that is its client's, and what is owed by it its contract's.
 */
async function readAll(db: Database): Promise<Snapshot> {
  const select = tables.map(
    (name) => `select '${name}' as "table", to_jsonb(r) as row from ${name} r where r.organization_id = $1`,
  );
  const rows = await db.query<{ table: string; row: Row }>(pooled("", select.join(" union all ")), [
    organizationId,
  ]);
  const byTable = new Map(tables.map((name) => [name, new Map<string, Row>()]));
  byTable.set("paid", new Map());
  const add = (table: string, row: Row) => byTable.get(table)?.set(JSON.stringify(row), row);
  for (const { table, row } of rows) {
    if (table !== "invoices") {
      add(table, row);
      continue;
    }
    const { paid_cents, status, ...owed } = row;
    add("invoices", { ...owed, isVoid: status === "void" });
    add("paid", { id: row.id, paid_cents, status });
  }
  return byTable.set("sales", salesOf(byTable));
}

function salesOf(stored: Snapshot): Map<string, Row> {
  const rowsOf = (name: string) => [...(stored.get(name)?.values() ?? [])];
  const active = rowsOf("plans").filter(({ status }) => status === "active");
  const sales = active.flatMap(({ id, all_locations: isOfAll }) =>
    isOfAll
      ? rowsOf("locations").map(({ id: location_id }) => ({ plan_id: id, location_id }))
      : rowsOf("plan_locations").filter(({ plan_id }) => plan_id === id),
  );
  return new Map(sales.map((sale) => [JSON.stringify(sale), sale]));
}

/** The places of a row, by whatever of it has a place; undefined if it has none, or is of all of them. */
function placesOf(stored: Snapshot, table: string, row: Row): readonly unknown[] | undefined {
  const find = (name: string, id: unknown) =>
    [...(stored.get(name)?.values() ?? [])].find((r) => r.id === id);
  const placed = (kind: "contract" | "plan", id: unknown) => {
    const rows = [...(stored.get(`${kind}_locations`)?.values() ?? [])];
    if (find(`${kind}s`, id)?.all_locations === true) return undefined;
    return rows.filter((each) => each[`${kind}_id`] === id).map(({ location_id }) => location_id);
  };
  if (CATALOG.includes(table)) return [];
  // The location of a link to a calendar is what it shows; all of the timetable can be read by everybody.
  if (table === "ics_links") return undefined;
  if (typeof row.location_id === "string") return [row.location_id];
  if (table === "contracts") return placed("contract", row.id);
  if (table === "plans") return placed("plan", row.id);
  if (typeof row.session_id === "string") return [find("sessions", row.session_id)?.location_id];
  if (typeof row.contract_id === "string") return placed("contract", row.contract_id);
  if (typeof row.plan_id === "string") return placed("plan", row.plan_id);
  return undefined;
}

/** What differs, as the names of tables: those with a row at none of the places of the one who is limited come first. */
function touched(before: Snapshot, after: Snapshot): { elsewhere: string[]; all: string[] } {
  const [elsewhere, all] = [new Set<string>(), new Set<string>()];
  for (const [one, other] of [
    [before, after],
    [after, before],
  ] as const)
    for (const [table, rows] of one)
      for (const [text, row] of rows) {
        if (other.get(table)?.has(text)) continue;
        all.add(table);
        const places = placesOf(one, table, row);
        if (places && !places.includes(here)) elsewhere.add(table);
      }
  return { elsewhere: [...elsewhere], all: [...all] };
}

class Undone extends Error {}

/** What a write does, which is rolled back. */
async function effectsOf(name: string, input: object, before: Snapshot) {
  let after = before;
  const work = api.served.transaction(async (tx) => {
    await perform(name, input, tx);
    after = await readAll(tx);
    throw new Undone();
  });
  await assert.rejects(work, Undone, `${name} ${JSON.stringify(input)}`);
  return touched(before, after);
}

test("what a write touches at other places is refused to somebody who does not work there", async () => {
  const before = await readAll(api.served);
  const untested = STAFF_WRITES.map(({ name }) => name).filter((name) => INPUTS[name] === undefined);
  assert.deepEqual(untested, [], "writes without an input: nobody knows what places they touch");
  const found: string[] = [];
  for (const [name, inputs] of Object.entries(INPUTS))
    for (const input of [...inputs, ...withContractsUsableHere(inputs)]) {
      const which = `${name} ${JSON.stringify(input)}`;
      const { elsewhere, all } = await effectsOf(name, input, before);
      if (all.length === 0 && !CHANGE_NO_RECORD.includes(name)) found.push(`${which} does nothing`);
      const staffCall = {
        ...call,
        actor: LIMITED,
        publicUrl: "https://studio.example.com",
        callRules: ONLY_PUBLIC,
      };
      const tidy = tidyInput(writeOf(name), input);
      const outcome = await refusalOf(performDryRun(writeOf(name), staffCall, tidy));
      const isRefused = outcome === "wrong_location";
      if (elsewhere.length === 0 && inputs.includes(input) && !OF_NO_PLACE.includes(name))
        found.push(`${which} touches nothing elsewhere: it shows nothing`);
      if (elsewhere.length > 0 && !isRefused)
        found.push(`${which} writes to ${elsewhere.join(", ")} elsewhere, and is ${outcome}`);
      if (elsewhere.length === 0 && !isRefused && outcome !== "done") found.push(`${which} is ${outcome}`);
    }
  assert.deepEqual(found, []);
});
