import type { TProperties } from "typebox";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Body, CalendarDate, Id, Int32, LocalDateTime, OneOf, type Static, Text } from "../../core/fields.ts";
import { MAX_DURATION_MINUTES } from "../../core/limits.ts";
import Type from "../../core/schema-type.ts";
import { RETURN_OUTCOMES } from "../bookings/schema.ts";
import { Session, SessionName } from "../calendar/schema.ts";
import { ResourceId } from "../resources/schema.ts";

/** What schedules and single sessions have in common, as the staff gives it. */
export const givenSession = {
  serviceTypeId: Id(undefined, EXAMPLE_IDS.serviceType),
  locationId: Id(undefined, EXAMPLE_IDS.location),
  resourceIds: Type.Optional(
    Type.Array(Type.String({ ...ResourceId(), minLength: 1 }), {
      maxItems: 200,
      description: "Who or what runs it: instructor, room, court.",
      examples: [[EXAMPLE_IDS.instructor]],
    }),
  ),
  start: LocalDateTime("On the location's clock."),
  durationMinutes: Type.Integer({ minimum: 1, maximum: MAX_DURATION_MINUTES, examples: [50] }),
  capacity: Int32("Seats."),
};

/** A list of resources that may be cleared. */
export const ChangedResources = Type.Optional(
  Type.Unsafe<string[] | null>({ ...givenSession.resourceIds, type: ["array", "null"] }),
);

const Reason = () => Text(500, { minLength: 1, description: "For the audit trail." });
const input = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

export const AddSession = input(givenSession);
export const EditSession = input({
  session: SessionName,
  changes: Type.Object(
    {
      start: Type.Optional(givenSession.start),
      durationMinutes: Type.Optional(givenSession.durationMinutes),
      locationId: Type.Optional(givenSession.locationId),
      resourceIds: ChangedResources,
      capacity: Type.Optional(givenSession.capacity),
    },
    { additionalProperties: false, description: "What is left out stays." },
  ),
});
export const CancelSession = input({ session: SessionName, reason: Reason() });
export const ReinstateSession = input({ session: SessionName, reason: Type.Optional(Reason()) });
export const CloseDays = input({
  locationId: givenSession.locationId,
  firstDay: CalendarDate("Today at the earliest, on the location's clock."),
  lastDay: CalendarDate("Inclusive; at most 31 days in all."),
  reason: Reason(),
  cancelBooked: Type.Optional(Type.Boolean({ description: "Cancels sessions that people are booked in." })),
});
export const ReleaseUnnamed = input({
  sessionId: Id(undefined, EXAMPLE_IDS.session),
  seats: Int32("How many seats without a name become free.", 1),
});

/** A session as the staff sees it: as the calendar has it. */
export const StaffSession = Body("StaffSession", Session.properties);

const ReturningSeat = Type.Object(
  {
    bookingId: Id(),
    clientId: Id(),
    outcome: OneOf(RETURN_OUTCOMES, {
      description:
        "`booked` as before; `uncovered`: booked, but what it drew on does not cover it now; `full`, `archived`, `erased`: " +
        "stays cancelled, for want of a seat or because the client is archived or erased.",
    }),
  },
  { $id: "ReturningBooking" },
);

/** A session that takes place again, and what becomes of those who were booked when it was cancelled. */
export const ReinstatedSession = Body("ReinstatedSession", {
  ...Session.properties,
  bookings: Type.Optional(
    Type.Array(ReturningSeat, {
      description:
        "Each booking that the cancellation had ended, in the order in which they were made; absent if the session was " +
        "not cancelled.",
    }),
  ),
});

/** How many records a closure changed. */
export const ClosedDays = Type.Object({
  contracts: Int32("Contracts that got credits back."),
  sessions: Int32("Sessions that were cancelled."),
  bookings: Int32("Bookings that ended."),
  creditsReturned: Int32(),
  promoted: Int32(),
});

export type StaffSession = Static<typeof StaffSession>;
export type ReinstatedSession = Static<typeof ReinstatedSession>;
