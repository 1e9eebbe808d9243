import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { pausesJson } from "../contract-status/pauses.ts";
import { contractEntitlementTable, entitlementsJson } from "../plans/entitlements.ts";
import type { CoveringContract, HeldDays } from "./coverage.ts";

/** What bookings draw on: the contracts of a client, and what is left of their entitlements. */

// Locked first and read afterwards: a statement that waits for a lock sees what was before in all its other tables.
const lockContractsStatement = pooled(
  "lock_contracts_of_clients",
  `select id from contracts where organization_id = $1 and client_id = any ($2::uuid[]) order by id
   for no key update`,
);

/** Locks all contracts of clients: of any number of bookings at once, each sees the draws of those before it. */
export async function lockContractsOf(
  tx: Database,
  organizationId: string,
  clientIds: readonly string[],
): Promise<void> {
  await tx.query(lockContractsStatement, [organizationId, clientIds]);
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
  `select c.id, c.client_id as "clientId", c.status, c.start_date as "startDate", c.end_date as "endDate", c.access_blocked as "accessBlocked",
     c.all_locations as "allLocations", c.terms_response as "termsResponse",
     array(select l.location_id from contract_locations l
       where l.organization_id = c.organization_id and l.contract_id = c.id) as "locationIds",
     c.cancelled_by is not null and not exists (
       select from audit a
       where a.organization_id = $1 and a.id = c.cancelled_by and a.details->'after'->>'status' = 'cancelled'
     ) as "hasLastDay",
     ${pausesJson("c")} as pauses, ${entitlementsJson(contractEntitlementTable, "c")} as entitlements,
     array(select m.service_group_id from service_group_members m
       where m.organization_id = $1 and m.service_type_id = $3) as "serviceGroupIds"
   from contracts c where c.organization_id = $1 and c.client_id = any ($2::uuid[]) order by c.id`,
);

/** A contract beside whose it is, and the groups of the service type that is asked about. */
export interface ClientContract extends CoveringContract {
  readonly clientId: string;
  readonly serviceGroupIds: readonly string[];
}

/** All contracts of clients as far as they may cover a session of a service type. */
export function listCoveringContracts(
  db: Database,
  organizationId: string,
  clientIds: readonly string[],
  serviceTypeId: string,
): Promise<ClientContract[]> {
  return db.query(contractsStatement, [organizationId, clientIds, serviceTypeId]);
}

const isBlockedStatement = pooled(
  "is_contract_blocked",
  `select access_blocked as found from contracts where organization_id = $1 and id = $2 for share`,
);

export async function isContractBlocked(tx: Database, organizationId: string, id: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(isBlockedStatement, [organizationId, id]);
  return row?.found ?? false;
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

const takeCreditsStatement = pooled(
  "take_credits",
  `update contract_entitlements set remaining_credits = remaining_credits - 1
   where organization_id = $1 and id = any ($2::uuid[]) and type = 'credits' and remaining_credits >= 1
   returning id`,
);

/** Takes a credit from each of these entitlements, whose contracts are locked and which have one. */
export async function takeCredits(
  tx: Database,
  organizationId: string,
  entitlementIds: readonly string[],
): Promise<void> {
  const taken = await tx.query(takeCreditsStatement, [organizationId, entitlementIds]);
  if (taken.length < entitlementIds.length)
    throw new Error("a credit that was there under the lock of its contract is gone");
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
  if (ids.length > 0) await tx.query(touchStatement, [organizationId, ids, at]);
}
