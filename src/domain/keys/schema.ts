import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Body, Id, Instant, Int32, Line, NextCursor, OneOf, type Static, whole } from "../../core/fields.ts";
import { DURATION_PATTERN, LIFETIME_PATTERN } from "../../core/patterns.ts";
import Type from "../../core/schema-type.ts";

const KEY_STATUSES = ["active", "expired", "revoked"] as const;

const exampleKey = {
  id: EXAMPLE_IDS.key,
  name: "Website",
  status: "active" as const,
  createdAt: "2026-11-15T09:30:00.000Z",
};

/** A key as the staff sees it. The secret itself is nowhere. */
export const StaffKey = Type.Object(
  {
    id: Id(),
    name: Type.Optional(Line(100, { description: "What it is for.", examples: ["Website"] })),
    status: OneOf(KEY_STATUSES),
    createdAt: Instant(),
    expiresAt: Type.Optional(Instant("Absent if it does not expire.")),
    revokedAt: Type.Optional(Instant()),
    lastUsedAt: Type.Optional(Instant("To the minute.")),
  },
  { $id: "StaffKey" },
);

export const StaffKeyList = whole("StaffKeyList", StaffKey, exampleKey);

/** A key that was just made. */
export const NewStaffKey = Type.Object(
  {
    ...StaffKey.properties,
    key: Type.Optional(
      Type.String({
        description: "The key itself. It is shown once: a repeat of the request answers without it.",
        examples: ["rbk_…"],
      }),
    ),
  },
  { $id: "NewStaffKey" },
);

/** What the operations of the staff application take. */

const keyId = Id("The key.", EXAMPLE_IDS.key);

export const MintKey = Type.Object(
  {
    name: Type.Optional(Line(100, { minLength: 1, description: "What it is for.", examples: ["Website"] })),
    expires: Type.Optional(
      Type.String({
        maxLength: 7,
        pattern: LIFETIME_PATTERN,
        description: "How long it works, such as `90d`; without it the key does not expire.",
        examples: ["90d"],
      }),
    ),
  },
  { additionalProperties: false },
);
export const RotateKey = Type.Object(
  {
    keyId,
    overlap: Type.Optional(
      Type.String({
        maxLength: 7,
        pattern: DURATION_PATTERN,
        default: "24h",
        description: "How long the old key works beside the new one.",
        examples: ["24h"],
      }),
    ),
  },
  { additionalProperties: false },
);
export const NameKey = Type.Object({ keyId }, { additionalProperties: false });

/** A request with a key, and how it was answered. Nothing of what was sent is kept. */
export const KeyRequest = Type.Object(
  {
    at: Instant("When it was let in."),
    keyId: Id(),
    operation: Line(64, {
      description: "The `operationId`, or `mcp` for a message of an assistant.",
      examples: ["createClient"],
    }),
    status: Type.Integer({ minimum: 100, maximum: 599 }),
    milliseconds: Int32("How long the answer took."),
    requestId: Line(128, { description: "`X-Request-Id` of the answer, which the caller may have chosen." }),
    code: Type.Optional(
      Line(64, { description: "The `code` of the problem, if it failed.", examples: ["invalid"] }),
    ),
    reason: Type.Optional(
      Line(64, {
        description: "Which of the sentences of that `code` it was told.",
        examples: ["no_client"],
      }),
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          location: Line(300, { description: "The place of the fault.", examples: ["body.contactEmail"] }),
          code: Line(64, { description: "What is wrong there.", examples: ["email_invalid"] }),
        }),
        {
          description:
            "The first ten faults. Of a member that is not known its place is not kept: its name is the caller's text.",
        },
      ),
    ),
    errorCount: Type.Optional(Int32("How many faults there were, if there were more.")),
  },
  { $id: "KeyRequest" },
);

export const KeyRequestPage = Body(
  "KeyRequestPage",
  {
    data: Type.Array(KeyRequest),
    leftOut: Int32("How many more requests came in the seconds of this page, of which nothing else is kept."),
    nextCursor: Type.Optional(NextCursor),
  },
  {
    examples: [
      {
        data: [
          {
            at: "2026-11-19T09:30:00.000Z",
            keyId: EXAMPLE_IDS.key,
            operation: "createClient",
            status: 422,
            milliseconds: 4,
            requestId: "8e03978e-40d5-43dd-bc93-6894a57f9324",
            code: "invalid",
            errors: [{ location: "body.contactEmail", code: "email_invalid" }],
          },
        ],
        leftOut: 0,
      },
    ],
  },
);

export type KeyRequest = Static<typeof KeyRequest>;
export type StaffKey = Static<typeof StaffKey>;
