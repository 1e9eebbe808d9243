import type { TakeRecords } from "../../core/record-stream.ts";
import type { Database } from "../../db/database.ts";
import {
  byShape,
  type ListQuery,
  type Page,
  type PageReach,
  type PageRequest,
  type PageRow,
  pageStatement,
  pageValues,
  reachOf,
  readWhole,
  toPage,
} from "../../db/pages.ts";
import { expensive, pooled } from "../../db/statements.ts";
import type { InvoicedSum, ReceivedSum } from "./rules.ts";
import type {
  AccountSums,
  ClientAccount,
  DebtorPage,
  DebtorQuery,
  Invoice,
  InvoiceQuery,
  ListedInvoice,
  ListedPayment,
  Payment,
  PaymentQuery,
} from "./schema.ts";

/** What the staff reads of invoices and payments. `today` is the date now in the organization's timezone. */

export const invoiceColumns = (today: string) => `
  r.id, r.number, r.client_id as "clientId", r.contract_id as "contractId", r.description,
  r.period_first as "periodFirst", r.period_last as "periodLast", r.issued_on as "issuedOn", r.due_on as "dueOn",
  r.amount_cents as "amountCents", r.paid_cents as "paidCents", r.status,
  r.status = 'open' and r.due_on < ${today} as "isOverdue"`;

export const paymentColumns = `
  r.id, r.number, r.client_id as "clientId", r.type, r.amount_cents as "amountCents", r.rest_cents as "restCents",
  r.method, r.paid_on as "paidOn", r.note, r.status,
  (select coalesce(json_agg(json_build_object('invoiceId', a.invoice_id, 'amountCents', a.amount_cents)
     order by i.number), '[]')
   from payment_allocations a
   join invoices i on i.organization_id = a.organization_id and i.id = a.invoice_id
   where a.organization_id = r.organization_id and a.payment_id = r.id) as allocations`;

const clientName = `(
  select c.contact_name from clients c where c.organization_id = r.organization_id and c.id = r.client_id
) as "clientName"`;

/** A filter's condition on the columns of its table. */
type FilterConditions = Readonly<Record<string, (parameter: string) => string>>;

// `$4` is today, whatever else is asked for.
const INVOICE_FILTERS: FilterConditions = {
  clientId: (parameter) => `client_id = ${parameter}::uuid`,
  status: (parameter) =>
    `(status = ${parameter}::text or (${parameter}::text = 'overdue' and status = 'open' and due_on < $4::date))`,
  from: (parameter) => `issued_on >= ${parameter}::date`,
  to: (parameter) => `issued_on <= ${parameter}::date`,
};

const PAYMENT_FILTERS: FilterConditions = {
  clientId: (parameter) => `client_id = ${parameter}::uuid`,
  status: (parameter) => `status = ${parameter}::text`,
  method: (parameter) => `method = ${parameter}::text`,
  from: (parameter) => `paid_on >= ${parameter}::date`,
  to: (parameter) => `paid_on <= ${parameter}::date`,
};

interface ListShape {
  readonly names: readonly string[];
  readonly reach: PageReach;
}

/** What the filters match of a table, the newest first: pages of it, and all of it. */
function moneyList<Item extends object, Query extends PageRequest>(
  table: "invoices" | "payments",
  columns: string,
  filters: FilterConditions,
) {
  const statementOf = byShape(({ names, reach }: ListShape) => {
    const conditions = names.map((name, place) => ` and ${filters[name]?.(`$${place + 5}`)}`).join("");
    return pageStatement({
      name: [`list_${table}`, ...names].join("_"),
      // No version covers them: they are read as they are, and never kept.
      reads: ["clients"],
      table,
      columns: `${columns}, ${clientName}`,
      // All have a place in the statement, so that its parameters are the same.
      source: ({ holds }) =>
        `select id from ${table} where organization_id = $1 and $4::date is not null${conditions}${holds("id")}`,
      reach,
      isReplanned: true,
    });
  });

  const queryOf = (filter: object, today: string, reach: PageReach): ListQuery => {
    const given = filter as Readonly<Record<string, unknown>>;
    const names = Object.keys(filters).filter((name) => given[name] !== undefined);
    return { statement: statementOf({ names, reach }), values: [today, ...names.map((name) => given[name])] };
  };

  return {
    page: async (db: Database, organizationId: string, query: Query, today: string): Promise<Page<Item>> => {
      const { statement, values } = queryOf(query, today, reachOf(query));
      const rows = await db.query<Item & PageRow>(statement, [
        ...pageValues(organizationId, query),
        ...values,
      ]);
      return toPage(rows, query, (row) => row).content;
    },
    whole: (
      db: Database,
      organizationId: string,
      filter: Omit<Query, keyof PageRequest>,
      today: string,
      take: TakeRecords<Item>,
    ): Promise<void> =>
      readWhole(
        db,
        organizationId,
        (reach) => queryOf(filter, today, reach),
        (row: Item) => row,
        take,
      ),
  };
}

