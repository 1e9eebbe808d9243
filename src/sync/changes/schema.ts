import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Body, Id, Instant, Int64, Named, OneOf, type Static } from "../../core/fields.ts";
import { CURSOR_PATTERN } from "../../core/patterns.ts";
import Type, { publishedAs } from "../../core/schema-type.ts";
import { CHANGE_KINDS, CHANGE_TYPES, FROM_NOW } from "./values.ts";

/** How long a caller can be kept waiting for a change. */
export const LONGEST_WAIT_SECONDS = 30;

const EXAMPLE_CURSOR = "Kk3mVvWkF6MyZ0Q1cG9uYQAAAAAHMhWmT8Yq0Lhd";

const cursor = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: CURSOR_PATTERN,
    description,
    examples: [EXAMPLE_CURSOR],
  });

const ChangeReason = Type.Object(
  {
    by: OneOf(["key", "staff", "operator", "import", "clock"], {
      description: "`clock`: nobody, but time: a contract that ended by its date, newer time-zone data.",
    }),
    keyId: Type.Optional(
      Id("With `key`: which one. Drop the entries of your own, and a change never comes back to you."),
    ),
    requestId: Type.Optional(Type.String({ description: "With `key`: the `X-Request-Id` of the write." })),
  },
  { $id: "ChangeReason", description: "Whose change it was. Absent if it was made by hand." },
);

export const Change = Type.Object(
  {
    cursor: Named("ChangeCursor", cursor("Continue after this entry.")),
    sequence: Named(
      "ChangeSequence",
      Int64("Rises within the organization, with holes. Compare with it; continue with `cursor`."),
    ),
    kind: Named(
      "ChangeKind",
      OneOf(CHANGE_KINDS, {
        description:
          "`schedule` stands for the sessions it produces: read them again, by `scheduleId`, in the calendar.",
      }),
    ),
    id: Type.String({ description: "The record. A uuid, but for resources." }),
    type: Named(
      "ChangeType",
      OneOf(CHANGE_TYPES, {
        description:
          "What happened, not what you know: apply `created` and `updated` alike. Archiving is `updated`.",
      }),
    ),
    changedAt: Instant("When the transaction of the change began. It is no order."),
    reason: Type.Optional(ChangeReason),
    record: Type.Optional(
      publishedAs(
        {
          type: "object",
          description:
            "With `include=record`: what GET shows of the record, as it is now, which may be newer than the entry and is " +
            "never older. Absent for `deleted`, for a record that is deleted since, and for `schedule`.",
        },
        Type.Unsafe<object>({}),
      ),
    ),
  },
  { $id: "Change" },
);
export type ShownChange = Static<typeof Change>;

export const exampleChange = {
  cursor: EXAMPLE_CURSOR,
  sequence: 1842,
  kind: "client" as const,
  id: EXAMPLE_IDS.client,
  type: "updated" as const,
  changedAt: "2026-11-15T09:30:00.000Z",
  reason: { by: "key" as const, keyId: EXAMPLE_IDS.key, requestId: "0b0b6a3c-8a6f-4a5e-9d3f-2f4f4b6c1f11" },
};

export const ChangePage = Body(
  "ChangePage",
  {
    data: Type.Array(Change),
    nextCursor: cursor("Where to go on: `after` of the next request. There even if `data` is empty."),
    hasMore: Type.Boolean({ description: "Whether more is there already." }),
  },
  { examples: [{ data: [exampleChange], nextCursor: EXAMPLE_CURSOR, hasMore: false }] },
);
export type ChangePage = Static<typeof ChangePage>;

export const ChangeQuery = Type.Object({
  // Whatever is wrong with it, what is no cursor is one fault: see routes.ts.
  after: Type.Optional(
    Type.String({
      description:
        "Only what comes after this cursor. If absent, from the beginning: every record there is. `now`: from the end.",
      examples: [FROM_NOW],
    }),
  ),
  limit: Type.Integer({
    format: "int64",
    minimum: 1,
    maximum: 1000,
    default: 100,
    description: "How many entries at the most.",
  }),
  wait: Type.Integer({
    format: "int64",
    minimum: 0,
    maximum: LONGEST_WAIT_SECONDS,
    default: 0,
    description: "How many seconds to wait for an entry if there is none.",
  }),
  kinds: Type.Optional(
    // Read by rules.ts.
    publishedAs(
      {
        type: "array",
        items: OneOf(CHANGE_KINDS),
        minItems: 1,
        maxItems: CHANGE_KINDS.length,
        description: "Which kinds, separated by commas; all if absent.",
        examples: [["client", "contract"]],
      },
      Type.String({ minLength: 1, maxLength: 200 }),
    ),
  ),
  include: Type.Optional(OneOf(["record"], { description: "Each entry then has its `record`." })),
});
export type ChangeQuery = Static<typeof ChangeQuery>;
