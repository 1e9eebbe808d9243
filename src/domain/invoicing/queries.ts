import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { pausesJson } from "../contract-status/pauses.ts";
import { storedInstant } from "../contract-status/queries.ts";
import type { StatusTimeline } from "../contract-status/status-timeline.ts";
import type { Allocation, OpenInvoice, RestOfPayment } from "./allocation.ts";
import type { InvoicedTerm } from "./invoice-days.ts";

/** What issuing and paying invoices reads and writes. The organization's row is locked: nobody else does it meanwhile. */

/** A contract whose next invoice is due, or to be computed. */
export interface ContractToInvoice
  extends StatusTimeline,
    Pick<InvoicedTerm, "priceCents" | "billingKind" | "billingInterval" | "startDate"> {
  readonly id: string;
  readonly clientId: string;
  readonly planName: string;
  readonly createdAt: string;
  /** When what the API shows of it changed last, such as its status. */
  readonly updatedAt: string;
  readonly isCancelledHere: boolean;
  readonly invoicedFrom?: string | undefined;
  /** Absent if it is to be computed. */
  readonly nextInvoiceAt?: string;
  /** Those that have an invoice. */
  readonly issuedPeriods: readonly number[];
}

// Chosen apart: the month of thousands may begin at the same instant, and what is read of each is read for the first of them alone.
// What is in another currency than the organization's is not invoiced.
const dueStatement = pooled(
  "lock_contracts_to_invoice",
  `with due as materialized (
     select id from contracts where organization_id = $1 and next_invoice_at <= $2
     order by next_invoice_at, id limit $3 for no key update
   )
   select c.id, c.client_id as "clientId", c.plan_name as "planName",
     case when c.currency = o.currency then c.price_cents else 0 end as "priceCents",
     c.billing_kind as "billingKind", c.billing_interval as "billingInterval", c.start_date as "startDate",
     c.end_date as "endDate", c.status, c.cancelled_at as "cancelledAt", c.created_at as "createdAt",
     c.updated_at as "updatedAt",
     c.cancelled_by is not null as "isCancelledHere", c.invoiced_from as "invoicedFrom",
     nullif(c.next_invoice_at, 'epoch') as "nextInvoiceAt", ${pausesJson("c")} as pauses,
     array(
       select i.period_number::bigint from invoices i where i.organization_id = $1 and i.contract_id = c.id
     ) as "issuedPeriods"
   from due d
   join contracts c on c.organization_id = $1 and c.id = d.id
   join organizations o on o.id = $1
   order by c.next_invoice_at, c.id`,
);

/** The first of the contracts whose next invoice is due; before them those that are to be computed. */
export function lockContractsToInvoice(
  tx: Database,
  organizationId: string,
  now: number,
  limit: number,
): Promise<ContractToInvoice[]> {
  return tx.query(dueStatement, [organizationId, storedInstant(now), limit]);
}

/** When the next invoice of a contract is issued. */
export interface NextInvoice {
  readonly contractId: string;
  readonly at?: number | undefined;
  readonly invoicedFrom?: string | undefined;
}

const writeNextStatement = pooled(
  "write_next_invoices",
  `update contracts c set next_invoice_at = w.next_invoice_at, invoiced_from = w.invoiced_from
   from unnest($2::uuid[], $3::timestamptz[], $4::date[]) as w (id, next_invoice_at, invoiced_from)
   where c.organization_id = $1 and c.id = w.id`,
);

export async function writeNextInvoices(
  tx: Database,
  organizationId: string,
  next: readonly NextInvoice[],
): Promise<void> {
  if (next.length === 0) return;
  await tx.query(writeNextStatement, [
    organizationId,
    next.map(({ contractId }) => contractId),
    next.map(({ at }) => storedInstant(at)),
    next.map(({ invoicedFrom }) => invoicedFrom ?? null),
  ]);
}

const markStatement = pooled(
  "mark_contracts_to_invoice",
  `update contracts c set next_invoice_at = case when o.invoices_from is not null and c.price_cents > 0 then 'epoch'::timestamptz end
   from organizations o
   where c.organization_id = $1 and o.id = $1
     and (c.next_invoice_at is not null or (o.invoices_from is not null and c.price_cents > 0))`,
);

/** Lets the next invoice of every contract be computed again: the settings are others, or the clocks. */
export async function markContractsToInvoice(tx: Database, organizationId: string): Promise<void> {
  await tx.query(markStatement, [organizationId]);
}

const numberStatement = pooled(
  "last_invoice_number",
  "select coalesce(max(number), 0) as number from invoices where organization_id = $1",
);

/** The number that was given out last. */
export async function lastInvoiceNumber(tx: Database, organizationId: string): Promise<number> {
  const [row] = await tx.query<{ number: number }>(numberStatement, [organizationId]);
  return row?.number ?? 0;
}

/** An invoice as it is issued. */
export interface NewInvoice {
  readonly id: string;
  readonly number: number;
  readonly clientId: string;
  readonly contractId?: string;
  readonly periodNumber?: number;
  readonly description: string;
  readonly periodFirst?: string;
  readonly periodLast?: string;
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly amountCents: number;
}

