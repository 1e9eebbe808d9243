import type { RecordedWrite } from "../audit/schema.ts";
import { type Actor, hasRole } from "../core/actor.ts";
import type { Undo } from "../core/undo.ts";
import { STAFF_WRITES } from "./all-writes.ts";

const WRITES = new Map(STAFF_WRITES.map((write) => [write.name, write]));

/** How somebody can undo what was recorded; undefined if nothing does, or their role does not allow it. */
export function undoOf(entry: RecordedWrite, actor: Actor, today: string): Undo | undefined {
  const { id: auditId, action, subjectId, sessionId, details, undoneBy } = entry;
  if (undoneBy !== undefined) return undefined;
  const undo = WRITES.get(action)?.undo?.({ auditId, subjectId, sessionId, details, today });
  const role = undo && WRITES.get(undo.operation)?.role;
  return role !== undefined && hasRole(actor, role) ? undo : undefined;
}
