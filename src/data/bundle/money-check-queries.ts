import { MAX_FAULTS } from "../../core/limits.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import type { StagedFault } from "./check-queries.ts";

/** What invoices and payments of a file must agree on, with each other and with what is stored beside them. */

/** Parts of staged payments by what they concern: invoices that they pay, or payments that refunds took from. */
const givenParts = (list: "allocations" | "refunds") => `
  select (p.part->>'id')::uuid as id, sum((p.part->>'amountCents')::bigint) as cents, min(y.line) as line
  from import_payments y cross join jsonb_array_elements(y.${list}) as p(part) group by 1`;

/** The same of stored payments that are not in the file. */
const storedParts = (table: string, owner: string, column: string) => `
  select a.${column} as id, sum(a.amount_cents) as cents from ${table} a
  where a.organization_id = $1 and not exists (select from import_payments y where y.id = a.${owner}) group by 1`;

const given = `
  paid as materialized (${givenParts("allocations")}),
  paid_before as materialized (${storedParts("payment_allocations", "payment_id", "invoice_id")}),
  taken as materialized (${givenParts("refunds")}),
  taken_before as materialized (${storedParts("payment_refunds", "refund_id", "payment_id")})`;

const sumsStatement = pooled(
  "import_differing_sums",
  `with ${given}
   select s.line, 'paidCents' as place, 'invoice' as kind from import_invoices s
   left join paid p on p.id = s.id left join paid_before b on b.id = s.id
   where s.paid_cents <> coalesce(p.cents, 0) + coalesce(b.cents, 0)
   union all
   -- What a payment of the file pays now, or paid until now, of an invoice that is not in it.
   select t.line, 'allocations', 'payment' from (
     select id, min(line) as line from (
       select id, line from paid
       union all
       select a.invoice_id, y.line from import_payments y
       join payment_allocations a on a.organization_id = $1 and a.payment_id = y.id
     ) u group by id
   ) t
   join invoices c on c.organization_id = $1 and c.id = t.id
   left join paid p on p.id = t.id left join paid_before b on b.id = t.id
   where not exists (select from import_invoices s where s.id = t.id)
     and c.paid_cents <> coalesce(p.cents, 0) + coalesce(b.cents, 0)
   union all
   select s.line, 'restCents', 'payment' from import_payments s
   left join taken t on t.id = s.id left join taken_before b on b.id = s.id
   where (case when s.type = 'payment' and s.status = 'done' then s.amount_cents else 0 end)
     <> s.rest_cents + coalesce((select sum((p.part->>'amountCents')::bigint) from jsonb_array_elements(s.allocations) as p(part)), 0)
       + coalesce(t.cents, 0) + coalesce(b.cents, 0)
   union all
   select t.line, 'refunds', 'payment' from taken t
   join payments c on c.organization_id = $1 and c.id = t.id
   left join taken_before b on b.id = t.id
   where not exists (select from import_payments s where s.id = t.id)
     and c.amount_cents <> c.rest_cents + t.cents + coalesce(b.cents, 0) + coalesce((
       select sum(a.amount_cents) from payment_allocations a where a.organization_id = $1 and a.payment_id = t.id), 0)
   union all
   -- Nobody pays for another client.
   select y.line, 'allocations', 'payment' from import_payments y cross join jsonb_array_elements(y.allocations) as p(part)
   left join import_invoices s on s.id = (p.part->>'id')::uuid
   left join invoices c on c.organization_id = $1 and c.id = (p.part->>'id')::uuid
   where coalesce(s.client_id, c.client_id) <> y.client_id
   order by line limit $2`,
);

export interface MoneyFault extends StagedFault {
  readonly kind: "invoice" | "payment";
}

/** Invoices and payments that do not agree about what was paid. */
export function findDifferingSums(tx: Database, organizationId: string): Promise<MoneyFault[]> {
  return tx.query(sumsStatement, [organizationId, MAX_FAULTS]);
}

/** Lines that have the number, or are for the period, of a line before them or of a stored record that is not in the file. */
const twice = (table: string, kindParameter: string, placeParameter: string, columns: readonly string[]) => {
  const listed = columns.join(", ");
  const isGiven = columns.map((column) => `${column} is not null`).join(" and ");
  const isSame = columns.map((column) => `c.${column} = s.${column}`).join(" and ");
  return `
    select line, ${placeParameter}::text as place, ${kindParameter}::text as kind from (
      select line, row_number() over (partition by ${listed} order by line) as turn from import_${table} where ${isGiven}
    ) staged where turn > 1
    union
    -- One by one by its unique key: of the staged columns no statistics are known, and a join was planned that compares all with all.
    select s.line, ${placeParameter}::text, ${kindParameter}::text from import_${table} s
    cross join lateral (select c.id from ${table} c where c.organization_id = $1 and ${isSame} limit 1) c
    where c.id <> s.id and not exists (select from import_${table} o where o.id = c.id)`;
};

const numbersStatement = pooled(
  "import_repeated_numbers",
  `${twice("invoices", "$3", "$5", ["number"])}
   union ${twice("payments", "$4", "$5", ["number"])}
   union ${twice("invoices", "$3", "$6", ["contract_id", "period_number"])}
   order by line limit $2`,
);

export function findRepeatedNumbers(tx: Database, organizationId: string): Promise<MoneyFault[]> {
  return tx.query(numbersStatement, [organizationId, MAX_FAULTS, "invoice", "payment", "number", "period"]);
}
