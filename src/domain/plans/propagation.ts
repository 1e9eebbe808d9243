import type { ContractEntitlement, Plan } from "./schema.ts";

/** What a contract follows its plan in, if an edit of the plan is to hold for contracts already sold. */
export type PlanGrants = Pick<Plan, "allLocations" | "locationIds"> & {
  readonly entitlements: readonly PlanGrant[];
};
export type PlanGrant = Plan["entitlements"][number];

export type ContractGrants = Pick<Plan, "allLocations" | "locationIds"> & {
  readonly entitlements: readonly ContractGrant[];
};
export type ContractGrant = ContractEntitlement;

/** What is to be written to a contract. */
export interface Propagation {
  /** Appended after the contract's own, in this order. */
  readonly added: readonly PlanGrant[];
  /** Ids of entitlements, with the cap that each has from now on; one that was revoked is not any more. */
  readonly changed: readonly { readonly id: string; readonly cap: Cap; readonly isRestored: boolean }[];
  readonly revoked: readonly string[];
  readonly locations?: Pick<Plan, "allLocations" | "locationIds">;
}

export type Cap = Pick<PlanGrant, "period" | "maxVisitsPerPeriod">;

/**
 * What an edit of a plan does to a contract that was sold from it; undefined if it does nothing. Two grants are the same
 * if type and scope are: where a plan has two such, the first is compared with the first. Balances never change.
 *
 * A plan loses its massage: the grant on the contract is revoked and keeps its 7 credits. The massage comes back with 5
 * credits: the grant on the contract is in force again, with 7.
 */
export function propagate(
  before: PlanGrants,
  after: PlanGrants,
  contract: ContractGrants,
): Propagation | undefined {
  const added: PlanGrant[] = [];
  const changed: Propagation["changed"][number][] = [];
  const revoked: string[] = [];
  const [old, now] = [byScope(before.entitlements), byScope(after.entitlements)];
  const own = byScope(contract.entitlements);
  for (const [scope, grants] of now) {
    const [inForce, withdrawn] = split(own.get(scope) ?? []);
    const known = old.get(scope) ?? [];
    grants.forEach((grant, place) => {
      const held = inForce[place];
      const previous = known[place];
      if (held && previous && isSameCap(previous, grant)) return;
      if (held) {
        if (!isSameCap(held, grant)) changed.push({ id: held.id, cap: capOf(grant), isRestored: false });
        return;
      }
      // The plan had it before, and the contract does not have it: that was agreed.
      if (previous) return;
      const restored = withdrawn.shift();
      if (restored) changed.push({ id: restored.id, cap: capOf(grant), isRestored: true });
      else added.push(grant);
    });
  }
  for (const [scope, grants] of old) {
    const [inForce] = split(own.get(scope) ?? []);
    const left = now.get(scope)?.length ?? 0;
    for (const { id } of inForce.slice(left, grants.length)) revoked.push(id);
  }
  const locations = isSamePlace(before, contract) && !isSamePlace(before, after) ? placeOf(after) : undefined;
  const isSame = added.length + changed.length + revoked.length === 0 && !locations;
  return isSame
    ? undefined
    : { added: inOrderOf(after, added), changed, revoked, ...(locations && { locations }) };
}

interface Scope extends Cap {
  readonly type: string;
  readonly serviceTypeId?: string;
  readonly serviceGroupId?: string;
}

function byScope<Grant extends Scope>(grants: readonly Grant[]): ReadonlyMap<string, readonly Grant[]> {
  const groups = new Map<string, Grant[]>();
  for (const grant of grants) {
    const scope = scopeOf(grant);
    const alike = groups.get(scope);
    if (alike) alike.push(grant);
    else groups.set(scope, [grant]);
  }
  return groups;
}

/** What makes two grants the same. */
export function scopeOf({ type, serviceTypeId = "", serviceGroupId = "" }: Scope): string {
  return [type, serviceTypeId, serviceGroupId].join();
}

function split(grants: readonly ContractGrant[]): [inForce: ContractGrant[], withdrawn: ContractGrant[]] {
  return [
    grants.filter(({ revokedAt }) => revokedAt === undefined),
    grants.filter(({ revokedAt }) => revokedAt !== undefined),
  ];
}

function capOf({ period, maxVisitsPerPeriod }: Cap): Cap {
  return {
    ...(period !== undefined && { period }),
    ...(maxVisitsPerPeriod !== undefined && { maxVisitsPerPeriod }),
  };
}

function isSameCap(one: Cap, other: Cap): boolean {
  return one.period === other.period && one.maxVisitsPerPeriod === other.maxVisitsPerPeriod;
}

function placeOf({ allLocations, locationIds }: Pick<PlanGrants, "allLocations" | "locationIds">) {
  return { allLocations, locationIds };
}

function isSamePlace(one: Pick<PlanGrants, "allLocations" | "locationIds">, other: typeof one): boolean {
  return (
    one.allLocations === other.allLocations &&
    one.locationIds.length === other.locationIds.length &&
    one.locationIds.every((id) => other.locationIds.includes(id))
  );
}

/** Grants of several scopes, as the plan lists them. */
function inOrderOf({ entitlements }: PlanGrants, grants: readonly PlanGrant[]): PlanGrant[] {
  return [...grants].sort((one, other) => entitlements.indexOf(one) - entitlements.indexOf(other));
}
