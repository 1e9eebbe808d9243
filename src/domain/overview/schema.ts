import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  CalendarDate,
  Cents,
  Currency,
  Id,
  Instant,
  Int32,
  Int64,
  Line,
  LocalDateTime,
  OneOf,
  PageQuery,
  page,
  type Static,
  Text,
  whole,
} from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { BOOKING_STATES } from "../bookings/schema.ts";
import { SESSION_STATUSES } from "../calendar/schema.ts";
import { CONTRACT_STATUSES } from "../contract-status/values.ts";
import { BILLING_KINDS } from "../plans/schema.ts";

/** How far back one look at the past may reach. */
export const MOST_DAYS = 1_100;
export const MOST_TIMETABLE_DAYS = 92;

const from = CalendarDate("The first day.");
const until = CalendarDate(`The last day, at most ${MOST_DAYS} days after the first.`);

export const DaysQuery = Type.Object({ from, until });

export const TimetableUseQuery = Type.Object({
  from: Instant("Window start, inclusive; any UTC offset.", "2026-10-19T00:00:00-03:00"),
  to: Instant(
    `Window end, exclusive; at most ${MOST_TIMETABLE_DAYS} days after \`from\`.`,
    "2026-11-16T00:00:00-03:00",
  ),
  locationId: Type.Optional(Id("Only sessions at this location.", EXAMPLE_IDS.location)),
  serviceTypeId: Type.Optional(Id("Only sessions of this service type.", EXAMPLE_IDS.serviceType)),
});

const exampleMonth = { month: "2026-10", day: "2026-10-31", members: 214, began: 31, ended: 18 };

const MonthOfMembers = Type.Object(
  {
    month: Line(7, { description: "The month, such as 2026-10." }),
    day: CalendarDate("Its last day, or the last one that was asked for: when members are counted."),
    members: Int32("Clients with a contract that ran on that day and was not paused."),
    began: Int32("Contracts whose first day is in the month."),
    ended: Int32("Contracts whose last day is in the month."),
  },
  { $id: "MonthOfMembers" },
);

export const MembersByMonth = whole("MembersByMonth", MonthOfMembers, exampleMonth);

const exampleWeek = { firstDay: "2026-11-09", attended: 121, noShows: 7, lateCancelled: 4, unmarked: 12 };

const WeekOfVisits = Type.Object(
  {
    firstDay: CalendarDate("The first day of the week, by the organization's settings."),
    attended: Int32("Visits."),
    noShows: Int32("Those who did not come, as marked or as the closed record reads."),
    lateCancelled: Int32("Cancelled after the deadline."),
    unmarked: Int32("Booked, and not marked yet."),
  },
  { $id: "WeekOfVisits" },
);

export const AttendanceByWeek = whole("AttendanceByWeek", WeekOfVisits, exampleWeek);

const exampleHour = { weekday: 1, hour: 7, sessions: 8, capacity: 96, booked: 81 };

const HourOfWeek = Type.Object(
  {
    weekday: Type.Integer({ minimum: 1, maximum: 7, description: "1 is Monday, 7 is Sunday." }),
    hour: Type.Integer({ minimum: 0, maximum: 23, description: "In which they begin, on their own clocks." }),
    sessions: Int32("Sessions that took or take place; cancelled ones are left out."),
    capacity: Int64("Their seats."),
    booked: Int64("Their seats taken."),
  },
  { $id: "HourOfWeek" },
);

export const TimetableUse = whole("TimetableUse", HourOfWeek, exampleHour);

const exampleUse = {
  keyId: EXAMPLE_IDS.key,
  name: "Website",
  day: "2026-11-15",
  requests: 4_182,
  refused: 3,
};

const DayOfKey = Type.Object(
  {
    keyId: Id(),
    name: Type.Optional(Line(200, { description: "Of the key, if it has one." })),
    day: CalendarDate("In the organization's timezone."),
    requests: Int64("Requests with this key."),
    refused: Int64("Of those, the ones that were refused for the rate or the organization's state."),
  },
  { $id: "DayOfKey" },
);

