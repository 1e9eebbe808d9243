import { type FindUndo, UNDO_REASON } from "../../core/undo.ts";
import { MOST_UNMARKED } from "./schema.ts";

/** How writes to bookings are undone, by what their audit entries hold. */

/** Without loss for the client, whatever the hour. A seat that had no name before would be free instead. */
export const cancelNew: FindUndo = ({ subjectId, details: { before, takeUnnamed } }) =>
  before === "none" && takeUnnamed !== true ? cancelFree(subjectId) : undefined;

/** What was cancelled late before would come back as cancelled in time: that is not undone. */
export const cancelRestored: FindUndo = ({ subjectId, details: { before } }) =>
  before === "cancelled" ? cancelFree(subjectId) : undefined;

function cancelFree(bookingId: string | undefined): ReturnType<FindUndo> {
  return { operation: "cancelBooking", input: { bookingId, waive: true, reason: UNDO_REASON } };
}

/** A booking that was made with the check-in stays. */
export const attendAsBefore: FindUndo = ({ subjectId, details: { before, state } }) => {
  const known = before === "none" ? "booked" : before;
  return known === undefined || known === state
    ? undefined
    : { operation: "setAttendance", input: { bookingId: subjectId, state: known } };
};

/** By the bookings that were marked. One that marked nobody has nothing to undo, and older entries do not name them. */
export const unmarkThem: FindUndo = ({ sessionId, details: { marked, state } }) =>
  Array.isArray(marked) && marked.length > 0 && marked.length <= MOST_UNMARKED
    ? {
        operation: "unmarkRest",
        input: { sessionId, bookingIds: marked, ...(state === "attended" && { state }) },
      }
    : undefined;

/** Those who were not told before. */
export const tellThem: FindUndo = ({ details: { bookingIds } }) =>
  Array.isArray(bookingIds) && bookingIds.length > 0
    ? { operation: "unmarkTold", input: { bookingIds } }
    : undefined;

/** Without loss. A seat that the client had before would go too, and what has begun would stay: then it is not undone. */
export const endNewPlace: FindUndo = ({ auditId, details: { adopted, firstDay }, today }) => {
  if (typeof firstDay !== "string" || firstDay <= today || adopted !== undefined) return undefined;
  return {
    operation: "endFixedPlace",
    input: { fixedPlaceId: auditId, fromDay: firstDay, waive: true, reason: UNDO_REASON },
  };
};
