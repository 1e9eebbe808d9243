import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  Id,
  Instant,
  Line,
  LocalDateTime,
  PageQuery,
  page,
  type Static,
  Text,
} from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";

const exampleEntry = {
  id: EXAMPLE_IDS.audit,
  at: "2026-11-16T12:02:11.402Z",
  actor: `staff:${EXAMPLE_IDS.staff}`,
  actorName: "Carla Dias",
  action: "adjustCredits",
  clientId: EXAMPLE_IDS.client,
  clientName: "Ana Prado",
  contractId: EXAMPLE_IDS.contract,
  planName: "Mensal 2x por semana",
  subjectId: EXAMPLE_IDS.contract,
  reason: "One class too many was counted.",
  details: { entitlementId: EXAMPLE_IDS.entitlement, before: 7, after: 8 },
  undo: {
    operation: "adjustCredits",
    input: {
      entitlementId: EXAMPLE_IDS.entitlement,
      by: -1,
      reason: "undone",
      undoes: EXAMPLE_IDS.audit,
    },
  },
};

/** What undoes a write. */
export const UndoStep = Type.Object(
  {
    operation: Line(64, { description: "The operation that undoes it: `POST /app/v1/{operation}`." }),
    input: Type.Unsafe<Readonly<Record<string, unknown>>>({ description: "What that one is told." }),
  },
  {
    $id: "UndoStep",
    description:
      "What undoes the write, for a caller whose role allows it. It is refused like any other if it cannot be done any more.",
  },
);

/** One write, as it was recorded. */
export const RecordedWrite = Body(
  "RecordedWrite",
  {
    id: Id(),
    at: Instant(),
    actor: Line(300, {
      description: "`staff:ID`, `key:ID`, `operator:NAME`, `import`, or `unknown` for a sign-in that failed.",
    }),
    actorName: Type.Optional(
      Line(200, { description: "The name of the colleague, also of one who has left, or of the API key." }),
    ),
    action: Line(64, { description: "The operation." }),
    clientId: Type.Optional(Id()),
    clientName: Type.Optional(Line(200, { description: "As the client is called now." })),
    contractId: Type.Optional(Id()),
    planName: Type.Optional(Line(200, { description: "Of the contract." })),
    sessionId: Type.Optional(Id()),
    sessionName: Type.Optional(Line(200, { description: "The service type of the session." })),
    sessionStart: Type.Optional(LocalDateTime("When the session begins now, on the clock of its location.")),
    subjectId: Type.Optional(Line(300, { description: "The record that it was done to." })),
    subjectName: Type.Optional(
      Line(300, { description: "What that record is called now; for a schedule, its service type." }),
    ),
    requestId: Type.Optional(
      Line(128, {
        description: "The `X-Request-Id` of a write by an API key, or of a list taken as a file.",
      }),
    ),
    reason: Type.Optional(Text(500)),
    details: Type.Unsafe<Readonly<Record<string, unknown>>>({
      description:
        "Ids, dates, numbers and words before and after; of a client only the names of the `members` that were written.",
    }),
    undoneBy: Type.Optional(
      Id(
        "The entry that took this adjustment of credits, or this import, back. That can be done once: it then has no `undo`.",
      ),
    ),
    undo: Type.Optional(UndoStep),
  },
  { examples: [exampleEntry] },
);

export const RecordedWritePage = page("RecordedWritePage", RecordedWrite, exampleEntry);

const { limit, offset, cursor } = PageQuery;
export const AuditQuery = Type.Object({
  clientId: Type.Optional(Id("What concerns one client.", EXAMPLE_IDS.client)),
  contractId: Type.Optional(Id("What was done to one contract.", EXAMPLE_IDS.contract)),
  sessionId: Type.Optional(Id("What was done to one session.", EXAMPLE_IDS.session)),
  staffId: Type.Optional(Id("What one colleague did, and what was done to them.", EXAMPLE_IDS.staff)),
  actor: Type.Optional(
    Line(300, {
      description: "What one actor did, as `actor` of an entry has it.",
      examples: [`key:${EXAMPLE_IDS.key}`],
    }),
  ),
  action: Type.Optional(
    Line(64, { description: "One action, as `action` of an entry has it.", examples: ["editClient"] }),
  ),
  from: Type.Optional(Instant("What was done at this instant or later; any UTC offset.")),
  to: Type.Optional(Instant("What was done before this instant; any UTC offset.")),
  limit,
  offset,
  cursor,
});

export type RecordedWrite = Static<typeof RecordedWrite>;
export type AuditQuery = Static<typeof AuditQuery>;
