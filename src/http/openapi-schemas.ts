import type { TSchema } from "typebox";
import { type ApiDocument, componentName } from "./declaration.ts";

/** How schemas are written in a document: those that have a name once, as a component that others refer to. */

export type Json = Record<string, unknown>;

/** A reference to a named schema, which is added to the components; an unnamed one stands where it is. */
export function refer(schema: TSchema, components: Json): Json {
  const name = componentName(schema);
  if (name === undefined) return inner(schema, components);
  if (!(name in components)) {
    components[name] = {};
    components[name] = inner(schema, components);
  }
  return { $ref: `#/components/schemas/${name}` };
}

function inner(schema: TSchema, components: Json): Json {
  const { $id, properties, items, ...rest } = schema as Json;
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, TSchema>).map(([name, member]) => [
          name,
          refer(member, components),
        ]),
      ),
    }),
    ...(items !== undefined && { items: refer(items as TSchema, components) }),
  };
}

export function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "$id" ? undefined : value))) as Json;
}

export function exampleOf(schema: TSchema): unknown {
  const [example] = (schema as { examples?: readonly unknown[] }).examples ?? [];
  if (example === undefined) throw new Error(`${componentName(schema)} has no example`);
  return example;
}

/** Every schema that has a name in the document, inputs and parts of others included. */
export function namedSchemas({ operations, problem }: ApiDocument): Map<string, TSchema> {
  const named = new Map<string, TSchema>();
  const visit = (schema: TSchema): void => {
    const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
    const name = componentName(schema);
    if (name !== undefined) named.set(name, schema);
    for (const part of [...Object.values(properties ?? {}), ...(items ? [items] : [])]) visit(part);
  };
  for (const { body, answer } of operations) {
    if (body) visit(body.schema);
    if (answer.schema) visit(answer.schema);
  }
  visit(problem);
  return named;
}
