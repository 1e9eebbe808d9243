import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id, Instant, Int32, Line, LocalDateTime, OneOf, type Static, whole } from "../../core/fields.ts";
import { MAX_WINDOW_DAYS } from "../../core/limits.ts";
import Type, { publishedAs } from "../../core/schema-type.ts";
import { ResourceId } from "../resources/schema.ts";

export const SESSION_STATUSES = ["scheduled", "cancelled"] as const;

export const Session = Type.Object({
  id: Type.Optional(Id("Absent for a session that has not yet been booked, cancelled or moved.")),
  scheduleId: Type.Optional(Id("The schedule it comes from; absent for a one-off session.")),
  originalStart: Type.Optional(
    Type.String({
      description:
        "The slot of the schedule that the session stands for, on the location's clock. Together with `scheduleId` it " +
        "names the session for good: before it is booked and after, moved or not. Absent for a one-off session.",
      examples: ["2026-11-16T07:00"],
    }),
  ),
  serviceTypeId: Id(),
  locationId: Id("Render the times on this location's timezone."),
  resourceIds: Type.Optional(
    Type.Array(ResourceId(), { description: "Who or what runs the session: instructor, room, court." }),
  ),
  startAt: Instant("UTC."),
  endAt: Instant("UTC."),
  capacity: Int32(),
  bookedCount: Int32("Seats taken; a seat stays taken once the member arrives."),
  status: OneOf(SESSION_STATUSES),
});

export const exampleSession = {
  id: EXAMPLE_IDS.session,
  scheduleId: EXAMPLE_IDS.schedule,
  originalStart: "2026-11-16T07:00",
  serviceTypeId: EXAMPLE_IDS.serviceType,
  locationId: EXAMPLE_IDS.location,
  resourceIds: [EXAMPLE_IDS.instructor, EXAMPLE_IDS.room],
  startAt: "2026-11-16T10:00:00.000Z",
  endAt: "2026-11-16T10:50:00.000Z",
  capacity: 12,
  bookedCount: 9,
  status: "scheduled" as const,
};

/** What people call a session, and when it is on its location's clock. */
export const sessionNames = {
  serviceTypeName: Line(200, { examples: ["Pilates solo"] }),
  locationName: Line(200, { examples: ["Vila Madalena"] }),
  localStart: Line(32, { description: "On the location's clock.", examples: ["2026-11-16 07:00"] }),
  localEnd: Line(32, { examples: ["2026-11-16 07:50"] }),
  timezone: Line(64, { examples: ["America/Sao_Paulo"] }),
};
export const exampleSessionNames = {
  serviceTypeName: "Pilates solo",
  locationName: "Vila Madalena",
  localStart: "2026-11-16 07:00",
  localEnd: "2026-11-16 07:50",
  timezone: "America/Sao_Paulo",
};

const withNames = "With `include=names`: ";

/** A session as the public API shows it. */
export const CalendarSession = Type.Object(
  {
    ...Session.properties,
    serviceTypeName: Type.Optional(
      Line(200, { description: `${withNames}the service type's name.`, examples: ["Pilates solo"] }),
    ),
    locationName: Type.Optional(
      Line(200, { description: `${withNames}the location's name.`, examples: ["Vila Madalena"] }),
    ),
    localStart: Type.Optional(
      Line(32, {
        description: `${withNames}when it starts, on the location's clock.`,
        examples: ["2026-11-16 07:00"],
      }),
    ),
    localEnd: Type.Optional(
      Line(32, {
        description: `${withNames}when it ends, on the location's clock.`,
        examples: ["2026-11-16 07:50"],
      }),
    ),
  },
  { $id: "Session" },
);

export const Calendar = whole("Calendar", CalendarSession, exampleSession);

const resourceNames = Type.Optional(
  Type.Array(Line(200), { description: "In the order of `resourceIds`.", examples: [["Carla Dias"]] }),
);

/** A session as the staff reads it: with names, the location's clock and the line. */
export const NamedCalendarSession = Type.Object(
  {
    ...Session.properties,
    resourceNames,
    serviceTypeName: Type.Optional(sessionNames.serviceTypeName),
    locationName: Type.Optional(sessionNames.locationName),
    localStart: Type.Optional(sessionNames.localStart),
    localEnd: Type.Optional(sessionNames.localEnd),
    timezone: Type.Optional(sessionNames.timezone),
    waiting: Int32("How many people wait for a seat."),
  },
  { $id: "NamedCalendarSession" },
);

