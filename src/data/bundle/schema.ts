import type { Static, TProperties } from "typebox";
import { Id, Instant, Int32, Line, OneOf } from "../../core/fields.ts";
import {
  MAX_DURATION_MINUTES,
  MAX_ENTITLEMENTS,
  MAX_RULE_LENGTH,
  MAX_SCHEDULE_DATES,
} from "../../core/limits.ts";
import Type from "../../core/schema-type.ts";
import { BOOKING_STATES, Booking } from "../../domain/bookings/schema.ts";
import { SESSION_STATUSES, Session } from "../../domain/calendar/schema.ts";
import { ClientInput } from "../../domain/clients/schema.ts";
import { ContractPause, contractMembers, StaffContract } from "../../domain/contracts/schema.ts";
import { Location } from "../../domain/locations/schema.ts";
import { Invoice, Payment } from "../../domain/money/schema.ts";
import { Organization, OrganizationSettings } from "../../domain/organizations/schema.ts";
import { ORGANIZATION_STATUSES } from "../../domain/organizations/values.ts";
import { ContractEntitlement, Plan, PlanEntitlement } from "../../domain/plans/schema.ts";
import { RESOURCE_KINDS, RESOURCE_STATUSES, ResourceId } from "../../domain/resources/schema.ts";
import { ServiceGroup } from "../../domain/service-groups/schema.ts";
import { ServiceType } from "../../domain/service-types/schema.ts";

/** The kinds of records, in the order of an export. */
export const KINDS = [
  "organization",
  "location",
  "resource",
  "serviceGroup",
  "serviceType",
  "plan",
  "client",
  "contract",
  "schedule",
  "session",
  "booking",
  "waiting",
  "invoice",
  "payment",
] as const;

export type Kind = (typeof KINDS)[number];

const MAX_PAUSES = 1_000;
/** More than anybody pays at once. */
const MAX_PARTS = 10_000;

const optionalId = Type.Optional(Id());
const optionalInstant = Type.Optional(Instant());

/** A record of the bundle: the members of the API's record, closed, with members optional that the import can fill in. */
function record<Properties extends TProperties>(properties: Properties) {
  return Type.Object(
    {
      ...properties,
      id: optionalId,
      kind: Type.Optional(Type.Unknown()),
      // Allowed, so that an answer of the API can be imported as it is.
      $schema: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: false },
  );
}

const times = { createdAt: optionalInstant, updatedAt: optionalInstant };

export const OrganizationLine = record({
  ...Organization.properties,
  status: OneOf(ORGANIZATION_STATUSES),
  cancelWindowMinutes: Type.Optional(OrganizationSettings.properties.cancelWindowMinutes),
  checkInOpensMinutes: Type.Optional(OrganizationSettings.properties.checkInOpensMinutes),
  weekStart: Type.Optional(OrganizationSettings.properties.weekStart),
  paymentDays: Type.Optional(OrganizationSettings.properties.paymentDays),
  invoicesFrom: OrganizationSettings.properties.invoicesFrom,
});

export const LocationLine = record({ ...Location.properties, createdAt: optionalInstant });

const resourceId = { ...ResourceId(), minLength: 1 };

/** Its kind is called `type`, because every line has a `kind`. Its id is the text that schedules and sessions name. */
export const ResourceLine = Type.Object(
  {
    ...record({
      name: Line(200, { minLength: 1 }),
      type: OneOf(RESOURCE_KINDS),
      status: OneOf(RESOURCE_STATUSES),
    }).properties,
    id: Type.Optional(resourceId),
  },
  { additionalProperties: false },
);

export const ServiceGroupLine = record({ ...ServiceGroup.properties });

export const ServiceTypeLine = record({ ...ServiceType.properties, ...times });

export const PlanLine = record({
  ...Plan.properties,
  entitlements: Type.Array(Type.Object(PlanEntitlement.properties, { additionalProperties: false }), {
    maxItems: MAX_ENTITLEMENTS,
  }),
  ...times,
});

export const ClientLine = record({ ...ClientInput.properties, ...times });

