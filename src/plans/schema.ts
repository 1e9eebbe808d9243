import Type from "typebox";
import {
  Body,
  Cents,
  Currency,
  Id,
  Instant,
  Int32,
  Line,
  OneOf,
  PageQuery,
  page,
  SearchQuery,
  type Static,
  Text,
} from "../core/fields.ts";

export const PLAN_STATUSES = ["active", "archived"] as const;
export const BILLING_KINDS = ["recurring", "one_time"] as const;
export const BILLING_INTERVALS = ["week", "month", "quarter", "year"] as const;
export const DURATION_UNITS = ["day", "week", "month", "year"] as const;
export const ENTITLEMENT_TYPES = ["access", "credits"] as const;
export const ENTITLEMENT_PERIODS = ["day", "week", "month"] as const;

/** What an entitlement grants, on a plan and on a contract alike. */
export const entitlementFields = {
  type: OneOf(ENTITLEMENT_TYPES),
  period: Type.Optional(OneOf(ENTITLEMENT_PERIODS)),
  maxVisitsPerPeriod: Type.Optional(Int32("Visit cap per period; only for a capped access grant.")),
};

/** What an entitlement is limited to; neither means everything. */
export const entitlementScope = {
  serviceTypeId: Type.Optional(Id("Only this service type.")),
  serviceGroupId: Type.Optional(Id("Only this group of service types, as the group is now.")),
};

export const PlanEntitlement = Type.Object(
  {
    ...entitlementFields,
    creditQuantity: Type.Optional(Int32("Credits granted at signup; only for `credits`.")),
    ...entitlementScope,
  },
  { $id: "PlanEntitlement" },
);

/** How a plan, and a contract sold from it, charges. */
export const billingFields = {
  billingKind: OneOf(BILLING_KINDS),
  billingInterval: Type.Optional(
    OneOf(BILLING_INTERVALS, { description: "How often it charges; only if recurring." }),
  ),
};

export const Plan = Body("Plan", {
  id: Id(),
  name: Line(200, { minLength: 1, examples: ["Unlimited monthly"] }),
  status: OneOf(PLAN_STATUSES),
  ...billingFields,
  durationCount: Type.Optional(Int32("How many units a term lasts.", 1)),
  durationUnit: Type.Optional(OneOf(DURATION_UNITS)),
  priceCents: Cents("Minor units of the currency, never a decimal."),
  currency: Currency(),
  isTrial: Type.Boolean({
    description: "An entry product, sellable once to a client with no contract history.",
  }),
  allLocations: Type.Boolean({
    description: "The plan sells at every location; `locationIds` is then empty.",
  }),
  locationIds: Type.Array(Id()),
  terms: Type.Optional(Text(100_000, { description: "The agreement copied onto a contract at signup." })),
  entitlements: Type.Array(PlanEntitlement),
  createdAt: Instant(),
  updatedAt: Instant(),
});

export const PlanPage = page("PlanPage", Plan);

export const PlanQuery = Type.Object({
  query: SearchQuery("Terms to find in the name, whatever their case and accents."),
  status: Type.Optional(OneOf(PLAN_STATUSES, { description: "Every status if absent." })),
  billingKind: Type.Optional(OneOf(BILLING_KINDS, { description: "Every kind if absent." })),
  ...PageQuery,
});

export type Plan = Static<typeof Plan>;
export type PlanQuery = Static<typeof PlanQuery>;