export const KeyUseByDay = whole("KeyUseByDay", DayOfKey, exampleUse);

const exampleMemberMonth = { month: "2026-10", gained: 14, returned: 3, cancelled: 6, expired: 4 };
const exampleReason = { cause: "cancelled" as const, reason: "Moves to Porto", members: 2 };

const CAUSES = ["cancelled", "expired"] as const;
const cause = OneOf(CAUSES, {
  description: "What became of the last contract: it was cancelled, or ran out.",
});
const reasonOfLoss = Type.Optional(Text(500, { description: "What was written when it was cancelled." }));

/** Members gained and lost, added up. */
export const MemberChanges = Body(
  "MemberChanges",
  {
    data: Type.Array(
      Type.Object(
        {
          month: Line(7, { description: "The month, such as 2026-10." }),
          gained: Int32("Clients who had no contract on the day before."),
          returned: Int32("Of those, the ones who had one earlier."),
          cancelled: Int32("Clients whose last contract was cancelled."),
          expired: Int32("Clients whose last contract ran out."),
        },
        { $id: "MonthOfMemberChanges" },
      ),
      { description: "Every month of the days, the first one first." },
    ),
    total: Int64("How many months there are."),
    reasons: Type.Array(
      Type.Object(
        { cause, reason: reasonOfLoss, members: Int32("How many were lost so.") },
        { $id: "ReasonOfLoss" },
      ),
      { description: "Why members were lost, what was said most often first; at most 100." },
    ),
  },
  { examples: [{ data: [exampleMemberMonth], total: 1, reasons: [exampleReason] }] },
);

export const exampleMemberChange = {
  day: "2026-10-31",
  type: "lost" as const,
  clientId: EXAMPLE_IDS.client,
  clientName: "Ana Souza",
  contractId: EXAMPLE_IDS.contract,
  planName: "Mensal 2x por semana",
  isReturn: false,
  cause: "cancelled" as const,
  reason: "Moves to Porto",
};

/** One of them, as the file has them. */
export const MemberChange = Type.Object(
  {
    day: CalendarDate("The first day of the first contract, or the last day of the last."),
    type: OneOf(["gained", "lost"]),
    clientId: Id(),
    clientName: Line(200),
    contractId: Id("The contract that began or ended."),
    planName: Line(200),
    isReturn: Type.Boolean({ description: "Whether a client who was gained had a contract earlier." }),
    cause: Type.Optional(cause),
    reason: reasonOfLoss,
  },
  { $id: "MemberChange", examples: [exampleMemberChange] },
);

export const VisitsQuery = Type.Object({
  from,
  until,
  by: OneOf(["service", "hour", "teacher"], {
    description:
      "`service`: by service type. `hour`: by weekday and hour. `teacher`: by resource of kind `person`.",
  }),
  locationId: Type.Optional(Id("Only sessions at this location.", EXAMPLE_IDS.location)),
});

const exampleVisits = {
  serviceTypeId: EXAMPLE_IDS.serviceType,
  name: "Pilates",
  sessions: 48,
  attended: 391,
  noShows: 22,
  lateCancelled: 17,
  unmarked: 4,
};

export const VisitsOf = Type.Object(
  {
    serviceTypeId: Type.Optional(Id("With `by=service`.")),
    resourceId: Type.Optional(
      Line(200, { description: "With `by=teacher`; absent for sessions that nobody was named for." }),
    ),
    weekday: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 7, description: "With `by=hour`: 1 is Monday, 7 is Sunday." }),
    ),
    hour: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 23, description: "In which they begin, on their own clocks." }),
    ),
    name: Type.Optional(Line(200, { description: "Of the service type or the teacher." })),
    sessions: Int32("Sessions that somebody was booked for."),
    attended: Int32("Visits."),
    noShows: Int32("Those who did not come, as marked or as the closed record reads."),
    lateCancelled: Int32("Cancelled after the deadline."),
    unmarked: Int32("Booked, and not marked yet."),
  },
  { $id: "VisitsOf" },
);

