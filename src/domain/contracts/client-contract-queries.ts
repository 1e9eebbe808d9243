import { type Actor, hasRole } from "../../core/actor.ts";
import { instantText } from "../../core/clock.ts";
import { OWN_WRITE_MS } from "../../core/undo.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { pausesJson } from "../contract-status/pauses.ts";
import { contractEntitlementTable, entitlementsJson } from "../plans/entitlements.ts";
import { contractColumns } from "./queries.ts";
import { SALE_UNDONE_MS } from "./rules.ts";
import type { ClientContracts, ListedContract } from "./schema.ts";

/** What the page of a client shows of its contracts. */

const MOST = 200;

/** The days of a period, both included. */
interface DayRange {
  readonly firstDay: string;
  readonly lastDay: string;
}

/** The day, the week and the month of today. */
export interface Periods {
  readonly day: DayRange;
  readonly week: DayRange;
  readonly month: DayRange;
}

// Counted as coverage counts: bookings that hold a draw, by the session's own date; without a period all of them.
const visitsInPeriod = `
  case when e.type = 'access' and e.max_visits_per_period is not null then (
    select count(*) from bookings b
    where b.organization_id = e.organization_id and b.entitlement_id = e.id and b.state <> 'cancelled'
      and b.visit_date between
        case e.period when 'day' then $3::date when 'week' then $5::date when 'month' then $7::date
          else '-infinity' end
        and case e.period when 'day' then $4::date when 'week' then $6::date when 'month' then $8::date
          else 'infinity' end
  ) end`;

const entitlements = entitlementsJson(contractEntitlementTable, "r", {
  serviceTypeName: `(
    select s.name from service_types s where s.organization_id = e.organization_id and s.id = e.service_type_id)`,
  serviceGroupName: `(
    select g.name from service_groups g where g.organization_id = e.organization_id and g.id = e.service_group_id)`,
  visitsInPeriod,
});

const listStatement = pooled(
  "list_contracts_of_client",
  `select ${contractColumns}, r.terms, ${pausesJson("r")} as pauses, ${entitlements} as entitlements,
     array(
       select l.name from contract_locations c
       join locations l on l.organization_id = c.organization_id and l.id = c.location_id
       where c.organization_id = r.organization_id and c.contract_id = r.id order by l.name, l.id
     ) as "locationNames",
     r.cancelled_by is not null as "cancelledHere",
     r.created_at >= $10::timestamptz - ${SALE_UNDONE_MS} * interval '1 ms'
       and not exists (select from bookings b where b.organization_id = $1 and b.contract_id = r.id)
       and ($11::text is null or exists (
         select from audit s
         where s.organization_id = $1 and s.contract_id = r.id and s.action = 'sellContract' and s.actor = $11
           and s.at >= $10::timestamptz - ${OWN_WRITE_MS} * interval '1 ms'
       )) as "isSaleUndoable"
   from contracts r where r.organization_id = $1 and r.client_id = $2
   order by r.status in ('cancelled', 'expired'), r.id desc limit $9`,
);

const countStatement = pooled(
  "count_contracts_of_client",
  `select (select count(*) from contracts where organization_id = $1 and client_id = $2) as total,
     exists (select from clients where organization_id = $1 and id = $2) as "isKnown",
     (select at from erasures where organization_id = $1 and client_id = $2) as "erasedAt"`,
);

/** The contracts of a client, those that run first; undefined if there is no such client. */
export async function listClientContracts(
  db: Database,
  organizationId: string,
  clientId: string,
  { day, week, month }: Periods,
  { now, actor }: { readonly now: number; readonly actor: Actor },
): Promise<Pick<ClientContracts, "data" | "total" | "erasedAt"> | undefined> {
  const [count] = await db.query<{ total: number; isKnown: boolean; erasedAt?: string }>(countStatement, [
    organizationId,
    clientId,
  ]);
  if (!count?.isKnown) return undefined;
  const { total, erasedAt } = count;
  const periods = [day, week, month].flatMap(({ firstDay, lastDay }) => [firstDay, lastDay]);
  const data = await db.query<ListedContract>(listStatement, [
    organizationId,
    clientId,
    ...periods,
    MOST,
    instantText(now),
    hasRole(actor, "manager") ? null : actor.name,
  ]);
  return { data, total, ...(erasedAt !== undefined && { erasedAt }) };
}
