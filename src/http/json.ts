import { AppError, type Fault, malformed } from "../errors.ts";
import { memberName } from "../validation.ts";

/** No body of ours is nested deeper than three; past this the walk would only cost memory. */
const MAX_DEPTH = 32;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON value of a request body, and the members that are given twice (JSON.parse keeps the last silently). */
export function readJson(
  body: Uint8Array,
  contentType: string | undefined,
): { value: unknown; repeated: Fault[] } {
  if (body.length === 0) throw malformed("The body is empty; it must be a JSON object.");
  if (!isJson(contentType)) {
    throw new AppError("unsupported_media_type", "The body must be sent as Content-Type: application/json.");
  }
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw malformed("The body is not valid UTF-8.");
  }
  try {
    return { value: JSON.parse(text), repeated: repeatedMembers(text) };
  } catch {
    throw malformed("The body is not valid JSON.");
  }
}

function isJson(contentType: string | undefined): boolean {
  const match = /^\s*application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;(.*))?$/i.exec(contentType ?? "");
  if (!match) return false;
  const charset = /(?:^|;)\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(match[1] ?? "")?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** Walks over text that is known to be valid JSON and notes where an object has a member name again. */
export function repeatedMembers(text: string): Fault[] {
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
          faults.push({ location: pathOf(open), message: "is given twice" });
        }
        top.names.add(name);
        expectsName = false;
      }
      i = end;
    } else if ((character === "{" || character === "[") && open.length === MAX_DEPTH) {
      return [...faults, { location: "body", message: `must not be nested deeper than ${MAX_DEPTH} levels` }];
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

function pathOf(open: readonly { names: Set<string> | undefined; index: number; member: string }[]): string {
  let path = "body";
  for (const { names, index, member } of open.slice(0, 8)) {
    path += names ? `.${memberName(member) ?? "?"}` : `[${index}]`;
  }
  return path;
}
