import { searchText } from "../../core/search.ts";
import type { Database } from "../../db/database.ts";
import { expensive, pooled } from "../../db/statements.ts";
import { contractEntitlementTable, entitlementsJson } from "./entitlements.ts";
import type { ContractGrants, PlanGrant, Propagation } from "./propagation.ts";
import { planColumns } from "./queries.ts";
import { PLAN_STATUSES, type Plan, type PlanContracts } from "./schema.ts";

/** What the operations of the staff application write of plans, and of contracts that follow one. */

/** A plan without what the database keeps of it. */
export type PlanContent = Omit<Plan, "$schema" | "id" | "status" | "createdAt" | "updatedAt">;

const insertStatement = pooled(
  "insert_plan",
  `insert into plans (
     organization_id, id, name, status, billing_kind, billing_interval, duration_count, duration_unit, price_cents,
     currency, is_trial, all_locations, terms, search, created_at, updated_at
   )
   values ($1, $2, $3, 'active', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)`,
);
const updateStatement = pooled(
  "update_plan",
  `update plans set
     name = $3, billing_kind = $4, billing_interval = $5, duration_count = $6, duration_unit = $7, price_cents = $8,
     currency = $9, is_trial = $10, all_locations = $11, terms = $12, search = $13,
     updated_at = greatest($14::timestamptz, updated_at + interval '1 millisecond')
   where organization_id = $1 and id = $2`,
);
const removeListsStatement = pooled(
  "remove_plan_lists",
  `with places as (delete from plan_locations where organization_id = $1 and plan_id = $2)
   delete from plan_entitlements where organization_id = $1 and plan_id = $2`,
);
const insertListsStatement = pooled(
  "insert_plan_lists",
  `with places as (
     insert into plan_locations (organization_id, plan_id, location_id)
     select $1, $2, l.id from unnest($3::uuid[]) as l (id)
   )
   insert into plan_entitlements (
     organization_id, plan_id, position, type, period, max_visits_per_period, credit_quantity, service_type_id,
     service_group_id
   )
   select $1, $2, e.position, e.type, e.period, e."maxVisitsPerPeriod", e."creditQuantity", e."serviceTypeId",
     e."serviceGroupId"
   from json_to_recordset($4) as e(
     position int, type text, period text, "maxVisitsPerPeriod" int, "creditQuantity" int, "serviceTypeId" uuid,
     "serviceGroupId" uuid
   )`,
);

export async function insertPlan(
  tx: Database,
  organizationId: string,
  id: string,
  plan: PlanContent,
  at: string,
): Promise<void> {
  await tx.query(insertStatement, valuesOf(organizationId, id, plan, at));
  await insertLists(tx, organizationId, id, plan);
}

export async function updatePlan(
  tx: Database,
  organizationId: string,
  id: string,
  plan: PlanContent,
  at: string,
): Promise<void> {
  await tx.query(updateStatement, valuesOf(organizationId, id, plan, at));
  await tx.query(removeListsStatement, [organizationId, id]);
  await insertLists(tx, organizationId, id, plan);
}

function valuesOf(organizationId: string, id: string, plan: PlanContent, at: string): unknown[] {
  return [
    organizationId,
    id,
    plan.name,
    plan.billingKind,
    plan.billingInterval ?? null,
    plan.durationCount ?? null,
    plan.durationUnit ?? null,
    plan.priceCents,
    plan.currency,
    plan.isTrial,
    plan.allLocations,
    plan.terms ?? null,
    searchText([plan.name]),
    at,
  ];
}

async function insertLists(
  tx: Database,
  organizationId: string,
  id: string,
  { locationIds, entitlements }: PlanContent,
): Promise<void> {
  const numbered = entitlements.map((entitlement, position) => ({ ...entitlement, position }));
  await tx.query(insertListsStatement, [organizationId, id, locationIds, JSON.stringify(numbered)]);
}

const findStatement = pooled(
  "find_staff_plan",
  `select ${planColumns} from plans r where r.organization_id = $1 and r.id = $2`,
);

export async function findPlan(db: Database, organizationId: string, id: string): Promise<Plan | undefined> {
  const [plan] = await db.query<Plan>(findStatement, [organizationId, id]);
  return plan;
}

