import { AppError, type Fault, malformed } from "../errors.ts";
import { repeatedMembers } from "../json.ts";

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
    return { value: JSON.parse(text), repeated: repeatedMembers(text, "body") };
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
