import { ClientConflictFacts } from "../domain/clients/schema.ts";
import type { AboutApi } from "../http/about-api.ts";
import { WEBHOOK_EVENTS } from "../sync/webhooks/event-schemas.ts";

/** What the document at `/openapi.json` says of the public API as a whole. */
export function aboutPublicApi(version: string): AboutApi {
  return {
    title: "Rollbook: Organization Data API",
    version,
    summary: "An organization's clients, contracts, plans, service types, locations and calendar.",
    description: INTRODUCTION,
    page: "/docs",
    security: {
      name: "key",
      scheme: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "rbk_…",
        description: "An API key of the organization. It belongs in server-side configuration only.",
      },
      header: "Authorization",
      challenge: "Bearer",
    },
    tags: {
      Organization: "The organization that the key belongs to.",
      Locations: "Where the organization works, each place on its own clock.",
      Clients: "The members of the organization: the only records that the API writes.",
      Contracts: "What clients have bought, with what is left of it.",
      Plans: "What the organization sells.",
      "Service types":
        "The kinds of classes and appointments that the organization offers, and their groups.",
      Changes: "What has changed, in order, without gaps: how another system stays in step.",
      Calendar: "The sessions of a span of time, and who or what runs them.",
    },
    errors: [
      "moved",
      "malformed",
      "unauthorized",
      "payment_required",
      "forbidden",
      "timeout",
      "rate_limited",
      "headers_too_large",
      "internal",
      "not_implemented",
      "unavailable",
    ],
    faults: ["shape", "size", "form", "requests", "clients", "rest"],
    facts: ClientConflictFacts,
    causes: {
      unauthorized: "No key, or one that is unknown, revoked or expired. The answers are identical.",
      payment_required: "The organization's plan does not include the API (Pro and above).",
      forbidden: "The organization is not active.",
      conflict: "Another client already holds this id document, or the client was erased.",
      rate_limited:
        "The key, or all keys of the organization, are over a limit. Waiting `Retry-After` seconds succeeds.",
    },
    webhooks: WEBHOOK_EVENTS,
    hasChangeFeed: true,
    idempotencyKey: {
      required: false,
      description:
        "A name of your choice for this write, such as a new UUID: sent again with it within 24 hours, the write is not " +
        "carried out again, and answered as it was the first time. Bare or in double quotes.",
      schema: {
        type: "string",
        minLength: 1,
        maxLength: 255,
        pattern: KEY_PATTERN,
        examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"],
      },
    },
  };
}

/** The bare form; the quotes of the other are not part of the key. */
const KEY_PATTERN = "^[\\x21\\x23-\\x2b\\x2d-\\x5b\\x5d-\\x7e]+$";

const INTRODUCTION = `
Reads and partly writes one organization's own records. The key decides which organization that is.

- **Ids** are opaque UUIDs; store and pass them as strings.
- **Instants** are UTC with milliseconds; **dates** are \`YYYY-MM-DD\`; **money** is integer minor units.
- **Absent means absent**: a member without a value is left out, never \`null\` and never \`""\`. Lists and
  \`address\` are there even if they are empty.
- **Nothing is passed over**: a parameter or member that an operation does not have is refused.
- **Lists** are newest first, take \`limit\` (1 to 200, default 50), and always give the exact \`total\`. \`nextCursor\` of
  a page is the \`cursor\` of the next one.
- **Failures** are problem documents (RFC 9457) that name every fault at once, each with its place.
- **Writes** can be repeated safely: give each an \`Idempotency-Key\`, and send it again with the same one.
- **New members may appear** in responses within \`/v1\`; ignore those you do not know.
`.trim();
