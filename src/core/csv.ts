import type { TSchema } from "typebox";
import { escapeFormula } from "./formulas.ts";

/** How the lines of a CSV file look. */
export interface CsvStyle {
  readonly delimiter: "," | ";";
  /** What the file begins with. */
  readonly mark: "" | "\ufeff";
}

/** RFC 4180. */
export const PLAIN_CSV: CsvStyle = { delimiter: ",", mark: "" };
/** What Excel opens by a double click where the comma is decimal. The mark tells it that the text is UTF-8. */
export const EXCEL_CSV: CsvStyle = { delimiter: ";", mark: "\ufeff" };

/** A table of records of one schema, written line by line. */
export interface CsvTable {
  /** What stands before the first record. */
  readonly head: string;
  readonly line: (record: object) => string;
}

/**
 * Writes records of the schema as lines of a CSV file. A column is a member, or with a dot a member of a member:
 * `address.city`.
 */
export function compileCsv(columns: readonly string[], { delimiter, mark }: CsvStyle): CsvTable {
  const readers = columns.map(compileReader);
  const needsQuotes = delimiter === "," ? /[",\r\n]|^[ \t]|[ \t]$/ : /[";\r\n]|^[ \t]|[ \t]$/;
  const quote = (text: string) => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return {
    head: `${mark}${columns.join(delimiter)}\r\n`,
    line: (record) => {
      let line = "";
      for (let i = 0; i < readers.length; i++) {
        const value = readers[i]?.(record as Members);
        if (i > 0) line += delimiter;
        if (typeof value === "string") line += quote(escapeFormula(value));
        else if (Array.isArray(value)) line += quote(escapeFormula(value.join(" ")));
        else if (value !== undefined) line += String(value);
      }
      return `${line}\r\n`;
    },
  };
}

/** The columns of a record: its members in the order of the schema, those of nested objects with a dot. */
export function csvColumns(schema: TSchema): string[] {
  const { properties = {} } = schema as RecordSchema;
  return Object.entries(properties).flatMap(([name, member]): string[] => {
    const { type, items } = member as RecordSchema;
    if (name === "$schema") return [];
    if (type === "object") return csvColumns(member).map((inner) => `${name}.${inner}`);
    // A list of records has no place in one line.
    if (type === "array" && (items as RecordSchema | undefined)?.type === "object") return [];
    return [name];
  });
}

interface RecordSchema {
  readonly type?: string;
  readonly items?: TSchema;
  readonly properties?: Record<string, TSchema>;
}

type Members = Readonly<Record<string, unknown>>;

function compileReader(column: string): (record: Members) => unknown {
  const [name = "", inner] = column.split(".", 2);
  if (inner === undefined) return (record) => record[name];
  return (record) => (record[name] as Members | undefined)?.[inner];
}
