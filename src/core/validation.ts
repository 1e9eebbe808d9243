import { _, Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";
import { isCalendarDate, parseInstant, parseWallClock } from "./dates.ts";
import type { Fault, FaultContent, JsonType, UnfilledCode } from "./faults.ts";
import { MAX_FAULTS } from "./limits.ts";
import { nearestName } from "./nearest-name.ts";
import {
  CURRENCY_PATTERN,
  DURATION_PATTERN,
  isUuid,
  isVisible,
  LIFETIME_PATTERN,
  LINE_PATTERN,
  QUERY_PATTERN,
  TEXT_PATTERN,
} from "./patterns.ts";

/** Each format with its longest text, its one strict check and its fault. */
const FORMATS: Record<string, Format> = {
  uuid: { longest: 36, check: isUuid, code: "uuid_invalid" },
  date: { longest: 10, check: isCalendarDate, code: "date_invalid" },
  "date-time": {
    longest: 64,
    check: (text) => parseInstant(text) !== undefined,
    code: "date_time_invalid",
  },
  "local-date-time": {
    longest: 16,
    check: (text) => parseWallClock(text) !== undefined,
    code: "local_date_time_invalid",
  },
  email: { check: isEmail, code: "email_invalid" },
  // For readers of the document only.
  uri: {},
  int32: {},
  int64: {},
};

interface Format {
  /** If absent, the schema must have a `maxLength`. */
  readonly longest?: number;
  readonly check?: (text: string) => boolean;
  readonly code?: UnfilledCode;
}

/** The faults of texts that do not have the form of their field. */
const PATTERNS: Record<string, UnfilledCode> = {
  [LINE_PATTERN]: "characters_invalid",
  [TEXT_PATTERN]: "characters_invalid",
  [QUERY_PATTERN]: "characters_invalid",
  [CURRENCY_PATTERN]: "currency_invalid",
  [DURATION_PATTERN]: "duration_invalid",
  [LIFETIME_PATTERN]: "duration_invalid",
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
  error: { message: "", params: ({ schema }) => _`{pattern: ${schema}}` },
});
ajv.removeKeyword("format");
ajv.addKeyword({
  keyword: "format",
  type: "string",
  schemaType: "string",
  compile: compileFormat,
  error: { message: "", params: ({ schema }) => _`{format: ${schema}}` },
});

// A text that must not be empty shows something: a name of invisible characters alone is none.
ajv.removeKeyword("minLength");
ajv.addKeyword({
  keyword: "minLength",
  type: "string",
  schemaType: "number",
  compile: (least: number) => (text: string) => isVisible(text) && !isShorter(text, least),
  error: { message: "", params: ({ schema }) => _`{limit: ${schema}}` },
});

/** Finds every fault of a value; none means that the value is of the schema's type. */
export type Check = (value: unknown) => Fault[];

/**
 * A check by schema. `root` is how locations begin: `body`, `query`, `path`, or nothing. It is compiled when it is first
 * used: that takes some milliseconds, and a start that compiled the checks of all operations would take twice as long.
 */
export function compileCheck(schema: TSchema, root: string): Check {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= compileOnce(schema);
    if (compiled(value)) return [];
    return unique(
      (compiled.errors ?? [])
        // The branch that a value takes has faults of its own, which say more.
        .filter(({ keyword }) => keyword !== "if")
        .map((error, place) => toFault(error, root, place < MAX_FAULTS ? schema : undefined)),
    );
  };
}

/** An input is checked at several doors: by HTTP, on the command line, in a bundle. */
const compiledSchemas = new WeakMap<TSchema, ValidateFunction>();

function compileOnce(schema: TSchema): ValidateFunction {
  const compiled = compiledSchemas.get(schema) ?? ajv.compile(withoutIds(schema));
  compiledSchemas.set(schema, compiled);
  return compiled;
}

/** The fault that Ajv's error stands for; with the schema it can say what an unknown member is nearest to. */
function toFault(error: ErrorObject, root: string, schema: TSchema | undefined): Fault {
  const path = error.instancePath.split("/").slice(1);
  const params = error.params as Record<string, unknown>;
  if (error.keyword === "required") path.push(String(params.missingProperty));
  if (error.keyword === "additionalProperties") {
    const name = memberName(String(params.additionalProperty));
    if (name === undefined)
      return { location: locate(root, path), code: "unknown_member", phrase: "unnamed_member" };
    path.push(name);
    const nearest = schema && nearestName(name, knownMembers(schema, error.schemaPath));
    return {
      location: locate(root, path),
      code: "unknown_member",
      ...(nearest !== undefined && { params: { nearest } }),
    };
  }
  return { location: locate(root, path), ...contentOf(error.keyword, params) };
}

function contentOf(keyword: string, params: Record<string, unknown>): FaultContent {
  const limit = Number(params.limit);
  switch (keyword) {
    case "required":
      return { code: "required" };
    case "type":
      return { code: "wrong_type", params: { type: typeName(params.type) } };
    case "enum":
      // In a merge patch null is among them, which goes without saying.
      return {
        code: "not_one_of",
        params: { allowed: (params.allowedValues as (string | null)[]).filter((word) => word !== null) },
      };
    case "format":
      return { code: FORMATS[String(params.format)]?.code ?? "invalid" };
    case "pattern":
      return { code: PATTERNS[String(params.pattern)] ?? "invalid" };
    case "minimum":
      return { code: "below_minimum", params: { min: limit } };
    case "maximum":
      return { code: "above_maximum", params: { max: limit } };
    case "minLength":
      return limit === 1 ? { code: "empty" } : { code: "too_short", params: { min: limit } };
    case "maxLength":
      return { code: "too_long", params: { max: limit } };
    case "minItems":
      return { code: "too_few", params: { min: limit } };
    case "maxItems":
      return { code: "too_many", params: { max: limit } };
    default:
      return { code: "invalid" };
  }
}

/** The members of the object whose `additionalProperties` is at this place: `#/properties/address/additionalProperties`. */
function knownMembers(schema: TSchema, schemaPath: string): string[] {
  let part: unknown = schema;
  for (const step of schemaPath.split("/").slice(1, -1))
    part = (part as Record<string, unknown> | undefined)?.[decodeStep(step)];
  return Object.keys((part as { properties?: object } | undefined)?.properties ?? {});
}

function decodeStep(step: string): string {
  return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The type that a value should have; in a merge patch it may be null too, which goes without saying. */
function typeName(type: unknown): JsonType {
  return Array.isArray(type) ? type.find((name) => name !== "null") : (type as JsonType);
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

/** A value can fail one keyword several times; each place and reason is told once. */
function unique(faults: readonly Fault[]): Fault[] {
  return faults.length < 2
    ? [...faults]
    : [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
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
  // The pattern is what refuses unpaired surrogates, which PostgreSQL would be given as other characters.
  if (maxLength === undefined || parent.pattern === undefined)
    throw new Error(`a text with the format ${name} has no maxLength or no pattern`);
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

/** Whether a text has fewer code points than that. */
function isShorter(text: string, minLength: number): boolean {
  return text.length < 2 * minLength && [...text].length < minLength;
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
