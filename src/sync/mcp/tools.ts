import type { TSchema } from "typebox";
import { parseInstant } from "../../core/dates.ts";
import { type Fault, invalid } from "../../core/errors.ts";
import { OneOf } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { findZone, instantToWall } from "../../domain/recurrence/zones.ts";
import { CHANGE_KINDS } from "../changes/values.ts";
import {
  CLIENT_INCLUDES,
  type ClientInclude,
  clientSchema,
  findClients,
  shownClient,
} from "./client-views.ts";
import { searchGuides } from "./guides.ts";
import { listArguments, PAGE, pageOf, queryOf } from "./list-arguments.ts";
import { type DeclaredOperation, type PlainJson, tooLong } from "./operation-calls.ts";
import type { Tool, ToolContext, ToolHints } from "./tool.ts";
import {
  argumentsOf,
  itemOf,
  NEXT_CURSOR,
  TEXT,
  TEXTS,
  toldInput,
  toldList,
  toldRecord,
} from "./tool-schemas.ts";
import { writeTools } from "./write-tools.ts";

/** What a model can do here: each tool is an operation of the API, with less to read and names beside ids. */

/** What `listSessions` gives. */
const WINDOW_DAYS = 31;
const MAX_SESSIONS = 200;

const READING: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The tools, in a fixed order: first those that read. */
export function makeTools(operations: readonly DeclaredOperation[]): {
  readonly reading: readonly Tool[];
  readonly writing: readonly Tool[];
} {
  const find = (name: string): DeclaredOperation => {
    const operation = operations.find(({ operationId }) => operationId === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    return operation;
  };
  return {
    reading: [
      organizationTool(find("getOrganization")),
      wholeList(find("listLocations"), "List locations"),
      catalogList(find("listPlans"), "List plans", {
        description: "What the organization sells, newest first. `terms` is left out: getPlan has it.",
        record: { without: ["terms"], added: PLACE_NAMES, entitlements: true },
      }),
      oneRecord(find("getPlan"), "Show a plan", { added: PLACE_NAMES, entitlements: true }),
      catalogList(find("listServiceTypes"), "List service types", {
        description: "The kinds of classes and appointments, newest first.",
        record: {},
      }),
      oneRecord(find("getServiceType"), "Show a service type", {}),
      catalogList(find("listContracts"), "List contracts", {
        description:
          "What clients have bought, newest first, with the names of client and plan. Entitlements are left out: getContract has them.",
        record: { without: ["entitlements"], added: { ...PLACE_NAMES, clientName: TEXT } },
        query: { include: "names" },
      }),
      oneRecord(find("getContract"), "Show a contract", {
        added: { ...PLACE_NAMES, clientName: TEXT },
        entitlements: true,
        query: { include: "names" },
      }),
      changesTool(find("listChanges")),
      sessionsTool(find("listSessions")),
      listClientsTool(find("listClients"), find("getClient")),
      getClientTool(find("getClient")),
      searchDocsTool,
    ],
    writing: writeTools(find("createClient"), find("patchClient"), find("archiveClient"), find("getClient")),
  };
}

const PLACE_NAMES = {
  locationNames: { ...TEXTS, description: "In the order of locationIds." },
};

interface RecordView {
  readonly without?: readonly string[];
  readonly added?: Readonly<Record<string, PlainJson>>;
  /** Whether it has entitlements, whose scopes are named. */
  readonly entitlements?: boolean;
  readonly query?: Readonly<Record<string, string>>;
}

function recordSchema(schema: TSchema | undefined, { without, added, entitlements }: RecordView): PlainJson {
  const told = toldRecord(schema ?? Type.Unknown(), { ...(without && { without }), ...(added && { added }) });
  if (!entitlements) return told;
  const properties = told.properties as Readonly<Record<string, PlainJson>>;
  const list = properties.entitlements as { readonly items: { readonly properties: PlainJson } };
  const items = {
    ...list.items,
    properties: { ...list.items.properties, serviceTypeName: TEXT, serviceGroupName: TEXT },
  };
  return { ...told, properties: { ...properties, entitlements: { ...list, items } } };
}

/** A record as a tool shows it. */
async function shown(record: PlainJson, { names }: ToolContext, { without = [], entitlements }: RecordView) {
  const { $schema: _link, ...rest } = record;
  const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => !without.includes(name)));
  const placed = await names.addPlaces(kept);
  return entitlements ? names.addScopes(placed) : placed;
}