const writeStatusStatement = pooled(
  "write_plan_status",
  `update plans set status = $3, updated_at = greatest($4::timestamptz, updated_at + interval '1 millisecond')
   where organization_id = $1 and id = $2`,
);

export async function writePlanStatus(
  tx: Database,
  organizationId: string,
  id: string,
  status: Plan["status"],
  at: string,
): Promise<void> {
  await tx.query(writeStatusStatement, [organizationId, id, status, at]);
}

const leaveStatement = pooled(
  "leave_deleted_plan",
  `with left_behind as (
     update contracts set plan_id = null, updated_at = greatest($3::timestamptz, updated_at + interval '1 millisecond')
     where organization_id = $1 and plan_id = $2 returning 1
   )
   select count(*) as count from left_behind`,
);
const deleteStatement = pooled("delete_plan", "delete from plans where organization_id = $1 and id = $2");

/** Deletes a plan and says how many contracts have lost it. Their snapshots stay. */
export async function deletePlanRow(
  tx: Database,
  organizationId: string,
  id: string,
  at: string,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(leaveStatement, [organizationId, id, at]);
  await tx.query(deleteStatement, [organizationId, id]);
  return row?.count ?? 0;
}

const countStatement = pooled(
  "count_plans",
  `update organization_counters set
     ${PLAN_STATUSES.map((status, index) => `plans_${status} = plans_${status} + $${index + 3}`).join(", ")}
   where organization_id = $1 and slot = $2`,
);

/** Adds to the totals of plans by status. */
export async function countPlans(
  tx: Database,
  organizationId: string,
  counts: ReadonlyMap<Plan["status"], number>,
  slot: number,
): Promise<void> {
  if (counts.size === 0) return;
  await tx.query(countStatement, [
    organizationId,
    slot,
    ...PLAN_STATUSES.map((status) => counts.get(status) ?? 0),
  ]);
}

const knownStatement = pooled(
  "find_known_references",
  `select array(select id from locations where organization_id = $1 and id = any($2::uuid[])) as locations,
     array(select id from service_types where organization_id = $1 and id = any($3::uuid[])) as "serviceTypes",
     array(select id from service_groups where organization_id = $1 and id = any($4::uuid[])) as "serviceGroups"`,
);

/** Those of the ids that are there. */
export interface KnownReferences {
  readonly locations: readonly string[];
  readonly serviceTypes: readonly string[];
  readonly serviceGroups: readonly string[];
}

export async function findKnownReferences(
  tx: Database,
  organizationId: string,
  { locationIds, entitlements }: Pick<PlanContent, "locationIds" | "entitlements">,
): Promise<KnownReferences> {
  const ids = (name: "serviceTypeId" | "serviceGroupId") =>
    entitlements.flatMap((grant) => grant[name] ?? []);
  const [known] = await tx.query<KnownReferences>(knownStatement, [
    organizationId,
    locationIds,
    ids("serviceTypeId"),
    ids("serviceGroupId"),
  ]);
  if (!known) throw new Error("a select without a table has one row");
  return known;
}

/** A contract that follows its plan. */
export interface FollowingContract extends ContractGrants {
  readonly id: string;
  readonly lastPosition: number;
}

const followersStatement = pooled(
  "lock_contracts_of_plan",
  `select r.id, r.all_locations as "allLocations",
     array(
       select l.location_id from contract_locations l
       where l.organization_id = r.organization_id and l.contract_id = r.id order by l.location_id
     ) as "locationIds",
     ${entitlementsJson(contractEntitlementTable, "r")} as entitlements,
     (select coalesce(max(e.position), -1) from contract_entitlements e
      where e.organization_id = r.organization_id and e.contract_id = r.id) as "lastPosition"
   from contracts r
   where r.organization_id = $1 and r.plan_id = $2 and r.status in ('active', 'paused') and ($3::uuid is null or r.id > $3)
   order by r.id limit $4 for no key update of r`,
);

/** Contracts of a plan that are not over, in the order of their ids, after the given one. */
export function lockFollowers(
  tx: Database,
  organizationId: string,
  planId: string,
  after: string | undefined,
  limit: number,
): Promise<FollowingContract[]> {
  return tx.query<FollowingContract>(followersStatement, [organizationId, planId, after ?? null, limit]);
}

/** What is written to one contract. */
export interface FollowerWrite extends Propagation {
  readonly contract: FollowingContract;
  readonly added: readonly (PlanGrant & { readonly id: string })[];
}

