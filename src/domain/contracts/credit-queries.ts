import type { Database } from "../../db/database.ts";
import { expensive, pooled } from "../../db/statements.ts";
import { actorName } from "../audit/list-audit-queries.ts";
import type { CreditLine } from "./schema.ts";

/** What happened to the credits of a contract, as bookings and the audit trail have it. */

/** The beginning of a balance, and what is left of it. */
export interface CreditBalance {
  readonly entitlementId: string;
  readonly remainingCredits: number;
  /** What it began with: whatever is left, is drawn, or was adjusted came from that. */
  readonly granted: number;
  /** How many lines its visits and adjustments make. */
  readonly events: number;
}

type Who = Pick<CreditLine, "actor" | "actorName" | "action" | "reason">;

/** The sale of a contract; nobody if it was imported. */
export interface CreditContract extends Who {
  readonly createdAt: string;
}

const contractStatement = pooled(
  "find_contract_of_credits",
  `select k.created_at as "createdAt", a.actor, ${actorName("a")} as "actorName", a.action
   from contracts k
   left join lateral (
     select * from audit s
     where s.organization_id = $1 and s.contract_id = $2 and s.action = 'sellContract' order by s.id limit 1
   ) a on true
   where k.organization_id = $1 and k.id = $2`,
);

export async function findCreditContract(
  db: Database,
  organizationId: string,
  contractId: string,
): Promise<CreditContract | undefined> {
  const [contract] = await db.query<CreditContract>(contractStatement, [organizationId, contractId]);
  return contract;
}

const balancesStatement = pooled(
  "list_credit_balances",
  `select e.id as "entitlementId", e.remaining_credits as "remainingCredits",
     (e.remaining_credits + b.held - a.adjusted)::int as granted, (b.lines + a.lines)::int as events
   from contract_entitlements e
   cross join lateral (
     select count(*) filter (where state <> 'cancelled') as held, count(*) + count(ended_at) as lines
     from bookings where organization_id = $1 and entitlement_id = e.id
   ) b
   cross join lateral (
     select coalesce(sum((details ->> 'after')::int - (details ->> 'before')::int), 0) as adjusted, count(*) as lines
     from audit
     where organization_id = $1 and contract_id = $2 and action = 'adjustCredits'
       and details ->> 'entitlementId' = e.id::text
   ) a
   where e.organization_id = $1 and e.contract_id = $2 and e.type = 'credits'
   order by e.position`,
);

/** The balances of a contract, in the order of its entitlements. */
export function listCreditBalances(
  db: Database,
  organizationId: string,
  contractId: string,
): Promise<CreditBalance[]> {
  return db.query<CreditBalance>(balancesStatement, [organizationId, contractId]);
}

/** A visit that draws on a balance, or did until it was cancelled. */
export interface DrawnVisit {
  readonly entitlementId: string;
  readonly sessionId: string;
  readonly serviceTypeName: string;
  readonly localStart: string;
  readonly isReturned: boolean;
  readonly usedAt: string;
  readonly usedBy: Who;
  /** When it was cancelled. */
  readonly endedAt?: string;
  readonly endedBy: Who;
}

const who = (entry: string) => `json_strip_nulls(json_build_object(
    'actor', ${entry}.actor, 'actorName', ${actorName(entry)}, 'action', ${entry}.action, 'reason', ${entry}.reason))`;

// Who booked it is said by an entry about the booking itself; of several that were booked at once, or from the waiting list, by
// the one of that instant about the client or the session.
const visitsStatement = expensive(
  "list_drawn_visits",
  `with drawn as (
     select b.*, coalesce(m.at, b.booked_at) as used_at, m.id as made_by
     from bookings b
     left join lateral (
       select a.id, case when a.action = 'coverBooking' then a.at end as at from audit a
       where a.organization_id = $1 and a.subject = b.id::text
         and (a.action in ('coverBooking', 'promoteWaiting')
           or (a.action in ('book', 'checkIn') and a.details ->> 'before' = 'none'))
       order by a.id desc limit 1
     ) m on true
     where b.organization_id = $1 and b.entitlement_id in (
       select e.id from contract_entitlements e
       where e.organization_id = $1 and e.contract_id = $2 and e.type = 'credits'
     )
   ),
   series as materialized (
     select a.id, a.at from audit a
     where a.organization_id = $1 and a.action in ('bookMany', 'moveFixedPlace')
       and a.client_id = (select k.client_id from contracts k where k.organization_id = $1 and k.id = $2)
   ),
   newest as (
     select * from drawn d order by greatest(d.used_at, d.ended_at) desc, d.id desc limit $3
   )
   select d.entitlement_id as "entitlementId", d.session_id as "sessionId", t.name as "serviceTypeName",
     s.start as "localStart", d.state = 'cancelled' as "isReturned", d.used_at as "usedAt", ${who("u")} as "usedBy",
     d.ended_at as "endedAt", ${who("e")} as "endedBy"
   from newest d
   join sessions s on s.organization_id = $1 and s.id = d.session_id
   join service_types t on t.organization_id = $1 and t.id = s.service_type_id
   left join lateral (
     select a.* from audit a where a.organization_id = $1 and a.id = coalesce(
       d.made_by,
       (select m.id from series m where m.at = d.booked_at limit 1),
       (select o.id from audit o where o.organization_id = $1 and o.session_id = d.session_id and o.at = d.booked_at limit 1)
     )
   ) u on true
   left join audit e on e.organization_id = $1 and e.id = d.ended_by
   order by greatest(d.used_at, d.ended_at) desc, d.id desc`,
);

/** The visits that drew on the credits of a contract; those first that changed last. */
export function listDrawnVisits(
  db: Database,
  organizationId: string,
  contractId: string,
  limit: number,
): Promise<DrawnVisit[]> {
  return db.query<DrawnVisit>(visitsStatement, [organizationId, contractId, limit]);
}

/** Credits that somebody gave or took. */
export interface CreditAdjustment extends Who {
  readonly entitlementId: string;
  readonly at: string;
  readonly credits: number;
}

const adjustmentsStatement = pooled(
  "list_credit_adjustments",
  `select a.details ->> 'entitlementId' as "entitlementId", a.at, a.actor, ${actorName("a")} as "actorName", a.action,
     a.reason, (a.details ->> 'after')::int - (a.details ->> 'before')::int as credits
   from audit a
   where a.organization_id = $1 and a.contract_id = $2 and a.action = 'adjustCredits'
   order by a.id desc limit $3`,
);

/** The newest first. */
export function listCreditAdjustments(
  db: Database,
  organizationId: string,
  contractId: string,
  limit: number,
): Promise<CreditAdjustment[]> {
  return db.query<CreditAdjustment>(adjustmentsStatement, [organizationId, contractId, limit]);
}
