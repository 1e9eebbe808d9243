import type { Fault } from "../core/errors.ts";
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
