import type { Fault } from "./errors.ts";
import { MAX_DEPTH } from "./limits.ts";
import { memberName } from "./validation.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** Brackets and braces differ by this bit alone. */
const BRACE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** How deep a JSON text goes and about how many members and items it has, without parsing it. */
export function measure(text: string): { depth: number; values: number; isBalanced: boolean } {
  let level = 0;
  let depth = 0;
  let values = 0;
  let isBalanced = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i++;
      while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
    } else if (code === COMMA) {
      values++;
    } else if ((code | BRACE) === OPENING) {
      values++;
      depth = Math.max(depth, ++level);
    } else if ((code | BRACE) === CLOSING) {
      if (--level < 0) isBalanced = false;
    }
  }
  return { depth, values, isBalanced: isBalanced && level === 0 };
}

/**
 * How many values `measure` finds in the text of this value. If it has found more, members were given twice, of which
 * JSON.parse keeps the last: `{"a":1,"a":2}` has two, what is parsed of it one.
 */
export function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts = Array.isArray(value) ? value : Object.values(value);
  let count = Math.max(1, parts.length);
  for (const part of parts) count += countValues(part);
  return count;
}

/**
 * Walks over text that is known to be valid JSON and finds where an object has a member name again, which
 * JSON.parse passes over in silence. `root` is how locations begin, or nothing.
 */
export function repeatedMembers(text: string, root: string): Fault[] {
  const faults: Fault[] = [];
  const open: { names: Set<string> | undefined; index: number; member: string }[] = [];
  let expectsName = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    const top = open.at(-1);
    if (character === '"') {
      const end = endOfString(text, i);
      if (expectsName && top?.names) {
        const name = JSON.parse(text.slice(i, end + 1)) as string;
        top.member = name;
        if (top.names.has(name) && faults.length < 100) {
          faults.push({ location: pathOf(root, open), code: "given_twice" });
        }
        top.names.add(name);
        expectsName = false;
      }
      i = end;
    } else if ((character === "{" || character === "[") && open.length === MAX_DEPTH) {
      return [...faults, { location: root, code: "too_deep", params: { max: MAX_DEPTH } }];
    } else if (character === "{") {
      open.push({ names: new Set(), index: 0, member: "" });
      expectsName = true;
    } else if (character === "[") {
      open.push({ names: undefined, index: 0, member: "" });
      expectsName = false;
    } else if (character === "}" || character === "]") {
      open.pop();
      expectsName = false;
    } else if (character === "," && top) {
      top.index++;
      expectsName = top.names !== undefined;
    }
  }
  return faults;
}

/** A JSON value as one text, whatever order its members came in. No deeper than bodies may be nested. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const members = value as Record<string, unknown>;
  let text = "";
  for (const name of Object.keys(members).sort())
    text += `${text === "" ? "{" : ","}${JSON.stringify(name)}:${canonicalJson(members[name])}`;
  return text === "" ? "{}" : `${text}}`;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}

function pathOf(
  root: string,
  open: readonly { names: Set<string> | undefined; index: number; member: string }[],
): string {
  let path = root;
  for (const { names, index, member } of open) {
    // Names are at most 64 characters, and a location at most 300.
    if (path.length > 200) return `${path}.?`;
    path += names ? `${path === "" ? "" : "."}${memberName(member) ?? "?"}` : `[${index}]`;
  }
  return path;
}

/** The members of what was given, of which nothing is known yet; none if it is no object. */
export function membersOf(given: unknown): Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
}
