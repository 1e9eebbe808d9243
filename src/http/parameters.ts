import type { TObject, TSchema } from "typebox";
import type { Fault } from "../core/errors.ts";
import { MAX_FAULTS } from "../core/limits.ts";
import { nearestName } from "../core/nearest-name.ts";
import Type from "../core/schema-type.ts";
import { compileCheck, memberName } from "../core/validation.ts";

/**
 * Reads a query string by the schema of its parameters: strict, every fault at once. One that is not known is a fault too:
 * a filter that is passed over would give everything. Those `withoutEffect` must be well formed, and are not handed on.
 */
export function compileQuery(
  given: TObject | undefined,
  withoutEffect: ParametersWithoutEffect = {},
): (text: string) => ReadParameters {
  const own: TObject = given ?? Type.Object({});
  const schema: TObject = { ...own, properties: { ...own.properties, ...withoutEffect } };
  const check = compileCheck(schema, "query");
  const properties = schema.properties as Record<string, ParameterSchema>;
  // What is there only to be refused has no type.
  const known = Object.keys(properties).filter((name) => properties[name]?.type !== undefined);
  return (text) => {
    if (text === "" && !given) return NOTHING_GIVEN;
    const faults: Fault[] = [];
    const value: Record<string, unknown> = {};
    for (const [name, raw] of queryPairs(text)) {
      const parameter = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!parameter) {
        faults.push(unknownParameter(name, known, faults.length));
        continue;
      }
      const location = `query.${name}`;
      if (Object.hasOwn(value, name)) faults.push({ location, code: "given_twice" });
      else if (raw === undefined) faults.push({ location, code: "encoding_invalid" });
      else if (parameter.type === "integer" && !INTEGER.test(raw)) faults.push({ location, ...NO_INTEGER });
      value[name] = raw === undefined ? "" : readParameter(parameter, raw);
    }
    for (const [name, parameter] of Object.entries(properties)) {
      if (parameter.default !== undefined && !Object.hasOwn(value, name)) value[name] = parameter.default;
    }
    const found = check(value);
    for (const name of Object.keys(withoutEffect)) delete value[name];
    if (faults.length === 0) return { value, faults: found };
    const faulty = new Set(faults.map(({ location }) => location));
    return { value, faults: [...faults, ...found.filter(({ location }) => !faulty.has(location))] };
  };
}

/** Parameters that are accepted and mean nothing, with what they must look like. */
export type ParametersWithoutEffect = Readonly<Record<string, TSchema>>;

const NOTHING_GIVEN: ReadParameters = { value: {}, faults: [] };

/** The fault of a name that the operation does not have; `before` is how many faults are reported before it. */
function unknownParameter(name: string, known: readonly string[], before: number): Fault {
  const shown = memberName(name);
  if (shown === undefined)
    return { location: "query", code: "unknown_parameter", params: { known }, phrase: "unnamed_parameter" };
  // Beyond so many nobody is told.
  const nearest = before < MAX_FAULTS ? nearestName(shown, known) : undefined;
  return {
    location: `query.${shown}`,
    code: "unknown_parameter",
    params: { known, ...(nearest !== undefined && { nearest }) },
  };
}

/** Reads path parameters; uuids are accepted in any case. */
export function compilePath(schema: TObject): (params: unknown) => ReadParameters {
  const check = compileCheck(schema, "path");
  const properties = schema.properties as Record<string, ParameterSchema>;
  return (params) => {
    const value: Record<string, unknown> = {};
    for (const [name, raw] of Object.entries(params as Record<string, string>)) {
      const parameter = properties[name];
      if (parameter) value[name] = readParameter(parameter, raw);
    }
    return { value, faults: check(value) };
  };
}

export interface ReadParameters {
  readonly value: Record<string, unknown>;
  readonly faults: readonly Fault[];
}

interface ParameterSchema {
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
}

/** Plain digits. A negative number is read, so that the fault can say that it is too small; -0 is not accepted for 0. */
const INTEGER = /^(?:\d+|-0*[1-9]\d*)$/;

const NO_INTEGER = { code: "wrong_type", params: { type: "integer" }, phrase: "plain_digits" } as const;

/** Hundreds of digits are infinity as a number, which would not be an integer; the largest number is too large as well. */
function readInteger(digits: string): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(digits)));
}

function readParameter(schema: ParameterSchema, raw: string): unknown {
  // Left as text, an integer that is not in plain digits then fails as not an integer.
  if (schema.type === "integer") return INTEGER.test(raw) ? readInteger(raw) : raw;
  if (schema.format === "uuid") return raw.toLowerCase();
  // An unencoded `+` of an offset arrives as a space, and nothing else in a date-time can be one.
  if (schema.format === "date-time") return raw.replace(" ", "+");
  return raw;
}

export function queryString(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

/** The parameters of a query string in their order; what is not valid UTF-8 has no value, or no name. */
export function* queryPairs(text: string): Generator<[string, string | undefined]> {
  if (text === "") return;
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals)) ?? "";
    yield [name, equals < 0 ? "" : decode(part.slice(equals + 1))];
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
