import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { CalendarDate, Id, Instant, Int32, Int64, Line, type Static, whole } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";

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

export type DaysQuery = Static<typeof DaysQuery>;
export type TimetableUseQuery = Static<typeof TimetableUseQuery>;
export type MonthOfMembers = Static<typeof MonthOfMembers>;
export type WeekOfVisits = Static<typeof WeekOfVisits>;
export type HourOfWeek = Static<typeof HourOfWeek>;
export type DayOfKey = Static<typeof DayOfKey>;
