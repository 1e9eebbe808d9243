import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  Cents,
  Currency,
  clearables,
  Id,
  Instant,
  Int32,
  Int64,
  Line,
  OneOf,
  PageQuery,
  page,
  SearchQuery,
  type Static,
  Text,
  whole,
} from "../../core/fields.ts";
import { MAX_ENTITLEMENTS } from "../../core/limits.ts";
import Type from "../../core/schema-type.ts";

export const PLAN_STATUSES = ["active", "archived"] as const;
export const BILLING_KINDS = ["recurring", "one_time"] as const;
const BILLING_INTERVALS = ["week", "month", "quarter", "year"] as const;
export const DURATION_UNITS = ["day", "week", "month", "year"] as const;
export const ENTITLEMENT_TYPES = ["access", "credits"] as const;
const ENTITLEMENT_PERIODS = ["day", "week", "month"] as const;

/** What an entitlement grants, on a plan and on a contract alike. */
const entitlementFields = {
  type: OneOf(ENTITLEMENT_TYPES),
  period: Type.Optional(OneOf(ENTITLEMENT_PERIODS)),
  maxVisitsPerPeriod: Type.Optional(Int32("Visit cap per period; only for a capped access grant.")),
};

/** What an entitlement is limited to; neither means everything. */
const entitlementScope = {
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

/** A record of the demo studio. */
const examplePlan = {
  id: EXAMPLE_IDS.plan,
  name: "Mensal 2x por semana",
  status: "active" as const,
  billingKind: "recurring" as const,
  billingInterval: "month" as const,
  priceCents: 28_900,
  currency: "BRL",
  isTrial: false,
  allLocations: true,
  locationIds: [],
  terms: [
    "1. Agendamentos podem ser cancelados até 3 horas antes da aula.",
    "2. Créditos não usados até o fim da vigência expiram.",
    "3. O plano recorrente pode ser cancelado com 30 dias de aviso.",
  ].join("\n"),
  entitlements: [
    {
      type: "access" as const,
      period: "week" as const,
      maxVisitsPerPeriod: 2,
      serviceGroupId: EXAMPLE_IDS.serviceGroup,
    },
  ],
  createdAt: "2023-11-12T18:08:53.441Z",
  updatedAt: "2026-10-26T13:29:31.010Z",
};

export const Plan = Body(
  "Plan",
  {
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
  },
  { examples: [examplePlan] },
);

export const PlanPage = page("PlanPage", Plan, examplePlan);

/** How often a plan was sold. */
export const PlanContracts = Type.Object(
  {
    planId: Id(),
    running: Int64("Contracts that are active or paused."),
    sold: Int64("All contracts, whatever their status."),
  },
  { $id: "PlanContracts" },
);

export const PlanContractsList = whole("PlanContractsList", PlanContracts, {
  planId: EXAMPLE_IDS.plan,
  running: 41,
  sold: 63,
});

export const PlanQuery = Type.Object({
  query: SearchQuery("Terms to find in the name, whatever their case and accents.", "mensal"),
  status: Type.Optional(OneOf(PLAN_STATUSES, { description: "Every status if absent." })),
  billingKind: Type.Optional(OneOf(BILLING_KINDS, { description: "Every kind if absent." })),
  ...PageQuery,
});

/** What the operations of the staff application take. */

const planId = Id("The plan.", EXAMPLE_IDS.plan);
const GrantInput = Type.Object(PlanEntitlement.properties, { additionalProperties: false });
const content = {
  name: Plan.properties.name,
  ...billingFields,
  durationCount: Plan.properties.durationCount,
  durationUnit: Plan.properties.durationUnit,
  priceCents: Plan.properties.priceCents,
  currency: Type.Optional(Currency()),
  isTrial: Type.Optional(Type.Boolean({ default: false })),
  allLocations: Type.Optional(Type.Boolean({ description: "True if absent and no locations are named." })),
  locationIds: Type.Optional(Type.Array(Id())),
  terms: Plan.properties.terms,
  entitlements: Type.Array(GrantInput, { maxItems: MAX_ENTITLEMENTS }),
};

export const AddPlan = Type.Object(content, { additionalProperties: false });

const changes = {
  name: Type.Optional(content.name),
  billingKind: Type.Optional(content.billingKind),
  ...clearables({
    billingInterval: content.billingInterval,
    durationCount: content.durationCount,
    durationUnit: content.durationUnit,
    terms: content.terms,
  }),
  priceCents: Type.Optional(content.priceCents),
  currency: content.currency,
  isTrial: Type.Optional(Type.Boolean()),
  allLocations: Type.Optional(Type.Boolean()),
  locationIds: content.locationIds,
  entitlements: Type.Optional(content.entitlements),
};

export const EditPlan = Type.Object(
  {
    planId,
    changes: Type.Object(changes, {
      additionalProperties: false,
      description: "Members that are not named stay; null clears.",
    }),
    applyTo: Type.Optional(
      OneOf(["new", "all"] as const, {
        default: "new",
        description: "Whether contracts that are not over follow in their entitlements and locations.",
      }),
    ),
  },
  { additionalProperties: false },
);
export const NamePlan = Type.Object({ planId }, { additionalProperties: false });
export const DeletePlan = NamePlan;

export type PlanContracts = Static<typeof PlanContracts>;
export type Plan = Static<typeof Plan>;
export type PlanQuery = Static<typeof PlanQuery>;

/** A grant as a contract has it that was sold from a plan. */
export const ContractEntitlement = Type.Object(
  {
    id: Id(),
    ...entitlementFields,
    remainingCredits: Type.Optional(Int32("The live balance; only for `credits`.")),
    ...entitlementScope,
    revokedAt: Type.Optional(
      Instant("When plan propagation withdrew the grant: it covers no new booking, what it drew stands."),
    ),
  },
  { $id: "ContractEntitlement" },
);

export type ContractEntitlement = Static<typeof ContractEntitlement>;
