import { operation } from "../http/operation.ts";
import type { StaffScope } from "../http/staff-scope.ts";
import { listRecordedWrites } from "./list-audit-queries.ts";
import { AuditQuery, RecordedWritePage } from "./schema.ts";

export function auditStaffRoutes(scope: StaffScope): void {
  operation(scope, {
    operationId: "listAudit",
    method: "GET",
    path: "/app/v1/audit",
    tag: "Audit",
    summary: "Who did what",
    description: "What operators and staff did, newest first. Writes over the public API are not in it.",
    query: AuditQuery,
    pages: true,
    answer: { status: 200, description: "A page of audit entries.", schema: RecordedWritePage },
    handle: ({ caller, db, query }) => listRecordedWrites(db, caller.organizationId, query),
  });
}
