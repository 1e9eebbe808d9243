import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { checkSearch } from "../../core/search.ts";
import type { SharedDatabase } from "../../db/database.ts";
import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import { unknownPlan } from "./operations.ts";
import { listPlans, openPlanLookup, readPlans } from "./queries.ts";
import { Plan, PlanPage, PlanQuery } from "./schema.ts";

/** What callers of the public API read, and the staff too: in either scope. */
export function planRoutes(scope: OperationScope, db: SharedDatabase): void {
  const lookup = openPlanLookup(db);
  operation(scope, {
    operationId: "listPlans",
    method: "GET",
    path: `${scope.document.folder}/v1/plans`,
    tag: "Plans",
    summary: "List plans",
    description: "What the organization sells, newest first, entitlements included.",
    query: PlanQuery,
    queryRules: checkSearch,
    pages: true,
    answer: { status: 200, description: "A page of plans.", schema: PlanPage },
    reads: ["catalog"],
    etag: "answer",
    download: {
      name: "plans",
      record: Plan,
      isFollowed: true,
      read: ({ caller, db, query }, take) => readPlans(db, caller.organizationId, query, take),
    },
    handle: ({ caller, db, query }) => listPlans(db, caller.organizationId, query),
  });

  operation(scope, {
    operationId: "getPlan",
    method: "GET",
    path: `${scope.document.folder}/v1/plans/{id}`,
    tag: "Plans",
    summary: "One plan",
    description: "One plan by its id.",
    params: Type.Object({ id: Id("The plan.", EXAMPLE_IDS.plan) }),
    answer: { status: 200, description: "The plan.", schema: Plan },
    errors: [unknownPlan()],
    reads: ["catalog"],
    etag: "record",
    handle: async ({ caller, params }) => {
      const plan = await lookup.find(caller.organizationId, params.id);
      if (!plan) throw unknownPlan();
      return plan;
    },
  });
}
