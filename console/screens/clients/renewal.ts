import { addDays } from "../../languages/days.ts";

/** When a plan begins that is sold to somebody who has a contract already. Pure, tested without a browser. */

interface Scope {
  readonly serviceTypeId?: string | undefined;
  readonly serviceGroupId?: string | undefined;
}

interface Running {
  readonly id: string;
  readonly planId?: string | undefined;
  readonly planName: string;
  readonly status: "active" | "paused" | "cancelled" | "expired";
  readonly endDate?: string | undefined;
  readonly entitlements: readonly (Scope & {
    readonly type: "access" | "credits";
    readonly remainingCredits?: number | undefined;
    readonly revokedAt?: string | undefined;
  })[];
}

interface Sold {
  readonly id: string;
  readonly entitlements: readonly Scope[];
}

interface Group {
  readonly id: string;
  readonly serviceTypeIds: readonly string[];
}

/** The contract that covers the same, and the day after it; without a day it has no end. */
export interface RunningBefore<Contract> {
  readonly contract: Contract;
  readonly nextDay?: string;
}

/** No sale begins later than so many days from today. */
const MOST_DAYS_AHEAD = 366;

/**
 * The running contract over which a plan would be sold: one that covers some of the same and has something left. Of several, the
 * one that ends last.
 */
export function runningBefore<Contract extends Running>(
  contracts: readonly Contract[],
  plan: Sold,
  groups: readonly Group[],
  today: string,
): RunningBefore<Contract> | undefined {
  const [last] = contracts
    .filter((contract) => isRunningOn(contract, today) && coversSome(contract, plan, groups))
    .sort((one, other) => endOf(other).localeCompare(endOf(one)));
  if (!last) return undefined;
  const nextDay = last.endDate === undefined ? undefined : addDays(last.endDate, 1);
  if (nextDay === undefined) return { contract: last };
  return nextDay > addDays(today, MOST_DAYS_AHEAD) ? undefined : { contract: last, nextDay };
}

const endOf = ({ endDate }: Running) => endDate ?? "9999-12-31";

function isRunningOn({ status, endDate }: Running, today: string): boolean {
  return (status === "active" || status === "paused") && (endDate === undefined || endDate >= today);
}

function coversSome({ planId, entitlements }: Running, plan: Sold, groups: readonly Group[]): boolean {
  const left = entitlements.filter(
    ({ type, remainingCredits = 0, revokedAt }) =>
      revokedAt === undefined && (type === "access" || remainingCredits > 0),
  );
  if (left.length === 0) return false;
  return (
    planId === plan.id || left.some((one) => plan.entitlements.some((other) => meets(one, other, groups)))
  );
}

/** Whether two grants have a service in common. */
function meets(one: Scope, other: Scope, groups: readonly Group[]): boolean {
  const [types, others] = [typesOf(one, groups), typesOf(other, groups)];
  return types === undefined || others === undefined || types.some((id) => others.includes(id));
}

/** The services of a grant; undefined: all. */
function typesOf({ serviceTypeId, serviceGroupId }: Scope, groups: readonly Group[]) {
  if (serviceTypeId !== undefined) return [serviceTypeId];
  if (serviceGroupId === undefined) return undefined;
  return groups.find(({ id }) => id === serviceGroupId)?.serviceTypeIds ?? [];
}
