// Made by `npm run clients` from openapi.json. Not to be edited.

import type { Operation } from "./results.ts";

/** The release of the API that this was made for. */
export const VERSION = "0.2.0";

const LIST_1 = ["application/json","text/csv","application/x-ndjson"];
const LIST_2 = ["application/json"];
const LIST_3 = ["If-Match","If-None-Match","Idempotency-Key"];

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  getOrganization: { method: "GET", path: "/v1/organization", accepts: LIST_2 },
  listLocations: { method: "GET", path: "/v1/locations", accepts: LIST_1 },
  listPlans: { method: "GET", path: "/v1/plans", query: ["query","status","billingKind","limit","offset","cursor","updatedSince"], accepts: LIST_1, maxLimit: 200 },
  getPlan: { method: "GET", path: "/v1/plans/{id}", accepts: LIST_2 },
  listServiceTypes: { method: "GET", path: "/v1/service-types", query: ["query","status","limit","offset","cursor","updatedSince"], accepts: LIST_1, maxLimit: 200 },
  getServiceType: { method: "GET", path: "/v1/service-types/{id}", accepts: LIST_2 },
  listServiceGroups: { method: "GET", path: "/v1/service-groups", accepts: LIST_1 },
  listContracts: { method: "GET", path: "/v1/contracts", query: ["clientId","locationId","status","include","limit","offset","cursor","updatedSince"], accepts: LIST_1, maxLimit: 200 },
  getContract: { method: "GET", path: "/v1/contracts/{id}", query: ["include"], accepts: LIST_2 },
  listClients: { method: "GET", path: "/v1/clients", query: ["query","status","locationId","limit","offset","cursor","updatedSince"], accepts: LIST_1, maxLimit: 200 },
  createClient: { method: "POST", path: "/v1/clients", headers: ["Idempotency-Key"], sends: "application/json", accepts: LIST_2 },
  getClient: { method: "GET", path: "/v1/clients/{id}", accepts: LIST_2 },
  replaceClient: { method: "PUT", path: "/v1/clients/{id}", headers: LIST_3, sends: "application/json", accepts: LIST_2 },
  patchClient: { method: "PATCH", path: "/v1/clients/{id}", headers: LIST_3, sends: "application/merge-patch+json", accepts: LIST_2 },
  archiveClient: { method: "DELETE", path: "/v1/clients/{id}", headers: LIST_3, accepts: [] },
  listSessions: { method: "GET", path: "/v1/calendar", query: ["from","to","locationId","serviceTypeId","scheduleId","resourceId","include"], accepts: LIST_1 },
  listResources: { method: "GET", path: "/v1/resources", accepts: LIST_1 },
  listChanges: { method: "GET", path: "/v1/changes", query: ["after","limit","wait","kinds","include"], accepts: ["application/json","application/x-ndjson"], maxLimit: 1000 },
};
