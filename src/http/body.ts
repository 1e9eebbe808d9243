import type { IncomingHttpHeaders } from "node:http";
import { type AppError, type Fault, invalid, refusal } from "../core/errors.ts";
import { countValues, measure, repeatedMembers } from "../core/json.ts";
import { findJsonBreak } from "../core/json-position.ts";
import { MAX_BODY_VALUES, MAX_DEPTH } from "../core/limits.ts";
import { HttpError } from "./http-error.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** What bodies are sent as. A `+json` type has rules of its own: taken for a full record, a patch would erase data. */
export const JSON_ALONE: readonly string[] = ["application/json"];

/** The JSON value of a request body, and the members that are given twice (JSON.parse keeps the last silently). */
export function readJson(
  body: Uint8Array,
  headers: IncomingHttpHeaders,
  mediaTypes: readonly string[],
): { value: unknown; repeated: Fault[] } {
  if (body.length === 0) throw refusal("body_empty");
  if (!isOneOf(mediaTypes, headers["content-type"])) {
    throw new HttpError(mediaTypes === JSON_ALONE ? "body_not_json_type" : "body_not_patch_type");
  }
  if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? "")) {
    throw new HttpError("body_encoded");
  }
  return parseJson(body, "body", MAX_BODY_VALUES);
}

/** The JSON value of bytes; `root` is how the locations of its faults begin. */
export function parseJson(
  body: Uint8Array,
  root: string,
  maxValues: number,
): { value: unknown; repeated: Fault[] } {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw refusal("body_not_utf8");
  }
  const size = measure(text);
  refuseExcess(text, size, root, maxValues);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson(text, maxValues);
  }
  return { value, repeated: countValues(value) === size.values ? [] : repeatedMembers(text, root) };
}

function notJson(text: string, maxValues: number): AppError {
  return refusal("body_not_json", { params: findJsonBreak(text, maxValues) });
}

/** Refuses a body where none is read: to pass over it would let the caller think that it had said something. */
export function refuseBody(body: unknown): void {
  if (body instanceof Uint8Array && body.length > 0) {
    throw new HttpError("body_not_taken");
  }
}

/** Before it is parsed, which for a million nested lists takes longer than other callers should have to wait. */
function refuseExcess(
  text: string,
  { depth, values, isBalanced }: ReturnType<typeof measure>,
  location: string,
  maxValues: number,
): void {
  if (depth <= MAX_DEPTH && values <= maxValues) return;
  if (!isBalanced) throw notJson(text, maxValues);
  const tooDeep = { location, code: "too_deep", params: { max: MAX_DEPTH } } as const;
  const tooMany = { location, code: "too_many_values", params: { max: maxValues } } as const;
  throw invalid([depth > MAX_DEPTH ? tooDeep : tooMany]);
}

/** One of the types, with no charset but UTF-8. */
function isOneOf(mediaTypes: readonly string[], contentType = ""): boolean {
  if (mediaTypes.includes(contentType)) return true;
  const [type = "", ...parameters] = contentType.toLowerCase().split(";").map(trimmed);
  return (
    mediaTypes.includes(type) &&
    // Two semicolons in a row are an empty parameter, which the grammar allows (RFC 9110, 5.6.6).
    parameters.every((parameter) => parameter === "" || UTF8_PARAMETERS.has(parameter))
  );
}

const UTF8_PARAMETERS = new Set(["charset=utf-8", 'charset="utf-8"']);

function trimmed(text: string): string {
  return text.trim();
}