export const Visits = whole("Visits", VisitsOf, exampleVisits);

export const ClassesQuery = Type.Object({
  from,
  until: CalendarDate(`The last day, at most ${MOST_TIMETABLE_DAYS} days after the first.`),
  resourceId: Type.Optional(Line(200, { minLength: 1, description: "Only those of this teacher." })),
  locationId: Type.Optional(Id("Only sessions at this location.", EXAMPLE_IDS.location)),
});

const exampleTeacher = {
  resourceId: EXAMPLE_IDS.instructor,
  name: "Carla Dias",
  classes: 41,
  withoutVisit: 2,
  minutes: 2_050,
  booked: 322,
  attended: 297,
};

const TeacherClasses = Type.Object(
  {
    resourceId: Type.Optional(Line(200, { description: "Absent for classes that nobody was named for." })),
    name: Type.Optional(Line(200, { description: "Of the teacher." })),
    classes: Int32("Classes and appointments that have begun and were not cancelled."),
    withoutVisit: Int32("Of those, the ones to which nobody came."),
    minutes: Int64("How long they were together."),
    booked: Int64("Seats taken."),
    attended: Int64("Visits."),
  },
  { $id: "ClassesOfTeacher" },
);

export const ClassesGiven = whole("ClassesGiven", TeacherClasses, exampleTeacher);

export const exampleGivenClass = {
  day: "2026-11-13",
  localStart: "2026-11-13 07:00",
  minutes: 50,
  resourceId: EXAMPLE_IDS.instructor,
  name: "Carla Dias",
  serviceTypeName: "Pilates",
  locationName: "Centro",
  capacity: 10,
  booked: 8,
  attended: 7,
  sessionId: EXAMPLE_IDS.session,
};

/** One of them, as the file has them: a line for each teacher. */
export const GivenClass = Type.Object(
  {
    day: CalendarDate("On the clock of the location."),
    localStart: Line(16, { description: "On the clock of the location." }),
    minutes: Int32(),
    resourceId: Type.Optional(Line(200)),
    name: Type.Optional(Line(200, { description: "Of the teacher." })),
    serviceTypeName: Type.Optional(Line(200)),
    locationName: Type.Optional(Line(200)),
    capacity: Int32(),
    booked: Int32("Seats taken."),
    attended: Int32("Visits."),
    sessionId: Type.Optional(Id("Absent for a slot that nobody has booked.")),
  },
  { $id: "GivenClass", examples: [exampleGivenClass] },
);

export type DaysQuery = Static<typeof DaysQuery>;
export type MemberChanges = Static<typeof MemberChanges>;
export type MemberChange = Static<typeof MemberChange>;
export type VisitsQuery = Static<typeof VisitsQuery>;
export type VisitsOf = Static<typeof VisitsOf>;
export type ClassesQuery = Static<typeof ClassesQuery>;
export type TeacherClasses = Static<typeof TeacherClasses>;
export type GivenClass = Static<typeof GivenClass>;
export type TimetableUseQuery = Static<typeof TimetableUseQuery>;
export type MonthOfMembers = Static<typeof MonthOfMembers>;
export type WeekOfVisits = Static<typeof WeekOfVisits>;
export type HourOfWeek = Static<typeof HourOfWeek>;
export type DayOfKey = Static<typeof DayOfKey>;

const { updatedSince: _, ...pages } = PageQuery;

/** Of which days a report is, and of where. */
export const ReportQuery = Type.Object({
  from,
  until,
  locationId: Type.Optional(
    Id("Only what is at this location, and contracts that can be used there.", EXAMPLE_IDS.location),
  ),
  ...pages,
});
export type ReportQuery = Static<typeof ReportQuery>;

