import type { Fault, FaultContent } from "../../core/faults.ts";
import { scopeOf } from "./propagation.ts";
import type { Plan } from "./schema.ts";

/** What the rules of plans look at; contracts have most of it too. */
type Terms = Pick<Plan, "billingKind" | "billingInterval" | "allLocations" | "locationIds">;
type Grant = Pick<Plan["entitlements"][number], "type" | "maxVisitsPerPeriod">;

/** The faults of a plan beyond its schema, which it has passed. */
export function checkPlan(
  plan: Terms &
    Pick<Plan, "durationCount" | "durationUnit"> & {
      readonly entitlements: readonly Plan["entitlements"][number][];
    },
): Fault[] {
  const faults = checkTerms(plan);
  if (plan.durationCount !== undefined && plan.durationUnit === undefined)
    faults.push({ location: "durationUnit", code: "required_with", params: { member: "durationCount" } });
  if (plan.durationUnit !== undefined && plan.durationCount === undefined)
    faults.push({ location: "durationCount", code: "required_with", params: { member: "durationUnit" } });
  plan.entitlements.forEach((entitlement, index) => {
    faults.push(...checkGrant(entitlement, index));
    if (entitlement.creditQuantity !== undefined && entitlement.type !== "credits") {
      faults.push({ location: `entitlements[${index}].creditQuantity`, code: "only_for_credits" });
    }
  });
  return faults;
}

/**
 * The faults of a plan that is made or edited here, beyond those that an imported one may have as well: what is sold
 * from it must be clear in every point.
 */
export function checkSoldPlan(
  plan: Parameters<typeof checkPlan>[0] & Pick<Plan, "currency">,
  organization: { readonly currency: string },
): Fault[] {
  const faults = checkPlan(plan);
  if (plan.currency !== organization.currency)
    faults.push({
      location: "currency",
      code: "currency_differs",
      params: { currency: organization.currency },
    });
  if (plan.billingKind === "recurring" && plan.billingInterval === undefined)
    faults.push({ location: "billingInterval", code: "required_for_recurring" });
  if (plan.entitlements.length === 0)
    faults.push({ location: "entitlements", code: "too_few", params: { min: 1 } });
  const scopes = new Set<string>();
  plan.entitlements.forEach((grant, index) => {
    const path = `entitlements[${index}]`;
    faults.push(...checkSoldGrant(grant, path));
    const scope = scopeOf(grant);
    if (scopes.has(scope)) faults.push({ location: path, code: "scope_repeated" });
    scopes.add(scope);
  });
  return faults;
}

function checkSoldGrant(grant: Plan["entitlements"][number], path: string): Fault[] {
  const { type, period, maxVisitsPerPeriod, creditQuantity, serviceTypeId, serviceGroupId } = grant;
  const faults: Fault[] = [];
  const add = (member: string, content: FaultContent) =>
    faults.push({ location: `${path}.${member}`, ...content });
  if (type === "credits") {
    if (creditQuantity === undefined) add("creditQuantity", { code: "required_for_credits" });
    else if (creditQuantity < 1) add("creditQuantity", { code: "below_minimum", params: { min: 1 } });
    if (period !== undefined) add("period", { code: "only_for_access" });
  } else if (period !== undefined && maxVisitsPerPeriod === undefined) {
    add("maxVisitsPerPeriod", { code: "required_with", params: { member: "period" } });
  } else if (period === undefined && maxVisitsPerPeriod !== undefined) {
    add("period", { code: "required_with", params: { member: "maxVisitsPerPeriod" } });
  }
  if (serviceTypeId !== undefined && serviceGroupId !== undefined)
    add("serviceGroupId", { code: "not_together_with", params: { member: "serviceTypeId" } });
  return faults;
}

/** What a plan and a contract sold from it have in common. */
export function checkTerms(terms: Terms): Fault[] {
  const faults: Fault[] = [];
  if (terms.billingInterval !== undefined && terms.billingKind !== "recurring")
    faults.push({ location: "billingInterval", code: "only_for_recurring" });
  if (terms.allLocations && terms.locationIds.length > 0)
    faults.push({ location: "locationIds", code: "not_with_all_locations" });
  return faults;
}

export function checkGrant(grant: Grant, index: number): Fault[] {
  return grant.maxVisitsPerPeriod !== undefined && grant.type !== "access"
    ? [{ location: `entitlements[${index}].maxVisitsPerPeriod`, code: "only_for_access" }]
    : [];
}
