import { LAST_DATE } from "../../src/core/dates.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { sumIncome } from "../../src/domain/money/queries.ts";

const deviations = pooled(
  "test_money_deviations",
  `select 'payment ' || p.number || ' is not what it pays, what is left and what was refunded' as it
   from payments p
   where p.organization_id = $1 and p.type = 'payment' and case p.status when 'done' then p.amount_cents else 0 end <> p.rest_cents
     + coalesce((select sum(a.amount_cents) from payment_allocations a
                 where a.organization_id = $1 and a.payment_id = p.id), 0)
     + coalesce((select sum(r.amount_cents) from payment_refunds r
                 where r.organization_id = $1 and r.payment_id = p.id), 0)
   union all
   select 'refund ' || p.number || ' is not what it takes from payments' from payments p
   where p.organization_id = $1 and p.type = 'refund' and case p.status when 'done' then p.amount_cents else 0 end
     <> coalesce((select sum(r.amount_cents) from payment_refunds r
                  where r.organization_id = $1 and r.refund_id = p.id), 0)
   union all
   select 'invoice ' || i.number || ' is not paid by its allocations' from invoices i
   where i.organization_id = $1 and i.paid_cents <> coalesce((
     select sum(a.amount_cents) from payment_allocations a where a.organization_id = $1 and a.invoice_id = i.id), 0)
   union all
   select 'invoice ' || i.number || ' is paid beyond its amount' from invoices i
   where i.organization_id = $1 and i.paid_cents > i.amount_cents
   union all
   select 'a balance is ' || sum(p.rest_cents) from payments p
   where p.organization_id = $1 group by p.client_id having sum(p.rest_cents) < 0
   union all
   select 'a period was invoiced ' || count(*) || ' times' from invoices i
   where i.organization_id = $1 and i.contract_id is not null group by i.contract_id, i.period_number having count(*) > 1
   union all
   select 'an invoice is paid by a payment of another client' from payment_allocations a
   join invoices i on i.organization_id = $1 and i.id = a.invoice_id
   join payments p on p.organization_id = $1 and p.id = a.payment_id
   where a.organization_id = $1 and i.client_id <> p.client_id
   union all
   select 'invoices are not numbered 1 to ' || count(*) from invoices where organization_id = $1
   having coalesce(max(number), 0) <> count(*)
   union all
   select 'payments are not numbered 1 to ' || count(*) from payments where organization_id = $1
   having coalesce(max(number), 0) <> count(*)
   union all
   select 'the organization is due later than its next invoice' from organizations o
   where o.id = $1 and coalesce(o.due_at, 'infinity') > (
     select min(next_invoice_at) from contracts where organization_id = $1)`,
);

const incomeStatement = pooled(
  "test_money_income",
  `select coalesce(sum(case p.type when 'payment' then p.amount_cents else -p.amount_cents end), 0)::bigint as received
   from payments p where p.organization_id = $1 and p.status = 'done'`,
);

/** What must hold at any time of invoices and payments; the sentences of what does not. */
export async function findMoneyDeviations(
  { db }: { readonly db: Database },
  organizationId: string,
): Promise<string[]> {
  const found = await db.query<{ it: string }>(deviations, [organizationId]);
  const [stored] = await db.query<{ received: number }>(incomeStatement, [organizationId]);
  const income = await sumIncome(db, organizationId, { from: "2000-01-01", to: LAST_DATE });
  const shown = income.received.reduce((sum, { receivedCents }) => sum + receivedCents, 0);
  const differs = shown === stored?.received ? [] : [`the income is ${shown} and not ${stored?.received}`];
  return [...found.map(({ it }) => it), ...differs];
}