const insertStatement = pooled(
  "insert_invoices",
  `insert into invoices (
     organization_id, id, number, client_id, contract_id, period_number, description, period_first, period_last,
     issued_on, due_on, amount_cents, paid_cents, status
   )
   select $1, i.id, i.number, i."clientId", i."contractId", i."periodNumber", i.description, i."periodFirst",
     i."periodLast", i."issuedOn", i."dueOn", i."amountCents", 0, 'open'
   from json_to_recordset($2) as i(
     id uuid, number int, "clientId" uuid, "contractId" uuid, "periodNumber" int, description text, "periodFirst" date,
     "periodLast" date, "issuedOn" date, "dueOn" date, "amountCents" bigint
   )`,
);

export async function insertInvoices(
  tx: Database,
  organizationId: string,
  invoices: readonly NewInvoice[],
): Promise<void> {
  await tx.query(insertStatement, [organizationId, JSON.stringify(invoices)]);
}

const restsStatement = pooled(
  "list_rests_of_payments",
  `select id as "paymentId", client_id as "clientId", rest_cents as "restCents" from payments
   where organization_id = $1 and client_id = any ($2::uuid[]) and rest_cents > 0 order by paid_on, number`,
);

/** What is left of payments of these clients, the oldest first. */
export function listRests(
  tx: Database,
  organizationId: string,
  clientIds: readonly string[],
): Promise<(RestOfPayment & { readonly clientId: string })[]> {
  return tx.query(restsStatement, [organizationId, clientIds]);
}

const openStatement = pooled(
  "list_open_invoices",
  `select id as "invoiceId", amount_cents - paid_cents as "openCents" from invoices
   where organization_id = $1 and client_id = $2 and status = 'open' order by due_on, number`,
);

/** The open invoices of a client, in the order in which they are paid. */
export function listOpenInvoices(
  tx: Database,
  organizationId: string,
  clientId: string,
): Promise<OpenInvoice[]> {
  return tx.query(openStatement, [organizationId, clientId]);
}

const addStatement = pooled(
  "add_allocations",
  `with given as (
     select * from unnest($2::uuid[], $3::uuid[], $4::bigint[]) as g (payment_id, invoice_id, amount_cents)
   ), added as (
     insert into payment_allocations as a (organization_id, payment_id, invoice_id, amount_cents)
     select $1, payment_id, invoice_id, amount_cents from given
     on conflict (organization_id, payment_id, invoice_id) do update set amount_cents = a.amount_cents + excluded.amount_cents
   ), used as (
     update payments p set rest_cents = p.rest_cents - g.amount_cents
     from (select payment_id, sum(amount_cents)::bigint as amount_cents from given group by 1) g
     where p.organization_id = $1 and p.id = g.payment_id
   )
   update invoices i set paid_cents = i.paid_cents + g.amount_cents,
     status = case when i.paid_cents + g.amount_cents = i.amount_cents then 'paid' else 'open' end
   from (select invoice_id, sum(amount_cents)::bigint as amount_cents from given group by 1) g
   where i.organization_id = $1 and i.id = g.invoice_id`,
);

/** Lets rests of payments pay open invoices. */
export async function addAllocations(
  tx: Database,
  organizationId: string,
  allocations: readonly Allocation[],
): Promise<void> {
  if (allocations.length > 0) await tx.query(addStatement, [organizationId, ...columnsOf(allocations)]);
}

const reduceStatement = pooled(
  "reduce_allocations",
  `with given as (
     select * from unnest($2::uuid[], $3::uuid[], $4::bigint[]) as g (payment_id, invoice_id, amount_cents)
   ), gone as (
     delete from payment_allocations a using given g
     where a.organization_id = $1 and a.payment_id = g.payment_id and a.invoice_id = g.invoice_id
       and a.amount_cents = g.amount_cents
   ), smaller as (
     update payment_allocations a set amount_cents = a.amount_cents - g.amount_cents from given g
     where a.organization_id = $1 and a.payment_id = g.payment_id and a.invoice_id = g.invoice_id
       and a.amount_cents > g.amount_cents
   ), freed as (
     update payments p set rest_cents = p.rest_cents + g.amount_cents
     from (select payment_id, sum(amount_cents)::bigint as amount_cents from given group by 1) g
     where p.organization_id = $1 and p.id = g.payment_id
   )
   update invoices i set paid_cents = i.paid_cents - g.amount_cents, status = 'open'
   from (select invoice_id, sum(amount_cents)::bigint as amount_cents from given group by 1) g
   where i.organization_id = $1 and i.id = g.invoice_id`,
);

/** Takes parts of allocations back: they are rests of their payments again, and open on their invoices. */
export async function reduceAllocations(
  tx: Database,
  organizationId: string,
  allocations: readonly Allocation[],
): Promise<void> {
  if (allocations.length > 0) await tx.query(reduceStatement, [organizationId, ...columnsOf(allocations)]);
}

function columnsOf(allocations: readonly Allocation[]): [string[], string[], number[]] {
  return [
    allocations.map(({ paymentId }) => paymentId),
    allocations.map(({ invoiceId }) => invoiceId),
    allocations.map(({ amountCents }) => amountCents),
  ];
}

// The row that the audit entries of this transaction move too, so that it locks one.
const moveVersionStatement = pooled(
  "move_staff_version",
  `insert into staff_versions as v (organization_id, slot, version)
   values ($1, pg_current_xact_id()::text::bigint % 16, 1)
   on conflict (organization_id, slot) do update set version = v.version + 1`,
);

/** Lets open consoles see what was issued without an audit entry. */
export async function moveStaffVersion(tx: Database, organizationId: string): Promise<void> {
  await tx.query(moveVersionStatement, [organizationId]);
}
