import type { TSchema } from "typebox";
import { type Fault, invalid } from "../../core/errors.ts";
import { OneOf } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { clientSchema, withMembers } from "./client-views.ts";
import type { DeclaredOperation, PlainJson } from "./operation-calls.ts";
import type { Tool, ToolContext, ToolHints } from "./tool.ts";
import { argumentsOf, toldInput } from "./tool-schemas.ts";

/** The tools that write: each changes one client, is audited like any write, and can be tried without a trace. */

/** Of a client that is written: accepted by the operations so that a record can be sent back. */
const NOT_WRITTEN = ["$schema", "id", "createdAt", "updatedAt"];

const idempotencyKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      "A name of your choice for this write, such as a UUID: sent again with it, it is carried out once.",
  }),
);
const dryRun = Type.Optional(
  Type.Boolean({ description: "True: nothing is stored, and the answer is what would be." }),
);

type WriteArguments = {
  readonly idempotencyKey?: string;
  readonly dryRun?: boolean;
};

/** What is sent along with a write. A key would be used up by a write that is not carried out. */
function circumstances({ idempotencyKey: key, dryRun: isDry }: WriteArguments) {
  return isDry ? { dryRun: true } : { idempotencyKey: key };
}

export function writeTools(
  create: DeclaredOperation,
  patch: DeclaredOperation,
  archive: DeclaredOperation,
  read: DeclaredOperation,
): readonly Tool[] {
  const outputSchema: PlainJson = {
    type: "object",
    properties: {
      client: clientSchema(read.answer.schema),
      dryRun: { type: "boolean", description: "True if nothing was stored." },
    },
    required: ["client"],
  };
  const result = async (
    client: PlainJson,
    members: readonly string[],
    { names }: ToolContext,
    isDry = false,
  ) => ({
    client: await withMembers(client, members, names),
    ...(isDry && { dryRun: true }),
  });

  const clientMembers = writtenMembers(create);
  const createArguments = Type.Object(
    { client: Type.Unsafe<PlainJson>({ type: "object" }), idempotencyKey, dryRun },
    { additionalProperties: false },
  );
  const patched = writtenMembers(patch);
  const clearable = Object.entries(patched)
    .filter(([, member]) => isClearable(member))
    .map(([name]) => name);
  const clear = Type.Optional(
    Type.Array(OneOf(clearable), {
      maxItems: clearable.length,
      description: "Members whose value is taken away.",
    }),
  );
  const patchArguments = Type.Object(
    {
      ...patch.params?.properties,
      set: Type.Unsafe<PlainJson>({ type: "object" }),
      clear,
      idempotencyKey,
      dryRun,
    },
    { additionalProperties: false },
  );
  const archiveArguments = argumentsOf({ ...archive.params?.properties, idempotencyKey, dryRun });

  return [
    {
      name: "createClient",
      title: "Create a client",
      description:
        "Adds a client. Look first, by listClients, whether the person is there already. A CPF is checked and stored as 11 " +
        "digits; an id document that another client holds is refused, and the refusal names that client.",
      hints: writing({ isDestructive: false, isIdempotent: false }),
      arguments: createArguments,
      inputSchema: toldInput(argumentsOf({ client: argumentsOf(clientMembers), idempotencyKey, dryRun })),
      outputSchema,
      perform: async (args: { client: PlainJson } & WriteArguments, context) => {
        const { client } = args;
        const stored = await context.calls.ask("createClient", { body: client, ...circumstances(args) });
        return result(stored, Object.keys(client), context, args.dryRun);
      },
    },
    {
      name: "updateClient",
      title: "Change a client",
      description:
        "Changes the members of a client that set names, takes away those that clear lists, and leaves all others as they are.",
      hints: writing({ isDestructive: true, isIdempotent: true }),
      arguments: patchArguments,
      inputSchema: toldInput(
        argumentsOf({
          ...patch.params?.properties,
          set: argumentsOf(
            Object.fromEntries(Object.entries(patched).map(([name, member]) => [name, withoutNull(member)])),
          ),
          clear,
          idempotencyKey,
          dryRun,
        }),
      ),
      outputSchema,
      perform: async (
        args: { id: string; set: PlainJson; clear?: readonly string[] } & WriteArguments,
        context,
      ) => {
        const { id, set, clear: cleared = [] } = args;
        const faults = [
          // As a value it would clear the member, which clear alone does.
          ...Object.keys(set)
            .filter((name) => set[name] === null)
            .map((name): Fault => ({ location: `arguments.set.${name}`, code: "required" })),
          ...cleared
            .filter((name) => Object.hasOwn(set, name))
            .map((name): Fault => ({ location: `arguments.clear.${name}`, code: "given_twice" })),
        ];
        if (faults.length > 0)
          throw context.refuse(invalid(faults), [
            "name each member once: in set with its new value, or in clear to take it away.",
          ]);
        const body = { ...set, ...Object.fromEntries(cleared.map((name) => [name, null])) };
        const asked = { params: { id }, body, ...circumstances(args) };
        const stored = await context.calls.ask("patchClient", asked);
        return result(stored, Object.keys(body), context, args.dryRun);
      },
    },
    {
      name: "archiveClient",
      title: "Archive a client",
      description:
        "Archives a client. The record stays, and updateClient with status active brings it back. Contracts go on.",
      hints: writing({ isDestructive: true, isIdempotent: true }),
      arguments: archiveArguments,
      inputSchema: toldInput(archiveArguments),
      outputSchema,
      perform: async (args: { id: string } & WriteArguments, context) => {
        const params = { id: args.id };
        if (args.dryRun) {
          const asked = { params, body: { status: "archived" }, dryRun: true };
          return result(await context.calls.ask("patchClient", asked), [], context, true);
        }
        await context.calls.ask("archiveClient", { params, ...circumstances(args) });
        // Archiving answers nothing, and a read would show the client as it was when the caller was let in.
        return result(await context.calls.ask("patchClient", { params, body: {} }), [], context);
      },
    },
  ];
}

function writing({
  isDestructive,
  isIdempotent,
}: {
  isDestructive: boolean;
  isIdempotent: boolean;
}): ToolHints {
  return {
    readOnlyHint: false,
    destructiveHint: isDestructive,
    idempotentHint: isIdempotent,
    openWorldHint: false,
  };
}

function writtenMembers({ body }: DeclaredOperation): Record<string, TSchema> {
  const members = Object.entries(body?.schema.properties ?? {});
  return Object.fromEntries(members.filter(([name]) => !NOT_WRITTEN.includes(name)));
}

function isClearable(member: TSchema): boolean {
  const { type } = member as { type?: unknown };
  return Array.isArray(type) && type.includes("null");
}

function withoutNull(member: TSchema): TSchema {
  const { type, enum: words } = member as { type?: unknown; enum?: readonly unknown[] };
  if (!Array.isArray(type)) return Type.Optional(member);
  return Type.Optional({
    ...member,
    type: type.find((name) => name !== "null"),
    ...(words && { enum: words.filter((word) => word !== null) }),
  } as unknown as TSchema);
}
