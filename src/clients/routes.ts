import Type from "typebox";
import { Id } from "../core/fields.ts";
import { checkSearch } from "../core/search.ts";
import type { SharedDatabase } from "../db/database.ts";
import type { RequestBody } from "../http/call.ts";
import { type OperationScope, operation } from "../http/operation.ts";
import {
  archiveClient,
  ClientFactsReader,
  createClient,
  replaceClient,
  unknownClient,
} from "./operations.ts";
import { listClients, openClientLookup } from "./queries.ts";
import { checkClient, tidyClient } from "./rules.ts";
import { Client, ClientInput, ClientPage, ClientQuery } from "./schema.ts";

const ClientPath = Type.Object({ id: Id("The client.") });

export function clientRoutes(scope: OperationScope, db: SharedDatabase): void {
  const lookup = openClientLookup(db);
  const facts = new ClientFactsReader(db);
  const body: RequestBody<typeof ClientInput> = {
    schema: ClientInput,
    description:
      "The client. Only `contactName` is required; unknown members are refused, so that a misspelt one cannot erase data.",
    example: {
      contactName: "Ana Souza",
      contactEmail: "ana@example.com",
      contactPhone: "+55 11 98765-4321",
      birthdate: "1990-04-23",
      idDocument: { type: "cpf", value: "529.982.247-25" },
      locationIds: ["019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31"],
    },
    tidy: tidyClient,
    rules: async (tidy, caller) => checkClient(tidy, await facts.read(caller), "body"),
  };

  operation(scope, {
    operationId: "listClients",
    method: "GET",
    path: "/v1/clients",
    tag: "Clients",
    summary: "List clients",
    description: "The organization's clients, newest first. `locationIds` is left out of each record.",
    query: ClientQuery,
    queryRules: checkSearch,
    answer: { status: 200, description: "A page of clients.", schema: ClientPage },
    reads: ["clients"],
    handle: ({ caller, query }) => listClients(db.for(caller.organizationId), caller.organizationId, query),
  });

  operation(scope, {
    operationId: "createClient",
    method: "POST",
    path: "/v1/clients",
    tag: "Clients",
    summary: "Create a client",
    description:
      "A `cpf` is checksum-validated and stored as 11 digits. An id document that another client holds, archived ones " +
      "included, is refused with 409, which names that client. With exactly one location `locationIds` may be left out.",
    body,
    answer: {
      status: 201,
      description: "The client as stored.",
      schema: Client,
      location: "/v1/clients/{id}",
    },
    errors: ["conflict"],
    handle: async (call) =>
      createClient(
        db.for(call.caller.organizationId),
        call.caller.organizationId,
        call.body,
        await facts.read(call.caller),
      ),
  });

  operation(scope, {
    operationId: "getClient",
    method: "GET",
    path: "/v1/clients/{id}",
    tag: "Clients",
    summary: "One client",
    description: "One client by its id, with its `locationIds`.",
    params: ClientPath,
    answer: { status: 200, description: "The client.", schema: Client },
    errors: ["not_found"],
    reads: ["clients"],
    handle: async ({ caller, params }) => {
      const client = await lookup.find(caller.organizationId, params.id);
      if (!client) throw unknownClient();
      return client;
    },
  });

  operation(scope, {
    operationId: "replaceClient",
    method: "PUT",
    path: "/v1/clients/{id}",
    tag: "Clients",
    summary: "Replace a client",
    description:
      "A full replacement, not a patch: every field that is left out is cleared, except `status`, which stays as it is. " +
      "Read the client first and send it back with your changes.",
    params: ClientPath,
    body,
    answer: { status: 200, description: "The client as stored.", schema: Client },
    errors: ["not_found", "conflict"],
    handle: async (call) =>
      replaceClient(
        db.for(call.caller.organizationId),
        call.caller.organizationId,
        call.params.id,
        call.body,
        await facts.read(call.caller),
      ),
  });

  operation(scope, {
    operationId: "archiveClient",
    method: "DELETE",
    path: "/v1/clients/{id}",
    tag: "Clients",
    summary: "Archive a client",
    description:
      "The client's status becomes `archived`; the record is kept. Archiving an archived client changes nothing.",
    params: ClientPath,
    answer: { status: 204, description: "The client is archived." },
    errors: ["not_found"],
    handle: ({ caller, params }) =>
      archiveClient(db.for(caller.organizationId), caller.organizationId, params.id),
  });
}
