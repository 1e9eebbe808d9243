import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { PlanContractsList } from "./schema.ts";
import { countContractsByPlan } from "./staff-plan-queries.ts";

export function planStaffRoutes(scope: StaffScope): void {
  operation(scope, {
    operationId: "listPlanContracts",
    method: "GET",
    path: "/app/v1/plan-contracts",
    tag: "Plans",
    summary: "Contracts by plan",
    description:
      "How many contracts were sold with each plan, and how many of them run. Plans without any are left out.",
    answer: { status: 200, description: "The numbers.", schema: PlanContractsList },
    reads: ["catalog", "contracts"],
    handle: async ({ caller, db }) => {
      const data = await countContractsByPlan(db, caller.organizationId);
      return { data, total: data.length };
    },
  });
}
