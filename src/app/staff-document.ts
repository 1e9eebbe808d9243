import { FAULT_TOPICS, type FaultTopic } from "../core/faults.ts";
import { Id, Int32, Line, LocalDateTime, OneOf } from "../core/fields.ts";
import { BODY_LIMIT, FILE_LIMIT } from "../core/limits.ts";
import { ADDRESS_FAULTS, STAFF_REFUSALS, USE_KINDS } from "../core/refusals.ts";
import Type from "../core/schema-type.ts";
import { ClientConflictFacts } from "../domain/clients/schema.ts";
import type { AboutApi } from "../http/about-api.ts";

/** What the document at `/app/openapi.json` says of the staff application as a whole. */
export function aboutApplication(version: string, cookieName: string): AboutApi {
  return {
    title: "Rollbook: staff application",
    version,
    summary: "What the owner and the front desk do: people, catalog, contracts, timetable, bookings.",
    description: INTRODUCTION,
    page: "/console/",
    security: {
      name: "signIn",
      scheme: {
        type: "apiKey",
        in: "cookie",
        name: cookieName,
        description: "The cookie of a sign-in, which `signIn` and `acceptLink` set.",
      },
      header: "Cookie",
    },
    tags: TAGS,
    errors: [
      "moved",
      "malformed",
      "unauthorized",
      "forbidden",
      "timeout",
      "headers_too_large",
      "internal",
      "not_implemented",
      "unavailable",
    ],
    faults: Object.keys(FAULT_TOPICS) as FaultTopic[],
    facts: {
      ...ClientConflictFacts,
      reason: Type.Optional(
        OneOf(Object.keys(STAFF_REFUSALS), {
          description: "Why it is refused, for programs. New ones come.",
        }),
      ),
      ...FACTS,
    },
    causes: {
      moved:
        "The organization is on another server: sign in there. There is no `Location`, as another server has another sign-in.",
      unauthorized: "Nobody is signed in, or the password is wrong.",
      forbidden:
        "The request does not come from the application's own address, the organization is not active, the role or the " +
        "place of work does not allow it, or the password must be entered again: `reason` says which.",
      conflict: "What is stored does not allow it: `reason` says why.",
      too_large: `The body is larger than ${BODY_LIMIT.text}, or a file larger than ${FILE_LIMIT.text}.`,
      unsupported_media_type:
        "The body's `Content-Type` is absent or not `application/json` (`multipart/form-data` for operations that take a file).",
      rate_limited: "Too many tries for one e-mail address. Waiting `Retry-After` seconds succeeds.",
    },
    idempotencyKey: {
      required: true,
      description:
        "A name of your choice for this write, such as a new UUID: sent again with it, the write is not carried out again. " +
        "Bare or in double quotes. Not needed with `dryRun`.",
      schema: {
        type: "string",
        minLength: 1,
        maxLength: 128,
        pattern: "^[A-Za-z0-9._-]+$",
        examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"],
      },
    },
  };
}

const TAGS = {
  "Signing in": "How people come in and leave.",
  Staff: "Who works for the organization.",
  Settings: "What holds for the whole organization.",
  Keys: "API keys of the organization.",
  Webhooks: "Addresses that changes are sent to.",
  "Calendar links": "Sessions in calendar programs and on websites.",
  Locations: "Where the organization works.",
  "Service types": "What is offered, and in which groups.",
  Resources: "Who or what runs a session.",
  Plans: "What is sold.",
  Clients: "The members of the organization.",
  Contracts: "What clients have bought.",
  Money: "What clients owe and have paid.",
  Timetable: "Schedules and sessions.",
  Bookings: "Who comes to which session.",
  Import: "Spreadsheets of clients.",
  Overview: "How the studio does: members, timetable, attendance, the use of keys.",
  Audit: "Who did what.",
  Privacy: "What a person may ask for.",
};

/** The facts that refusals have beside their sentence. */
const FACTS = {
  why: Type.Optional(
    OneOf(ADDRESS_FAULTS, { description: "With `address_refused`: what is wrong with it." }),
  ),
  capacity: Type.Optional(Int32("Of the session.")),
  bookedCount: Type.Optional(Int32("Seats taken.")),
  waiting: Type.Optional(Int32("People in line.")),
  sessions: Type.Optional(Int32("Sessions that are concerned.")),
  bookings: Type.Optional(Int32("Bookings that are concerned.")),
  uses: Type.Optional(
    Type.Array(Type.Object({ kind: OneOf(USE_KINDS), count: Int32() }), {
      description: "With `in_use`: what refers to it.",
    }),
  ),
  resourceId: Type.Optional(Line(300, { description: "What is taken." })),
  sessionId: Type.Optional(Id("By which session it is taken.")),
  scheduleId: Type.Optional(Id("By a slot of which schedule it is taken, if that is not stored.")),
  originalStart: Type.Optional(LocalDateTime("That slot.")),
  reasons: Type.Optional(
    Type.Array(
      Type.Object({
        contractId: Id(),
        entitlementId: Type.Optional(Id()),
        reason: Line(64, { description: "The first test that it failed." }),
      }),
      { description: "Why none of the client's contracts covers the session." },
    ),
  ),
};

const INTRODUCTION = `
What people on the staff of an organization do, over a sign-in of their own. The public API is another one: see
\`/openapi.json\`.

- **Writes** are \`POST /app/v1/{operation}\` with a JSON object, from the application's own address (\`Origin\`). Each is one
  transaction and one audit entry, and answers \`{auditId, result}\`.
- **\`dryRun: true\`** carries a write out but for the commit, and answers what would change.
- **\`Idempotency-Key\`** is required: a repeated request is answered again and does nothing. With another body it is
  refused (\`key_reused\`).
- **Reads** page and look as those of the public API do.
- **Refusals** are problem documents with a \`reason\`.
`.trim();
