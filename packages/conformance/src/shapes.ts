/** What values must look like, and what is wrong with those that came. Members that are not named here are allowed. */

export type Shape = (value: unknown, at: string) => string[];

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function told(value: unknown): string {
  if (value === undefined) return "absent";
  if (typeof value === "string") return "a string";
  return Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
}

function by(description: string, holds: (value: unknown) => boolean): Shape {
  return (value, at) => (holds(value) ? [] : [`${at} is ${told(value)}, not ${description}`]);
}

function text(description: string, pattern: RegExp): Shape {
  return (value, at) => {
    if (typeof value !== "string") return [`${at} is ${told(value)}, not ${description}`];
    return pattern.test(value) ? [] : [`${at} is not ${description}`];
  };
}

export const string = by("a string", (value) => typeof value === "string");
export const boolean = by("a boolean", (value) => typeof value === "boolean");
export const integer = by("an integer", Number.isSafeInteger);
export const int32 = by("an int32", (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31);
export const uuid = text("a uuid", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i);
export const uuid7 = text(
  "a uuid of version 7",
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i,
);
export const currency = text("a currency code", /^[A-Z]{3}$/);
const dateText = text("a date such as 2026-11-16", /^\d{4}-\d{2}-\d{2}$/);
const instantText = text(
  "an RFC 3339 instant with an offset",
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
);

export const date: Shape = (value, at) => {
  const faults = dateText(value, at);
  if (faults.length > 0) return faults;
  const parsed = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(String(value))
    ? []
    : [`${at} is no day that exists`];
};

export const instant: Shape = (value, at) => {
  const faults = instantText(value, at);
  return faults.length > 0 || !Number.isNaN(Date.parse(String(value)))
    ? faults
    : [`${at} is no instant that exists`];
};

export const timezone: Shape = (value, at) => {
  const faults = string(value, at);
  if (faults.length > 0) return faults;
  try {
    new Intl.DateTimeFormat("en", { timeZone: String(value) });
    return /^(?:[+-]|UTC[+-])/.test(String(value)) ? [`${at} is an offset, not an IANA name`] : [];
  } catch {
    return [`${at} is not an IANA timezone name`];
  }
};

export function arrayOf(shape: Shape): Shape {
  return (value, at) =>
    Array.isArray(value)
      ? value.flatMap((item, place) => shape(item, `${at}[${place}]`))
      : [`${at} is ${told(value)}, not an array`];
}

/** A member that may be absent. */
export function optional(shape: Shape): Shape {
  return (value, at) => (value === undefined ? [] : shape(value, at));
}

export function object(members: Readonly<Record<string, Shape>>): Shape {
  return (value, at) => {
    if (!isObject(value)) return [`${at} is ${told(value)}, not an object`];
    return Object.entries(members).flatMap(([name, shape]) => shape(value[name], `${at}.${name}`));
  };
}

/** Every value in a body, with where it is. */
export function* valuesIn(
  value: unknown,
  at = "body",
): Generator<{ at: string; name: string; value: unknown }> {
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) {
      yield { at: `${at}[${place}]`, name: "", value: item };
      yield* valuesIn(item, `${at}[${place}]`);
    }
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      yield { at: `${at}.${name}`, name, value: member };
      yield* valuesIn(member, `${at}.${name}`);
    }
  }
}
