import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import { listServiceGroups } from "./queries.ts";
import { ServiceGroup, ServiceGroupList } from "./schema.ts";

/** What callers of the public API read, and the staff too: in either scope. */
export function serviceGroupRoutes(scope: OperationScope): void {
  operation(scope, {
    operationId: "listServiceGroups",
    method: "GET",
    path: `${scope.document.folder}/v1/service-groups`,
    tag: "Service types",
    summary: "All service groups",
    description:
      "The groups of service types that entitlements may be limited to, in order of their ids. The list is returned whole.",
    answer: { status: 200, description: "All service groups.", schema: ServiceGroupList },
    reads: ["catalog"],
    etag: "answer",
    download: { name: "service-groups", record: ServiceGroup, isFollowed: true },
    handle: ({ caller, db }) => listServiceGroups(db, caller.organizationId),
  });
}
