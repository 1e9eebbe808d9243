import { type Fault, invalid, malformed } from "../core/errors.ts";
import { MAX_DEPTH, measure, repeatedMembers } from "../core/json.ts";
import { HttpError } from "./http-error.ts";

/** All members and items together. No body that we understand comes near; to check a million costs seconds. */
const MAX_VALUES = 1_000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON value of a request body, and the members that are given twice (JSON.parse keeps the last silently). */
export function readJson(
  body: Uint8Array,
  contentType: string | undefined,
): { value: unknown; repeated: Fault[] } {
  if (body.length === 0) throw malformed("The body is empty; it must be a JSON object.");
  if (!isJson(contentType)) {
    throw new HttpError("unsupported_media_type", "The body must be sent as Content-Type: application/json.");
  }
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw malformed("The body is not valid UTF-8.");
  }
  refuseExcess(text);
  try {
    return { value: JSON.parse(text), repeated: repeatedMembers(text, "body") };
  } catch {
    throw malformed("The body is not valid JSON.");
  }
}

/** Before it is parsed, which for a million nested lists takes longer than other callers should have to wait. */
function refuseExcess(text: string): void {
  const { depth, values, isBalanced } = measure(text);
  if (depth <= MAX_DEPTH && values <= MAX_VALUES) return;
  if (!isBalanced) throw malformed("The body is not valid JSON.");
  const message =
    depth > MAX_DEPTH
      ? `must not be nested deeper than ${MAX_DEPTH} levels`
      : `must not have more than ${MAX_VALUES} members and items in all`;
  throw invalid([{ location: "body", message }]);
}

function isJson(contentType: string | undefined): boolean {
  const match = /^\s*application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;(.*))?$/i.exec(contentType ?? "");
  if (!match) return false;
  const charset = /(?:^|;)\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(match[1] ?? "")?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}
