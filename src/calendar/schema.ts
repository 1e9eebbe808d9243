import Type from "typebox";
import { Id, Instant, Int32, Line, OneOf, type Static, whole } from "../core/fields.ts";

export const SESSION_STATUSES = ["scheduled", "cancelled"] as const;

export const Session = Type.Object(
  {
    id: Type.Optional(Id("Absent for a session that has not yet been booked, cancelled or moved.")),
    scheduleId: Type.Optional(Id("The schedule it comes from; absent for a one-off session.")),
    serviceTypeId: Id(),
    locationId: Id("Render the times on this location's timezone."),
    resourceIds: Type.Optional(
      Type.Array(Line(64), { description: "Who or what runs the session: instructor, room, court." }),
    ),
    startAt: Instant("UTC."),
    endAt: Instant("UTC."),
    capacity: Int32(),
    bookedCount: Int32("Seats taken; a seat stays taken once the member arrives."),
    status: OneOf(SESSION_STATUSES),
  },
  { $id: "Session" },
);

export const Calendar = whole("Calendar", Session);

export const CalendarQuery = Type.Object({
  from: Instant("Window start, inclusive; any UTC offset."),
  to: Instant("Window end, exclusive; at most 366 days after `from`."),
  locationId: Type.Optional(Id("Only sessions at this location.")),
  serviceTypeId: Type.Optional(Id("Only sessions of this service type.")),
});

export type Session = Static<typeof Session>;
export type CalendarQuery = Static<typeof CalendarQuery>;
