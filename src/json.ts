import type { Fault } from "./errors.ts";
import { memberName } from "./validation.ts";

/** No record of ours is nested deeper than three; past this the walk would only cost memory. */
const MAX_DEPTH = 32;

/**
 * Walks over text that is known to be valid JSON and notes where an object has a member name again, which
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
          faults.push({ location: pathOf(root, open), message: "is given twice" });
        }
        top.names.add(name);
        expectsName = false;
      }
      i = end;
    } else if ((character === "{" || character === "[") && open.length === MAX_DEPTH) {
      return [...faults, { location: root, message: `must not be nested deeper than ${MAX_DEPTH} levels` }];
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

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
  return i;
}

function pathOf(
  root: string,
  open: readonly { names: Set<string> | undefined; index: number; member: string }[],
): string {
  let path = root;
  for (const { names, index, member } of open.slice(0, 8)) {
    path += names ? `${path === "" ? "" : "."}${memberName(member) ?? "?"}` : `[${index}]`;
  }
  return path;
}
