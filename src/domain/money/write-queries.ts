import type { Placed } from "../../core/actor.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import type { Allocation } from "../invoicing/allocation.ts";
import type { PaymentMethod } from "../invoicing/values.ts";

/** What the operations on invoices and payments read and write. The organization's row is locked. */

/** Who owes and pays. */
export interface Debtor {
  readonly id: string;
  readonly isErased: boolean;
}

const debtorStatement = pooled(
  "lock_debtor",
  `select c.id,
     exists (select from erasures e where e.organization_id = c.organization_id and e.client_id = c.id) as "isErased"
   from clients c where c.organization_id = $1 and c.id = $2 for share of c`,
);

export async function lockDebtor(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Debtor | undefined> {
  const [debtor] = await tx.query<Debtor>(debtorStatement, [organizationId, id]);
  return debtor;
}

/** An invoice as it is stored. */
export interface StoredInvoice {
  readonly id: string;
  readonly clientId: string;
  readonly contractId?: string;
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly amountCents: number;
  readonly paidCents: number;
  readonly status: "open" | "paid" | "void";
}

const invoiceColumns = `id, client_id as "clientId", contract_id as "contractId", issued_on as "issuedOn",
  due_on as "dueOn", amount_cents as "amountCents", paid_cents as "paidCents", status`;

const invoicesStatement = pooled(
  "lock_invoices",
  `select ${invoiceColumns} from invoices where organization_id = $1 and id = any ($2::uuid[])
   order by id for no key update`,
);

/** Invoices by their ids, locked. */
export function lockInvoices(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<StoredInvoice[]> {
  return tx.query(invoicesStatement, [organizationId, ids]);
}

const placeStatement = pooled(
  "find_place_of_invoice",
  `select c.all_locations as "allLocations",
     array(
       select l.location_id from contract_locations l
       where l.organization_id = c.organization_id and l.contract_id = c.id
     ) as "locationIds"
   from invoices i join contracts c on c.organization_id = i.organization_id and c.id = i.contract_id
   where i.organization_id = $1 and i.id = $2`,
);

/** Where its contract can be used; undefined if it has none. */
export async function findPlaceOfInvoice(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Placed | undefined> {
  const [place] = await tx.query<Placed>(placeStatement, [organizationId, id]);
  return place;
}

const ofContractStatement = pooled(
  "lock_invoices_of_contract",
  `select ${invoiceColumns} from invoices where organization_id = $1 and contract_id = $2 and status <> 'void'
   order by number for no key update`,
);

/** The invoices of a contract that are not void, the first one first. */
export function lockInvoicesOfContract(
  tx: Database,
  organizationId: string,
  contractId: string,
): Promise<StoredInvoice[]> {
  return tx.query(ofContractStatement, [organizationId, contractId]);
}

const writeInvoiceStatement = pooled(
  "write_invoice",
  `update invoices set amount_cents = $3, due_on = $4,
     status = case when paid_cents = $3 then 'paid' else 'open' end
   where organization_id = $1 and id = $2`,
);

export async function writeInvoice(
  tx: Database,
  organizationId: string,
  id: string,
  { amountCents, dueOn }: Pick<StoredInvoice, "amountCents" | "dueOn">,
): Promise<void> {
  await tx.query(writeInvoiceStatement, [organizationId, id, amountCents, dueOn]);
}

const voidInvoicesStatement = pooled(
  "void_invoices",
  "update invoices set status = 'void' where organization_id = $1 and id = any ($2::uuid[])",
);

/** Nothing is paid of them any more. */
export async function voidInvoices(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  await tx.query(voidInvoicesStatement, [organizationId, ids]);
}

/** A payment as it is stored. */
export interface StoredPayment {
  readonly id: string;
  readonly clientId: string;
  readonly type: "payment" | "refund";
  readonly amountCents: number;
  readonly status: "done" | "void";
  readonly createdAt: string;
  readonly createdBy: string;
  /** Whether part of it was refunded. */
  readonly isRefunded: boolean;
}

const paymentsStatement = pooled(
  "lock_payments",
  `select p.id, p.client_id as "clientId", p.type, p.amount_cents as "amountCents", p.status,
     p.created_at as "createdAt", p.created_by as "createdBy",
     exists (
       select from payment_refunds r where r.organization_id = p.organization_id and r.payment_id = p.id
     ) as "isRefunded"
   from payments p where p.organization_id = $1 and p.id = any ($2::uuid[]) order by p.id for no key update of p`,
);

export function lockPayments(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<StoredPayment[]> {
  return tx.query(paymentsStatement, [organizationId, ids]);
}

export interface NewPayment {
  readonly id: string;
  readonly clientId: string;
  readonly type: "payment" | "refund";
  readonly method: PaymentMethod;
  readonly amountCents: number;
  readonly paidOn: string;
  readonly note?: string | undefined;
  readonly at: string;
  readonly by: string;
}

// The whole of a payment is a rest until it pays something.
const insertStatement = pooled(
  "insert_payment",
  `insert into payments (
     organization_id, id, number, client_id, type, method, amount_cents, rest_cents, paid_on, note, status, created_at,
     created_by
   )
   values (
     $1, $2, (select coalesce(max(number), 0) + 1 from payments where organization_id = $1), $3, $4, $5, $6,
     case $4::text when 'payment' then $6::bigint else 0 end, $7, $8, 'done', $9, $10
   )`,
);

export async function insertPayment(
  tx: Database,
  organizationId: string,
  payment: NewPayment,
): Promise<void> {
  const { id, clientId, type, method, amountCents, paidOn, note, at, by } = payment;
  await tx.query(insertStatement, [
    organizationId,
    id,
    clientId,
    type,
    method,
    amountCents,
    paidOn,
    note ?? null,
    at,
    by,
  ]);
}

const ofInvoicesStatement = pooled(
  "list_allocations_of_invoices",
  `select a.payment_id as "paymentId", a.invoice_id as "invoiceId", a.amount_cents as "amountCents"
   from payment_allocations a
   join payments p on p.organization_id = a.organization_id and p.id = a.payment_id
   where a.organization_id = $1 and a.invoice_id = any ($2::uuid[]) order by p.number, a.invoice_id`,
);

/** What pays these invoices, the first payment first. */
export function listAllocationsOf(
  tx: Database,
  organizationId: string,
  invoiceIds: readonly string[],
): Promise<Allocation[]> {
  return tx.query(ofInvoicesStatement, [organizationId, invoiceIds]);
}

const ofPaymentsStatement = pooled(
  "list_allocations_of_payments",
  `select payment_id as "paymentId", invoice_id as "invoiceId", amount_cents as "amountCents"
   from payment_allocations where organization_id = $1 and payment_id = any ($2::uuid[])`,
);

/** What these payments pay. */
export function listAllocationsBy(
  tx: Database,
  organizationId: string,
  paymentIds: readonly string[],
): Promise<Allocation[]> {
  return tx.query(ofPaymentsStatement, [organizationId, paymentIds]);
}

const voidPaymentsStatement = pooled(
  "void_payments",
  `with returned as (
     delete from payment_refunds where organization_id = $1 and refund_id = any ($2::uuid[])
     returning payment_id, amount_cents
   ), restored as (
     update payments p set rest_cents = p.rest_cents + r.amount_cents
     from (select payment_id, sum(amount_cents)::bigint as amount_cents from returned group by 1) r
     where p.organization_id = $1 and p.id = r.payment_id
   )
   update payments set status = 'void', rest_cents = 0 where organization_id = $1 and id = any ($2::uuid[])`,
);

/** Payments that pay nothing any more; the rests that a refund took are back. */
export async function voidPayments(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  await tx.query(voidPaymentsStatement, [organizationId, ids]);
}

const refundStatement = pooled(
  "take_rests",
  `with taken as (
     insert into payment_refunds (organization_id, refund_id, payment_id, amount_cents)
     select $1, $2, t.payment_id, t.amount_cents from unnest($3::uuid[], $4::bigint[]) as t (payment_id, amount_cents)
     returning payment_id, amount_cents
   )
   update payments p set rest_cents = p.rest_cents - t.amount_cents from taken t
   where p.organization_id = $1 and p.id = t.payment_id`,
);

/** Lets a refund take from the rests of payments. */
export async function takeRests(
  tx: Database,
  organizationId: string,
  refundId: string,
  taken: readonly { readonly paymentId: string; readonly amountCents: number }[],
): Promise<void> {
  await tx.query(refundStatement, [
    organizationId,
    refundId,
    taken.map(({ paymentId }) => paymentId),
    taken.map(({ amountCents }) => amountCents),
  ]);
}
