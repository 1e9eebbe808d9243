import { checkSearch } from "../../core/search.ts";
import type { SharedDatabase } from "../../db/database.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { listStaffClients } from "./list-queries.ts";
import { findPeople } from "./people-queries.ts";
import { clientListing, clientRead } from "./routes.ts";
import { People, PeopleQuery, StaffClientPage } from "./schema.ts";

export function clientStaffRoutes(scope: StaffScope, db: SharedDatabase): void {
  operation(scope, {
    ...clientListing(scope),
    description:
      "The organization's clients, newest first, each with its contracts that are not over. `locationIds` is left out of " +
      "each record, `contracts` out of a download.",
    answer: { status: 200, description: "A page of clients.", schema: StaffClientPage },
    reads: ["clients", "contracts"],
    handle: ({ caller: { organizationId }, db: own, query }) => listStaffClients(own, organizationId, query),
  });

  clientRead(scope, db);

  operation(scope, {
    operationId: "findPeople",
    method: "GET",
    path: "/app/v1/people",
    tag: "Clients",
    summary: "Find clients while typing",
    description:
      "Some clients who match, quickly, each with its contracts that are not over: for whoever types a name and chooses. One or two letters match the beginning of a word, " +
      "more of them any piece. How many match is not counted; `listClients` finds all of them.",
    query: PeopleQuery,
    queryRules: checkSearch,
    answer: { status: 200, description: "Clients who match, those in use first.", schema: People },
    reads: ["clients", "contracts"],
    handle: async ({ caller: { organizationId }, db: own, query }) => {
      const data = await findPeople(own, organizationId, query);
      return { data, total: data.length };
    },
  });
}
