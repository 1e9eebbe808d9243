import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import { readLocations } from "./queries.ts";
import { Location, LocationList } from "./schema.ts";

/** What callers of the public API read, and the staff too: in either scope. */
export function locationRoutes(scope: OperationScope): void {
  operation(scope, {
    operationId: "listLocations",
    method: "GET",
    path: `${scope.document.folder}/v1/locations`,
    tag: "Locations",
    summary: "All locations",
    description: "Every location, open or closed, in order of creation. The list is returned whole.",
    answer: { status: 200, description: "All locations.", schema: LocationList },
    reads: ["catalog"],
    etag: "answer",
    download: { name: "locations", record: Location, isFollowed: true },
    handle: ({ caller, db }) => readLocations(db, caller.organizationId),
  });
}
