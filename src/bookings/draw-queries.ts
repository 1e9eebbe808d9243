import { pausesJson } from "../contracts/pauses.ts";
import type { Database } from "../db/database.ts";
import { pooled } from "../db/statements.ts";
import { contractEntitlementTable, entitlementsJson } from "../plans/entitlements.ts";
import type { CoveringContract, HeldDays } from "./coverage.ts";

/** What bookings draw on: the contracts of a client, and what is left of their entitlements. */

// Locked first and read afterwards: a statement that waits for a lock sees what was before in all its other tables.
const lockContractsStatement = pooled(
  "lock_contracts_of_client",
  `select id from contracts where organization_id = $1 and client_id = $2 order by id for no key update`,
);

/** Locks all contracts of a client: of any number of bookings at once, each sees the draws of those before it. */
export async function lockContractsOf(tx: Database, organizationId: string, clientId: string): Promise<void> {
  await tx.query(lockContractsStatement, [organizationId, clientId]);
}

const lockDrawnStatement = pooled(
  "lock_contracts_drawn_on",
  "select id from contracts where organization_id = $1 and id = any ($2::uuid[]) order by id for no key update",
);

/** Locks these contracts, as everybody does who writes to their entitlements. */
export async function lockDrawn(tx: Database, organizationId: string, ids: readonly string[]): Promise<void> {
  await tx.query(lockDrawnStatement, [organizationId, ids]);
}

const contractsStatement = pooled(
  "list_covering_contracts",
  `select c.id, c.status, c.start_date as "startDate", c.end_date as "endDate", c.access_blocked as "accessBlocked",
     c.all_locations as "allLocations", c.terms_response as "termsResponse",
     array(select l.location_id from contract_locations l
       where l.organization_id = c.organization_id and l.contract_id = c.id) as "locationIds",
     c.cancelled_by is not null and not exists (
       select from audit a where a.id = c.cancelled_by and a.details->'after'->>'status' = 'cancelled'
     ) as "hasLastDay",
     ${pausesJson("c")} as pauses, ${entitlementsJson(contractEntitlementTable, "c")} as entitlements
   from contracts c where c.organization_id = $1 and c.client_id = $2 order by c.id`,
);

/** All contracts of a client as far as they may cover a session. */
export function listCoveringContracts(
  db: Database,
  organizationId: string,
  clientId: string,
): Promise<CoveringContract[]> {
  return db.query<CoveringContract>(contractsStatement, [organizationId, clientId]);
}

const isBlockedStatement = pooled(
  "is_contract_blocked",
  `select access_blocked as found from contracts where organization_id = $1 and id = $2 for share`,
);

export async function isContractBlocked(tx: Database, organizationId: string, id: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(isBlockedStatement, [organizationId, id]);
  return row?.found ?? false;
}

const groupsStatement = pooled(
  "list_groups_of_service_type",
  `select service_group_id as id from service_group_members where organization_id = $1 and service_type_id = $2`,
);

export async function listGroupsOf(
  db: Database,
  organizationId: string,
  serviceTypeId: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(groupsStatement, [organizationId, serviceTypeId]);
  return rows.map(({ id }) => id);
}

const heldStatement = pooled(
  "list_held_days",
  `select entitlement_id as "entitlementId", array_agg(visit_date::text) as days from bookings
   where organization_id = $1 and entitlement_id = any ($2::uuid[]) and state <> 'cancelled'
     and visit_date between $3 and $4
   group by entitlement_id`,
);

/** The days on which these entitlements are drawn on, within a span. */
export async function listHeldDays(
  db: Database,
  organizationId: string,
  entitlementIds: readonly string[],
  span: { readonly firstDay: string; readonly lastDay: string },
): Promise<HeldDays> {
  if (entitlementIds.length === 0) return new Map();
  const rows = await db.query<{ entitlementId: string; days: string[] }>(heldStatement, [
    organizationId,
    entitlementIds,
    span.firstDay,
    span.lastDay,
  ]);
  return new Map(rows.map(({ entitlementId, days }) => [entitlementId, days]));
}

const takeCreditStatement = pooled(
  "take_credit",
  `update contract_entitlements set remaining_credits = remaining_credits - 1
   where organization_id = $1 and id = $2 and type = 'credits' and remaining_credits >= 1 returning id`,
);

/** False if there was none. */
export async function takeCredit(
  tx: Database,
  organizationId: string,
  entitlementId: string,
): Promise<boolean> {
  return (await tx.query(takeCreditStatement, [organizationId, entitlementId])).length > 0;
}

const returnCreditsStatement = pooled(
  "return_credits",
  `update contract_entitlements e set remaining_credits = e.remaining_credits + given.n
   from (select id, count(*)::int as n from unnest($2::uuid[]) as g (id) group by id) given
   where e.organization_id = $1 and e.id = given.id and e.type = 'credits'
   returning e.contract_id as "contractId", given.n as credits`,
);

/** Gives back a credit to each of these entitlements, as often as it is named; those of access stay as they are. */
export function returnCredits(
  tx: Database,
  organizationId: string,
  entitlementIds: readonly string[],
): Promise<{ readonly contractId: string; readonly credits: number }[]> {
  return tx.query(returnCreditsStatement, [organizationId, entitlementIds]);
}

const drawAgainStatement = pooled(
  "draw_again",
  `with drawn as (
     update contract_entitlements set remaining_credits = remaining_credits - 1
     where organization_id = $1 and id = any ($2::uuid[]) and type = 'credits' and remaining_credits >= 1
     returning id
   )
   select id, true as "tookCredit" from drawn
   union all
   select id, false from contract_entitlements
   where organization_id = $1 and id = any ($2::uuid[]) and type = 'access'`,
);

/** Draws once on each of these entitlements. Says on which that was possible, and whether it took a credit. */
export async function drawOnEach(
  tx: Database,
  organizationId: string,
  entitlementIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly tookCredit: boolean }>> {
  const rows = await tx.query<{ id: string; tookCredit: boolean }>(drawAgainStatement, [
    organizationId,
    entitlementIds,
  ]);
  return new Map(rows.map(({ id, tookCredit }) => [id, { tookCredit }]));
}

const touchStatement = pooled(
  "touch_contracts",
  `update contracts set updated_at = greatest($3::timestamptz, updated_at + interval '1 millisecond')
   where organization_id = $1 and id = any ($2::uuid[])`,
);

/** Moves `updatedAt` of contracts whose balance has changed. */
export async function touchContracts(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
  at: string,
): Promise<void> {
  await tx.query(touchStatement, [organizationId, ids, at]);
}
