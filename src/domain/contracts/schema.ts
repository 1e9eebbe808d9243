import type { TProperties } from "typebox";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  CalendarDate,
  Cents,
  Currency,
  Id,
  Instant,
  Int32,
  Line,
  LocalDateTime,
  OneOf,
  PageQuery,
  page,
  type Static,
  Text,
} from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { CONTRACT_STATUSES, TERMS_RESPONSES } from "../contract-status/values.ts";
import { SalePayment } from "../money/schema.ts";
import { billingFields, ContractEntitlement } from "../plans/schema.ts";

/** A record of the demo studio. */
export const exampleContract = {
  id: EXAMPLE_IDS.contract,
  clientId: EXAMPLE_IDS.client,
  planId: EXAMPLE_IDS.plan,
  planName: "Mensal 2x por semana",
  priceCents: 26_000,
  currency: "BRL",
  isTrial: false,
  billingKind: "recurring" as const,
  billingInterval: "month" as const,
  startDate: "2023-11-13",
  status: "active" as const,
  accessBlocked: false,
  allLocations: true,
  locationIds: [],
  termsResponse: "accepted" as const,
  termsRespondedAt: "2023-11-13T13:31:00.000Z",
  entitlements: [
    {
      id: EXAMPLE_IDS.entitlement,
      type: "access" as const,
      period: "week" as const,
      maxVisitsPerPeriod: 2,
      serviceGroupId: EXAMPLE_IDS.serviceGroup,
    },
  ],
  createdAt: "2023-11-13T13:25:00.000Z",
  updatedAt: "2023-11-13T13:31:00.000Z",
};

/** What is stored of a contract, as all that reads and imports contracts has it. */
export const contractMembers = {
  id: Id(),
  clientId: Id(),
  planId: Type.Optional(Id("The plan it was sold from; absent once that plan is deleted.")),
  planName: Line(200, {
    minLength: 1,
    description: "As it was at signup.",
    examples: ["Unlimited monthly"],
  }),
  priceCents: Cents("Minor units of the currency, as agreed at signup."),
  currency: Currency(),
  isTrial: Type.Boolean(),
  ...billingFields,
  startDate: CalendarDate(),
  endDate: Type.Optional(CalendarDate("Inclusive last day; absent on an open-ended term.")),
  status: OneOf(CONTRACT_STATUSES),
  accessBlocked: Type.Boolean(),
  allLocations: Type.Boolean({ description: "Usable at every location; `locationIds` is then empty." }),
  locationIds: Type.Array(Id()),
  cancelledAt: Type.Optional(Instant()),
  termsResponse: Type.Optional(
    OneOf(TERMS_RESPONSES, {
      description: "The member's answer to the agreement; absent while unanswered.",
    }),
  ),
  termsRespondedAt: Type.Optional(Instant()),
  entitlements: Type.Array(ContractEntitlement, {
    description: "Empty in lists; full when reading one contract.",
  }),
  createdAt: Instant(),
  updatedAt: Instant(),
};

export const Contract = Body(
  "Contract",
  {
    ...contractMembers,
    clientName: Type.Optional(
      Line(200, { description: "With `include=names`: the client's name.", examples: ["Beatriz Nogueira"] }),
    ),
  },
  { examples: [exampleContract] },
);

export const ContractPage = page("ContractPage", Contract, { ...exampleContract, entitlements: [] });

/** What a contract may be asked for with. */
export const ContractIncludes = {
  include: Type.Optional(
    OneOf(["names"], { description: "`names`: with the name of the client as `clientName`." }),
  ),
};

export const ContractQuery = Type.Object({
  clientId: Type.Optional(Id("One client's contracts.", EXAMPLE_IDS.client)),
  locationId: Type.Optional(Id("Contracts usable at one location.", EXAMPLE_IDS.location)),
  status: Type.Optional(OneOf(CONTRACT_STATUSES, { description: "Every status if absent." })),
  ...ContractIncludes,
  ...PageQuery,
});

/** What the operations of the staff application take. */

const Reason = () => Text(500, { minLength: 1, description: "For the audit trail." });
const contractId = Id("The contract.", EXAMPLE_IDS.contract);
const input = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

export const SellContract = input({
  clientId: Id(),
  planId: Id(),
  startDate: Type.Optional(CalendarDate("Today if absent.")),
  priceCents: Type.Optional(Cents("The plan's if absent; another one only by a manager.")),
  locationIds: Type.Optional(
    Type.Array(Id(), { minItems: 1, description: "Some of the plan's; all if absent." }),
  ),
  termsResponse: Type.Optional(OneOf(TERMS_RESPONSES)),
  payment: Type.Optional({
    ...SalePayment,
    description: "Paid at once: the first invoice, or while nothing is issued the client's balance.",
  }),
});
export const VoidSale = input({
  contractId,
  voidPayments: Type.Optional(
    Type.Boolean({
      description:
        "Needed if it was paid: whether what paid its invoices, and what was paid with it, is void too, or becomes balance.",
    }),
  ),
});
export const VoidedSale = Type.Object(
  {
    id: Id(),
    paymentIds: Type.Array(Id(), {
      description: "What paid its invoices, and what was paid with it: void now, or balance.",
    }),
  },
  { examples: [{ id: EXAMPLE_IDS.contract, paymentIds: [EXAMPLE_IDS.payment] }] },
);
export const AnswerTerms = input({ contractId, termsResponse: OneOf(TERMS_RESPONSES) });
export const BlockAccess = input({ contractId, reason: Reason() });
export const UnblockAccess = input({ contractId });
export const AdjustCredits = input({
  entitlementId: Id(),
  by: Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, description: "Not 0." }),
  reason: Reason(),
  undoes: Type.Optional(
    Id("The audit entry of an adjustment of this balance that `by` takes back. Each can be taken back once."),
  ),
});
export const SetEndDate = input({
  contractId,
  endDate: Type.Unsafe<string | null>({
    ...CalendarDate("null: without end."),
    type: ["string", "null"],
  }),
  reason: Reason(),
});
export const PauseContract = input({
  contractId,
  firstDay: CalendarDate(),
  lastDay: Type.Optional(CalendarDate("Inclusive; open if absent.")),
  extendsTerm: Type.Optional(Type.Boolean({ default: true })),
  reason: Type.Optional(Reason()),
});
export const EndPause = input({
  contractId,
  pauseId: Type.Optional(Id("The first that is not over if absent.")),
  firstDayBack: CalendarDate(),
  reason: Type.Optional(Reason()),
});
export const CancelContract = input({
  contractId,
  now: Type.Optional(Type.Boolean({ description: "At once, instead of with a last day." })),
  lastDay: Type.Optional(CalendarDate()),
  reason: Reason(),
});
export const ReinstateContract = input({ contractId, reason: Type.Optional(Reason()) });

