import { type AppError, refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { checkSearch } from "../../core/search.ts";
import type { SharedDatabase } from "../../db/database.ts";
import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import { listServiceTypes, openServiceTypeLookup, readServiceTypes } from "./queries.ts";
import { ServiceType, ServiceTypePage, ServiceTypeQuery } from "./schema.ts";

/** What callers of the public API read, and the staff too: in either scope. */
export function serviceTypeRoutes(scope: OperationScope, db: SharedDatabase): void {
  const lookup = openServiceTypeLookup(db);
  operation(scope, {
    operationId: "listServiceTypes",
    method: "GET",
    path: `${scope.document.folder}/v1/service-types`,
    tag: "Service types",
    summary: "List service types",
    description: "The kinds of classes and appointments the organization offers, newest first.",
    query: ServiceTypeQuery,
    queryRules: checkSearch,
    pages: true,
    answer: { status: 200, description: "A page of service types.", schema: ServiceTypePage },
    reads: ["catalog"],
    etag: "answer",
    download: {
      name: "service-types",
      record: ServiceType,
      isFollowed: true,
      read: ({ caller, db, query }, take) => readServiceTypes(db, caller.organizationId, query, take),
    },
    handle: ({ caller, db, query }) => listServiceTypes(db, caller.organizationId, query),
  });

  operation(scope, {
    operationId: "getServiceType",
    method: "GET",
    path: `${scope.document.folder}/v1/service-types/{id}`,
    tag: "Service types",
    summary: "One service type",
    description: "One service type by its id.",
    params: Type.Object({ id: Id("The service type.", EXAMPLE_IDS.serviceType) }),
    answer: { status: 200, description: "The service type.", schema: ServiceType },
    errors: [unknownServiceType()],
    reads: ["catalog"],
    etag: "record",
    handle: async ({ caller, params }) => {
      const serviceType = await lookup.find(caller.organizationId, params.id);
      if (!serviceType) throw unknownServiceType();
      return serviceType;
    },
  });
}

function unknownServiceType(): AppError {
  return refusal("no_service_type");
}
