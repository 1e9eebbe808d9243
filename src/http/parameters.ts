import type { TObject } from "typebox";
import type { Fault } from "../core/errors.ts";
import { compileCheck } from "../core/validation.ts";

/** Reads a query string by the schema of its parameters: strict, every fault at once, unknown ones ignored. */
export function compileQuery(schema: TObject): (text: string) => ReadParameters {
  const check = compileCheck(schema, "query");
  const properties = schema.properties as Record<string, ParameterSchema>;
  return (text) => {
    const faults: Fault[] = [];
    const value: Record<string, unknown> = {};
    for (const [name, raw] of queryPairs(text)) {
      const parameter = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!parameter) continue;
      const location = `query.${name}`;
      if (Object.hasOwn(value, name)) faults.push({ location, code: "given_twice" });
      else if (raw === undefined) faults.push({ location, code: "encoding_invalid" });
      else if (parameter.type === "integer" && !INTEGER.test(raw)) faults.push({ location, ...NO_INTEGER });
      value[name] = raw === undefined ? "" : readParameter(parameter, raw);
    }
    for (const [name, parameter] of Object.entries(properties)) {
      if (parameter.default !== undefined && !Object.hasOwn(value, name)) value[name] = parameter.default;
    }
    const known = new Set(faults.map(({ location }) => location));
    return { value, faults: [...faults, ...check(value).filter(({ location }) => !known.has(location))] };
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

/** The parameters of a query string in their order; one that is not valid UTF-8 has no value. */
export function* queryPairs(text: string): Generator<[string, string | undefined]> {
  if (text === "") return;
  for (const part of text.split("&")) {
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    if (name) yield [name, equals < 0 ? "" : decode(part.slice(equals + 1))];
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