export const ContractPause = Type.Object(
  {
    id: Id(),
    firstDay: CalendarDate(),
    lastDay: Type.Optional(CalendarDate("Inclusive; absent while it is open.")),
    extendsTerm: Type.Boolean({ description: "Whether its days are added to the term." }),
  },
  { $id: "ContractPause" },
);

/** A contract as the staff sees it. */
export const StaffContract = Body(
  "StaffContract",
  {
    ...contractMembers,
    terms: Type.Optional(Text(100_000, { description: "The agreement as it was at signup." })),
    pauses: Type.Array(ContractPause),
  },
  { examples: [{ ...exampleContract, pauses: [] }] },
);

/** A contract as the page of its client shows it: with names, and how much of each grant is used. */
const ListedContract = Type.Object(
  {
    ...StaffContract.properties,
    entitlements: Type.Array(
      Type.Object(
        {
          ...ContractEntitlement.properties,
          serviceTypeName: Type.Optional(Line(200)),
          serviceGroupName: Type.Optional(Line(200)),
          visitsInPeriod: Type.Optional(
            Int32("Visits that count towards `maxVisitsPerPeriod` in the period of today."),
          ),
        },
        { $id: "ListedEntitlement" },
      ),
    ),
    locationNames: Type.Array(Line(200), { description: "Of `locationIds`, in the order of names." }),
    cancelledHere: Type.Boolean({ description: "Whether `reinstateContract` can undo its cancellation." }),
    isSaleUndoable: Type.Boolean({ description: "Whether the caller can undo its sale now by `voidSale`." }),
  },
  { $id: "ListedContract" },
);
const exampleListed = {
  ...exampleContract,
  entitlements: exampleContract.entitlements.map((entitlement) => ({
    ...entitlement,
    serviceGroupName: "Pilates",
    visitsInPeriod: 1,
  })),
  pauses: [],
  locationNames: [],
  cancelledHere: false,
  isSaleUndoable: false,
};

export const ClientContracts = Body(
  "ClientContracts",
  {
    today: CalendarDate("Today in the organization's timezone."),
    data: Type.Array(ListedContract, { description: "Those that run first, then the newest. At most 200." }),
    total: Int32("How many the client has ever had."),
    erasedAt: Type.Optional(Instant("When the client was erased.")),
  },
  { examples: [{ today: "2026-11-16", data: [exampleListed], total: 1 }] },
);

/** What happened to a balance of credits. `kept`: cancelled too late, so that nothing came back. */
const CREDIT_EVENTS = ["granted", "used", "returned", "kept", "adjusted"] as const;

const CreditLine = Type.Object(
  {
    entitlementId: Id(),
    at: Instant("When it was done."),
    event: OneOf(CREDIT_EVENTS, { description: "What happened to the credits." }),
    credits: Type.Integer({ description: "What it changed: -1 of a visit, 1 of one that was given back." }),
    balance: Type.Integer({ description: "What the entitlement had afterwards." }),
    actor: Type.Optional(
      Line(300, { description: "Who did it, as the audit trail says it; absent of what was imported." }),
    ),
    actorName: Type.Optional(Line(200, { description: "The name of the colleague or API key." })),
    action: Type.Optional(
      Line(64, { description: "The operation that did it.", examples: ["cancelBooking"] }),
    ),
    reason: Type.Optional(Text(500)),
    sessionId: Type.Optional(Id("Of a visit.")),
    serviceTypeName: Type.Optional(Line(200)),
    localStart: Type.Optional(LocalDateTime("When the session begins, on the clock of its location.")),
  },
  { $id: "CreditLine" },
);

export const CreditStatement = Body(
  "CreditStatement",
  {
    data: Type.Array(CreditLine, { description: "The newest first. At most 200." }),
    total: Int32("How many there are in all."),
  },
  {
    examples: [
      {
        data: [
          {
            entitlementId: EXAMPLE_IDS.entitlement,
            at: "2026-11-15T09:30:00.000Z",
            event: "used",
            credits: -1,
            balance: 9,
            actor: `staff:${EXAMPLE_IDS.staff}`,
            actorName: "Carla Dias",
            action: "book",
            sessionId: EXAMPLE_IDS.session,
            serviceTypeName: "Pilates",
            localStart: "2026-11-16T07:00",
          },
        ],
        total: 1,
      },
    ],
  },
);

export type CreditLine = Static<typeof CreditLine>;
export type CreditStatement = Static<typeof CreditStatement>;
export type ListedContract = Static<typeof ListedContract>;
export type ClientContracts = Static<typeof ClientContracts>;
export type StaffContract = Static<typeof StaffContract>;
export type Contract = Static<typeof Contract>;
export type ContractQuery = Static<typeof ContractQuery>;
