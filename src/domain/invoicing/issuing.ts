import { afterDays, LAST_DATE } from "../../core/dates.ts";
import { newId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { type DueOrganization, setDueAt } from "../contract-status/queries.ts";
import { isPausedByImport } from "../contract-status/status-timeline.ts";
import { dateIn, dayStart, type Zone } from "../recurrence/zones.ts";
import { type Allocation, allocatePayments } from "./allocation.ts";
import { type InvoiceDay, invoiceDays, invoicedTerm } from "./invoice-days.ts";
import * as queries from "./queries.ts";

/**
 * Invoices are issued like changes of status: before anybody looks, under the lock of the organization's row, as if
 * somebody had looked at the beginning of each day.
 */

/**
 * How many invoices are issued in one transaction. The month of thousands may begin today: those who wait for the
 * organization's row meanwhile wait for one part.
 */
const PART = 100;

/** Issues what is due within a transaction that goes on, and says when the organization is due next. */
export async function issueInvoices(
  tx: Database,
  organization: DueOrganization,
  zone: Zone,
  now: number,
): Promise<void> {
  while (!(await issuePart(tx, organization, zone, now)));
  await setDueAt(tx, organization.id);
}

/** Issues some of the invoices that are due. Whether none is due any more. */
export async function issuePart(
  tx: Database,
  organization: DueOrganization,
  zone: Zone,
  now: number,
): Promise<boolean> {
  const { id: organizationId, invoicesFrom } = organization;
  if (invoicesFrom === undefined) return true;
  const contracts = await queries.lockContractsToInvoice(tx, organizationId, now, PART);
  const clock = { zone, now, invoicesFrom };
  const isWhole = contracts.length < PART;
  const marked = contracts.filter(({ nextInvoiceAt }) => nextInvoiceAt === undefined);
  // Others may owe for earlier days than these, so all are computed before any is issued.
  if (!isWhole && marked.length > 0) {
    await queries.writeNextInvoices(
      tx,
      organizationId,
      marked.map((contract) => planNext(contract, clock)),
    );
    return false;
  }
  if (contracts.length === 0) return true;
  const computed = contracts.map((contract) => ({
    ...contract,
    invoicedFrom: invoicedFromOf(contract, clock),
  }));
  const { due, next } = collectDue(computed, clock);
  await issue(tx, organization, due, now);
  await queries.writeNextInvoices(tx, organizationId, next);
  return isWhole && due.length < PART;
}

interface IssueClock {
  readonly zone: Zone;
  readonly now: number;
  readonly invoicesFrom: string;
}

interface DueInvoice extends InvoiceDay {
  readonly contract: queries.ContractToInvoice;
  readonly at: number;
}

/** When the next invoice of a contract is issued whose course was written. */
function planNext(contract: queries.ContractToInvoice, clock: IssueClock): queries.NextInvoice {
  const invoicedFrom = invoicedFromOf(contract, clock);
  const [next] = invoicesToCome({ ...contract, invoicedFrom }, clock);
  return { contractId: contract.id, at: next?.at, invoicedFrom };
}

/**
 * A contract that was brought in as paused, without saying since when, owes nothing until the day on which it is active;
 * what was passed over meanwhile is not issued later.
 */
function invoicedFromOf(contract: queries.ContractToInvoice, { zone, now }: IssueClock): string | undefined {
  if (isPausedByImport(contract)) return LAST_DATE;
  const { invoicedFrom, status, updatedAt } = contract;
  if (invoicedFrom !== LAST_DATE || status !== "active") return invoicedFrom;
  // A pause that ended by itself may have done so long before anybody looked.
  return dateIn(zone.name, Math.min(now, Date.parse(updatedAt)));
}

function* invoicesToCome(
  contract: queries.ContractToInvoice,
  { zone, invoicesFrom }: IssueClock,
): Generator<InvoiceDay & { readonly at: number }> {
  const { issuedPeriods, invoicedFrom = invoicesFrom } = contract;
  const earliest = invoicedFrom > invoicesFrom ? invoicedFrom : invoicesFrom;
  for (const next of invoiceDays(invoicedTerm(contract, zone), new Set(issuedPeriods), earliest))
    yield { ...next, at: dayStart(zone, next.day) };
}

/**
 * The invoices of these contracts that are due, in the order of their instants, as many as make a part; and when the next
 * one of each contract is issued after that. What other contracts have that are not among these comes later than all.
 */
function collectDue(
  contracts: readonly queries.ContractToInvoice[],
  clock: IssueClock,
): { readonly due: readonly DueInvoice[]; readonly next: readonly queries.NextInvoice[] } {
  const last = contracts.length < PART ? undefined : contracts.at(-1);
  const lastAt = Date.parse(last?.nextInvoiceAt ?? "");
  const isWithin = ({ at, contract }: DueInvoice) =>
    at <= clock.now && (!last || at < lastAt || (at === lastAt && contract.id <= last.id));
  // Of each contract only the next one is computed: of a few contracts that are years behind, all would be a hundred times as many.
  const courses = new Map(contracts.map((contract) => [contract, invoicesToCome(contract, clock)]));
  const takeNext = (contract: queries.ContractToInvoice): DueInvoice | undefined => {
    const next = courses.get(contract)?.next().value;
    return next ? { ...next, contract } : undefined;
  };
  const ahead = new Map(contracts.map((contract) => [contract, takeNext(contract)]));
  const due: DueInvoice[] = [];
  while (due.length < PART) {
    let first: DueInvoice | undefined;
    for (const one of ahead.values())
      if (one && isWithin(one) && (!first || isBefore(one, first))) first = one;
    if (!first) break;
    due.push(first);
    ahead.set(first.contract, takeNext(first.contract));
  }
  const next = contracts.map((contract) => ({
    contractId: contract.id,
    at: ahead.get(contract)?.at,
    invoicedFrom: contract.invoicedFrom,
  }));
  return { due, next };
}

function isBefore(one: DueInvoice, other: DueInvoice): boolean {
  return one.at < other.at || (one.at === other.at && one.contract.id < other.contract.id);
}

async function issue(
  tx: Database,
  { id: organizationId, paymentDays }: DueOrganization,
  due: readonly DueInvoice[],
  now: number,
): Promise<void> {
  if (due.length === 0) return;
  let number = await queries.lastInvoiceNumber(tx, organizationId);
  const invoices = due.map(({ contract, at: _, day, ...period }) => ({
    id: newId(now),
    number: ++number,
    clientId: contract.clientId,
    contractId: contract.id,
    ...period,
    description: contract.planName,
    issuedOn: day,
    dueOn: afterDays(day, paymentDays) ?? LAST_DATE,
    amountCents: contract.priceCents,
  }));
  await queries.insertInvoices(tx, organizationId, invoices);
  await payFromBalance(tx, organizationId, invoices);
  await queries.moveStaffVersion(tx, organizationId);
}

/** The balance of a client pays what is issued, in its order. */
export async function payFromBalance(
  tx: Database,
  organizationId: string,
  invoices: readonly queries.NewInvoice[],
): Promise<void> {
  const clientIds = [...new Set(invoices.map(({ clientId }) => clientId))];
  const rests = await queries.listRests(tx, organizationId, clientIds);
  const issued = byClient(invoices);
  const allocations: Allocation[] = [];
  for (const [clientId, own] of byClient(rests)) {
    const open = issued.get(clientId) ?? [];
    const toPay = open.map(({ id, amountCents }) => ({ invoiceId: id, openCents: amountCents }));
    allocations.push(...allocatePayments(own, toPay));
  }
  await queries.addAllocations(tx, organizationId, allocations);
}

function byClient<Row extends { readonly clientId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const known = found.get(row.clientId);
    if (known) known.push(row);
    else found.set(row.clientId, [row]);
  }
  return found;
}