const addGrantsStatement = pooled(
  "add_contract_grants",
  `insert into contract_entitlements (
     organization_id, contract_id, position, id, type, period, max_visits_per_period, remaining_credits,
     service_type_id, service_group_id
   )
   select $1, e."contractId", e.position, e.id, e.type, e.period, e."maxVisitsPerPeriod", e."creditQuantity",
     e."serviceTypeId", e."serviceGroupId"
   from json_to_recordset($2) as e(
     "contractId" uuid, position int, id uuid, type text, period text, "maxVisitsPerPeriod" int, "creditQuantity" int,
     "serviceTypeId" uuid, "serviceGroupId" uuid
   )`,
);
const changeGrantsStatement = pooled(
  "change_contract_grants",
  `update contract_entitlements c set
     period = e.period, max_visits_per_period = e."maxVisitsPerPeriod",
     revoked_at = case when e."isRestored" then null else c.revoked_at end
   from json_to_recordset($2) as e(id uuid, period text, "maxVisitsPerPeriod" int, "isRestored" boolean)
   where c.organization_id = $1 and c.id = e.id`,
);
const revokeGrantsStatement = pooled(
  "revoke_contract_grants",
  `update contract_entitlements set revoked_at = $3::timestamptz
   where organization_id = $1 and id = any($2::uuid[])`,
);
const removePlacesStatement = pooled(
  "remove_contract_places",
  "delete from contract_locations where organization_id = $1 and contract_id = any($2::uuid[])",
);
const addPlacesStatement = pooled(
  "add_contract_places",
  `insert into contract_locations (organization_id, contract_id, location_id)
   select $1, c.id, l.id from unnest($2::uuid[]) as c (id), unnest($3::uuid[]) as l (id)`,
);
const touchStatement = pooled(
  "touch_following_contracts",
  `update contracts set
     all_locations = case when id = any($4::uuid[]) then $5 else all_locations end,
     updated_at = greatest($3::timestamptz, updated_at + interval '1 millisecond')
   where organization_id = $1 and id = any($2::uuid[])`,
);

/** Writes what an edit of their plan does to contracts, in as many statements as there are kinds of writes. */
export async function writeFollowers(
  tx: Database,
  organizationId: string,
  writes: readonly FollowerWrite[],
  at: string,
): Promise<void> {
  if (writes.length === 0) return;
  const added = writes.flatMap(({ contract, added: grants }) =>
    grants.map((grant, index) => ({
      ...grant,
      contractId: contract.id,
      position: contract.lastPosition + 1 + index,
    })),
  );
  if (added.length > 0) await tx.query(addGrantsStatement, [organizationId, JSON.stringify(added)]);
  const changed = writes.flatMap((write) =>
    write.changed.map(({ id, cap, isRestored }) => ({ id, ...cap, isRestored })),
  );
  if (changed.length > 0) await tx.query(changeGrantsStatement, [organizationId, JSON.stringify(changed)]);
  const revoked = writes.flatMap((write) => write.revoked);
  if (revoked.length > 0) await tx.query(revokeGrantsStatement, [organizationId, revoked, at]);
  // All that move have the same places: those of the plan.
  const moved = writes.filter(({ locations }) => locations !== undefined);
  const { allLocations = false, locationIds = [] } = moved[0]?.locations ?? {};
  const movedIds = moved.map(({ contract }) => contract.id);
  if (moved.length > 0) {
    await tx.query(removePlacesStatement, [organizationId, movedIds]);
    await tx.query(addPlacesStatement, [organizationId, movedIds, locationIds]);
  }
  const ids = writes.map(({ contract }) => contract.id);
  await tx.query(touchStatement, [organizationId, ids, at, movedIds, allLocations]);
}

const countContractsStatement = expensive(
  "count_contracts_by_plan",
  `select plan_id as "planId", count(*) filter (where status in ('active', 'paused')) as running, count(*) as sold
   from contracts where organization_id = $1 and plan_id is not null
   group by plan_id order by plan_id`,
);

/** How many contracts each plan has, for the catalog. */
export async function countContractsByPlan(db: Database, organizationId: string): Promise<PlanContracts[]> {
  return db.query<PlanContracts>(countContractsStatement, [organizationId]);
}
