import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { MAX_WAIT_SECONDS, Versions, VersionsQuery } from "./schema.ts";
import type { VersionWatch } from "./version-watch.ts";

export function organizationStaffRoutes(scope: StaffScope, watch: VersionWatch): void {
  operation(scope.forRole("teacher"), {
    operationId: "getVersions",
    method: "GET",
    path: "/app/v1/versions",
    tag: "Settings",
    summary: "Wait for a change",
    description:
      "The versions of all that the application shows. With `after` and `wait` the answer comes as soon as anybody has changed " +
      "anything, on whichever node and by whichever way, usually within a second; or when the time is over, with the same " +
      "versions. It may come early: ask again, but not more than once a second.",
    query: VersionsQuery,
    answer: { status: 200, description: "The versions.", schema: Versions },
    longestWaitMs: MAX_WAIT_SECONDS * 1000,
    handle: async ({ caller, query, left }) => ({
      versions: await watch.next(caller.organizationId, {
        after: query.after,
        waitMs: query.wait * 1000,
        left,
      }),
    }),
  });
}
