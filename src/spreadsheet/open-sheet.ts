import type { FileHandle } from "node:fs/promises";
import { findHeader, MAX_TITLE_ROWS, readHeader, type SheetHeader } from "./columns.ts";
import { refuse, type SheetQuestion, SheetRefused, type SheetRemark } from "./problems.ts";
import { RECOGNIZED_BY_BYTES, recognizeSheet } from "./recognize.ts";
import type { SheetRow } from "./rows.ts";
import { readHead } from "./source.ts";
import { openTextSheet, type TextOptions } from "./text-sheet.ts";
import { openWorkbook } from "./workbook.ts";

export interface OpenOptions extends TextOptions {
  /** The name of a workbook's sheet; the first one that is not hidden, if absent. */
  readonly sheet?: string | undefined;
  /** Columns to leave out. */
  readonly ignore?: readonly string[] | undefined;
}

/** A sheet whose columns are known. */
export interface ClientSheet {
  readonly header: SheetHeader;
  /** The rows below the header. */
  readonly rows: AsyncIterable<SheetRow>;
  readonly questions: readonly SheetQuestion[];
  /** Complete when the rows have been read. */
  readonly remarks: () => readonly SheetRemark[];
  readonly share: () => number;
  readonly delimiter: string | undefined;
}

/** Opens a sheet of either kind and finds the row that names its columns. */
export async function openClientSheet(file: FileHandle, options: OpenOptions): Promise<ClientSheet> {
  const format = recognizeSheet(await readHead(file, RECOGNIZED_BY_BYTES));
  const sheet =
    format === "workbook" ? await openWorkbook(file, options.sheet) : await openTextSheet(file, options);
  const rows = sheet.rows[Symbol.asyncIterator]();
  const first: SheetRow[] = [];
  while (first.length < MAX_TITLE_ROWS) {
    const next = await rows.next();
    if (next.done) break;
    first.push(next.value);
  }
  if (first.length === 0) throw refuse({ code: "sheet_empty", params: {} });
  const found = findHeader(first.map(({ cells }) => cells));
  if (!found) {
    await rows.return?.();
    throw refuse({ code: "name_column_missing", params: {} });
  }
  const { index } = found;
  const { header, questions, remarks } = readHeader(first[index]?.cells ?? [], options.ignore);
  const above: SheetRemark[] = index > 0 ? [{ code: "rows_above_header", params: { count: index } }] : [];
  return {
    header,
    rows: continued(first.slice(index + 1), rows, () => sheet.problem?.(first[index]?.row ?? 0, header)),
    questions,
    remarks: () => [...sheet.remarks(header), ...above, ...remarks],
    share: sheet.share,
    delimiter: sheet.delimiter,
  };
}

async function* continued(
  first: readonly SheetRow[],
  rest: AsyncIterator<SheetRow>,
  findProblem: () => SheetQuestion | undefined,
): AsyncGenerator<SheetRow> {
  try {
    yield* first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
    const problem = findProblem();
    if (problem) throw new SheetRefused([problem]);
  } finally {
    await rest.return?.();
  }
}
