import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { listResources } from "./queries.ts";
import { Resource, ResourceList } from "./schema.ts";

export function resourceStaffRoutes(scope: StaffScope): void {
  operation(scope.forRole("teacher"), {
    operationId: "listResources",
    method: "GET",
    path: "/app/v1/resources",
    tag: "Resources",
    summary: "All resources",
    description:
      "Who or what runs sessions, active and archived, in order of their ids. The list is returned whole.",
    answer: { status: 200, description: "All resources.", schema: ResourceList },
    reads: ["catalog", "sessions"],
    etag: "answer",
    download: { name: "resources", record: Resource },
    handle: ({ caller, db }) => listResources(db, caller.organizationId),
  });
}
