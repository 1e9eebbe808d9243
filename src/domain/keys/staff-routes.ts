import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id, OneOf, PageQuery } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { findKey, listKeys } from "./queries.ts";
import { listRequests, REQUEST_DAYS } from "./request-rows.ts";
import { KeyRequestPage, StaffKeyList } from "./schema.ts";

export function keyStaffRoutes(scope: StaffScope): void {
  const owners = scope.forRole("owner");

  operation(owners, {
    operationId: "listKeys",
    method: "GET",
    path: "/app/v1/keys",
    tag: "Keys",
    summary: "All keys for the API",
    description: "Every key, those that have ended too, oldest first, without its secret. For owners.",
    answer: { status: 200, description: "All keys.", schema: StaffKeyList },
    handle: async ({ caller, db }) => {
      const keys = await listKeys(db, caller.organizationId);
      return { data: keys.map(({ organizationId, ...key }) => key), total: keys.length };
    },
  });

  operation(owners, {
    operationId: "listKeyRequests",
    method: "GET",
    path: "/app/v1/keys/{id}/requests",
    tag: "Keys",
    summary: "What came with a key lately, and how it was answered",
    description:
      `The requests of the last ${REQUEST_DAYS} days, newest first, without anything that was sent. Of a busy key not all are kept; ` +
      "those that failed are kept for longer. A page has about a hundred, and begins where the one before ended to about a second. For owners.",
    params: Type.Object({ id: Id("The key.", EXAMPLE_IDS.key) }),
    query: Type.Object({
      show: Type.Optional(OneOf(["failed"], { description: "Only those that failed." })),
      cursor: PageQuery.cursor,
    }),
    pages: true,
    answer: { status: 200, description: "A page of requests.", schema: KeyRequestPage },
    errors: [refusal("no_key")],
    handle: async ({ caller, db, params: { id: keyId }, query: { show, cursor } }) => {
      const { organizationId, clock } = caller;
      if (!(await findKey(db, organizationId, keyId))) throw refusal("no_key");
      return listRequests(db, organizationId, {
        now: clock.now(),
        keyId,
        cursor,
        ...(show && { failed: true }),
      });
    },
  });
}
