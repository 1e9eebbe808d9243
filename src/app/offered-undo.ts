import { type Actor, hasRole, worksAt } from "../core/actor.ts";
import { isOwnAndRecent, type Undo, type UndoableEntry } from "../core/undo.ts";
import { importUndo } from "../data/spreadsheet/staff-writes.ts";
import { STAFF_WRITES } from "./all-writes.ts";

const WRITES = new Map(STAFF_WRITES.map((write) => [write.name, write]));

/**
 * How somebody can undo what was recorded; undefined if nothing does, their role does not allow it, it is of places where they
 * do not work, or of a client who was erased since.
 */
export function undoOf(
  entry: UndoableEntry,
  actor: Actor,
  { today, now }: { readonly today: string; readonly now: number },
): Undo | undefined {
  const { id: auditId, action, subjectId, sessionId, details, undoneBy, isErased } = entry;
  if (undoneBy !== undefined || isErased) return undefined;
  const find = action === "import" ? importUndo : WRITES.get(action)?.undo;
  const undo = find?.({ auditId, subjectId, sessionId, details, today });
  const write = undo && WRITES.get(undo.operation);
  if (undo === undefined || write === undefined || !hasRole(actor, write.role)) return undefined;
  const { ownBelow } = write;
  if (ownBelow && !hasRole(actor, ownBelow) && !isOwnAndRecent(entry, actor.name, now)) return undefined;
  return worksWhere(actor, undo.operation, entry) ? undo : undefined;
}

/** Whether an operation is of places of somebody: the catalog is everybody's, and a plan is on sale or not at all of its own. */
function worksWhere(actor: Actor, operation: string, { placeIds }: UndoableEntry): boolean {
  if (actor.locationIds === undefined) return true;
  if (/(Location|ServiceType|ServiceGroup|Resource)$/.test(operation)) return false;
  const isOwn = (id: string) => worksAt(actor, id);
  if (/^(archive|restore)Plan$/.test(operation)) return placeIds?.every(isOwn) ?? false;
  return placeIds?.some(isOwn) ?? true;
}
