import type { TSchema } from "typebox";
import Type, { publishedForm } from "../../core/schema-type.ts";
import type { PlainJson } from "./operation-calls.ts";

/** The schemas of tools, made of those of the operations: a model reads them, so they have no more than it can use. */

type ToolMembers = Readonly<Record<string, TSchema>>;

/** What an argument list takes: these members and no others. */
export function argumentsOf(members: ToolMembers) {
  return Type.Object(members, { additionalProperties: false });
}

/** A schema of arguments as it is told. */
export function toldInput(schema: TSchema): PlainJson {
  return shortened(schema, INPUT_WORDS);
}

interface Shape {
  /** Members that the tool leaves out altogether. */
  readonly without?: readonly string[];
  /** The only members that are always there, if not those of the operation. */
  readonly required?: readonly string[];
  /** Members that the tool adds. */
  readonly added?: Readonly<Record<string, PlainJson>>;
}

/** The schema of a record as a tool gives it. */
export function toldRecord(schema: TSchema, { without = [], required, added = {} }: Shape = {}): PlainJson {
  const told = shortened(schema, OUTPUT_WORDS) as {
    properties: Readonly<Record<string, PlainJson>>;
    required?: readonly string[];
  };
  const left = ["$schema", ...without];
  const kept = Object.entries(told.properties).filter(([name]) => !left.includes(name));
  return {
    ...told,
    properties: { ...Object.fromEntries(kept), ...added },
    required: (required ?? told.required ?? []).filter((name) => !left.includes(name)),
  };
}

/** The records of a list, from the schema of the list. */
export function itemOf(schema: TSchema | undefined): TSchema {
  const { data } = (schema as unknown as { properties: Record<string, { items: TSchema }> }).properties;
  if (!data) throw new Error("a list has no records");
  return data.items;
}

/** The schema of a list of such records. */
export function toldList(record: PlainJson, added: Readonly<Record<string, PlainJson>> = {}): PlainJson {
  return {
    type: "object",
    properties: {
      data: { type: "array", items: record },
      total: { type: "integer", description: "How many records match in all." },
      ...added,
    },
    required: ["data", "total"],
  };
}

export const NEXT_CURSOR: PlainJson = {
  type: "string",
  description: "The cursor of the next page; absent on the last one.",
};

export const TEXT: PlainJson = { type: "string" };
export const TEXTS: PlainJson = { type: "array", items: TEXT };

const OUTPUT_WORDS = new Set(["type", "description", "enum", "format", "properties", "items", "required"]);
const INPUT_WORDS = new Set([
  ...OUTPUT_WORDS,
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "default"],
  ...["additionalProperties", "anyOf", "oneOf"],
]);
/** Of numbers: what generators of code need to know. */
const NUMBER_FORMATS = new Set(["int32", "int64"]);

/** A schema without what only programs need; all that it is made of stands where it is used. */
function shortened(schema: object, words: ReadonlySet<string>): PlainJson {
  const { properties, items, ...rest } = publishedForm(schema) as PlainJson & {
    readonly properties?: Readonly<Record<string, object>>;
    readonly items?: object;
  };
  const kept = Object.entries(rest).filter(
    ([word, value]) => words.has(word) && !(word === "format" && NUMBER_FORMATS.has(String(value))),
  );
  return {
    ...Object.fromEntries(kept),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, shortened(member, words)]),
      ),
    }),
    ...(items && { items: shortened(items, words) }),
  };
}
