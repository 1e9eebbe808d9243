import type { TSchema } from "typebox";

export type Render = (value: unknown) => string;

// What JSON.stringify would have to escape; most strings of real data need nothing but the quotes.
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * A writer of JSON text for values of one schema: members in the schema's order, absent ones left out. Each
 * member's `,"name":` is prepared once, which makes writing a row little more than joining strings.
 */
export function compileRender(schema: TSchema, mostLength = Number.POSITIVE_INFINITY): Render {
  const node = schema as SchemaNode;
  switch (node.type) {
    case "string":
      return needsNoEscape(node) ? (value) => `"${value}"` : (value) => quote(value as string);
    case "integer":
    case "number":
    case "boolean":
      return String;
    case "array":
      return compileArray(node, mostLength);
    case "object":
      return compileObject(node, mostLength);
    default:
      return JSON.stringify;
  }
}

/** As `compileRender`, for the top level of a body: `$schema` stands first. */
export function compileBody(schema: TSchema, schemaUrl: string): Render {
  return withSchemaUrl(compileRender(schema), schemaUrl);
}

/**
 * As `compileBody`, for bodies whose length is up to what is stored. A short one is text. A long one would hold the event
 * loop while it is written, so it comes in pieces, to be written one after the other.
 */
export function compileLongBody(
  schema: TSchema,
  schemaUrl: string,
): (value: unknown) => string | Iterable<string> {
  const render = withSchemaUrl(compileRender(schema, LONG_LENGTH), schemaUrl);
  const pieces = compilePieces(schema);
  return (value) => {
    try {
      return render(value);
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      return afterSchemaUrl(pieces(value), schemaUrl);
    }
  };
}

/** Some milliseconds of writing. */
const LONG_LENGTH = 1 << 18;

/** Thrown by a writer whose text gets longer than it may. */
class TooLong extends Error {}

function withSchemaUrl(render: Render, schemaUrl: string): Render {
  const opening = `{"$schema":${JSON.stringify(schemaUrl)}`;
  return (value) => {
    const text = render(value);
    return text === "{}" ? `${opening}}` : `${opening},${text.slice(1)}`;
  };
}

/** The first piece of an object is its brace. */
function* afterSchemaUrl(pieces: Iterable<string>, schemaUrl: string): Generator<string> {
  let isFirst = true;
  for (const piece of pieces) {
    yield isFirst ? `{"$schema":${JSON.stringify(schemaUrl)},` : piece;
    isFirst = false;
  }
}

/** The text of an object in pieces: each item of its arrays, and of those of the objects in it, is one. */
function compilePieces(schema: TSchema): (value: unknown) => Generator<string> {
  const members = Object.entries((schema as SchemaNode).properties ?? {})
    .filter(([name]) => name !== "$schema")
    .map(([name, member]) => ({ name, label: `${JSON.stringify(name)}:`, write: compileMember(member) }));
  return function* (value) {
    yield "{";
    let comma = "";
    for (const { name, label, write } of members) {
      const content = (value as Record<string, unknown>)[name];
      if (content === undefined) continue;
      yield comma + label;
      yield* write(content);
      comma = ",";
    }
    yield "}";
  };
}

function compileMember(schema: TSchema): (value: unknown) => Iterable<string> {
  const node = schema as SchemaNode;
  if (node.type === "object" && node.properties) return compilePieces(schema);
  const item = compileRender(node.type === "array" ? (node.items ?? {}) : schema);
  if (node.type !== "array") return (value) => [item(value)];
  return function* (values) {
    yield "[";
    let comma = "";
    for (const value of values as readonly unknown[]) {
      yield comma + item(value);
      comma = ",";
    }
    yield "]";
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

function compileArray(node: SchemaNode, mostLength: number): Render {
  const item = compileRender(node.items ?? {}, mostLength);
  return (value) => {
    const values = value as readonly unknown[];
    let text = "[";
    for (let i = 0; i < values.length; i++) {
      text += i === 0 ? item(values[i]) : `,${item(values[i])}`;
      if (text.length > mostLength) throw new TooLong();
    }
    return `${text}]`;
  };
}

function compileObject(node: SchemaNode, mostLength: number): Render {
  const members = membersOf(node, mostLength);
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

function membersOf(node: SchemaNode, mostLength = Number.POSITIVE_INFINITY): Member[] {
  return Object.entries(node.properties ?? {})
    .filter(([name]) => name !== "$schema")
    .map(([name, schema]) => ({
      name,
      label: `${JSON.stringify(name)}:`,
      render: compileRender(schema, mostLength),
    }));
}
