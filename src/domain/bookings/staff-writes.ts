import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { undoneBy } from "../../core/undo.ts";
import { repeatedBy, type StaffCall, staffWrite } from "../writes/staff-write.ts";
import * as attendance from "./attendance.ts";
import * as undo from "./booking-undo.ts";
import * as fixedPlaces from "./fixed-places.ts";
import * as operations from "./operations.ts";
import { readBooking } from "./queries.ts";
import * as rules from "./rules.ts";
import * as schema from "./schema.ts";
import { readWaiting } from "./waiting-queries.ts";
import * as waitlist from "./waitlist.ts";

const TAG = "Bookings";
const session = { scheduleId: EXAMPLE_IDS.schedule, originalStart: "2026-11-16T07:00" };
const visit = { clientId: EXAMPLE_IDS.client, session };
const bookingId = EXAMPLE_IDS.booking;
const waitingId = EXAMPLE_IDS.waiting;
const fixedPlaceId = EXAMPLE_IDS.audit;

const ofBooking = {
  idOf: ({ id }: schema.Booking) => id,
  read: async ({ db, organizationId }: StaffCall, id: string) =>
    readBooking(db, organizationId, id, await db.now()),
};
const ofWaiting = repeatedBy(readWaiting);

const reasons = [
  { contractId: EXAMPLE_IDS.contract, entitlementId: EXAMPLE_IDS.entitlement, reason: "cap_reached" },
];
const full = refusal("full", { facts: { capacity: 12, bookedCount: 12, waiting: 2 } });
const busy = refusal("resource_busy", {
  params: { name: "Carla", from: "10:00", to: "10:50" },
  facts: { resourceId: EXAMPLE_IDS.instructor, sessionId: EXAMPLE_IDS.session },
});
const notCovered = refusal("not_covered", { facts: { reasons } });
const notOffered = refusal("not_offered", { facts: { reasons } });
const closed = refusal("record_closed", { params: { date: "2026-11-24" } });
const tooEarly = refusal("too_early", { params: { time: "17:00" } });
const ofKnownClient = [refusal("erased_client"), refusal("archived_client")];
const ofClient = [refusal("no_client"), ...ofKnownClient];
const ofKnownSession = [refusal("session_cancelled"), closed];
const ofSession = [refusal("no_slot"), ...ofKnownSession];
const ofSeat = [full, busy, notCovered, notOffered];

