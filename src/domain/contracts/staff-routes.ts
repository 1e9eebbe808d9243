import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { readClientContracts } from "./client-contracts.ts";
import { readCreditStatement } from "./credit-statement.ts";
import { contractList } from "./routes.ts";
import { unknownContract } from "./rules.ts";
import { ClientContracts, CreditStatement, StaffContract } from "./schema.ts";
import { findStaffContract } from "./staff-queries.ts";

export function contractStaffRoutes(scope: StaffScope): void {
  contractList(scope);

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

  operation(scope, {
    operationId: "listClientContracts",
    method: "GET",
    path: "/app/v1/clients/{id}/contracts",
    tag: "Contracts",
    summary: "The contracts of a client",
    description:
      "All contracts of a client, whole, with the names of what they cover and what is used of it.",
    params: Type.Object({ id: Id("The client.", EXAMPLE_IDS.client) }),
    answer: { status: 200, description: "The contracts.", schema: ClientContracts },
    errors: [refusal("no_client")],
    handle: ({ caller: { organizationId, timezone, clock, settings, actor }, db, params }) =>
      readClientContracts(db, organizationId, params.id, {
        now: clock.now(),
        timezone,
        weekStart: settings.weekStart,
        actor,
      }),
  });

  operation(scope, {
    operationId: "getCreditStatement",
    method: "GET",
    path: "/app/v1/contracts/{id}/credits",
    tag: "Contracts",
    summary: "What happened to the credits of a contract",
    description:
      "Each credit that was granted, used, returned, kept or adjusted, with who did it and what was left. A visit that was " +
      "cancelled and brought back stands as it is now.",
    params: Type.Object({ id: Id("The contract.", EXAMPLE_IDS.contract) }),
    answer: { status: 200, description: "The lines.", schema: CreditStatement },
    errors: [unknownContract()],
    handle: ({ caller, db, params }) => readCreditStatement(db, caller.organizationId, params.id),
  });
}
