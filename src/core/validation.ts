import { _, Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";
import { isCalendarDate, parseInstant } from "./dates.ts";
import type { Fault, FaultCode, FaultParams } from "./errors.ts";
import { CURRENCY_PATTERN, isUuid, LINE_PATTERN, QUERY_PATTERN, TEXT_PATTERN } from "./forms.ts";

/** Each format with its longest text, its one strict check and what to say when it fails. */
const FORMATS: Record<string, Format> = {
  uuid: { longest: 36, check: isUuid, message: "must be a UUID" },
  date: { longest: 10, check: isCalendarDate, message: "must be a calendar date: YYYY-MM-DD" },
  "date-time": {
    longest: 64,
    check: (text) => parseInstant(text) !== undefined,
    message: "must be an RFC 3339 date-time with an offset: 2026-11-15T09:30:00Z",
  },
  email: { check: isEmail, message: "must be an e-mail address" },
  // For readers of the document only.
  uri: {},
  int32: {},
  int64: {},
};

interface Format {
  /** If absent, the schema must have a `maxLength`. */
  readonly longest?: number;
  readonly check?: (text: string) => boolean;
  readonly message?: string;
}

const NO_CONTROLS = "must not contain control characters or unpaired surrogates";

const PATTERNS: Record<string, string> = {
  [LINE_PATTERN]: NO_CONTROLS,
  [TEXT_PATTERN]: NO_CONTROLS,
  [QUERY_PATTERN]: NO_CONTROLS,
  [CURRENCY_PATTERN]: "must be a currency code of three capital letters",
};

const TYPES: Record<string, string> = {
  string: "must be a string",
  integer: "must be an integer",
  boolean: "must be true or false",
  array: "must be an array",
  object: "must be an object",
};

// Without the meta-schema: it has keywords of its own that ours are not made for, and TypeBox writes the schemas.
const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  addUsedSchema: false,
  meta: false,
  validateSchema: false,
});

// Ajv's own `pattern` and `format` run on a text of any length, since `allErrors` goes on after `maxLength` has
// failed. Ours look at the length first: a text that is too long has that fault alone and meets no expression.
ajv.removeKeyword("pattern");
ajv.addKeyword({
  keyword: "pattern",
  type: "string",
  schemaType: "string",
  compile: compilePattern,
  error: { message: "has the wrong form", params: ({ schema }) => _`{pattern: ${schema}}` },
});
ajv.removeKeyword("format");
ajv.addKeyword({
  keyword: "format",
  type: "string",
  schemaType: "string",
  compile: compileFormat,
  error: { message: "has the wrong format", params: ({ schema }) => _`{format: ${schema}}` },
});

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
    if (name === undefined) {
      const message = "has a member that is not known";
      return { location: locate(root, path), message, code: "unknown_member" };
    }
    path.push(name);
  }
  return { location: locate(root, path), message: sentence(error, params), ...codeOf(error.keyword, params) };
}

const FORMAT_CODES: Readonly<Record<string, FaultCode>> = {
  uuid: "uuid_invalid",
  date: "date_invalid",
  "date-time": "date_time_invalid",
  email: "email_invalid",
};

const LIMIT_CODES: Readonly<Record<string, FaultCode>> = {
  minimum: "below_minimum",
  maximum: "above_maximum",
  minLength: "too_short",
  maxLength: "too_long",
  minItems: "too_few",
  maxItems: "too_many",
};

/** What `sentence` says, for programs. */
function codeOf(
  keyword: string,
  params: Record<string, unknown>,
): { readonly code: FaultCode; readonly params?: FaultParams } {
  switch (keyword) {
    case "required":
      return { code: "required" };
    case "additionalProperties":
      return { code: "unknown_member" };
    case "type":
      return { code: "wrong_type", params: { type: String(params.type) } };
    case "enum":
      return { code: "not_one_of", params: { allowed: (params.allowedValues as string[]).join(", ") } };
    case "format":
      return { code: FORMAT_CODES[String(params.format)] ?? "invalid" };
    case "pattern":
      return { code: PATTERNS[String(params.pattern)] === NO_CONTROLS ? "characters_invalid" : "invalid" };
    case "minLength":
      if (params.limit === 1) return { code: "empty" };
  }
  const code = LIMIT_CODES[keyword];
  if (code === undefined) return { code: "invalid" };
  return { code, params: { [keyword.slice(0, 3)]: Number(params.limit) } };
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

/** True for a text that is too long: that is the fault of `maxLength`. */
function compilePattern(pattern: string, parent: AnySchemaObject): (text: string) => boolean {
  const maxLength = lengthLimit(parent);
  if (maxLength === undefined) throw new Error(`a text with the pattern ${pattern} has no maxLength`);
  const expression = new RegExp(pattern, "u");
  // Published patterns cannot exclude unpaired surrogates in a form that every dialect reads.
  return (text) => isLonger(text, maxLength) || (text.isWellFormed() && expression.test(text));
}

function compileFormat(name: string, parent: AnySchemaObject): (text: string) => boolean {
  const format = FORMATS[name];
  if (!format) throw new Error(`the format ${name} is not known`);
  const { check, longest } = format;
  if (!check) return () => true;
  if (longest !== undefined) return (text) => text.length <= longest && check(text);
  const maxLength = lengthLimit(parent);
  if (maxLength === undefined) throw new Error(`a text with the format ${name} has no maxLength`);
  return (text) => isLonger(text, maxLength) || check(text);
}

function lengthLimit(schema: AnySchemaObject): number | undefined {
  return typeof schema.maxLength === "number" ? schema.maxLength : undefined;
}

/** Whether a text has more code points than that. */
function isLonger(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  return text.length > 2 * maxLength || [...text].length > maxLength;
}

function isEmail(text: string): boolean {
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
