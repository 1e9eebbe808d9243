import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import { listResources } from "./queries.ts";
import { Resource, ResourceList } from "./schema.ts";

export function resourceRoutes(scope: OperationScope): void {
  operation(scope, {
    operationId: "listResources",
    method: "GET",
    path: "/v1/resources",
    tag: "Calendar",
    summary: "All resources",
    description:
      "Who or what runs sessions, in order of their ids: the names for the `resourceIds` of the calendar. The list is " +
      "returned whole.",
    answer: { status: 200, description: "All resources.", schema: ResourceList },
    reads: ["catalog", "sessions"],
    etag: "answer",
    download: { name: "resources", record: Resource, isFollowed: true },
    handle: ({ caller, db }) => listResources(db, caller.organizationId),
  });
}
