import { type Actor, hasRole, requirePlace } from "../../core/actor.ts";
import { afterDays, LAST_DATE } from "../../core/dates.ts";
import { invalid, refusal, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { isOwnAndRecent } from "../../core/undo.ts";
import type { Database } from "../../db/database.ts";
import { allocatePayments, type OpenInvoice, takeFromLast } from "../invoicing/allocation.ts";
import { payFromBalance } from "../invoicing/issuing.ts";
import {
  addAllocations,
  insertInvoices,
  lastInvoiceNumber,
  listOpenInvoices,
  listRests,
  reduceAllocations,
} from "../invoicing/queries.ts";
import { findOrganization } from "../organizations/queries.ts";
import { dateIn } from "../recurrence/zones.ts";
import { exclusiveWrite, type OpenWrite, type Outcome } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { findAccountSums, findInvoice, findPayment, listInvoicesOf, listPaymentsOf } from "./queries.ts";
import { addCents, checkDueOn, checkPaidOn, toLines } from "./rules.ts";
import type {
  AccountSums,
  AddInvoice,
  ClientAccount,
  EditInvoice,
  Invoice,
  Payment,
  RecordPayment,
  Refund,
  SalePayment,
  UseBalance,
  VoidInvoice,
  VoidPayment,
} from "./schema.ts";
import * as queries from "./write-queries.ts";

/**
 * What the staff does to invoices and payments. Each operation is one transaction under the organization's row, so that
 * numbers have no gaps, and one audit entry: ids, amounts and days, never what somebody wrote.
 */

/** Money that came in. It pays open invoices; the rest is the client's balance. */
export const recordPayment = exclusiveWrite(
  "recordPayment",
  async (open, input: Static<typeof RecordPayment>): Promise<Outcome<Payment>> => {
    const { organizationId, actor } = open;
    const { paidOn = open.today, amountCents, method, note } = input;
    const debtor = await lockKnownDebtor(open, input.clientId);
    refuseFaults(checkPaidOn(paidOn, open.today));
    if (debtor.isErased) throw refusal("erased_client");
    const invoices = await chooseInvoices(open, debtor.id, input.invoiceIds);
    const payment = { clientId: debtor.id, amountCents, method, paidOn, note };
    const id = await pay(open, actor, payment, invoices);
    const details = { amountCents, method, paidOn };
    const entry = {
      subject: id,
      clientId: debtor.id,
      details,
    };
    return { result: await readPayment(open.tx, organizationId, id), entry };
  },
);

/** Pays open invoices from the balance. */
export const spendBalance = exclusiveWrite(
  "useBalance",
  async (open, { clientId, invoiceIds }: Static<typeof UseBalance>): Promise<Outcome<AccountSums>> => {
    const { tx, today, organizationId } = open;
    const debtor = await lockKnownDebtor(open, clientId);
    if (debtor.isErased) throw refusal("erased_client");
    const invoices = await chooseInvoices(open, debtor.id, invoiceIds);
    const allocations = allocatePayments(await listRests(tx, organizationId, [debtor.id]), invoices);
    await addAllocations(tx, organizationId, allocations);
    const usedCents = allocations.reduce((sum, { amountCents }) => addCents(sum, amountCents), 0);
    const entry = {
      subject: debtor.id,
      clientId: debtor.id,
      details: { usedCents },
    };
    const sums = await findAccountSums(tx, organizationId, debtor.id, today);
    if (!sums) throw new Error("a client that is locked is gone");
    const { owesSince: _, ...result } = sums;
    return { result, entry };
  },
);

/** Takes a payment back: its invoices are open again. The row stays. */
export const voidPayment = exclusiveWrite(
  "voidPayment",
  async (open, { paymentId, reason }: Static<typeof VoidPayment>): Promise<Outcome<Payment>> => {
    const { tx, now, organizationId, actor } = open;
    const [payment] = await queries.lockPayments(tx, organizationId, [paymentId]);
    if (!payment) throw refusal("no_payment");
    requireOwnPayment(actor, now, payment);
    const isVoided = await takePaymentBack(open, payment);
    const { id, clientId, amountCents, type } = payment;
    const entry = {
      subject: id,
      clientId,
      reason,
      details: { type, amountCents, before: isVoided ? "done" : "void", after: "void" },
    };
    return { result: await readPayment(tx, organizationId, id), entry };
  },
);

/** Refuses the front desk what somebody else recorded, or they themselves too long ago. */
function requireOwnPayment(actor: Actor, now: number, { createdBy, createdAt }: queries.StoredPayment): void {
  const isOwn = isOwnAndRecent({ actor: createdBy, at: createdAt }, actor.name, now);
  if (!isOwn && !hasRole(actor, "manager")) throw refusal("not_allowed");
}

/** Whether it was not void before. */
async function takePaymentBack(
  { tx, organizationId }: OpenOrganization,
  { id, status, isRefunded }: queries.StoredPayment,
): Promise<boolean> {
  if (status === "void") return false;
  if (isRefunded) throw refusal("payment_refunded");
  await reduceAllocations(tx, organizationId, await queries.listAllocationsBy(tx, organizationId, [id]));
  await queries.voidPayments(tx, organizationId, [id]);
  return true;
}

/** Money that goes back to the client: from the oldest rests of payments. */
export const refund = exclusiveWrite(
  "refund",
  async (
    open,
    { clientId, amountCents, method, reason }: Static<typeof Refund>,
  ): Promise<Outcome<Payment>> => {
    const { tx, today, at, organizationId, actor } = open;
    const debtor = await lockKnownDebtor(open, clientId);
    const rests = await listRests(tx, organizationId, [debtor.id]);
    const balanceCents = rests.reduce((sum, { restCents }) => addCents(sum, restCents), 0);
    if (amountCents > balanceCents)
      throw invalid([{ location: "body.amountCents", code: "above_maximum", params: { max: balanceCents } }]);
    const id = newId(open.now);
    await queries.insertPayment(tx, organizationId, {
      ...{ id, clientId: debtor.id, type: "refund", method, amountCents, paidOn: today, at },
      by: actor.name,
    });
    const taken = allocatePayments(rests, [{ invoiceId: id, openCents: amountCents }]);
    await queries.takeRests(tx, organizationId, id, taken);
    const entry = {
      subject: id,
      clientId: debtor.id,
      reason,
      details: { amountCents, method },
    };
    return { result: await readPayment(tx, organizationId, id), entry };
  },
);

/** Something that a client owes beside contracts. Issued like the others: the balance pays first. */
export const addInvoice = exclusiveWrite(
  "addInvoice",
  async (open, input: Static<typeof AddInvoice>): Promise<Outcome<Invoice>> => {
    const { tx, today, now, organization, organizationId } = open;
    const { description, amountCents } = input;
    const { dueOn = afterDays(today, organization.paymentDays) ?? LAST_DATE } = input;
    const debtor = await lockKnownDebtor(open, input.clientId);
    if (dueOn < today) throw invalid([{ location: "body.dueOn", code: "in_the_past" }]);
    if (debtor.isErased) throw refusal("erased_client");
    const id = newId(now);
    const number = (await lastInvoiceNumber(tx, organizationId)) + 1;
    const clientId = debtor.id;
    const invoice = { id, number, clientId, description, issuedOn: today, dueOn, amountCents };
    await insertInvoices(tx, organizationId, [invoice]);
    await payFromBalance(tx, organizationId, [invoice]);
    const entry = {
      subject: id,
      clientId,
      details: { amountCents, dueOn },
    };
    return { result: await readInvoice(open, id), entry };
  },
);

/** Another amount or another day by which it is due. What was paid beyond the amount becomes balance. */
export const editInvoice = exclusiveWrite(
  "editInvoice",
  async (open, { invoiceId, changes, reason }: Static<typeof EditInvoice>): Promise<Outcome<Invoice>> => {
    const { tx, organizationId } = open;
    const invoice = await lockKnownInvoice(open, invoiceId);
    refuseFaults(checkDueOn(changes.dueOn, invoice));
    if (invoice.status !== "open") throw refusal("not_open");
    const { id, clientId, contractId, amountCents, dueOn, paidCents } = invoice;
    const before = { amountCents, dueOn };
    const after = { ...before, ...changes };
    if (paidCents > after.amountCents) {
      const allocations = await queries.listAllocationsOf(tx, organizationId, [id]);
      await reduceAllocations(tx, organizationId, takeFromLast(allocations, paidCents - after.amountCents));
    }
    await queries.writeInvoice(tx, organizationId, id, after);
    const entry = {
      subject: id,
      clientId,
      ...(contractId !== undefined && { contractId }),
      reason,
      details: { before: differing(before, after), after: differing(after, before) },
    };
    return { result: await readInvoice(open, id), entry };
  },
);

function differing<Members extends Readonly<Record<string, unknown>>>(one: Members, other: Members): object {
  return Object.fromEntries(Object.entries(one).filter(([name, value]) => other[name] !== value));
}

/** Nothing is owed by it any more. What was paid becomes balance; the number stays used. */
export const voidInvoice = exclusiveWrite(
  "voidInvoice",
  async (open, { invoiceId, reason }: Static<typeof VoidInvoice>): Promise<Outcome<Invoice>> => {
    const { id, clientId, contractId, status, amountCents } = await lockKnownInvoice(open, invoiceId);
    if (status !== "void") await takeInvoicesBack(open, [id]);
    const entry = {
      subject: id,
      clientId,
      ...(contractId !== undefined && { contractId }),
      reason,
      details: { amountCents, before: status, after: "void" },
    };
    return { result: await readInvoice(open, id), entry };
  },
);

async function takeInvoicesBack(
  { tx, organizationId }: OpenOrganization,
  ids: readonly string[],
): Promise<void> {
  const allocations = await queries.listAllocationsOf(tx, organizationId, ids);
  await reduceAllocations(tx, organizationId, allocations);
  await queries.voidInvoices(tx, organizationId, ids);
}

/** A contract that was just sold. */
interface Sale {
  readonly clientId: string;
  readonly contractId: string;
  readonly priceCents: number;
}

/**
 * What is paid at once with a sale: its first invoice. While nothing is issued it becomes balance. Returns the payment;
 * undefined if nothing is left to pay.
 */
export async function paySale(
  open: OpenOrganization,
  actor: Actor,
  { clientId, contractId, priceCents }: Sale,
  { method, amountCents, paidOn = open.today }: SalePayment,
): Promise<string | undefined> {
  const { tx, organizationId } = open;
  const [first] = await queries.lockInvoicesOfContract(tx, organizationId, contractId);
  const openCents = first ? first.amountCents - first.paidCents : await priceLeft(open, clientId, priceCents);
  const amount = amountCents ?? openCents;
  if (amount === 0) return undefined;
  const invoices = first && openCents > 0 ? [{ invoiceId: first.id, openCents }] : [];
  return pay(open, actor, { clientId, amountCents: amount, method, paidOn }, invoices);
}

/** What the balance will leave open of a price that is not invoiced yet. */
async function priceLeft(
  { tx, organizationId }: OpenOrganization,
  clientId: string,
  priceCents: number,
): Promise<number> {
  const rests = await listRests(tx, organizationId, [clientId]);
  return Math.max(0, priceCents - rests.reduce((sum, { restCents }) => sum + restCents, 0));
}

/**
 * Voids the invoices of a sale that is undone, and, if that is asked, what paid them and what was paid with the sale, which
 * may be balance still. Says which invoices and payments these are.
 */
export async function voidMoneyOfSale(
  open: OpenWrite,
  sale: { readonly contractId: string; readonly paymentId: string | undefined },
  isWithPayments: boolean | undefined,
): Promise<{ readonly invoiceIds: readonly string[]; readonly paymentIds: string[] }> {
  const { tx, organizationId } = open;
  const invoices = await queries.lockInvoicesOfContract(tx, organizationId, sale.contractId);
  const invoiceIds = invoices.map(({ id }) => id);
  const allocations = await queries.listAllocationsOf(tx, organizationId, invoiceIds);
  const paying = new Set(allocations.map(({ paymentId }) => paymentId));
  if (sale.paymentId !== undefined) paying.add(sale.paymentId);
  const stored = await queries.lockPayments(tx, organizationId, [...paying]);
  const payments = stored.filter(({ status }) => status === "done");
  if (payments.length > 0 && isWithPayments === undefined) throw refusal("has_payments");
  for (const payment of isWithPayments ? payments : []) {
    requireOwnPayment(open.actor, open.now, payment);
    await takePaymentBack(open, payment);
  }
  await takeInvoicesBack(open, invoiceIds);
  return { invoiceIds, paymentIds: payments.map(({ id }) => id) };
}

type PaymentDraft = Pick<queries.NewPayment, "clientId" | "amountCents" | "method" | "paidOn" | "note">;

/** Stores a payment that pays these invoices, and returns its id. */
async function pay(
  { tx, organizationId, now, at }: OpenOrganization,
  actor: Actor,
  draft: PaymentDraft,
  invoices: readonly OpenInvoice[],
): Promise<string> {
  const id = newId(now);
  await queries.insertPayment(tx, organizationId, { ...draft, id, type: "payment", at, by: actor.name });
  const rest = { paymentId: id, restCents: draft.amountCents };
  await addAllocations(tx, organizationId, allocatePayments([rest], invoices));
  return id;
}

/** The open invoices that are named, in that order, or all of the client's. */
async function chooseInvoices(
  { tx, organizationId }: OpenOrganization,
  clientId: string,
  named: readonly string[] | undefined,
): Promise<OpenInvoice[]> {
  if (named === undefined) return listOpenInvoices(tx, organizationId, clientId);
  const ids = [...new Set(named.map((id) => id.toLowerCase()))];
  const locked = new Map((await queries.lockInvoices(tx, organizationId, ids)).map((one) => [one.id, one]));
  const chosen = ids.map((id) => locked.get(id));
  if (chosen.some((invoice) => invoice?.clientId !== clientId)) throw refusal("no_invoice");
  return chosen.flatMap((invoice) => {
    if (invoice?.status !== "open") throw refusal("not_open");
    return [{ invoiceId: invoice.id, openCents: invoice.amountCents - invoice.paidCents }];
  });
}

async function lockKnownDebtor(
  { tx, organizationId }: OpenOrganization,
  clientId: string,
): Promise<queries.Debtor> {
  const debtor = await queries.lockDebtor(tx, organizationId, clientId);
  if (!debtor) throw refusal("no_client");
  return debtor;
}

/** The invoice that is changed by hand. What a contract owes is for those who work at a place of the contract. */
async function lockKnownInvoice(
  { tx, actor, organizationId }: OpenWrite,
  invoiceId: string,
): Promise<queries.StoredInvoice> {
  const [invoice] = await queries.lockInvoices(tx, organizationId, [invoiceId]);
  if (!invoice) throw refusal("no_invoice");
  const place = await queries.findPlaceOfInvoice(tx, organizationId, invoice.id);
  if (place) requirePlace(actor, place);
  return invoice;
}

async function readPayment(tx: Database, organizationId: string, id: string): Promise<Payment> {
  const payment = await findPayment(tx, organizationId, id);
  if (!payment) throw new Error("a payment that was just written is gone");
  return payment;
}

async function readInvoice({ tx, organizationId, today }: OpenOrganization, id: string): Promise<Invoice> {
  const invoice = await findInvoice(tx, organizationId, id, today);
  if (!invoice) throw new Error("an invoice that was just written is gone");
  return invoice;
}

/** The invoice as it is now, for a request that is repeated. */
export async function findInvoiceNow(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Invoice | undefined> {
  const organization = await findOrganization(db, organizationId);
  return organization && findInvoice(db, organizationId, id, dateIn(organization.timezone, await db.now()));
}

/** Everything that a client was invoiced and paid, in order; undefined if there is no such client. */
export async function readAccount(
  db: Database,
  organizationId: string,
  clientId: string,
  today: string,
): Promise<ClientAccount | undefined> {
  const [sums, invoices, payments] = await Promise.all([
    findAccountSums(db, organizationId, clientId, today),
    listInvoicesOf(db, organizationId, clientId, today),
    listPaymentsOf(db, organizationId, clientId),
  ]);
  return sums && { ...sums, lines: toLines(invoices, payments) };
}

/** The date then in the organization's timezone: what is overdue is asked by it. */
export function dateAt(timezone: string, now: number): string {
  return dateIn(timezone, now);
}
