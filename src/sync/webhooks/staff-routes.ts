import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { findWebhookRow, listAttempts } from "./queries.ts";
import { WebhookAttemptList, WebhookList } from "./schema.ts";
import { listWebhooks } from "./webhook-reads.ts";

/** How many attempts are shown. */
const ATTEMPTS = 50;

export function webhookStaffRoutes(scope: StaffScope): void {
  const owners = scope.forRole("owner");

  operation(owners, {
    operationId: "listWebhooks",
    method: "GET",
    path: "/app/v1/webhooks",
    tag: "Webhooks",
    summary: "All endpoints that events are sent to",
    description: "With their state and how far they are behind, the oldest first. For owners.",
    answer: { status: 200, description: "All endpoints.", schema: WebhookList },
    handle: async ({ caller, db }) => {
      const data = await listWebhooks(db, caller.organizationId);
      return { data, total: data.length };
    },
  });

  operation(owners, {
    operationId: "listWebhookAttempts",
    method: "GET",
    path: "/app/v1/webhooks/{id}/attempts",
    tag: "Webhooks",
    summary: "What was sent lately, and what came of it",
    description: `The last ${ATTEMPTS} attempts of an endpoint, newest first. They are kept for 30 days. For owners.`,
    params: Type.Object({ id: Id("The webhook.", EXAMPLE_IDS.webhook) }),
    answer: { status: 200, description: "The attempts.", schema: WebhookAttemptList },
    errors: [refusal("no_webhook")],
    handle: async ({ caller, db, params }) => {
      if (!(await findWebhookRow(db, caller.organizationId, params.id))) throw refusal("no_webhook");
      const data = await listAttempts(db, caller.organizationId, params.id, ATTEMPTS);
      return { data, total: data.length };
    },
  });
}
