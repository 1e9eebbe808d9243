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
      return needsNoEscape(node) ? (value) => `"${value}"` : (value) => quote(value as string);
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

/**
 * A writer for records of a schema that differ in little more than a few texts: everything around those gaps is made
 * once for many records. It gives the text before the first gap, between each two, and after the last:
 *
 *     compileTemplate(Session, ["id", "startAt"])({ id: "…", locationId: "7", startAt: "…", capacity: 9 })
 *     → [`{"id":"`, `","locationId":"7","startAt":"`, `","capacity":9}`]
 *
 * A gap that the record has no value for is left out like any absent member. What is put into a gap must need no
 * escaping, as ids and times do not.
 */
export function compileTemplate(schema: TSchema, gaps: readonly string[]): (record: object) => string[] {
  const members = membersOf(schema as SchemaNode);
  return (record) => {
    const pieces: string[] = [];
    let text = "{";
    let isFirst = true;
    for (const { name, label, render } of members) {
      const content = (record as Record<string, unknown>)[name];
      if (content === undefined) continue;
      text += isFirst ? label : `,${label}`;
      isFirst = false;
      if (gaps.includes(name)) {
        pieces.push(`${text}"`);
        text = '"';
      } else {
        text += render(content);
      }
    }
    pieces.push(`${text}}`);
    return pieces;
  };
}

/** Ids, dates and words of a closed set have no character that JSON would escape, and need not be looked through. */
function needsNoEscape({ format = "", enum: words }: SchemaNode): boolean {
  if (words) return words.every((word) => quote(word) === `"${word}"`);
  return format === "uuid" || format === "date" || format === "date-time";
}

interface SchemaNode {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
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
  const members = membersOf(node);
  return (value) => {
    const record = value as Record<string, unknown>;
    let text = "{";
    for (let i = 0; i < members.length; i++) {
      const member = members[i] as Member;
      const content = record[member.name];
      if (content === undefined) continue;
      text += text.length === 1 ? member.label : `,${member.label}`;
      text += member.render(content);
    }
    return `${text}}`;
  };
}

interface Member {
  readonly name: string;
  readonly label: string;
  readonly render: Render;
}

function membersOf(node: SchemaNode): Member[] {
  return Object.entries(node.properties ?? {})
    .filter(([name]) => name !== "$schema")
    .map(([name, schema]) => ({ name, label: `${JSON.stringify(name)}:`, render: compileRender(schema) }));
}
