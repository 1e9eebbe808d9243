import type { TProperties } from "typebox";
import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { Body, CalendarDate, Id, Line, LocalDateTime, PageQuery, page, type Static } from "../core/fields.ts";
import { MAX_RULE_LENGTH, MAX_SCHEDULE_DATES } from "../core/limits.ts";
import Type from "../core/schema-type.ts";
import { ChangedResources, givenSession } from "../sessions/schema.ts";

const Rule = () =>
  Line(MAX_RULE_LENGTH, {
    minLength: 1,
    description: "A recurrence rule of RFC 5545; absent for a schedule that takes place once.",
    examples: ["FREQ=WEEKLY;BYDAY=MO,WE"],
  });
const Dates = (description: string) =>
  Type.Array(LocalDateTime(), { maxItems: MAX_SCHEDULE_DATES, description });

const times = {
  rrule: Type.Optional(Rule()),
  exdates: Type.Optional(Dates("Exception dates: slots that are left out.")),
  rdates: Type.Optional(Dates("Extra dates: slots beside those of the rule.")),
};

const clearable = <Member extends object, Value>(member: Member, type: string) =>
  Type.Optional(Type.Unsafe<Value | null>({ ...member, type: [type, "null"] }));

const input = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });
const scheduleId = Id("The schedule.", EXAMPLE_IDS.schedule);
const cancelBooked = Type.Optional(
  Type.Boolean({ description: "Cancels the sessions concerned although people are booked." }),
);

export const AddSchedule = input({ ...givenSession, ...times });

export const EditSchedule = input({
  scheduleId,
  from: Type.Optional(
    LocalDateTime("The slot from which on it changes, on the location's clock; the next one if absent."),
  ),
  changes: Type.Object(
    {
      serviceTypeId: Type.Optional(givenSession.serviceTypeId),
      locationId: Type.Optional(givenSession.locationId),
      resourceIds: ChangedResources,
      start: Type.Optional(
        LocalDateTime("The new local date-time of the slot `from`. It must fit the rule."),
      ),
      durationMinutes: Type.Optional(givenSession.durationMinutes),
      rrule: clearable<object, string>(Rule(), "string"),
      exdates: clearable<object, string[]>(times.exdates, "array"),
      rdates: clearable<object, string[]>(times.rdates, "array"),
      capacity: Type.Optional(givenSession.capacity),
    },
    { additionalProperties: false, description: "What is left out stays, and `null` takes away." },
  ),
  keepBooked: Type.Optional(
    Type.Boolean({ description: "Lets booked sessions stay as they are that have no slot any more." }),
  ),
  cancelBooked,
});

export const EndSchedule = input({
  scheduleId,
  lastDay: CalendarDate("The last day with sessions; today at the earliest."),
  cancelBooked,
});

export const DeleteSchedule = input({ scheduleId });

const scheduleFields = {
  id: Id(),
  ...givenSession,
  ...times,
  continuesId: Type.Optional(Id("The schedule that this one took over from.")),
};

/** A record of the demo studio. */
const exampleSchedule = {
  id: EXAMPLE_IDS.schedule,
  serviceTypeId: EXAMPLE_IDS.serviceType,
  locationId: EXAMPLE_IDS.location,
  resourceIds: [EXAMPLE_IDS.instructor, EXAMPLE_IDS.room],
  start: "2026-11-16T07:00",
  durationMinutes: 50,
  capacity: 12,
  rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
};

export const Schedule = Body("Schedule", scheduleFields, { examples: [exampleSchedule] });

/** A schedule within a list. */
export const ListedSchedule = Type.Object(scheduleFields, { $id: "ListedSchedule" });

export const SchedulePage = page("SchedulePage", ListedSchedule, exampleSchedule);

const { limit, offset, cursor } = PageQuery;
export const ScheduleQuery = Type.Object({
  locationId: Type.Optional(Id("Only schedules at this location.", EXAMPLE_IDS.location)),
  serviceTypeId: Type.Optional(Id("Only schedules of this service type.", EXAMPLE_IDS.serviceType)),
  limit,
  offset,
  cursor,
});

export const DeletedSchedule = Body("DeletedSchedule", { id: Id() });

export type Schedule = Static<typeof Schedule>;
export type ScheduleQuery = Static<typeof ScheduleQuery>;
