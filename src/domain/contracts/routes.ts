import { csvColumns } from "../../core/csv.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import type { SharedDatabase } from "../../db/database.ts";
import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import {
  CONTRACT_CLASSES,
  listContracts,
  NAME_CLASSES,
  openContractLookups,
  readContracts,
} from "./queries.ts";
import { unknownContract } from "./rules.ts";
import {
  Contract,
  ContractIncludes,
  ContractPage,
  ContractQuery,
  contractMembers,
  exampleContract,
} from "./schema.ts";

export function contractRoutes(scope: OperationScope, db: SharedDatabase): void {
  const lookups = openContractLookups(db);
  contractList(scope);

  operation(scope, {
    operationId: "getContract",
    method: "GET",
    path: "/v1/contracts/{id}",
    tag: "Contracts",
    summary: "One contract",
    description: "One contract by its id, with its entitlements and their live balances.",
    params: Type.Object({ id: Id("The contract.", EXAMPLE_IDS.contract) }),
    query: Type.Object(ContractIncludes),
    answer: { status: 200, description: "The contract.", schema: Contract },
    errors: [unknownContract()],
    reads: CONTRACT_CLASSES,
    readsForNames: NAME_CLASSES,
    etag: "record",
    handle: async ({ caller, params, query }) => {
      const lookup = query.include === "names" ? lookups.named : lookups.plain;
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
    reads: CONTRACT_CLASSES,
    readsForNames: NAME_CLASSES,
    etag: "answer",
    download: {
      name: "contracts",
      record: Contract,
      // Pages leave them out; files do not.
      example: { entitlements: exampleContract.entitlements },
      columns: ({ include }) => (include === "names" ? [...PLAIN_COLUMNS, "clientName"] : PLAIN_COLUMNS),
      isFollowed: true,
      read: ({ caller, db, query }, take) => readContracts(db, caller.organizationId, query, take),
    },
    handle: ({ caller, db, query }) => listContracts(db, caller.organizationId, query),
  });
}

const PLAIN_COLUMNS = csvColumns(Type.Object(contractMembers));
