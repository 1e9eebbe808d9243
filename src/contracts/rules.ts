import type { Fault } from "../core/errors.ts";
import { checkGrant, checkTerms } from "../plans/rules.ts";
import type { Contract } from "./schema.ts";

type Checked = Pick<
  Contract,
  "billingKind" | "billingInterval" | "allLocations" | "locationIds" | "startDate" | "endDate"
> & { readonly entitlements: readonly Omit<Contract["entitlements"][number], "id">[] };

/** The faults of a contract beyond its schema, which it has passed. */
export function checkContract(contract: Checked): Fault[] {
  const faults = checkTerms(contract);
  if (contract.endDate !== undefined && contract.endDate < contract.startDate)
    faults.push({ location: "endDate", code: "before_member", params: { member: "startDate" } });
  contract.entitlements.forEach((entitlement, index) => {
    faults.push(...checkGrant(entitlement, index));
    if (entitlement.remainingCredits !== undefined && entitlement.type !== "credits") {
      faults.push({ location: `entitlements[${index}].remainingCredits`, code: "only_for_credits" });
    }
  });
  return faults;
}
