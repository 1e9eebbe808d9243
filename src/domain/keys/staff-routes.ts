import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { listKeys } from "./queries.ts";
import { StaffKeyList } from "./schema.ts";

export function keyStaffRoutes(scope: StaffScope): void {
  operation(scope.forRole("owner"), {
    operationId: "listKeys",
    method: "GET",
    path: "/app/v1/keys",
    tag: "Keys",
    summary: "All keys for the API",
    description: "Every key, those that have ended too, oldest first, without its secret. For owners.",
    answer: { status: 200, description: "All keys.", schema: StaffKeyList },
    handle: async ({ caller, db }) => {
      const keys = await listKeys(db, caller.organizationId);
      return { data: keys.map(({ organizationId, ...key }) => key), total: keys.length };
    },
  });
}
