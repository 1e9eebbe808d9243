import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id, Instant, Line, OneOf, type Static, whole } from "../../core/fields.ts";
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

export type StaffKey = Static<typeof StaffKey>;
