import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { checkYear } from "../../core/last-year.ts";
import { changesBack, isChanged } from "../../core/undo.ts";
import { type StaffCall, staffWrite } from "../writes/staff-write.ts";
import * as operations from "./operations.ts";
import { checkDays } from "./rules.ts";
import * as schema from "./schema.ts";

const tag = "Timetable";
const session = { scheduleId: EXAMPLE_IDS.schedule, originalStart: "2026-11-18T07:00" };
const unknown = refusal("no_slot");
const closed = refusal("record_closed", { params: { date: "2026-11-24" } });
const busy = refusal("resource_busy", {
  params: { name: "Carla", from: "10:00", to: "10:50" },
  facts: { resourceId: EXAMPLE_IDS.instructor, sessionId: EXAMPLE_IDS.session },
});
const checkedIn = refusal("checked_in", { params: { count: 2 } });
const hasBookings = refusal("has_bookings", { params: { count: 8 }, facts: { sessions: 1, bookings: 8 } });

const repeat = {
  idOf: operations.recordedName,
  read: ({ db, organizationId }: StaffCall, name: string) =>
    operations.readRecorded(db, organizationId, name),
};

export const sessionWrites = [
  staffWrite({
    name: "addSession",
    role: "front_desk",
    tag,
    summary: "Add a single session",
    description:
      "A session of no schedule. It may lie in the past for as long as its record would be open: until the eighth day after.",
    input: schema.AddSession,
    faults: async (_, given) => checkYear(given, "start", "body"),
    example: {
      serviceTypeId: EXAMPLE_IDS.serviceType,
      locationId: EXAMPLE_IDS.location,
      resourceIds: [EXAMPLE_IDS.instructor],
      start: "2026-11-21T10:00",
      durationMinutes: 50,
      capacity: 12,
    },
    result: schema.StaffSession,
    refusals: [busy],
    perform: operations.addSession,
    repeat,
  }),
  staffWrite({
    name: "editSession",
    role: "front_desk",
    tag,
    summary: "Change one session",
    description:
      "Moves a session, or gives it another length, place, capacity or other resources. Bookings stand; if it takes place " +
      "at another time or place, they can be cancelled without loss and their clients are to be told. Seats that are " +
      "added go to whoever waits. What has begun keeps its time and place, and once somebody is checked in it is moved to no " +
      "time at which nobody could be checked in yet.",
    input: schema.EditSession,
    faults: async (_, given) =>
      checkYear((given as { changes?: unknown } | null | undefined)?.changes, "start", "body.changes"),
    example: { session, changes: { resourceIds: [EXAMPLE_IDS.instructor] } },
    result: schema.StaffSession,
    refusals: [
      unknown,
      refusal("session_begun"),
      closed,
      refusal("session_cancelled"),
      refusal("below_seats", { params: { count: 9 } }),
      checkedIn,
      busy,
    ],
    perform: operations.editSession,
    undo: ({ sessionId, details }) => {
      const changes = changesBack(details, Object.keys(schema.EditSession.properties.changes.properties));
      return sessionId === undefined || changes === undefined
        ? undefined
        : { operation: "editSession", input: { session: { sessionId }, changes } };
    },
    repeat,
  }),
  staffWrite({
    name: "cancelSession",
    role: "front_desk",
    tag,
    summary: "Cancel one session",
    description:
      "Ends every booking in it and gives back what they drew, whatever the hour. The line is closed, resources are free, " +
      "and everybody is to be told. One that is cancelled already stays so.",
    input: schema.CancelSession,
    example: { session, reason: "The instructor is ill." },
    result: schema.StaffSession,
    refusals: [unknown, checkedIn, closed],
    perform: operations.cancelSession,
    // An entry of what was cancelled already says nothing of before.
    undo: ({ sessionId, details }) =>
      isChanged(details) ? { operation: "reinstateSession", input: { session: { sessionId } } } : undefined,
    repeat,
  }),
  staffWrite({
    name: "reinstateSession",
    role: "front_desk",
    tag,
    summary: "Undo the cancellation of a session",
    description:
      "The bookings that the cancellation ended are back in their old order, each drawing on what it drew on before; if " +
      "that does not cover it now, it is uncovered. Seats without a name are back too. Who is archived stays cancelled, and " +
      "so do the last booked for whom the capacity of now has no seat. Everybody is to be told. `bookings` says what " +
      "becomes of each; a dry run says it first.",
    input: schema.ReinstateSession,
    example: { session: { sessionId: EXAMPLE_IDS.session } },
    result: schema.ReinstatedSession,
    refusals: [unknown, closed, refusal("place_closed"), busy],
    perform: operations.reinstateSession,
    repeat: {
      idOf: operations.recordedReturn,
      read: ({ db, organizationId }, recorded) => operations.readRecordedReturn(db, organizationId, recorded),
    },
  }),
  staffWrite({
    name: "closeDays",
    role: "manager",
    tag,
    summary: "Close a location for some days",
    description:
      "Cancels every session of the location on these days that has not begun, slots that nobody has booked included.",
    input: schema.CloseDays,
    faults: async (_, given) => [...checkDays(given), ...checkYear(given, "lastDay", "body")],
    example: {
      locationId: EXAMPLE_IDS.location,
      firstDay: "2026-12-24",
      lastDay: "2026-12-26",
      reason: "Holidays",
      cancelBooked: true,
    },
    result: schema.ClosedDays,
    refusals: [refusal("no_location"), hasBookings, checkedIn],
    perform: operations.closeDays,
  }),
  staffWrite({
    name: "releaseUnnamed",
    role: "front_desk",
    tag,
    summary: "Free seats without a name",
    description: "Frees seats that are counted and have no booking, such as an import brings.",
    input: schema.ReleaseUnnamed,
    example: { sessionId: EXAMPLE_IDS.session, seats: 1 },
    result: schema.StaffSession,
    refusals: [unknown, refusal("no_unnamed")],
    perform: operations.releaseUnnamed,
    repeat,
  }),
];
