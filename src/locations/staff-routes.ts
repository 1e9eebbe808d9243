import { operation } from "../http/operation.ts";
import type { StaffScope } from "../http/staff-scope.ts";
import { readLocations } from "./queries.ts";
import { Location, LocationList } from "./schema.ts";

export function locationStaffRoutes(scope: StaffScope): void {
  operation(scope, {
    operationId: "listLocations",
    method: "GET",
    path: "/app/v1/locations",
    tag: "Locations",
    summary: "All locations",
    description: "Every location, open or closed, in order of creation. The list is returned whole.",
    answer: { status: 200, description: "All locations.", schema: LocationList },
    reads: ["catalog"],
    etag: "answer",
    download: { name: "locations", record: Location },
    handle: ({ caller, db }) => readLocations(db, caller.organizationId),
  });
}
