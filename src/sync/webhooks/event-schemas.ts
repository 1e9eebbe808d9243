import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id, Instant, Int32, Named } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { Change, exampleChange } from "../changes/schema.ts";
import { CHANGE_KINDS, CHANGE_TYPES } from "../changes/values.ts";
import { BACKLOG_EVENT, TEST_EVENT } from "./values.ts";

/** The messages that receivers get, for the document. */

const envelope = (type: string, description = "Which event it is.") => ({
  type: Type.String({ description, examples: [type] }),
  timestamp: Named("EventTimestamp", Instant("When what it tells of happened.")),
  organizationId: Id("Whose it is."),
});

const organizationId = EXAMPLE_IDS.organization;
const timestamp = exampleChange.changedAt;

const cursor = (description: string) => Type.String({ description });

export const ChangeEvent = Type.Object(
  {
    ...envelope("client.updated", "Which event it is: `kind` and `type` of `data`, with a dot between."),
    data: Type.Object(
      {
        ...Change.properties,
        url: Type.Optional(
          Type.String({
            format: "uri",
            description: "Where the record is, if it has an address of its own.",
          }),
        ),
      },
      { description: "The entry of the change feed." },
    ),
  },
  {
    $id: "ChangeEvent",
    examples: [{ type: "client.updated", timestamp, organizationId, data: exampleChange }],
  },
);

export const BacklogEvent = Type.Object(
  {
    ...envelope(BACKLOG_EVENT),
    data: Type.Object(
      {
        after: cursor("Read `/v1/changes` from here."),
        cursor: cursor("Up to here: events after it are sent again one by one."),
        count: Int32("How many events it stands for."),
      },
      { description: "The part of the change feed to read." },
    ),
  },
  {
    $id: "BacklogEvent",
    examples: [
      {
        type: BACKLOG_EVENT,
        timestamp,
        organizationId,
        data: { after: exampleChange.cursor, cursor: exampleChange.cursor, count: 5_000 },
      },
    ],
  },
);

export const TestEvent = Type.Object(
  { ...envelope(TEST_EVENT), data: Type.Object({ webhookId: Id() }, { description: "What was tried." }) },
  {
    $id: "TestEvent",
    examples: [{ type: TEST_EVENT, timestamp, organizationId, data: { webhookId: EXAMPLE_IDS.webhook } }],
  },
);

/** Every event there is. */
export const WEBHOOK_EVENTS = [
  ...CHANGE_KINDS.flatMap((kind) =>
    CHANGE_TYPES.map((type) => ({
      name: `${kind}.${type}`,
      summary: `A record of the kind ${kind} was ${type}`,
      schema: ChangeEvent,
    })),
  ),
  {
    name: BACKLOG_EVENT,
    summary: "More events are due than the endpoint wants one by one",
    schema: BacklogEvent,
  },
  { name: TEST_EVENT, summary: "Somebody tries the endpoint", schema: TestEvent },
];
