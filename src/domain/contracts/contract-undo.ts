import { type AuditDetails, detailsOf, type FindUndo, UNDO_REASON, type UndoFacts } from "../../core/undo.ts";
import type { Pause } from "../contract-status/status-timeline.ts";

/** How writes to contracts are undone, by what their audit entries hold. */

/** What was paid with the sale is taken back too. */
export const undoSale: FindUndo = ({ subjectId, details }) =>
  subjectId === undefined
    ? undefined
    : {
        operation: "voidSale",
        input: { contractId: subjectId, ...(details.paymentId !== undefined && { voidPayments: true }) },
      };

export const blockAgain: FindUndo = ({ subjectId, details }) =>
  details.before === true
    ? { operation: "blockAccess", input: { contractId: subjectId, reason: UNDO_REASON } }
    : undefined;

/** By its entry: unlike other undos, which lead to a state, this one could be repeated. */
export const adjustBack: FindUndo = ({ auditId, details: { entitlementId, before, after } }) => ({
  operation: "adjustCredits",
  input: { entitlementId, by: Number(before) - Number(after), reason: UNDO_REASON, undoes: auditId },
});

/** Pauses that an earlier last day cut short do not come back with the later one: then there is no undoing it. */
export const setEndDateBack: FindUndo = ({ subjectId, details }) => {
  const [before, after] = [detailsOf(details.before), detailsOf(details.after)];
  const isPaused = "pauses" in before || "pauses" in after;
  if (before.endDate === after.endDate || isPaused) return undefined;
  const endDate = before.endDate ?? null;
  return { operation: "setEndDate", input: { contractId: subjectId, endDate, reason: UNDO_REASON } };
};

/** Back on its first day, a pause is gone; that day cannot have passed. */
export const endPauseAtOnce: FindUndo = ({ subjectId, details, today }) => {
  const known = new Set(pausesOf(details.before).map(({ id }) => id));
  const added = pausesOf(details.after).find(({ id }) => !known.has(id));
  if (!added || added.firstDay < today) return undefined;
  const { id: pauseId, firstDay: firstDayBack } = added;
  return { operation: "endPause", input: { contractId: subjectId, pauseId, firstDayBack } };
};

/** Not another last day of a contract that was cancelled already: reinstating would undo more than that. */
export function isCancellation({ details }: UndoFacts): boolean {
  const [before, after] = [detailsOf(details.before), detailsOf(details.after)];
  return after.cancelledAt !== undefined && before.cancelledAt === undefined;
}

function pausesOf(part: AuditDetails[string]): readonly Pause[] {
  const { pauses } = detailsOf(part);
  return Array.isArray(pauses) ? pauses : [];
}
