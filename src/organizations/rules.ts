import { TIERS, type Tier } from "./values.ts";

/** Whether the subscription includes the public API: Pro and above. */
export function includesApi(tier: Tier): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf("Pro");
}
