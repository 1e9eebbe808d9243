import { operation } from "../http/operation.ts";
import type { StaffScope } from "../http/staff-scope.ts";
import { listServiceGroups } from "./queries.ts";
import { ServiceGroup, ServiceGroupList } from "./schema.ts";

export function serviceGroupStaffRoutes(scope: StaffScope): void {
  operation(scope, {
    operationId: "listServiceGroups",
    method: "GET",
    path: "/app/v1/service-groups",
    tag: "Service types",
    summary: "All service groups",
    description:
      "The groups of service types that entitlements may be limited to, in order of their ids. The list is returned whole.",
    answer: { status: 200, description: "All service groups.", schema: ServiceGroupList },
    reads: ["catalog"],
    etag: "answer",
    download: { name: "service-groups", record: ServiceGroup },
    handle: ({ caller, db }) => listServiceGroups(db, caller.organizationId),
  });
}
