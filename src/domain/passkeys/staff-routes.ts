import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { listPasskeys } from "./queries.ts";
import { PasskeyList } from "./schema.ts";

export function passkeyStaffRoutes(scope: StaffScope): void {
  operation(scope.forRole("teacher"), {
    operationId: "listPasskeys",
    method: "GET",
    path: "/app/v1/passkeys",
    tag: "Signing in",
    summary: "List your passkeys",
    description: "The passkeys of whoever is signed in, the oldest first.",
    answer: { status: 200, description: "Your passkeys.", schema: PasskeyList },
    handle: async ({ caller, db }) => {
      const data = await listPasskeys(db, caller.organizationId, caller.staffId);
      return { data, total: data.length };
    },
  });
}