function organizationTool({ operationId, answer, description }: DeclaredOperation): Tool {
  const localNow = { ...TEXT, description: "The time now on the organization's clock." };
  return {
    name: operationId,
    title: "Show the organization",
    description,
    hints: READING,
    arguments: argumentsOf({}),
    inputSchema: toldInput(argumentsOf({})),
    outputSchema: recordSchema(answer.schema, { added: { localNow } }),
    perform: async (_args, context) => {
      const organization = await shown(await context.calls.ask(operationId), context, {});
      const zone = findZone(String(organization.timezone));
      const wall = zone && new Date(instantToWall(zone, context.now())).toISOString();
      return { ...organization, ...(wall && { localNow: wall.slice(0, 16).replace("T", " ") }) };
    },
  };
}

function wholeList({ operationId, answer, description }: DeclaredOperation, title: string): Tool {
  return {
    name: operationId,
    title,
    description,
    hints: READING,
    arguments: argumentsOf({}),
    inputSchema: toldInput(argumentsOf({})),
    outputSchema: toldList(toldRecord(itemOf(answer.schema))),
    perform: async (_args, { calls }) => {
      const { data, total } = await calls.ask(operationId);
      return { data, total };
    },
  };
}

function oneRecord(operation: DeclaredOperation, title: string, options: RecordView): Tool {
  const { operationId, params, answer, description } = operation;
  const taken = argumentsOf({ ...params?.properties });
  return {
    name: operationId,
    title,
    description,
    hints: READING,
    arguments: taken,
    inputSchema: toldInput(taken),
    outputSchema: recordSchema(answer.schema, options),
    perform: async ({ id }: { id: string }, context) => {
      const query = options.query ?? {};
      return shown(await context.calls.ask(operationId, { params: { id }, query }), context, options);
    },
  };
}

function catalogList(
  operation: DeclaredOperation,
  title: string,
  {
    description,
    record,
    query = {},
  }: { description: string; record: RecordView; query?: Readonly<Record<string, string>> },
): Tool {
  const { operationId, answer } = operation;
  const taken = argumentsOf(listArguments(operation));
  return {
    name: operationId,
    title,
    description,
    hints: READING,
    arguments: taken,
    inputSchema: toldInput(taken),
    outputSchema: toldList(recordSchema(itemOf(answer.schema), record), { nextCursor: NEXT_CURSOR }),
    perform: async (args: PlainJson, context) => {
      const page = await context.calls.ask(operationId, { query: { ...queryOf(args), ...query } });
      const records = page.data as readonly PlainJson[];
      return pageOf(page, await Promise.all(records.map((one) => shown(one, context, record))));
    },
  };
}