export const StaffCalendar = whole("StaffCalendar", NamedCalendarSession, {
  id: EXAMPLE_IDS.session,
  scheduleId: EXAMPLE_IDS.schedule,
  originalStart: "2026-11-16T07:00",
  serviceTypeId: EXAMPLE_IDS.serviceType,
  locationId: EXAMPLE_IDS.location,
  resourceIds: [EXAMPLE_IDS.instructor],
  startAt: "2026-11-16T10:00:00.000Z",
  endAt: "2026-11-16T10:50:00.000Z",
  capacity: 12,
  bookedCount: 12,
  status: "scheduled",
  resourceNames: ["Carla Dias"],
  ...exampleSessionNames,
  waiting: 2,
});

/** A session with its people, as the desk reads it. */
export const RosterSession = Type.Object(
  { ...Session.properties, resourceNames, ...sessionNames },
  { $id: "RosterSession" },
);
export const exampleRosterSession = {
  ...exampleSession,
  resourceNames: ["Carla Dias", "Sala 1"],
  ...exampleSessionNames,
};

/** How a download of the calendar names its columns: what a session is called and its local times are for people. */
export const CALENDAR_CSV_COLUMNS = [
  "id",
  "scheduleId",
  "serviceTypeId",
  "serviceTypeName",
  "locationId",
  "locationName",
  "resourceIds",
  "startAt",
  "endAt",
  "originalStart",
  "localStart",
  "localEnd",
  "timezone",
  "capacity",
  "bookedCount",
  "status",
] as const;

export const CalendarQuery = Type.Object({
  from: Instant("Window start, inclusive; any UTC offset.", "2026-11-16T00:00:00-03:00"),
  to: Instant(
    `Window end, exclusive; at most ${MAX_WINDOW_DAYS} days after \`from\`.`,
    "2026-11-23T00:00:00-03:00",
  ),
  locationId: Type.Optional(Id("Only sessions at this location.", EXAMPLE_IDS.location)),
  serviceTypeId: Type.Optional(Id("Only sessions of this service type.", EXAMPLE_IDS.serviceType)),
  scheduleId: Type.Optional(Id("Only sessions of this schedule.", EXAMPLE_IDS.schedule)),
  resourceId: Type.Optional(
    Line(64, {
      minLength: 1,
      description: "Only sessions that this resource runs.",
      examples: [EXAMPLE_IDS.instructor],
    }),
  ),
});

/** How the public API is asked for a calendar. */
export const NamedCalendarQuery = Type.Object({
  ...CalendarQuery.properties,
  include: Type.Optional(
    OneOf(["names"], {
      description:
        "`names`: each session then has `serviceTypeName`, `locationName`, `localStart` and `localEnd`, as CSV always does.",
    }),
  ),
});

/** A session as the staff names one: by its id, or by its slot, which has no id before somebody acts on it. */
export type SessionName =
  | { readonly sessionId: string }
  | { readonly scheduleId: string; readonly originalStart: string };

const nameMembers = {
  sessionId: Id("A session that has an id.", EXAMPLE_IDS.session),
  scheduleId: Id("The schedule of a slot.", EXAMPLE_IDS.schedule),
  originalStart: LocalDateTime("The slot on the location's clock, as the calendar has it."),
};

const { sessionId, ...slotName } = nameMembers;
const sessionNameText = "`sessionId`, or `scheduleId` and `originalStart` for a slot, stored or not.";

export const SessionName = publishedAs(
  {
    description: sessionNameText,
    oneOf: [
      Type.Object({ sessionId }, { title: "By its id", additionalProperties: false }),
      Type.Object(slotName, { title: "By its slot", additionalProperties: false }),
    ],
  },
  Type.Unsafe<SessionName>({
    type: "object",
    description: sessionNameText,
    properties: nameMembers,
    additionalProperties: false,
    // Rather than two alternatives: what is wrong is then said of the form that was meant.
    dependentSchemas: { sessionId: { properties: { scheduleId: false, originalStart: false } } },
    if: { required: ["sessionId"] },
    else: { required: ["scheduleId", "originalStart"] },
  }),
);

export type Session = Static<typeof Session>;
export type RosterSession = Static<typeof RosterSession>;
export type CalendarQuery = Static<typeof CalendarQuery>;
