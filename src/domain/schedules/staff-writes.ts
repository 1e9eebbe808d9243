import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { checkYear } from "../../core/last-year.ts";
import { undoneBy } from "../../core/undo.ts";
import { repeatedBy, staffWrite } from "../writes/staff-write.ts";
import * as operations from "./operations.ts";
import { findSchedule } from "./queries.ts";
import { checkDecision, checkRuleText } from "./rules.ts";
import * as schema from "./schema.ts";

const tag = "Timetable";
const role = "manager";
const scheduleId = EXAMPLE_IDS.schedule;
const unknown = operations.unknownSchedule();
const over = refusal("schedule_over");
const busy = refusal("resource_busy", {
  params: { name: "Carla", from: "10:00", to: "10:50" },
  facts: { resourceId: EXAMPLE_IDS.instructor, sessionId: EXAMPLE_IDS.session },
});
const checkedIn = refusal("checked_in", { params: { count: 2 } });
const hasBookings = refusal("has_bookings", { params: { count: 8 }, facts: { sessions: 1, bookings: 8 } });

const repeat = repeatedBy(findSchedule);

export const scheduleWrites = [
  staffWrite({
    name: "addSchedule",
    role,
    tag,
    summary: "Add a schedule",
    description: "Its slots are on the calendar at once.",
    input: schema.AddSchedule,
    faults: async (_, given) => checkRuleText(given, "body"),
    example: {
      serviceTypeId: EXAMPLE_IDS.serviceType,
      locationId: EXAMPLE_IDS.location,
      resourceIds: [EXAMPLE_IDS.instructor],
      start: "2026-11-16T07:00",
      durationMinutes: 50,
      capacity: 12,
      rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
    },
    result: schema.Schedule,
    refusals: [busy],
    perform: operations.addSchedule,
    undo: undoneBy("deleteSchedule", "scheduleId", () => true),
    repeat,
  }),
  staffWrite({
    name: "editSchedule",
    role,
    tag,
    summary: "Change a schedule from a slot on",
    description:
      "Changes this slot and those that follow; by default from the next one on. If slots lie before it, the schedule ends " +
      "there and another one continues it, which is answered. Sessions go along with their slots, and whatever was " +
      "changed by hand in one of them stays. Of sessions that have no slot any more, those without bookings are " +
      "cancelled; for the others say `keepBooked` or `cancelBooked`.",
    input: schema.EditSchedule,
    faults: async (_, given) => [
      ...checkRuleText((given as { changes?: unknown } | null | undefined)?.changes, "body.changes"),
      ...checkDecision(given),
    ],
    example: { scheduleId, from: "2026-11-18T07:00", changes: { start: "2026-11-18T07:30" } },
    result: schema.Schedule,
    refusals: [unknown, over, refusal("no_slot"), refusal("session_begun"), hasBookings, checkedIn, busy],
    perform: operations.editSchedule,
    repeat,
  }),
  staffWrite({
    name: "endSchedule",
    role,
    tag,
    summary: "End a schedule",
    description:
      "With a last day. Sessions after it are cancelled, those with bookings only with `cancelBooked`.",
    input: schema.EndSchedule,
    faults: async (_, given) => checkYear(given, "lastDay", "body"),
    example: { scheduleId, lastDay: "2026-12-18" },
    result: schema.Schedule,
    refusals: [unknown, over, hasBookings, checkedIn],
    perform: operations.endSchedule,
    repeat,
  }),
  staffWrite({
    name: "deleteSchedule",
    role,
    tag,
    summary: "Delete a schedule",
    description:
      "One that was a mistake: no slot has begun, and nobody has booked, cancelled or changed one.",
    input: schema.DeleteSchedule,
    example: { scheduleId },
    result: schema.DeletedSchedule,
    refusals: [unknown, refusal("in_use", { params: { uses: [{ kind: "sessions", count: 1 }] } })],
    perform: operations.deleteSchedule,
  }),
];