function changesTool({ operationId, query, answer }: DeclaredOperation): Tool {
  const { after } = query?.properties ?? {};
  const taken = argumentsOf({
    ...(after && { after }),
    kinds: Type.Optional(
      Type.Array(OneOf(CHANGE_KINDS), {
        minItems: 1,
        maxItems: CHANGE_KINDS.length,
        description: "Which kinds; all if absent.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: PAGE.most, default: PAGE.usual, description: "How many entries." }),
    ),
  });
  return {
    name: operationId,
    title: "List what has changed",
    description:
      "What was created, updated and deleted, the oldest first, with names. Call again with nextCursor as after while hasMore.",
    hints: READING,
    arguments: taken,
    inputSchema: toldInput(taken),
    outputSchema: {
      type: "object",
      properties: {
        data: {
          type: "array",
          items: toldRecord(itemOf(answer.schema), {
            without: ["record", "cursor"],
            added: { name: { ...TEXT, description: "What the record is called now, if it has a name." } },
          }),
        },
        nextCursor: { ...TEXT, description: "The after of the next call." },
        hasMore: { type: "boolean" },
      },
      required: ["data", "nextCursor", "hasMore"],
    },
    perform: async ({ after: from, kinds, limit = PAGE.usual }, { calls }) => {
      const asked = {
        limit: String(limit),
        include: "record",
        ...(from !== undefined && { after: String(from) }),
        ...(kinds !== undefined && { kinds: (kinds as readonly string[]).join(",") }),
      };
      const { data, nextCursor, hasMore } = await calls.ask(operationId, { query: asked });
      // Of the record no more than its name: whoever wants to see a client asks for what is needed of it.
      const entries = (data as readonly PlainJson[]).map(({ record, cursor: _cursor, ...entry }) => {
        const { contactName, planName, name } = (record ?? {}) as PlainJson;
        const called = contactName ?? planName ?? name;
        return { ...entry, ...(called !== undefined && { name: called }) };
      });
      return { data: entries, nextCursor, hasMore };
    },
  };
}

function sessionsTool({ operationId, query, answer }: DeclaredOperation): Tool {
  const { include: _include, ...filters } = query?.properties ?? {};
  const taken = argumentsOf(filters);
  return {
    name: operationId,
    title: "List sessions",
    description:
      "The classes and appointments that start in a window of time, in order, with the names of what, where and who, and " +
      `local times on the location's clock. At most ${WINDOW_DAYS} days and ${MAX_SESSIONS} sessions. Cancelled ones are shown as such. ` +
      "Who is booked is not told.",
    hints: READING,
    arguments: taken,
    inputSchema: toldInput(taken),
    outputSchema: toldList(
      toldRecord(itemOf(answer.schema), { added: { timezone: TEXT, resourceNames: TEXTS } }),
    ),
    perform: async (args: { from: string; to: string } & PlainJson, { calls, names, refuse }) => {
      const days = ((parseInstant(args.to) ?? 0) - (parseInstant(args.from) ?? 0)) / 86_400_000;
      if (days > WINDOW_DAYS) {
        const fault: Fault = {
          location: "arguments.to",
          code: "window_too_long",
          params: { maxDays: WINDOW_DAYS },
        };
        throw refuse(invalid([fault]), [
          `ask for at most ${WINDOW_DAYS} days at a time, one window after the other.`,
        ]);
      }
      const asked = { ...queryOf(args), include: "names" } as Record<string, string>;
      delete asked.limit;
      const { data, total } = await calls.ask(operationId, { query: asked });
      if (Number(total) > MAX_SESSIONS)
        throw tooLong(
          `There are ${total} sessions in this window; at most ${MAX_SESSIONS} are told.`,
          "ask for a shorter window, or name a locationId, serviceTypeId or resourceId.",
        );
      const sessions = data as readonly PlainJson[];
      return { data: await Promise.all(sessions.map((session) => names.addToSession(session))), total };
    },
  };
}

const include = Type.Optional(
  Type.Array(OneOf(Object.keys(CLIENT_INCLUDES) as ClientInclude[]), {
    maxItems: Object.keys(CLIENT_INCLUDES).length,
    description:
      "What else is shown, if it is needed: contact (e-mail, phone), birthdate, address, idDocument, notes, locationIds.",
  }),
);

function listClientsTool(operation: DeclaredOperation, one: DeclaredOperation): Tool {
  const taken = argumentsOf({ ...listArguments(operation), include });
  const record = clientSchema(one.answer.schema);
  return {
    name: operation.operationId,
    title: "Find clients",
    description:
      "Finds clients by pieces of name, e-mail, phone or id document, newest first; without query all. Shows names and status " +
      "alone; ask by include for what is needed beside. If nobody is found, similar names those that are spelt nearly so.",
    hints: READING,
    arguments: taken,
    inputSchema: toldInput(taken),
    outputSchema: toldList(record, {
      nextCursor: NEXT_CURSOR,
      similar: {
        type: "array",
        items: record,
        description:
          "If nobody is found: whose name is nearly what was asked for. Ask the person who was meant.",
      },
    }),
    perform: (args, context) => findClients(args, context),
  };
}

function getClientTool({ operationId, params, answer }: DeclaredOperation): Tool {
  const taken = argumentsOf({ ...params?.properties, include });
  return {
    name: operationId,
    title: "Show a client",
    description: "One client by its id: name and status; ask by include for what is needed beside.",
    hints: READING,
    arguments: taken,
    inputSchema: toldInput(taken),
    outputSchema: clientSchema(answer.schema),
    perform: async (args: { id: string; include?: readonly ClientInclude[] }, { calls, names }) => {
      const client = await calls.ask(operationId, { params: { id: args.id } });
      return shownClient(client, args.include ?? [], names);
    },
  };
}

const question = argumentsOf({
  query: Type.String({
    minLength: 1,
    maxLength: 400,
    description: "Words that the answer has, in English.",
  }),
});

const searchDocsTool: Tool = {
  name: "searchDocs",
  title: "Search the documentation",
  description:
    "Passages of the guides to this server that answer a question about it: its API, its rules, how to run it.",
  hints: READING,
  arguments: question,
  inputSchema: toldInput(question),
  outputSchema: {
    type: "object",
    properties: {
      data: {
        type: "array",
        items: {
          type: "object",
          properties: { page: TEXT, uri: TEXT, heading: TEXT, text: TEXT },
          required: ["page", "uri", "heading", "text"],
        },
      },
      total: { type: "integer" },
    },
    required: ["data", "total"],
  },
  perform: async ({ query }: { query: string }, { guides }) => {
    const data = searchGuides(await guides(), query);
    return { data, total: data.length };
  },
};
