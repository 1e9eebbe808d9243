import type { Undo, UndoableEntry } from "../../core/undo.ts";
import { operation } from "../../http/operation.ts";
import type { StaffMember, StaffScope } from "../../http/staff-scope.ts";
import { listRecordedWrites } from "./list-audit-queries.ts";
import { AuditQuery, RecordedWritePage } from "./schema.ts";
import { readableActions } from "./values.ts";

export function auditStaffRoutes(
  scope: StaffScope,
  undoFor: (entry: UndoableEntry, caller: StaffMember) => Undo | undefined,
): void {
  operation(scope, {
    operationId: "listAudit",
    method: "GET",
    path: "/app/v1/audit",
    tag: "Audit",
    summary: "Who did what",
    description:
      "What operators, staff and API keys did, newest first, each with what undoes it where something does. The front desk " +
      "sees what concerns clients, contracts, the calendar and the catalog; managers and owners see everything.",
    query: AuditQuery,
    pages: true,
    answer: { status: 200, description: "A page of audit entries.", schema: RecordedWritePage },
    handle: async ({ caller, db, query }) => {
      const page = await listRecordedWrites(db, caller.organizationId, query, readableActions(caller.actor));
      const data = page.data.map((entry) => {
        const { placeIds: _, isErased: __, ...shown } = entry;
        const undo = undoFor(entry, caller);
        return undo ? { ...shown, undo } : shown;
      });
      return { ...page, data };
    },
  });
}
