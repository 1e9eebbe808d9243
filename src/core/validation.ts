import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";
import { isCalendarDate, parseInstant } from "./dates.ts";
import type { Fault } from "./errors.ts";
import { LINE_PATTERN, QUERY_PATTERN, TEXT_PATTERN } from "./fields.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Each format with its one strict check and what to say when it fails. */
const FORMATS: Record<string, { check: (text: string) => boolean; message: string }> = {
  uuid: { check: (text) => UUID.test(text), message: "must be a UUID" },
  date: { check: isCalendarDate, message: "must be a calendar date: YYYY-MM-DD" },
  "date-time": {
    check: (text) => parseInstant(text) !== undefined,
    message: "must be an RFC 3339 date-time with an offset: 2026-11-15T09:30:00Z",
  },
  email: { check: isEmail, message: "must be an e-mail address" },
  uri: { check: () => true, message: "must be an address" },
  int32: { check: () => true, message: "must be an integer" },
  int64: { check: () => true, message: "must be an integer" },
};

const PATTERNS: Record<string, string> = {
  [LINE_PATTERN]: "must not contain control characters or unpaired surrogates",
  [TEXT_PATTERN]: "must not contain control characters or unpaired surrogates",
  [QUERY_PATTERN]: "must not contain control characters or unpaired surrogates",
  "^[A-Z]{3}$": "must be a currency code of three capital letters",
};

const TYPES: Record<string, string> = {
  string: "must be a string",
  integer: "must be an integer",
  boolean: "must be true or false",
  array: "must be an array",
  object: "must be an object",
};

const ajv = new Ajv2020({ allErrors: true, strict: false, unicodeRegExp: true, addUsedSchema: false });
for (const [name, { check }] of Object.entries(FORMATS)) ajv.addFormat(name, check);

/** Finds every fault of a value; none means that the value is of the schema's type. */
export type Check = (value: unknown) => Fault[];

/** A check by schema. `root` is how locations begin: `body`, `query`, `path`, or nothing. */
export function compileCheck(schema: TSchema, root: string): Check {
  const validate: ValidateFunction = ajv.compile(withoutIds(schema));
  return (value) =>
    validate(value) ? [] : unique((validate.errors ?? []).map((error) => toFault(error, root)));
}

function toFault(error: ErrorObject, root: string): Fault {
  const path = error.instancePath.split("/").slice(1);
  const params = error.params as Record<string, unknown>;
  if (error.keyword === "required") path.push(String(params.missingProperty));
  if (error.keyword === "additionalProperties") {
    const name = memberName(String(params.additionalProperty));
    if (name === undefined)
      return { location: locate(root, path), message: "has a member that is not known" };
    path.push(name);
  }
  return { location: locate(root, path), message: sentence(error, params) };
}

/** Members are named in faults only if they look like names; anything else could be someone's data. */
export function memberName(name: string): string | undefined {
  return /^[$\w-]{1,64}$/.test(name) ? name : undefined;
}

function locate(root: string, path: readonly string[]): string {
  let location = root;
  for (const step of path) {
    if (/^\d+$/.test(step)) location += `[${step}]`;
    else location += location === "" ? step : `.${step}`;
  }
  return location;
}

function sentence(error: ErrorObject, params: Record<string, unknown>): string {
  switch (error.keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
      return "is not a known member";
    case "type":
      return TYPES[String(params.type)] ?? `must be of type ${params.type}`;
    case "enum":
      return `must be one of: ${(params.allowedValues as string[]).join(", ")}`;
    case "minimum":
      return `must be at least ${params.limit}`;
    case "maximum":
      return `must be at most ${params.limit}`;
    case "minLength":
      return params.limit === 1 ? "must not be empty" : `must have at least ${params.limit} characters`;
    case "maxLength":
      return `must have at most ${params.limit} characters`;
    case "minItems":
      return `must have at least ${params.limit} items`;
    case "maxItems":
      return `must have at most ${params.limit} items`;
    case "format":
      return FORMATS[String(params.format)]?.message ?? "has the wrong format";
    case "pattern":
      return PATTERNS[String(params.pattern)] ?? "has the wrong form";
    default:
      return error.message ?? "is not valid";
  }
}

/** A value of the wrong type can fail several keywords; one sentence for each place and reason is enough. */
function unique(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.location} ${fault.message}`, fault])).values()];
}

// Ajv takes `$id` as an address and refuses the same one twice; here it is only a component's name.
function withoutIds(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "$id" ? undefined : value))) as TSchema;
}

function isEmail(text: string): boolean {
  // Too long is a fault of its own; no work is spent on hostile lengths.
  if (text.length > 600) return true;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const labels = text.slice(at + 1).split(".");
  return (
    at > 0 &&
    /^[^\s\p{Cc}@"(),:;<>[\]\\]+$/u.test(local) &&
    !local.startsWith(".") &&
    !local.endsWith(".") &&
    !local.includes("..") &&
    labels.length > 1 &&
    labels.every((label) => /^[\p{L}\p{N}\p{M}-]{1,63}$/u.test(label) && !/^-|-$/.test(label))
  );
}
