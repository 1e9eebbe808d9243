import type { Undo } from "../core/undo.ts";
import { operation } from "../http/operation.ts";
import type { StaffMember, StaffScope } from "../http/staff-scope.ts";
import { listRecordedWrites } from "./list-audit-queries.ts";
import { AuditQuery, type RecordedWrite, RecordedWritePage } from "./schema.ts";

export function auditStaffRoutes(
  scope: StaffScope,
  undoFor: (entry: RecordedWrite, caller: StaffMember) => Undo | undefined,
): void {
  operation(scope, {
    operationId: "listAudit",
    method: "GET",
    path: "/app/v1/audit",
    tag: "Audit",
    summary: "Who did what",
    description:
      "What operators and staff did, newest first, each with what undoes it where something does. Writes over the public API " +
      "are not in it.",
    query: AuditQuery,
    pages: true,
    answer: { status: 200, description: "A page of audit entries.", schema: RecordedWritePage },
    handle: async ({ caller, db, query }) => {
      const page = await listRecordedWrites(db, caller.organizationId, query);
      const data = page.data.map((entry) => {
        const undo = undoFor(entry, caller);
        return undo ? { ...entry, undo } : entry;
      });
      return { ...page, data };
    },
  });
}