export const invoiceList = moneyList<ListedInvoice, InvoiceQuery>(
  "invoices",
  invoiceColumns("$4::date"),
  INVOICE_FILTERS,
);
export const paymentList = moneyList<ListedPayment, PaymentQuery>(
  "payments",
  paymentColumns,
  PAYMENT_FILTERS,
);

const { MAX_SAFE_INTEGER: MAX_SAFE } = Number;

/** A sum that is a number in any case: who enters the largest amounts there are a thousand times must break no list. */
const sumOfCents = (cents: string, filter = "") =>
  `greatest(least(coalesce(sum(${cents})${filter}, 0), ${MAX_SAFE}), -${MAX_SAFE})::bigint`;

const sumsStatement = pooled(
  "read_account_sums",
  `select c.id as "clientId",
     ${sumOfCents("i.amount_cents - i.paid_cents")} as "openCents",
     ${sumOfCents("i.amount_cents - i.paid_cents", " filter (where i.due_on < $3::date)")} as "overdueCents",
     (select ${sumOfCents("p.rest_cents")} from payments p
      where p.organization_id = $1 and p.client_id = $2 and p.rest_cents > 0) as "balanceCents",
     min(i.due_on) filter (where i.due_on < $3::date) as "owesSince"
   from clients c
   left join invoices i on i.organization_id = $1 and i.client_id = c.id and i.status = 'open'
   where c.organization_id = $1 and c.id = $2 group by c.id`,
);

/** What a client owes and has; undefined if there is no such client. */
export async function findAccountSums(
  db: Database,
  organizationId: string,
  clientId: string,
  today: string,
): Promise<(AccountSums & Pick<ClientAccount, "owesSince">) | undefined> {
  const [sums] = await db.query<AccountSums & Pick<ClientAccount, "owesSince">>(sumsStatement, [
    organizationId,
    clientId,
    today,
  ]);
  return sums;
}

const clientInvoicesStatement = pooled(
  "list_client_invoices",
  `select ${invoiceColumns("$3::date")} from invoices r where r.organization_id = $1 and r.client_id = $2
   order by r.issued_on, r.number`,
);

export function listInvoicesOf(
  db: Database,
  organizationId: string,
  clientId: string,
  today: string,
): Promise<Invoice[]> {
  return db.query(clientInvoicesStatement, [organizationId, clientId, today]);
}

const clientPaymentsStatement = pooled(
  "list_client_payments",
  `select ${paymentColumns} from payments r where r.organization_id = $1 and r.client_id = $2
   order by r.paid_on, r.number`,
);

export function listPaymentsOf(db: Database, organizationId: string, clientId: string): Promise<Payment[]> {
  return db.query(clientPaymentsStatement, [organizationId, clientId]);
}

const findInvoiceStatement = pooled(
  "find_invoice",
  `select ${invoiceColumns("$3::date")} from invoices r where r.organization_id = $1 and r.id = $2`,
);

export async function findInvoice(
  db: Database,
  organizationId: string,
  id: string,
  today: string,
): Promise<Invoice | undefined> {
  const [invoice] = await db.query<Invoice>(findInvoiceStatement, [organizationId, id, today]);
  return invoice;
}

const findPaymentStatement = pooled(
  "find_payment",
  `select ${paymentColumns} from payments r where r.organization_id = $1 and r.id = $2`,
);

