import type { Schemas } from "../../api/operations.ts";
import type { Input } from "../../api/writes.ts";
import { amountText, centsOf } from "../../languages/money.ts";
import { language } from "../../languages/words.ts";
import { differences } from "../../parts/record-fields.ts";

type Plan = Schemas["Plan"];

/** A plan as it stands in the form: what is typed, whether or not it makes sense yet. */
export interface PlanDraft {
  readonly name: string;
  readonly amount: string;
  readonly billingKind: Plan["billingKind"];
  readonly billingInterval: NonNullable<Plan["billingInterval"]>;
  readonly isFixed: boolean;
  readonly durationCount: string;
  readonly durationUnit: NonNullable<Plan["durationUnit"]>;
  readonly isTrial: boolean;
  readonly allLocations: boolean;
  readonly locationIds: readonly string[];
  readonly terms: string;
  readonly grants: readonly GrantDraft[];
}

export interface GrantDraft {
  /** Tells it from the others while they come and go. */
  readonly key: number;
  readonly type: "access" | "credits";
  /** `all`, `type:ID` or `group:ID`. */
  readonly scope: string;
  /** `ever` comes from imports alone. */
  readonly limit: "none" | "day" | "week" | "month" | "ever";
  readonly most: string;
  readonly quantity: string;
}

export function newGrant(key: number): GrantDraft {
  return { key, type: "access", scope: "all", limit: "week", most: "2", quantity: "10" };
}

export const NEW_PLAN: PlanDraft = {
  name: "",
  amount: "",
  billingKind: "recurring",
  billingInterval: "month",
  isFixed: false,
  durationCount: "12",
  durationUnit: "month",
  isTrial: false,
  allLocations: true,
  locationIds: [],
  terms: "",
  grants: [newGrant(0)],
};

export function draftOf(plan: Plan): PlanDraft {
  return {
    name: plan.name,
    amount: amountText(plan.priceCents, plan.currency, language.value),
    billingKind: plan.billingKind,
    billingInterval: plan.billingInterval ?? NEW_PLAN.billingInterval,
    isFixed: plan.durationCount !== undefined,
    durationCount: String(plan.durationCount ?? NEW_PLAN.durationCount),
    durationUnit: plan.durationUnit ?? NEW_PLAN.durationUnit,
    isTrial: plan.isTrial,
    allLocations: plan.allLocations,
    locationIds: plan.locationIds,
    terms: plan.terms ?? "",
    grants: plan.entitlements.map((grant, key) => ({
      key,
      type: grant.type,
      scope: scopeOf(grant),
      limit: grant.maxVisitsPerPeriod === undefined ? "none" : (grant.period ?? "ever"),
      most: String(grant.maxVisitsPerPeriod ?? newGrant(0).most),
      quantity: String(grant.creditQuantity ?? newGrant(0).quantity),
    })),
  };
}

/** What a draft says, for the server to judge; undefined if its price is no amount of the currency. */
export function contentOf(draft: PlanDraft, currency: string): Input<"addPlan"> | undefined {
  const priceCents = centsOf(draft.amount, currency);
  if (priceCents === undefined) return undefined;
  const duration = wholeNumber(draft.durationCount);
  const terms = draft.terms.trim();
  return {
    name: draft.name.trim(),
    billingKind: draft.billingKind,
    ...(draft.billingKind === "recurring" && { billingInterval: draft.billingInterval }),
    ...(draft.isFixed && {
      ...(duration !== undefined && { durationCount: duration }),
      durationUnit: draft.durationUnit,
    }),
    priceCents,
    isTrial: draft.isTrial,
    allLocations: draft.allLocations,
    locationIds: draft.allLocations ? [] : draft.locationIds,
    ...(terms !== "" && { terms }),
    entitlements: draft.grants.map(grantOf),
  };
}

type PlanChanges = Input<"editPlan">["changes"];

const TOGETHER = [
  ["billingKind", "billingInterval"],
  ["durationCount", "durationUnit"],
  ["allLocations", "locationIds"],
] as const;

/** What an edit changes: what the form leaves out is cleared. */
export function planChanges(stored: PlanDraft, draft: PlanDraft, currency: string): PlanChanges {
  const whole = (content: Input<"addPlan"> | undefined): PlanChanges => ({
    ...{ billingInterval: null, durationCount: null, durationUnit: null, terms: null },
    ...content,
  });
  return differences(whole(contentOf(stored, currency)), whole(contentOf(draft, currency)), TOGETHER);
}

export function grantOf({ type, scope, limit, most, quantity }: GrantDraft): Schemas["PlanEntitlement"] {
  const [kind, id] = scope.split(":");
  const visits = wholeNumber(most);
  const credits = wholeNumber(quantity);
  return {
    type,
    ...(type === "access" &&
      limit !== "none" && {
        ...(limit !== "ever" && { period: limit }),
        ...(visits !== undefined && { maxVisitsPerPeriod: visits }),
      }),
    ...(type === "credits" && credits !== undefined && { creditQuantity: credits }),
    ...(kind === "type" && id !== undefined && { serviceTypeId: id }),
    ...(kind === "group" && id !== undefined && { serviceGroupId: id }),
  };
}

/** Whether contracts could follow the change: only what they cover and where does. */
export function concernsContracts(before: PlanDraft, after: PlanDraft): boolean {
  const part = ({ allLocations, locationIds, grants }: PlanDraft) =>
    JSON.stringify([allLocations, [...locationIds].sort(), grants.map(grantOf)]);
  return part(before) !== part(after);
}

function scopeOf({ serviceTypeId, serviceGroupId }: Schemas["PlanEntitlement"]): string {
  if (serviceTypeId !== undefined) return `type:${serviceTypeId}`;
  return serviceGroupId === undefined ? "all" : `group:${serviceGroupId}`;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
