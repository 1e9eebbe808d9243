import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { Id } from "../core/fields.ts";
import Type from "../core/schema-type.ts";
import { operation } from "../http/operation.ts";
import type { StaffScope } from "../http/staff-scope.ts";
import { unknownContract } from "./operations.ts";
import { listContracts, readContracts } from "./queries.ts";
import { Contract, ContractPage, ContractQuery, StaffContract } from "./schema.ts";
import { findStaffContract } from "./staff-queries.ts";

export function contractStaffRoutes(scope: StaffScope): void {
  operation(scope, {
    operationId: "listContracts",
    method: "GET",
    path: "/app/v1/contracts",
    tag: "Contracts",
    summary: "List contracts",
    description:
      "What clients have bought, newest first. `entitlements` is empty in each record of the list.",
    query: ContractQuery,
    pages: true,
    answer: { status: 200, description: "A page of contracts.", schema: ContractPage },
    reads: ["catalog", "contracts"],
    etag: "answer",
    download: {
      name: "contracts",
      record: Contract,
      read: ({ caller, db, query }, take) => readContracts(db, caller.organizationId, query, take),
    },
    handle: ({ caller, db, query }) => listContracts(db, caller.organizationId, query),
  });

  operation(scope, {
    operationId: "getContract",
    method: "GET",
    path: "/app/v1/contracts/{id}",
    tag: "Contracts",
    summary: "One contract",
    description:
      "One contract by its id, with its entitlements and their live balances, its terms and pauses.",
    params: Type.Object({ id: Id("The contract.", EXAMPLE_IDS.contract) }),
    answer: { status: 200, description: "The contract.", schema: StaffContract },
    errors: [unknownContract()],
    reads: ["catalog", "contracts"],
    etag: "record",
    handle: async ({ caller, db, params }) => {
      const contract = await findStaffContract(db, caller.organizationId, params.id);
      if (!contract) throw unknownContract();
      return contract;
    },
  });
}
