import type { TSchema } from "typebox";
import { compileCsv, csvColumns, EXCEL_CSV, PLAIN_CSV } from "./csv.ts";
import { compileRender } from "./render.ts";

/** How the records of a list are written to a file: what it begins with, and each record with its end of line. */
export interface FileText {
  readonly head: string;
  readonly line: (record: object) => string;
}

/** One JSON record a line, as it is when it is read by its id. */
export function ndjsonText(record: TSchema): FileText {
  const render = compileRender(record);
  return { head: "", line: (value) => `${render(value)}\n` };
}

/** A table for people, or with `excel` in the form that Excel opens by a double click. */
export function csvText(
  record: TSchema,
  columns: readonly string[] = csvColumns(record),
  form: "plain" | "excel" = "plain",
): FileText {
  return compileCsv(columns, form === "excel" ? EXCEL_CSV : PLAIN_CSV);
}
