import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import type { SharedDatabase } from "../../db/database.ts";
import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import { listContracts, openContractLookup, readContracts } from "./queries.ts";
import { unknownContract } from "./rules.ts";
import { Contract, ContractPage, ContractQuery } from "./schema.ts";

export function contractRoutes(scope: OperationScope, db: SharedDatabase): void {
  const lookup = openContractLookup(db);
  contractList(scope);

  operation(scope, {
    operationId: "getContract",
    method: "GET",
    path: "/v1/contracts/{id}",
    tag: "Contracts",
    summary: "One contract",
    description: "One contract by its id, with its entitlements and their live balances.",
    params: Type.Object({ id: Id("The contract.", EXAMPLE_IDS.contract) }),
    answer: { status: 200, description: "The contract.", schema: Contract },
    errors: [unknownContract()],
    reads: ["catalog", "contracts"],
    etag: "record",
    handle: async ({ caller, params }) => {
      const contract = await lookup.find(caller.organizationId, params.id);
      if (!contract) throw unknownContract();
      return contract;
    },
  });
}

/** What callers of the public API read, and the staff too: in either scope. */
export function contractList(scope: OperationScope): void {
  operation(scope, {
    operationId: "listContracts",
    method: "GET",
    path: `${scope.document.folder}/v1/contracts`,
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
      isFollowed: true,
      read: ({ caller, db, query }, take) => readContracts(db, caller.organizationId, query, take),
    },
    handle: ({ caller, db, query }) => listContracts(db, caller.organizationId, query),
  });
}
