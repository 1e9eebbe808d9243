import type { Fault } from "../core/errors.ts";
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
    faults.push({ location: "durationUnit", message: "is required with durationCount" });
  if (plan.durationUnit !== undefined && plan.durationCount === undefined)
    faults.push({ location: "durationCount", message: "is required with durationUnit" });
  plan.entitlements.forEach((entitlement, index) => {
    faults.push(...checkGrant(entitlement, index));
    if (entitlement.creditQuantity !== undefined && entitlement.type !== "credits") {
      faults.push({ location: `entitlements[${index}].creditQuantity`, message: "is only for credits" });
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
      message: `must be ${organization.currency}, as the organization's is`,
    });
  if (plan.billingKind === "recurring" && plan.billingInterval === undefined)
    faults.push({ location: "billingInterval", message: "is required for what is billed as recurring" });
  if (plan.entitlements.length === 0)
    faults.push({ location: "entitlements", message: "must have at least 1 item" });
  const scopes = new Set<string>();
  plan.entitlements.forEach((grant, index) => {
    const path = `entitlements[${index}]`;
    faults.push(...checkSoldGrant(grant, path));
    const scope = scopeOf(grant);
    if (scopes.has(scope)) faults.push({ location: path, message: "has the type and scope of another one" });
    scopes.add(scope);
  });
  return faults;
}

function checkSoldGrant(grant: Plan["entitlements"][number], path: string): Fault[] {
  const { type, period, maxVisitsPerPeriod, creditQuantity, serviceTypeId, serviceGroupId } = grant;
  const faults: Fault[] = [];
  const add = (member: string, message: string) => faults.push({ location: `${path}.${member}`, message });
  if (type === "credits") {
    if (creditQuantity === undefined) add("creditQuantity", "is required for credits");
    else if (creditQuantity < 1) add("creditQuantity", "must be at least 1");
    if (period !== undefined) add("period", "is only for access");
  } else if (period !== undefined && maxVisitsPerPeriod === undefined) {
    add("maxVisitsPerPeriod", "is required with period");
  } else if (period === undefined && maxVisitsPerPeriod !== undefined) {
    add("period", "is required with maxVisitsPerPeriod");
  }
  if (serviceTypeId !== undefined && serviceGroupId !== undefined)
    add("serviceGroupId", "must not be given together with serviceTypeId");
  return faults;
}

/** What a plan and a contract sold from it have in common. */
export function checkTerms(terms: Terms): Fault[] {
  const faults: Fault[] = [];
  if (terms.billingInterval !== undefined && terms.billingKind !== "recurring")
    faults.push({ location: "billingInterval", message: "is only for what is billed as recurring" });
  if (terms.allLocations && terms.locationIds.length > 0)
    faults.push({ location: "locationIds", message: "must be empty when allLocations is true" });
  return faults;
}

export function checkGrant(grant: Grant, index: number): Fault[] {
  return grant.maxVisitsPerPeriod !== undefined && grant.type !== "access"
    ? [{ location: `entitlements[${index}].maxVisitsPerPeriod`, message: "is only for access" }]
    : [];
}
