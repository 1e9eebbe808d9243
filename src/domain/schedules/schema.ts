import type { TProperties } from "typebox";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  CalendarDate,
  Id,
  Instant,
  Line,
  LocalDateTime,
  OneOf,
  PageQuery,
  page,
  type Static,
  Timezone,
} from "../../core/fields.ts";
import { MAX_RULE_LENGTH, MAX_SCHEDULE_DATES } from "../../core/limits.ts";
import Type from "../../core/schema-type.ts";
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
  lastSlot: Type.Optional(
    LocalDateTime("No slot begins after it, on the location's clock; absent for a schedule without end."),
  ),
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
  endsFrom: Type.Optional(CalendarDate("Only schedules that can have slots on this day or later.")),
  endsBefore: Type.Optional(CalendarDate("Only schedules that are over before this day.")),
  limit,
  offset,
  cursor,
});

/** How many dates fit into an address, with room for the rest. */
const MOST_LISTED = 400;
const DateList = (description: string) =>
  Type.Optional(
    Line(MOST_LISTED * "2026-11-16T07:00,".length, {
      description: `${description} Local date-times with commas between them.`,
      examples: ["2026-11-18T07:00,2026-11-25T07:00"],
    }),
  );

/** What a schedule would be, as far as it decides about its slots. */
export const SlotQuery = Type.Object({
  start: givenSession.start,
  rrule: Type.Optional(Rule()),
  exdates: DateList("Exception dates."),
  rdates: DateList("Extra dates."),
  durationMinutes: Type.Optional(givenSession.durationMinutes),
  locationId: Type.Optional(Id("On whose clock it is read.", EXAMPLE_IDS.location)),
  timezone: Type.Optional(
    Timezone("On whose clock it is read, without a location: the organization's if absent."),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 10, description: "How many slots." }),
});

const exampleSlot = {
  originalStart: "2026-03-08T02:30",
  localStart: "2026-03-08T03:30",
  localEnd: "2026-03-08T04:20",
  startAt: "2026-03-08T07:30:00.000Z",
  offset: "-04:00",
  clockChange: "skipped" as const,
};

export const Slots = Body(
  "Slots",
  {
    timezone: Timezone("On whose clock they are."),
    data: Type.Array(
      Type.Object(
        {
          originalStart: LocalDateTime("The slot as the rule has it, and as it is named."),
          localStart: LocalDateTime("What the clocks show when it begins."),
          localEnd: Type.Optional(LocalDateTime("And when it ends.")),
          startAt: Instant(),
          offset: Line(6, { description: "Of those clocks from UTC.", examples: ["-03:00"] }),
          clockChange: Type.Optional(
            OneOf(["skipped", "repeated"] as const, {
              description:
                "`skipped`: that night has no such time, and it begins later. `repeated`: it has it twice, and the first counts.",
            }),
          ),
        },
        { $id: "Slot" },
      ),
    ),
    hasMore: Type.Boolean({ description: "Whether others follow." }),
  },
  { examples: [{ timezone: "America/New_York", data: [exampleSlot], hasMore: true }] },
);

export const DeletedSchedule = Body("DeletedSchedule", { id: Id() });

export type Schedule = Static<typeof Schedule>;
export type Slots = Static<typeof Slots>;
export type SlotQuery = Static<typeof SlotQuery>;
export type ScheduleQuery = Static<typeof ScheduleQuery>;
