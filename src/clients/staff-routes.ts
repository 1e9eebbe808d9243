import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { Id } from "../core/fields.ts";
import Type from "../core/schema-type.ts";
import { checkSearch } from "../core/search.ts";
import { operation } from "../http/operation.ts";
import type { StaffScope } from "../http/staff-scope.ts";
import { listClients, readClients } from "./list-queries.ts";
import { ClientMajority } from "./majority-queries.ts";
import { unknownClient } from "./operations.ts";
import { openClientLookup } from "./queries.ts";
import { CLIENT_CSV_COLUMNS, Client, ClientPage, ClientQuery, exampleClient } from "./schema.ts";

export function clientStaffRoutes(scope: StaffScope): void {
  const lookup = openClientLookup(scope.db);
  const majority = new ClientMajority(scope.db);

  operation(scope, {
    operationId: "listClients",
    method: "GET",
    path: "/app/v1/clients",
    tag: "Clients",
    summary: "List clients",
    description: "The organization's clients, newest first. `locationIds` is left out of each record.",
    query: ClientQuery,
    queryRules: checkSearch,
    pages: true,
    answer: { status: 200, description: "A page of clients.", schema: ClientPage },
    reads: ["clients"],
    etag: "answer",
    download: {
      name: "clients",
      record: Client,
      columns: CLIENT_CSV_COLUMNS,
      example: { locationIds: exampleClient.locationIds },
      read: ({ caller: { organizationId }, db, query }, take) =>
        readClients(db, organizationId, query, majority.has(organizationId), take),
    },
    handle: ({ caller: { organizationId }, db, query }) =>
      listClients(db, organizationId, query, majority.has(organizationId)),
  });

  operation(scope, {
    operationId: "getClient",
    method: "GET",
    path: "/app/v1/clients/{id}",
    tag: "Clients",
    summary: "One client",
    description: "One client by its id, with its `locationIds`.",
    params: Type.Object({ id: Id("The client.", EXAMPLE_IDS.client) }),
    answer: { status: 200, description: "The client.", schema: Client },
    errors: [unknownClient()],
    reads: ["clients"],
    etag: "record",
    handle: async ({ caller, params }) => {
      const client = await lookup.find(caller.organizationId, params.id);
      if (!client) throw unknownClient();
      return client;
    },
  });
}
