import { invalid } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { readSlots, unknownSchedule } from "./operations.ts";
import { findSchedule, listSchedules } from "./queries.ts";
import { Schedule, SchedulePage, ScheduleQuery, SlotQuery, Slots } from "./schema.ts";

export function scheduleStaffRoutes(scope: StaffScope): void {
  operation(scope, {
    operationId: "listSchedules",
    method: "GET",
    path: "/app/v1/schedules",
    tag: "Timetable",
    summary: "List schedules",
    description: "What sessions repeat by, newest first; those that are over too.",
    query: ScheduleQuery,
    pages: true,
    answer: { status: 200, description: "A page of schedules.", schema: SchedulePage },
    reads: ["catalog"],
    etag: "answer",
    handle: ({ caller, db, query }) => listSchedules(db, caller.organizationId, query),
  });

  operation(scope, {
    operationId: "getSchedule",
    method: "GET",
    path: "/app/v1/schedules/{id}",
    tag: "Timetable",
    summary: "One schedule",
    description: "One schedule by its id.",
    params: Type.Object({ id: Id("The schedule.", EXAMPLE_IDS.schedule) }),
    answer: { status: 200, description: "The schedule.", schema: Schedule },
    errors: [unknownSchedule()],
    reads: ["catalog"],
    etag: "record",
    handle: async ({ caller, db, params }) => {
      const schedule = await findSchedule(db, caller.organizationId, params.id);
      if (!schedule) throw unknownSchedule();
      return schedule;
    },
  });

  operation(scope, {
    operationId: "previewSlots",
    method: "GET",
    path: "/app/v1/slots",
    tag: "Timetable",
    summary: "The slots that a schedule would have",
    description:
      "The next slots of a schedule that is not stored, for somebody who is about to write one: what is wrong with it is told as " +
      "`addSchedule` tells it, and slots that a change of the clocks moves or repeats are marked.",
    query: SlotQuery,
    answer: { status: 200, description: "The slots from now on, in their order.", schema: Slots },
    errors: [invalid([{ location: "query.rrule", code: "rule_start_excluded" }])],
    handle: ({ caller, db, query }) => readSlots(db, { ...caller, now: caller.clock.now() }, query),
  });
}
