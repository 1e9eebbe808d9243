import type { TakeRecords } from "../../core/record-stream.ts";
import type { Database } from "../../db/database.ts";
import { recordBatches } from "../../db/record-batches.ts";
import { expensive, isRecord } from "../../db/statements.ts";
import type { MemberChange, MemberChanges } from "./schema.ts";

/**
 * Members gained and lost. A client is a member from the first day of a contract to the last day of the contracts that
 * follow it without a day between; a pause is no loss. Until the day that is given as `$4`, today: what is agreed for later has
 * not happened.
 *
 * Contracts from 01-10 to 03-09 and from 03-10 to 04-09, then one from 06-01: gained on 01-10, lost on 04-09, and gained
 * again, as somebody who returned, on 06-01.
 */

// A contract that was cancelled before it began never ran: its first day was left as its last. Of what was cancelled elsewhere
// and imported, the last day may be the one that was agreed.
//
// As a file it is planned for its values, so the organization is one that the planner cannot see wherever records are joined:
// see `isRecord`.
const changes = `
  touched as materialized (
    select distinct client_id from contracts
    where organization_id = $1 and (
      start_date between $2::date and $3::date or end_date between $2::date and $3::date
      or (cancelled_at at time zone 'UTC')::date between $2::date and $3::date
    )
  ), terms as (
    select c.client_id, c.id, c.plan_name, c.cancelled_at, c.cancelled_by, c.start_date as first_day,
      case
        when c.status = 'cancelled' and (c.cancelled_by is null
          or (c.end_date = c.start_date and (c.cancelled_at at time zone 'UTC')::date < c.start_date))
          then coalesce(least(c.end_date, (c.cancelled_at at time zone 'UTC')::date), c.start_date - 1)
        when c.status = 'expired' then coalesce(c.end_date, c.start_date - 1)
        else coalesce(c.end_date, 'infinity')
      end as last_day
    from contracts c join touched t on t.client_id = c.client_id
    where c.organization_id = (select $1::uuid) and c.start_date <= $4::date
  ), reached as (
    select *, max(last_day) over (
      partition by client_id order by first_day, id rows between unbounded preceding and 1 preceding
    ) as before
    from terms where first_day <= last_day
  ), members as (
    select *, before is null or first_day > before + 1 as is_first,
      count(*) filter (where before is null or first_day > before + 1) over (
        partition by client_id order by first_day, id
      ) as turn
    from reached
  ), ends as (
    select distinct on (client_id, turn) * from members order by client_id, turn, last_day desc, id desc
  ), changes as (
    select m.first_day as day, 'gained' as type, m.client_id, m.id, m.plan_name, m.before is not null as is_return,
      null as cause, null::uuid as cancelled_by
    from members m where m.is_first and m.first_day between $2::date and least($3::date, $4::date)
    union all
    select e.last_day, 'lost', e.client_id, e.id, e.plan_name, false,
      case when e.cancelled_at is null then 'expired' else 'cancelled' end, e.cancelled_by
    from ends e where e.last_day between $2::date and least($3::date, $4::date - 1)
  )`;

const monthsStatement = expensive(
  "count_member_changes",
  `with ${changes}
   select to_char(day, 'YYYY-MM') as month,
     count(*) filter (where type = 'gained')::int as gained, count(*) filter (where is_return)::int as returned,
     count(*) filter (where cause = 'cancelled')::int as cancelled,
     count(*) filter (where cause = 'expired')::int as expired
   from changes group by 1 order by 1`,
);

// As many reasons as one can look through.
const reasonsStatement = expensive(
  "count_reasons_of_loss",
  `with ${changes}
   select c.cause, a.reason, count(*)::int as members
   from changes c left join audit a on a.id = c.cancelled_by and a.organization_id = $1
   where c.cause is not null group by 1, 2 order by 3 desc, 1, 2 limit 100`,
);

/** The days that are asked for, and today. */
export interface ReportDays {
  readonly from: string;
  readonly until: string;
  readonly today: string;
}

/** The months that have any, and the reasons. */
export async function countMemberChanges(
  db: Database,
  organizationId: string,
  { from, until, today }: ReportDays,
): Promise<{ readonly months: MemberChanges["data"]; readonly reasons: MemberChanges["reasons"] }> {
  const values = [organizationId, from, until, today];
  const [months, reasons] = await Promise.all([
    db.query<MemberChanges["data"][number]>(monthsStatement, values),
    db.query<MemberChanges["reasons"][number]>(reasonsStatement, values),
  ]);
  return { months, reasons };
}

const listText = `with ${changes}
  select c.day, c.type, c.client_id as "clientId", k.contact_name as "clientName", c.id as "contractId",
    c.plan_name as "planName", c.is_return as "isReturn", c.cause, a.reason
  from changes c
  join clients k on ${isRecord("k", "c.client_id")}
  left join audit a on ${isRecord("a", "c.cancelled_by")}
  order by c.day, c.type, c.client_id`;

const totalStatement = expensive(
  "total_member_changes",
  `with ${changes} select count(*) as total from changes`,
);

/** Each of them, the first one first. */
export function readMemberChanges(
  db: Database,
  organizationId: string,
  { from, until, today }: ReportDays,
  take: TakeRecords<MemberChange>,
): Promise<void> {
  const values = [organizationId, from, until, today];
  return db.snapshot(async (tx) => {
    const [{ total = 0 } = {}] = await tx.query<{ total: number }>(totalStatement, values);
    await take({ total, version: 0, batches: recordBatches<MemberChange>(tx, listText, values) });
  });
}