export async function findPayment(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Payment | undefined> {
  const [payment] = await db.query<Payment>(findPaymentStatement, [organizationId, id]);
  return payment;
}

const invoicedStatement = expensive(
  "sum_invoices",
  `select to_char(issued_on, 'YYYY-MM') as month,
     case when period_number is null then '' else description end as description,
     ${sumOfCents("amount_cents")} as "invoicedCents", ${sumOfCents("amount_cents - paid_cents")} as "openCents",
     ${sumOfCents("paid_cents")} as "receivedCents"
   from invoices where organization_id = $1 and issued_on between $2::date and $3::date and status <> 'void'
   group by 1, 2`,
);

const receivedStatement = expensive(
  "sum_payments",
  `select to_char(paid_on, 'YYYY-MM') as month, method, count(*) as payments,
     ${sumOfCents("case type when 'refund' then -amount_cents else amount_cents end")} as "receivedCents"
   from payments where organization_id = $1 and paid_on between $2::date and $3::date and status = 'done'
   group by 1, 2`,
);

export async function sumIncome(
  db: Database,
  organizationId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<{ readonly invoiced: InvoicedSum[]; readonly received: ReceivedSum[] }> {
  const values = [organizationId, from, to];
  const [invoiced, received] = await Promise.all([
    db.query<InvoicedSum>(invoicedStatement, values),
    db.query<ReceivedSum>(receivedStatement, values),
  ]);
  return { invoiced, received };
}

/** The day since which a client owes something that is overdue, as a column of a row that has the client's id. */
export const owesSinceColumn = (clientId: string, today: string) => `(
  select min(i.due_on) from invoices i
  where i.organization_id = $1 and i.client_id = ${clientId} and i.status = 'open' and i.due_on < ${today}
) as "owesSince"`;

const owesSinceStatement = pooled("find_owes_since", `select ${owesSinceColumn("$2", "$3::date")}`);

export async function findOwesSince(
  db: Database,
  organizationId: string,
  clientId: string,
  today: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ owesSince?: string }>(owesSinceStatement, [organizationId, clientId, today]);
  return row?.owesSince;
}

// Total and sums stand apart from the rows, as a page past the end has none.
const debtorsStatement = expensive(
  "list_debtors",
  `with owing as materialized (
     select client_id, min(due_on) as due_on, ${sumOfCents("amount_cents - paid_cents")} as open_cents,
       ${sumOfCents("amount_cents - paid_cents", " filter (where due_on < $4::date)")} as overdue_cents
     from invoices where organization_id = $1 and status = 'open' group by client_id
   ), page as (
     select * from owing order by due_on, client_id limit $2 offset $3
   )
   select t.*, p.client_id as "clientId", c.contact_name as "clientName", c.contact_email as "clientEmail",
     c.contact_phone as "clientPhone", p.due_on as "dueOn", p.open_cents as "openCents",
     p.overdue_cents as "overdueCents"
   from (
     select count(*) as total, ${sumOfCents("open_cents")} as "allOpenCents",
       ${sumOfCents("overdue_cents")} as "allOverdueCents"
     from owing
   ) t
   left join (page p join clients c on c.organization_id = $1 and c.id = p.client_id) on true
   order by p.due_on, p.client_id`,
);

interface DebtorRow {
  readonly total: number;
  readonly allOpenCents: number;
  readonly allOverdueCents: number;
}

/** Who owes something, by client: what is due longest first. */
export async function listDebtors(
  db: Database,
  organizationId: string,
  { limit, offset }: DebtorQuery,
  today: string,
): Promise<DebtorPage> {
  const rows = await db.query<DebtorRow & Partial<DebtorPage["data"][number]>>(debtorsStatement, [
    organizationId,
    limit,
    offset,
    today,
  ]);
  const { total = 0, allOpenCents = 0, allOverdueCents = 0 } = rows[0] ?? {};
  const data = rows.flatMap(({ total: _, allOpenCents: __, allOverdueCents: ___, ...debtor }) =>
    debtor.clientId === undefined ? [] : [debtor as DebtorPage["data"][number]],
  );
  return { data, limit, offset, total, openCents: allOpenCents, overdueCents: allOverdueCents };
}

const owingStatement = pooled(
  "list_owing_clients",
  `with overdue as (
     select client_id, min(due_on) as since from invoices
     where organization_id = $1 and status = 'open' and due_on < $2::date
       and ($4::uuid is null or exists (
         select from client_locations l
         where l.organization_id = $1 and l.client_id = invoices.client_id and l.location_id = $4
       ))
     group by client_id
   ), first as (
     select * from overdue order by since, client_id limit $3
   )
   select f.client_id as "clientId", c.contact_name as "clientName", c.contact_email as "clientEmail",
     c.contact_phone as "clientPhone", f.since,
     (select ${sumOfCents("i.amount_cents - i.paid_cents")} from invoices i
      where i.organization_id = $1 and i.client_id = f.client_id and i.status = 'open') as "openCents",
     (select count(*) from overdue) as total
   from first f join clients c on c.organization_id = $1 and c.id = f.client_id
   order by f.since, f.client_id`,
);

/** Somebody with an invoice that is overdue. */
export interface OwingClient {
  readonly clientId: string;
  readonly clientName: string;
  readonly clientEmail?: string;
  readonly clientPhone?: string;
  /** When the first of these invoices was due. */
  readonly since: string;
  /** Of all invoices, overdue or not. */
  readonly openCents: number;
}

/** Who owes something that is overdue, the longest first; everywhere, or of one location. */
export async function listOwing(
  db: Database,
  organizationId: string,
  {
    today,
    limit,
    locationId,
  }: { readonly today: string; readonly limit: number; readonly locationId?: string | undefined },
): Promise<{ readonly data: OwingClient[]; readonly total: number }> {
  const values = [organizationId, today, limit, locationId ?? null];
  const rows = await db.query<OwingClient & { readonly total: number }>(owingStatement, values);
  return { data: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
}
