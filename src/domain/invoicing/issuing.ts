import { afterDays, LAST_DATE } from "../../core/dates.ts";
import { newId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { type DueOrganization, setDueAt } from "../contract-status/queries.ts";
import { isPausedByImport } from "../contract-status/status-timeline.ts";
import { dateIn, dayStart, type Zone } from "../recurrence/zones.ts";
import { type Allocation, allocatePayments } from "./allocation.ts";
import { type InvoiceDay, type InvoicedTerm, nextInvoiceDay } from "./invoice-days.ts";
import * as queries from "./queries.ts";

/**
 * Invoices are issued like changes of status: before anybody looks, under the lock of the organization's row, as if
 * somebody had looked at the beginning of each day.
 */

/**
 * How many invoices are issued in one transaction. The month of thousands may begin today: those who wait for the
 * organization's row meanwhile wait for one part.
 */
const PART = 200;

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
  const marked = contracts.filter(({ nextInvoiceAt }) => nextInvoiceAt === undefined);
  if (marked.length > 0) {
    await queries.writeNextInvoices(
      tx,
      organizationId,
      marked.map((contract) => planNext(contract, clock)),
    );
    return false;
  }
  if (contracts.length === 0) return true;
  const { due, next } = collectDue(contracts, clock);
  await issue(tx, organization, due, now);
  await queries.writeNextInvoices(tx, organizationId, next);
  return contracts.length < PART && due.length < PART;
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
  return {
    contractId: contract.id,
    at: nextOf({ ...contract, invoicedFrom }, contract.nextPeriod, clock)?.at,
    invoicedFrom,
  };
}

/**
 * A contract that was brought in as paused, without saying since when, owes nothing until it is active; what was passed
 * over meanwhile is not issued later.
 */
function invoicedFromOf(contract: queries.ContractToInvoice, { zone, now }: IssueClock): string | undefined {
  if (isPausedByImport(contract)) return LAST_DATE;
  const { invoicedFrom, status } = contract;
  return invoicedFrom === LAST_DATE && status === "active" ? dateIn(zone.name, now) : invoicedFrom;
}

function nextOf(
  contract: Omit<queries.ContractToInvoice, "invoicedFrom"> & { readonly invoicedFrom?: string | undefined },
  fromPeriod: number,
  { zone, invoicesFrom }: IssueClock,
): (InvoiceDay & { readonly at: number }) | undefined {
  if (contract.priceCents === 0) return undefined;
  const { invoicedFrom = invoicesFrom } = contract;
  const earliest = invoicedFrom > invoicesFrom ? invoicedFrom : invoicesFrom;
  const next = nextInvoiceDay(invoicedTerm(contract, zone), fromPeriod, earliest);
  return next && { ...next, at: dayStart(zone, next.day) };
}

/** A contract as it is stored, as far as its invoices go. */
export type StoredTerm = Omit<InvoicedTerm, "cancelledOn" | "soldOn"> &
  Pick<queries.ContractToInvoice, "status" | "createdAt" | "isCancelledHere"> & {
    readonly cancelledAt?: string | undefined;
  };

/** Its days in the organization's timezone. */
export function invoicedTerm(contract: StoredTerm, zone: Zone): InvoicedTerm {
  const { billingKind, billingInterval, startDate, endDate, createdAt, pauses } = contract;
  return {
    billingKind,
    billingInterval,
    startDate,
    endDate,
    cancelledOn: cancelledOn(contract, zone),
    soldOn: dateIn(zone.name, Date.parse(createdAt)),
    pauses,
  };
}

/**
 * The first day on which a contract is cancelled. One with a last day runs until then. One that was cancelled at once, or
 * elsewhere, ended with the day of its cancellation, though its last day may lie ahead.
 */
function cancelledOn(
  { status, startDate, endDate, cancelledAt, isCancelledHere }: StoredTerm,
  zone: Zone,
): string | undefined {
  const dayAfterEnd = endDate === undefined ? undefined : afterDays(endDate, 1);
  if (status !== "cancelled") return cancelledAt === undefined ? undefined : dayAfterEnd;
  if (cancelledAt === undefined) return dayAfterEnd ?? startDate;
  const dayAfter = afterDays(dateIn(zone.name, Date.parse(cancelledAt)), 1) ?? LAST_DATE;
  const isAtOnce = !isCancelledHere || (startDate >= dayAfter && endDate === startDate);
  return dayAfterEnd === undefined || (isAtOnce && dayAfter < dayAfterEnd) ? dayAfter : dayAfterEnd;
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
  const isWithin = ({ at, contract }: DueInvoice) => {
    if (at > clock.now) return false;
    const lastAt = Date.parse(last?.nextInvoiceAt ?? "");
    return !last || at < lastAt || (at === lastAt && contract.id <= last.id);
  };
  const found: DueInvoice[] = [];
  const following = new Map<string, number>();
  for (const contract of contracts) {
    let period = contract.nextPeriod;
    for (let count = 0; ; count++) {
      const day = nextOf(contract, period, clock);
      if (!day) break;
      if (count === PART || !isWithin({ ...day, contract })) {
        following.set(contract.id, day.at);
        break;
      }
      found.push({ ...day, contract });
      period = day.periodNumber + 1;
    }
  }
  found.sort((one, other) => one.at - other.at || (one.contract.id < other.contract.id ? -1 : 1));
  const due = found.slice(0, PART);
  // What is beyond the part is the contract's next.
  for (const { contract, at } of found.slice(PART).reverse()) following.set(contract.id, at);
  const next = contracts.map(({ id, invoicedFrom }) => ({
    contractId: id,
    at: following.get(id),
    invoicedFrom,
  }));
  return { due, next };
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
  const allocations: Allocation[] = [];
  for (const clientId of new Set(rests.map((rest) => rest.clientId))) {
    const open = invoices
      .filter((invoice) => invoice.clientId === clientId)
      .map(({ id, amountCents }) => ({ invoiceId: id, openCents: amountCents }));
    const own = rests.filter((rest) => rest.clientId === clientId);
    allocations.push(...allocatePayments(own, open));
  }
  await queries.addAllocations(tx, organizationId, allocations);
}
