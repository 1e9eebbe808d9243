import { type AppError, notFound } from "../../core/errors.ts";
import { TIERS, type Tier } from "./values.ts";

/** Whether the subscription includes the public API: Pro and above. */
export function includesApi(tier: Tier): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf("Pro");
}

/** For operators; callers of the API have an organization. */
export function unknownOrganization(): AppError {
  return notFound("There is no organization with this id.");
}
