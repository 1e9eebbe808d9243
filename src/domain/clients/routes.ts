import { invalid } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { checkSearch } from "../../core/search.ts";
import type { SharedDatabase } from "../../db/database.ts";
import type { RequestBody } from "../../http/call.ts";
import type { Caller } from "../../http/caller.ts";
import type { OperationScope } from "../../http/declaration.ts";
import type { Download } from "../../http/downloads.ts";
import { operation } from "../../http/operation.ts";
import { listClients, readClients } from "./list-queries.ts";
import {
  archiveClient,
  ClientFactsReader,
  ClientInserts,
  type ClientWriteFacts,
  createClient,
  documentHeld,
  erasedClient,
  patchClient,
  patchFaults,
  replaceClient,
  unknownClient,
  type WriteOrigin,
} from "./operations.ts";
import { openClientLookup } from "./queries.ts";
import { checkClient, checkPatch, tidyClient, tidyPatch } from "./rules.ts";
import {
  CLIENT_CSV_COLUMNS,
  Client,
  ClientInput,
  ClientPage,
  ClientPatch,
  ClientQuery,
  exampleClient,
} from "./schema.ts";

const ClientPath = Type.Object({ id: Id("The client.", EXAMPLE_IDS.client) });

/** Without an id document, so that it can be created any number of times. */
const NEW_CLIENT = {
  contactName: "Ana Souza",
  contactEmail: "ana.souza@example.com",
  contactPhone: "+55 11 90765-4321",
  birthdate: "1992-08-14",
  locationIds: [EXAMPLE_IDS.location],
};

const FAULTS = invalid([
  { location: "body.contactEmail", code: "email_invalid" },
  { location: "body.idDocument.value", code: "cpf_invalid" },
]);

export function clientRoutes(scope: OperationScope, db: SharedDatabase): void {
  const lookup = openClientLookup(db);
  const readFacts = new ClientFactsReader(db);
  const inserts = new ClientInserts(db);
  const body: Omit<RequestBody<typeof ClientInput, Caller, ClientWriteFacts>, "example"> = {
    schema: ClientInput,
    description:
      "The client. Only `contactName` is required; unknown members are refused, so that a misspelt one cannot erase data.",
    tidy: tidyClient,
    rules: async (tidy, caller) => {
      const facts = await readFacts.for(caller);
      return { faults: checkClient(tidy, facts, "body"), facts };
    },
  };

  clientList(scope);
  clientRead(scope, db);

  operation(scope, {
    operationId: "createClient",
    method: "POST",
    path: "/v1/clients",
    tag: "Clients",
    summary: "Create a client",
    description:
      "A `cpf` is checksum-validated and stored as 11 digits. An id document that another client holds, archived ones " +
      "included, is refused with 409, which names that client. With exactly one location `locationIds` may be left out.",
    body: { ...body, example: NEW_CLIENT },
    answer: {
      status: 201,
      description: "The client as stored.",
      schema: Client,
      location: "/v1/clients/{id}",
      example: {
        id: EXAMPLE_IDS.newClient,
        ...NEW_CLIENT,
        address: {},
        status: "active",
        createdAt: "2026-11-15T09:30:00.000Z",
        updatedAt: "2026-11-15T09:30:00.000Z",
      },
    },
    errors: [documentHeld(exampleClient), FAULTS],
    etag: "record",
    isShared: true,
    handle: (call) =>
      createClient(
        call.db,
        inserts.for(call.db, call.shared),
        call.caller.organizationId,
        call.body,
        call.facts,
        originOf(call),
      ),
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
    // What was read can be sent back as it is.
    body: { ...body, example: exampleClient },
    answer: {
      status: 200,
      description: "The client as stored.",
      schema: Client,
      location: "/v1/clients/{id}",
    },
    errors: [unknownClient(), documentHeld(exampleClient), erasedClient(), FAULTS],
    etag: "record",
    handle: (call) => {
      const { caller, db: own, precondition, params, body: input, facts } = call;
      return replaceClient(own, caller.organizationId, params.id, input, facts, precondition, originOf(call));
    },
  });

  operation(scope, {
    operationId: "patchClient",
    method: "PATCH",
    path: "/v1/clients/{id}",
    tag: "Clients",
    summary: "Change some members of a client",
    description:
      "A merge patch (RFC 7396): members that are named are set, `null` clears an optional one, the others stay. " +
      "`address` and `idDocument` are merged part by part; `locationIds` is replaced whole. The merged record obeys the " +
      "rules of a full replacement. Changes of different members at the same time both stand.",
    params: ClientPath,
    body: {
      schema: ClientPatch,
      description: "What changes. Unknown members are refused.",
      example: { contactPhone: exampleClient.contactPhone, address: { line2: "Apto 32" } },
      mediaTypes: ["application/merge-patch+json", "application/json"],
      tidy: tidyPatch,
      rules: async (tidy, caller) => {
        const facts = await readFacts.for(caller);
        return { faults: checkPatch(tidy, facts, "body"), facts };
      },
    },
    recordFaults: async ({ caller, params, tidy, facts }) => {
      const client = await lookup.find(caller.organizationId, params.id);
      return client ? patchFaults(client, tidy, facts) : [];
    },
    answer: {
      status: 200,
      description: "The client as stored.",
      schema: Client,
      location: "/v1/clients/{id}",
    },
    errors: [unknownClient(), documentHeld(exampleClient), erasedClient(), FAULTS],
    etag: "record",
    handle: (call) => {
      const { caller, db: own, precondition, params, body: patch, facts } = call;
      return patchClient(own, caller.organizationId, params.id, patch, facts, precondition, originOf(call));
    },
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
    errors: [unknownClient()],
    record: Client,
    handle: (call) => {
      const { caller, db: own, precondition, params } = call;
      const now = caller.clock.now();
      return archiveClient(own, caller.organizationId, params.id, now, precondition, originOf(call));
    },
  });
}

/** What the audit trail says of a write. */
function originOf({ caller, requestId }: { caller: Caller; requestId: string }): WriteOrigin {
  return { actor: caller.actor.name, requestId };
}

/** What callers of the public API read, and the staff too: in either scope. */
export function clientRead(scope: OperationScope, db: SharedDatabase): void {
  const lookup = openClientLookup(db);
  operation(scope, {
    operationId: "getClient",
    method: "GET",
    path: `${scope.document.folder}/v1/clients/{id}`,
    tag: "Clients",
    summary: "One client",
    description: "One client by its id, with its `locationIds`.",
    params: ClientPath,
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

/** What both lists have in common: what they are asked for with, and the download. */
export function clientListing(scope: OperationScope) {
  const download: Download<Caller, typeof ClientQuery> = {
    name: "clients",
    record: Client,
    isFollowed: true,
    columns: CLIENT_CSV_COLUMNS,
    example: { locationIds: exampleClient.locationIds },
    read: ({ caller: { organizationId }, db, query }, take) => readClients(db, organizationId, query, take),
  };
  return {
    operationId: "listClients",
    method: "GET",
    path: `${scope.document.folder}/v1/clients`,
    tag: "Clients",
    summary: "List clients",
    query: ClientQuery,
    queryRules: checkSearch,
    pages: true,
    etag: "answer",
    download,
  } as const;
}

function clientList(scope: OperationScope): void {
  operation(scope, {
    ...clientListing(scope),
    description: "The organization's clients, newest first. `locationIds` is left out of each record.",
    answer: { status: 200, description: "A page of clients.", schema: ClientPage },
    reads: ["clients"],
    handle: ({ caller: { organizationId }, db: own, query }) => listClients(own, organizationId, query),
  });
}
