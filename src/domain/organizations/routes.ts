import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import { findOrganization } from "./queries.ts";
import { Organization } from "./schema.ts";

export function organizationRoutes(scope: OperationScope): void {
  operation(scope, {
    operationId: "getOrganization",
    method: "GET",
    path: "/v1/organization",
    tag: "Organization",
    summary: "The organization of the key",
    description:
      "The cheapest way to confirm that a key works, and to learn the currency and timezone the API reports in.",
    answer: { status: 200, description: "The organization.", schema: Organization },
    reads: ["catalog"],
    etag: "record",
    handle: async ({ caller, db }) => {
      const organization = await findOrganization(db, caller.organizationId);
      // The gate has just found it, and organizations are never deleted.
      if (!organization) throw new Error("the organization of an admitted key is gone");
      return organization;
    },
  });
}