const sessionNames = {
  localStart: LocalDateTime("When the session begins, on the clock of its location."),
  serviceTypeName: Line(200),
  locationName: Line(200),
};
const exampleNames = {
  localStart: "2026-11-16T07:00",
  serviceTypeName: "Pilates",
  locationName: "Centro",
};

export const ReportedVisit = Type.Object(
  {
    id: Id(),
    day: CalendarDate("On the clock of the location."),
    ...sessionNames,
    clientId: Id(),
    clientName: Line(200),
    state: OneOf(BOOKING_STATES),
    planName: Type.Optional(Line(200, { description: "What it draws on; absent if it is uncovered." })),
    uncoveredReason: Type.Optional(Text(500, { description: "Why it drew on nothing." })),
    bookedAt: Instant(),
    checkedInAt: Type.Optional(Instant()),
    endedAt: Type.Optional(Instant("When it was cancelled.")),
  },
  { $id: "ReportedVisit" },
);
export type ReportedVisit = Static<typeof ReportedVisit>;
export const VisitReport = page("VisitReport", ReportedVisit, {
  id: EXAMPLE_IDS.booking,
  day: "2026-11-16",
  ...exampleNames,
  clientId: EXAMPLE_IDS.client,
  clientName: "Ana Souza",
  state: "attended" as const,
  planName: "Mensal 2x por semana",
  bookedAt: "2026-11-15T09:30:00.000Z",
  checkedInAt: "2026-11-16T09:55:00.000Z",
});

export const ReportedSale = Type.Object(
  {
    id: Id("The contract."),
    soldAt: Instant("When it was sold."),
    clientId: Id(),
    clientName: Line(200),
    planId: Type.Optional(Id()),
    planName: Line(200),
    priceCents: Cents("What was agreed, for each period of a recurring plan."),
    currency: Currency(),
    billingKind: OneOf(BILLING_KINDS),
    isTrial: Type.Boolean(),
    startDate: CalendarDate(),
    endDate: Type.Optional(CalendarDate()),
    status: OneOf(CONTRACT_STATUSES),
    soldBy: Type.Optional(Line(200, { description: "Absent of what was imported." })),
  },
  { $id: "ReportedSale" },
);
export type ReportedSale = Static<typeof ReportedSale>;
export const SaleReport = page("SaleReport", ReportedSale, {
  id: EXAMPLE_IDS.contract,
  soldAt: "2026-11-16T12:02:11.402Z",
  clientId: EXAMPLE_IDS.client,
  clientName: "Ana Souza",
  planId: EXAMPLE_IDS.plan,
  planName: "Mensal 2x por semana",
  priceCents: 26_000,
  currency: "BRL",
  billingKind: "recurring" as const,
  isTrial: false,
  startDate: "2026-11-16",
  status: "active" as const,
  soldBy: "Carla Dias",
});

export const ReportedSession = Type.Object(
  {
    id: Id(),
    day: CalendarDate("On the clock of the location."),
    ...sessionNames,
    resourceNames: Type.String({ description: "With whom and in which room, divided by commas." }),
    status: OneOf(SESSION_STATUSES),
    capacity: Int32(),
    bookedCount: Int32("Seats taken, also those without a name."),
    attended: Int32("Who came."),
    noShows: Int32("As marked, or as the closed record reads."),
    lateCancelled: Int32("Cancelled after the deadline."),
    unmarked: Int32("Booked, and not marked yet."),
  },
  { $id: "ReportedSession" },
);
export type ReportedSession = Static<typeof ReportedSession>;
export const AttendanceReport = page("AttendanceReport", ReportedSession, {
  id: EXAMPLE_IDS.session,
  day: "2026-11-16",
  ...exampleNames,
  resourceNames: "Carla",
  status: "scheduled" as const,
  capacity: 12,
  bookedCount: 9,
  attended: 8,
  noShows: 1,
  lateCancelled: 0,
  unmarked: 0,
});
