import type { TSchema } from "typebox";

export type Render = (value: unknown) => string;

// What JSON.stringify would have to escape; most strings of real data need nothing but the quotes.
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * A writer of JSON text for values of one schema: members in the schema's order, absent ones left out. Each
 * member's `,"name":` is prepared once, which makes writing a row little more than joining strings.
 */
export function compileRender(schema: TSchema): Render {
  const node = schema as SchemaNode;
  switch (node.type) {
    case "string":
      return (value) => quote(value as string);
    case "integer":
    case "number":
    case "boolean":
      return String;
    case "array":
      return compileArray(node);
    case "object":
      return compileObject(node);
    default:
      return JSON.stringify;
  }
}

/** As `compileRender`, for the top level of a body: `$schema` stands first. */
export function compileBody(schema: TSchema, schemaUrl: string): Render {
  const render = compileRender(schema);
  const opening = `{"$schema":${JSON.stringify(schemaUrl)}`;
  return (value) => {
    const text = render(value);
    return text === "{}" ? `${opening}}` : `${opening},${text.slice(1)}`;
  };
}

export function quote(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

interface SchemaNode {
  readonly type?: string;
  readonly items?: TSchema;
  readonly properties?: Record<string, TSchema>;
}

function compileArray(node: SchemaNode): Render {
  const item = compileRender(node.items ?? {});
  return (value) => {
    const values = value as readonly unknown[];
    let text = "[";
    for (let i = 0; i < values.length; i++) text += i === 0 ? item(values[i]) : `,${item(values[i])}`;
    return `${text}]`;
  };
}

function compileObject(node: SchemaNode): Render {
  const members = Object.entries(node.properties ?? {})
    .filter(([name]) => name !== "$schema")
    .map(([name, schema]) => ({ name, label: `${JSON.stringify(name)}:`, render: compileRender(schema) }));
  return (value) => {
    const record = value as Record<string, unknown>;
    let text = "{";
    for (let i = 0; i < members.length; i++) {
      const member = members[i] as (typeof members)[number];
      const content = record[member.name];
      if (content === undefined) continue;
      text += text.length === 1 ? member.label : `,${member.label}`;
      text += member.render(content);
    }
    return `${text}}`;
  };
}
