import { count } from "../../languages/format.ts";
import { type CatalogNames, scopeInWords } from "../../plan-words/plan-words.ts";
import type { ListedContract } from "./records.ts";

export type Entitlement = ListedContract["entitlements"][number];

/** The names that came with the contract, as the words of plans take them. */
export function namesIn(entitlement: Entitlement): CatalogNames {
  const { serviceTypeId = "", serviceTypeName, serviceGroupId = "", serviceGroupName } = entitlement;
  return {
    serviceTypes: new Map(serviceTypeName === undefined ? [] : [[serviceTypeId, serviceTypeName]]),
    serviceGroups: new Map(serviceGroupName === undefined ? [] : [[serviceGroupId, serviceGroupName]]),
    locations: new Map(),
  };
}

export const creditsText = (entitlement: Entitlement) =>
  `${scopeInWords(entitlement, namesIn(entitlement))} (${count(entitlement.remainingCredits ?? 0)})`;
