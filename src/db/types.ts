import pg from "./driver.ts";

export type Parse = (text: string) => unknown;

const { builtins } = pg.types;
// Array types carry no name in the driver's table.
const TEXT_ARRAY = 1009;
const UUID_ARRAY = 2951;
const TIMESTAMP_ARRAY = 1115;
const INT8_ARRAY = 1016;

/** How each PostgreSQL type reads in this program: the one place where that is decided. */
const parsers = new Map<number, Parse>([
  [builtins.BOOL, (text) => text === "t"],
  [builtins.INT2, Number],
  [builtins.INT4, Number],
  [builtins.INT8, exactInteger],
  [builtins.FLOAT8, Number],
  [builtins.DATE, (text) => text],
  [builtins.TIMESTAMP, wallClock],
  [builtins.TIMESTAMPTZ, instant],
  [builtins.JSON, (text) => JSON.parse(text)],
  [builtins.JSONB, (text) => JSON.parse(text)],
  [builtins.BYTEA, (text) => Buffer.from(text.slice(2), "hex")],
  [TEXT_ARRAY, pg.types.getTypeParser(TEXT_ARRAY as never)],
  [UUID_ARRAY, (text) => (text === "{}" ? [] : text.slice(1, -1).split(","))],
  [
    TIMESTAMP_ARRAY,
    (text) => (text === "{}" ? [] : text.slice(1, -1).replaceAll('"', "").split(",").map(wallClock)),
  ],
  [INT8_ARRAY, exactIntegers],
]);

const asText: Parse = (text) => text;

/** How values of the type with this number are read. */
export function parserOf(type: number): Parse {
  return parsers.get(type) ?? asText;
}

function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error("an integer beyond 2^53 - 1 reached the program");
  return value;
}

/** `{{1,2},{3,4}}`, however deep, as 1, 2, 3, 4. */
function exactIntegers(text: string): number[] {
  return (text.match(/-?\d+/g) ?? []).map(exactInteger);
}

/** `2026-11-15 09:30:00.12+00` as the wire writes it: `2026-11-15T09:30:00.120Z`. Connections run in UTC. */
function instant(text: string): string {
  // Years of more than four digits, and those before year 1, cannot be written; the nearest one that can is.
  if (text[10] !== " ") return "9999-12-31T23:59:59.999Z";
  if (text.endsWith(" BC")) return "0001-01-01T00:00:00.000Z";
  const seconds = text.length > 22 ? text.slice(20, -3) : "";
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${seconds.padEnd(3, "0")}Z`;
}

/** `2026-01-05 07:00:00` as a wall clock to the minute: `2026-01-05T07:00`. */
function wallClock(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 16)}`;
}