export const bookingWrites = [
  staffWrite({
    name: "book",
    role: "front_desk",
    tag: TAG,
    summary: "Book a client",
    description:
      "Takes a seat, and draws on what covers it best: access before credits, then what ends first, then what is " +
      "narrowest. Who is booked already is answered with that booking.",
    input: schema.Book,
    faults: async (_, given) => rules.checkChoice(given),
    example: visit,
    result: schema.Booking,
    refusals: [...ofClient, ...ofSession, refusal("no_unnamed"), ...ofSeat],
    perform: operations.book,
    undo: undo.cancelNew,
    repeat: ofBooking,
  }),
  staffWrite({
    name: "bookMany",
    role: "front_desk",
    tag: TAG,
    summary: "Book a regular",
    description:
      "Books each slot of some schedules from one day to another, or says of a slot why not. What it books is one fixed place, " +
      "which is moved by `moveFixedPlace` and ended by `endFixedPlace`; a seat that the client had there before belongs to it too.",
    input: schema.BookMany,
    faults: async (_, given) => [...rules.checkMany(given), ...rules.checkSpan(given)],
    example: {
      clientId: EXAMPLE_IDS.client,
      scheduleId: EXAMPLE_IDS.schedule,
      fromDay: "2026-11-16",
      untilDay: "2026-12-18",
    },
    result: schema.BookedSlots,
    refusals: [...ofClient, refusal("no_schedule")],
    perform: fixedPlaces.bookMany,
    undo: undo.endNewPlace,
  }),
  staffWrite({
    name: "endFixedPlace",
    role: "front_desk",
    tag: TAG,
    summary: "End a fixed place",
    description:
      "Cancels what is booked of a fixed place from a day on and has not begun. Each visit is cancelled as by `cancelBooking`: " +
      "where it is too late the draw is kept, unless that is waived with a reason.",
    input: schema.EndFixedPlace,
    faults: async (_, given) => rules.checkWaiver(given),
    example: { fixedPlaceId, fromDay: "2026-12-01" },
    result: schema.EndedBookings,
    refusals: [refusal("no_fixed_place")],
    perform: fixedPlaces.endFixedPlace,
  }),
  staffWrite({
    name: "moveFixedPlace",
    role: "front_desk",
    tag: TAG,
    summary: "Move a fixed place",
    description:
      "Ends a fixed place from a day on and books other slots in its stead, or says of a slot why not. A visit that is in both " +
      "stays as it is.",
    input: schema.MoveFixedPlace,
    faults: async (_, given) => [...rules.checkWaiver(given), ...rules.checkSpan(given)],
    example: {
      fixedPlaceId,
      places: [{ scheduleId: EXAMPLE_IDS.schedule, weekdays: ["tuesday", "thursday"] }],
      fromDay: "2026-12-01",
    },
    result: schema.MovedPlace,
    refusals: [refusal("no_fixed_place"), ...ofKnownClient, refusal("no_schedule")],
    perform: fixedPlaces.moveFixedPlace,
  }),
  staffWrite({
    name: "cancelBooking",
    role: "front_desk",
    tag: TAG,
    summary: "Cancel a booking",
    description:
      "Frees the seat. Up to the deadline, after the studio moved the session, or waived with a reason, the draw is " +
      "returned; later it is kept. A late cancellation can still be waived while the record is open. A seat that comes free in time goes to the first in line who is covered.",
    input: schema.CancelBooking,
    faults: async (_, given) => rules.checkWaiver(given),
    example: { bookingId },
    result: schema.Booking,
    refusals: [
      refusal("no_booking"),
      closed,
      refusal("checked_in", { params: { count: 1 } }),
      refusal("already_ended"),
    ],
    perform: operations.cancelBooking,
    undo: undoneBy("restoreBooking", "bookingId", ({ details }) => details.before === "booked"),
    repeat: ofBooking,
  }),
  staffWrite({
    name: "restoreBooking",
    role: "front_desk",
    tag: TAG,
    summary: "Undo a cancellation",
    description:
      "Takes a seat again, and draws again what was returned: on the same entitlement if it covers the visit as it is now, " +
      "else on another. Who comes back to another time or place than the booked one is to be told.",
    input: schema.RestoreBooking,
    example: { bookingId },
    result: schema.Booking,
    refusals: [
      refusal("no_booking"),
      ...ofKnownClient,
      ...ofKnownSession,
      refusal("place_closed"),
      refusal("already_booked"),
      full,
      busy,
      notCovered,
    ],
    perform: operations.restoreBooking,
    undo: undo.cancelRestored,
    repeat: ofBooking,
  }),
  staffWrite({
    name: "checkIn",
    role: "teacher",
    tag: TAG,
    summary: "Check a client in",
    description:
      "Marks a client as attended, who is booked first if need be; by a teacher, in a session of their own.",
    input: schema.CheckIn,
    faults: async (_, given) => rules.checkChoice(given),
    example: visit,
    result: schema.CheckedIn,
    refusals: [...ofClient, ...ofSession, ...ofSeat, tooEarly, refusal("blocked")],
    perform: attendance.checkIn,
    undo: undo.attendAsBefore,
    repeat: ofBooking,
  }),
  staffWrite({
    name: "setAttendance",
    role: "teacher",
    tag: TAG,
    summary: "Say whether a client came",
    description: "Can be corrected freely while the record of the session is open.",
    input: schema.SetAttendance,
    example: { bookingId, state: "attended" },
    result: schema.Booking,
    refusals: [refusal("no_booking"), closed, refusal("already_ended"), tooEarly, refusal("blocked")],
    perform: attendance.setAttendance,
    undo: undo.attendAsBefore,
    repeat: ofBooking,
  }),
  staffWrite({
    name: "markRest",
    role: "teacher",
    tag: TAG,
    summary: "Mark the rest",
    description:
      "Everybody who is booked into a session that is over, and was not marked, did not come; or with `attended`, from " +
      "the check-in on, they all did. Whoever a blocked contract keeps out is then left as they are.",
    input: schema.MarkRest,
    example: { sessionId: EXAMPLE_IDS.session },
    result: schema.ChangeCount,
    refusals: [refusal("no_slot"), closed, tooEarly],
    perform: attendance.markRest,
    undo: undo.unmarkThem,
  }),
  staffWrite({
    name: "unmarkRest",
    role: "teacher",
    tag: TAG,
    summary: "Take back who was marked",
    description:
      "Undoes `markRest`: of these bookings of a session, those that are still marked so are open again.",
    input: schema.UnmarkRest,
    example: { sessionId: EXAMPLE_IDS.session, bookingIds: [bookingId] },
    result: schema.ChangeCount,
    refusals: [refusal("no_slot"), closed],
    perform: attendance.unmarkRest,
  }),
  staffWrite({
    name: "coverBooking",
    role: "front_desk",
    tag: TAG,
    summary: "Cover a booking",
    description: "Lets a booking that draws on nothing draw on a contract after all.",
    input: schema.CoverBooking,
    example: { bookingId },
    result: schema.Booking,
    refusals: [
      refusal("no_booking"),
      refusal("already_ended"),
      refusal("is_covered"),
      notCovered,
      notOffered,
    ],
    perform: operations.coverBooking,
    repeat: ofBooking,
  }),
  staffWrite({
    name: "markCourtesy",
    role: "front_desk",
    tag: TAG,
    summary: "Leave a booking as a courtesy",
    description:
      "Takes a booking that draws on nothing off the list of those that are to be covered. It can still be covered.",
    input: schema.MarkCourtesy,
    example: { bookingId },
    result: schema.Booking,
    refusals: [refusal("no_booking"), refusal("already_ended"), refusal("is_covered")],
    perform: operations.markCourtesy,
    undo: undoneBy("unmarkCourtesy", "bookingId"),
    repeat: ofBooking,
  }),
  staffWrite({
    name: "unmarkCourtesy",
    role: "front_desk",
    tag: TAG,
    summary: "Have a courtesy covered after all",
    description: "Puts a booking back on the list of those that are to be covered.",
    input: schema.MarkCourtesy,
    example: { bookingId },
    result: schema.Booking,
    refusals: [refusal("no_booking"), refusal("already_ended"), refusal("is_covered")],
    perform: operations.unmarkCourtesy,
    undo: undoneBy("markCourtesy", "bookingId"),
    repeat: ofBooking,
  }),
  staffWrite({
    name: "joinWaiting",
    role: "front_desk",
    tag: TAG,
    summary: "Join the line",
    description: "For a session that is full and has not begun. It draws nothing and counts nowhere.",
    input: schema.JoinWaiting,
    example: visit,
    result: schema.Waiting,
    refusals: [
      ...ofClient,
      ...ofSession,
      refusal("seat_free"),
      refusal("session_begun"),
      refusal("already_booked"),
      refusal("already_waiting"),
    ],
    perform: waitlist.joinWaiting,
    undo: undoneBy("leaveWaiting", "waitingId", () => true),
    repeat: ofWaiting,
  }),
  staffWrite({
    name: "leaveWaiting",
    role: "front_desk",
    tag: TAG,
    summary: "Leave the line",
    description: "Gives up the place in the line.",
    input: schema.LeaveWaiting,
    example: { waitingId },
    result: schema.Waiting,
    refusals: [refusal("no_waiting")],
    perform: waitlist.leaveWaiting,
    repeat: ofWaiting,
  }),
  staffWrite({
    name: "promoteWaiting",
    role: "front_desk",
    tag: TAG,
    summary: "Book somebody from the line",
    description: "For a free seat, at any time before the start, after the client was asked.",
    input: schema.PromoteWaiting,
    faults: async (_, given) => rules.checkChoice(given),
    example: { waitingId },
    result: schema.Booking,
    refusals: [
      refusal("no_waiting"),
      ...ofKnownClient,
      ...ofKnownSession,
      refusal("session_begun"),
      ...ofSeat,
    ],
    perform: waitlist.promoteWaiting,
    repeat: ofBooking,
  }),
  staffWrite({
    name: "markTold",
    role: "front_desk",
    tag: TAG,
    summary: "Say that clients were told",
    description: "Takes bookings off the list of those who do not know yet what the studio did.",
    input: schema.MarkTold,
    example: { bookingIds: [bookingId] },
    result: schema.ChangeCount,
    refusals: [refusal("no_booking")],
    perform: operations.markTold,
    undo: undo.tellThem,
  }),
  staffWrite({
    name: "unmarkTold",
    role: "front_desk",
    tag: TAG,
    summary: "Say that clients are still to be told",
    description: "Undoes `markTold`: puts bookings back on the list of those who do not know yet.",
    input: schema.MarkTold,
    example: { bookingIds: [bookingId] },
    result: schema.ChangeCount,
    refusals: [refusal("no_booking")],
    perform: operations.unmarkTold,
  }),
];
