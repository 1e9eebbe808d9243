import type { TSchema } from "typebox";
import { publishedForm } from "../core/schema-type.ts";
import { type ApiDocument, componentName } from "./declaration.ts";
import { wordsOfMember } from "./member-words.ts";

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
  const { $id, properties, items, ...rest } = publishedForm(schema) as Json;
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, TSchema>).map(([name, member]) => [
          name,
          { ...refer(member, components), ...describeMember($id as string | undefined, name, member) },
        ]),
      ),
    }),
    ...(items !== undefined && { items: refer(items as TSchema, components) }),
  };
}

function describeMember(component: string | undefined, name: string, member: TSchema): Json {
  if ("description" in member) return {};
  const description = wordsOfMember(component, name);
  return description === undefined ? {} : { description };
}

/** A schema by itself: all that it is made of stands where it is used. */
export function plain(schema: TSchema): Json {
  const { $id, ...rest } = publishedForm(schema) as Json;
  const { properties, items } = rest as { properties?: Record<string, TSchema>; items?: TSchema };
  return JSON.parse(
    JSON.stringify({
      ...rest,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [
            name,
            { ...plain(member), ...describeMember($id as string | undefined, name, member) },
          ]),
        ),
      }),
      ...(items && { items: plain(items) }),
    }),
  ) as Json;
}

export function exampleOf(schema: TSchema): unknown {
  const [example] = (schema as { examples?: readonly unknown[] }).examples ?? [];
  if (example === undefined) throw new Error(`${componentName(schema)} has no example`);
  return example;
}

/** Every schema that has a name in the document, inputs and parts of others included. */
export function namedSchemas({ about, operations, problem }: ApiDocument): Map<string, TSchema> {
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
  for (const { schema } of about.webhooks ?? []) visit(schema);
  visit(problem);
  return named;
}
