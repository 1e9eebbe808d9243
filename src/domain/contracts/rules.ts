import { daysAfter, daysBefore, MS_PER_DAY } from "../../core/dates.ts";
import { type AppError, type Fault, refusal } from "../../core/errors.ts";
import { checkGrant, checkTerms } from "../plans/rules.ts";
import type { Plan } from "../plans/schema.ts";
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

/** How far from today a contract may begin. */
const MOST_DAYS_AGO = 31;
const MOST_DAYS_AHEAD = 366;

/** For how long a sale can be undone. */
export const SALE_UNDONE_MS = MS_PER_DAY;

/** The faults of a sale beyond its schema. */
export function checkSale(
  { termsResponse }: Pick<Contract, "termsResponse">,
  plan: Pick<Plan, "terms">,
  { startDate, today }: { readonly startDate: string; readonly today: string },
): Fault[] {
  const faults: Fault[] = [];
  if (startDate < daysBefore(today, MOST_DAYS_AGO) || startDate > daysAfter(today, MOST_DAYS_AHEAD))
    faults.push({
      location: "body.startDate",
      code: "start_out_of_range",
      params: { daysAgo: MOST_DAYS_AGO, daysAhead: MOST_DAYS_AHEAD },
    });
  if (termsResponse !== undefined && plan.terms === undefined)
    faults.push({ location: "body.termsResponse", code: "only_with_terms" });
  return faults;
}

export function unknownContract(): AppError {
  return refusal("no_contract");
}
