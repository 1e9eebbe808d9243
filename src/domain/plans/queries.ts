import type { Database, ShortReads } from "../../db/database.ts";
import { bySearch, byStatus, byUpdate, filteredList } from "../../db/filtered-lists.ts";
import { Lookup } from "../../db/lookup.ts";
import type { PageRequest } from "../../db/pages.ts";
import { pooled } from "../../db/statements.ts";
import { entitlementsJson, planEntitlementTable } from "./entitlements.ts";
import { PLAN_STATUSES, type Plan, type PlanQuery } from "./schema.ts";

export const planColumns = `
  r.id, r.name, r.status, r.billing_kind as "billingKind", r.billing_interval as "billingInterval",
  r.duration_count as "durationCount", r.duration_unit as "durationUnit", r.price_cents as "priceCents",
  r.currency, r.is_trial as "isTrial", r.all_locations as "allLocations",
  array(
    select l.location_id from plan_locations l
    where l.organization_id = r.organization_id and l.plan_id = r.id order by l.location_id
  ) as "locationIds",
  r.terms,
  ${entitlementsJson(planEntitlementTable, "r")} as entitlements,
  r.created_at as "createdAt", r.updated_at as "updatedAt"`;

/** Finds single plans. */
export function openPlanLookup(db: ShortReads): Lookup<Plan, Plan> {
  return new Lookup(db, { name: "find_plan", table: "plans", columns: planColumns }, (row) => row);
}

const lockStatements = {
  share: pooled(
    "share_plan",
    `select ${planColumns} from plans r where r.organization_id = $1 and r.id = $2 for share of r`,
  ),
  update: pooled(
    "lock_plan",
    `select ${planColumns} from plans r where r.organization_id = $1 and r.id = $2 for no key update of r`,
  ),
};

/** The plan, which nobody else can change now; `share`: others may rely on it as well. */
export async function lockPlan(
  tx: Database,
  organizationId: string,
  id: string,
  mode: keyof typeof lockStatements,
): Promise<Plan | undefined> {
  const [plan] = await tx.query<Plan>(lockStatements[mode], [organizationId, id]);
  return plan;
}

const plans = filteredList<Omit<PlanQuery, keyof PageRequest>, Plan>({
  table: "plans",
  columns: planColumns,
  reads: ["catalog"],
  filters: {
    status: byStatus,
    kind: { holds: (parameter) => `billing_kind = ${parameter}`, value: ({ billingKind }) => billingKind },
    search: bySearch,
    update: byUpdate,
  },
  statuses: PLAN_STATUSES,
});
export const listPlans = plans.page;
/** Every plan that the filters match, newest first. */
export const readPlans = plans.whole;
