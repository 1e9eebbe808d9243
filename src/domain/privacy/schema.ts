import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Body, CalendarDate, Id, Instant, Line, OneOf, type Static, Text } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { Client } from "../clients/schema.ts";
import { StaffContract } from "../contracts/schema.ts";
import { Invoice, Payment } from "../money/schema.ts";

const clientId = Id("The client.", EXAMPLE_IDS.client);
const basis = Text(500, {
  minLength: 1,
  description:
    "Why the person is erased: a request, an article of the law. Kept for good, so without personal data.",
  examples: ["LGPD art. 18 VI, request of 2026-11-10"],
});

export const EraseClient = Type.Object({ clientId, basis }, { additionalProperties: false });
export const ExportClient = Type.Object({ clientId }, { additionalProperties: false });

/** An audit entry about a client. */
const ClientAuditEntry = Type.Object(
  {
    id: Id(),
    at: Instant(),
    actor: Line(300, { description: "`staff:ID`, `key:ID`, `operator:NAME` or `import`." }),
    action: Line(64),
    contractId: Type.Optional(Id()),
    sessionId: Type.Optional(Id()),
    subjectId: Type.Optional(Line(200, { description: "What it was done to." })),
    requestId: Type.Optional(Line(128, { description: "Of the request, if an API key made it." })),
    reason: Type.Optional(Text(500)),
    details: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object" }),
  },
  { $id: "ClientAuditEntry" },
);

const session = {
  sessionId: Id(),
  startAt: Instant("When the session begins or began."),
};

const ExportedBooking = Type.Object(
  {
    id: Id(),
    ...session,
    day: CalendarDate("The date of the session at its location."),
    state: OneOf(["booked", "attended", "no_show", "cancelled", "late_cancelled"]),
    contractId: Type.Optional(Id()),
    entitlementId: Type.Optional(Id("What it drew on.")),
    uncoveredReason: Type.Optional(Text(500, { description: "Why it drew on nothing." })),
    bookedAt: Instant(),
    checkedInAt: Type.Optional(Instant()),
    endedAt: Type.Optional(Instant("When it was cancelled.")),
  },
  { $id: "ExportedBooking" },
);

const ExportedWaiting = Type.Object(
  {
    id: Id(),
    ...session,
    joinedAt: Instant(),
    leftAt: Type.Optional(Instant()),
    bookingId: Type.Optional(Id("What the place in the line became.")),
  },
  { $id: "ExportedWaiting" },
);

/** Everything that is stored about one person. */
export const ClientExport = Body("ClientExport", {
  exportedAt: Instant(),
  client: Client,
  contracts: Type.Array(StaffContract, {
    description: "With their terms and pauses, in order of their ids.",
  }),
  bookings: Type.Array(ExportedBooking, { description: "In order of their ids." }),
  waiting: Type.Array(ExportedWaiting, { description: "Places on waitlists, in order of their ids." }),
  invoices: Type.Array(Type.Object(Invoice.properties, { $id: "ExportedInvoice" }), {
    description: "In the order of their days.",
  }),
  payments: Type.Array(Type.Object(Payment.properties, { $id: "ExportedPayment" }), {
    description: "In the order of their days, with what they pay.",
  }),
  auditEntries: Type.Array(ClientAuditEntry, {
    description: "What staff and API keys did about the client, in order.",
  }),
});

/** What `rollbook privacy list` writes, one a line, and `rollbook privacy reapply` reads. */
export const ErasureRecord = Type.Object(
  {
    organizationId: Id(),
    clientId: Id(),
    at: Instant(),
    actor: Line(300, { minLength: 1 }),
    basis: Text(500, { minLength: 1 }),
    documentMark: Type.Optional(Type.String({ maxLength: 64, pattern: "^[0-9a-f]{64}$" })),
    emailMark: Type.Optional(Type.String({ maxLength: 64, pattern: "^[0-9a-f]{64}$" })),
  },
  { additionalProperties: false },
);

export type EraseClient = Static<typeof EraseClient>;
export type ExportClient = Static<typeof ExportClient>;
export type ClientExport = Static<typeof ClientExport>;
export type ClientAuditEntry = Static<typeof ClientAuditEntry>;
export type ExportedBooking = Static<typeof ExportedBooking>;
export type ExportedWaiting = Static<typeof ExportedWaiting>;
export type ErasureRecord = Static<typeof ErasureRecord>;
