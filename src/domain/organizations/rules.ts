import { type AppError, conflict, notFound, refusal } from "../../core/errors.ts";
import { TIERS, type Tier } from "./values.ts";

/** Whether the subscription includes the public API: Pro and above. */
export function includesApi(tier: Tier): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf("Pro");
}

/** Refuses whoever asks for an organization that is on another server, or on its way to this one. */
export function refusedElsewhere(elsewhere: string): AppError {
  return elsewhere === ""
    ? refusal("organization_arriving")
    : refusal("organization_moved", { params: { address: elsewhere } });
}

/** For operators; callers of the API have an organization. */
export function unknownOrganization(): AppError {
  return notFound("There is no organization with this id.");
}

/** For operators, of an organization of which a copy is here, or a part. */
export function operatorsElsewhere(id: string, elsewhere: string): AppError {
  return conflict(
    elsewhere === ""
      ? `The organization ${id} is on its way to this server: wait until "rollbook org move" is done.`
      : `The organization ${id} has moved to ${elsewhere}: go on there. What is here is an old copy, which "rollbook org move ${id} --remove-copy" removes.`,
  );
}