export const ContractLine = record({
  ...contractMembers,
  entitlements: Type.Array(
    Type.Object({ ...ContractEntitlement.properties, id: optionalId }, { additionalProperties: false }),
    { maxItems: MAX_ENTITLEMENTS },
  ),
  terms: StaffContract.properties.terms,
  pauses: Type.Optional(
    Type.Array(
      Type.Object({ ...ContractPause.properties, id: optionalId }, { additionalProperties: false }),
      { maxItems: MAX_PAUSES },
    ),
  ),
  ...times,
});

/** `2026-01-05T07:00`; whether it is a real one is for the rules of schedules. */
const WallClock = Line(32);

const session = {
  serviceTypeId: Session.properties.serviceTypeId,
  locationId: Session.properties.locationId,
  // A resource is listed under its id and named like it, so an empty one would be nobody and could not be asked for.
  resourceIds: Type.Optional(Type.Array(resourceId)),
  start: WallClock,
  durationMinutes: Type.Integer({ minimum: 1, maximum: MAX_DURATION_MINUTES }),
  capacity: Int32(),
};

export const ScheduleLine = record({
  ...session,
  rrule: Type.Optional(Line(MAX_RULE_LENGTH, { minLength: 1 })),
  exdates: Type.Optional(Type.Array(WallClock, { maxItems: MAX_SCHEDULE_DATES })),
  rdates: Type.Optional(Type.Array(WallClock, { maxItems: MAX_SCHEDULE_DATES })),
  continuesId: optionalId,
});

export const SessionLine = record({
  scheduleId: optionalId,
  originalStart: Type.Optional(WallClock),
  ...session,
  bookedCount: Session.properties.bookedCount,
  status: OneOf(SESSION_STATUSES),
});

export const BookingLine = record({
  sessionId: Id(),
  clientId: Id(),
  // As it is stored: what it reads as once the record of its session is closed follows from the time.
  state: OneOf(BOOKING_STATES),
  contractId: optionalId,
  entitlementId: optionalId,
  uncoveredReason: Booking.properties.uncoveredReason,
  isCourtesy: Type.Optional(Type.Boolean()),
  fixedPlaceId: optionalId,
  moved: Type.Optional(Type.Boolean()),
  toTell: Type.Optional(Type.Boolean()),
  bookedAt: Instant(),
  checkedInAt: optionalInstant,
  endedAt: optionalInstant,
});

export const WaitingLine = record({
  sessionId: Id(),
  clientId: Id(),
  joinedAt: Instant(),
  leftAt: optionalInstant,
  bookingId: optionalId,
});

// So far below what a number can be that there are always next ones.
const number = Type.Integer({ format: "int32", minimum: 1, maximum: 2_000_000_000 });

const { id: _, isOverdue: __, $schema: ___, ...invoice } = Invoice.properties;
export const InvoiceLine = record({
  ...invoice,
  number,
  period: Type.Optional(Int32("Which of the contract's periods it is for, counted from 0.")),
});

export const PaymentLine = record({
  number,
  clientId: Id(),
  type: Payment.properties.type,
  method: Payment.properties.method,
  amountCents: Payment.properties.amountCents,
  restCents: Payment.properties.restCents,
  paidOn: Payment.properties.paidOn,
  note: Payment.properties.note,
  status: Payment.properties.status,
  allocations: Type.Optional(
    Type.Array(
      Type.Object(
        { invoiceId: Id(), amountCents: Payment.properties.amountCents },
        { additionalProperties: false },
      ),
      { maxItems: MAX_PARTS },
    ),
  ),
  // Of a refund: from which payments it took.
  refunds: Type.Optional(
    Type.Array(
      Type.Object(
        { paymentId: Id(), amountCents: Payment.properties.amountCents },
        { additionalProperties: false },
      ),
      { maxItems: MAX_PARTS },
    ),
  ),
  createdAt: optionalInstant,
});

export const SCHEMAS = {
  organization: OrganizationLine,
  location: LocationLine,
  resource: ResourceLine,
  serviceGroup: ServiceGroupLine,
  serviceType: ServiceTypeLine,
  plan: PlanLine,
  client: ClientLine,
  contract: ContractLine,
  schedule: ScheduleLine,
  session: SessionLine,
  booking: BookingLine,
  waiting: WaitingLine,
  invoice: InvoiceLine,
  payment: PaymentLine,
} satisfies Record<Kind, unknown>;

export type RecordOf<K extends Kind> = Static<(typeof SCHEMAS)[K]>;
