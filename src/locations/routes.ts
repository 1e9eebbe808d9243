import type { SharedDatabase } from "../db/database.ts";
import { type OperationScope, operation } from "../http/operation.ts";
import { listLocations } from "./queries.ts";
import { LocationList } from "./schema.ts";

export function locationRoutes(scope: OperationScope, db: SharedDatabase): void {
  operation(scope, {
    operationId: "listLocations",
    method: "GET",
    path: "/v1/locations",
    tag: "Locations",
    summary: "All locations",
    description: "Every location, open or closed, in order of creation. The list is returned whole.",
    answer: { status: 200, description: "All locations.", schema: LocationList },
    reads: ["catalog"],
    handle: async ({ caller }) => {
      const data = await listLocations(db.for(caller.organizationId), caller.organizationId);
      return { data, total: data.length };
    },
  });
}
