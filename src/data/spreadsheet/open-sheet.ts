import type { FileHandle } from "node:fs/promises";
import { type Effort, unboundedEffort } from "../../core/effort.ts";
import {
  type ColumnChoices,
  findHeader,
  guessHeader,
  MAX_TITLE_ROWS,
  readHeader,
  type SheetHeader,
} from "./columns.ts";
import { refuse, type SheetQuestion, SheetRefused, type SheetRemark } from "./languages/problems.ts";
import { RECOGNIZED_BY_BYTES, recognizeSheet } from "./recognize.ts";
import type { SheetRow } from "./rows.ts";
import { readHead } from "./source.ts";
import { openTextSheet, type SheetFormat, type TextOptions } from "./text-sheet.ts";
import { openWorkbook, type WorkbookLimits } from "./workbook.ts";

export interface OpenOptions extends TextOptions {
  /** The name of a workbook's sheet; the first one that is not hidden, if absent. */
  readonly sheet?: string | undefined;
  /** Columns to leave out. */
  readonly ignore?: readonly string[] | undefined;
  /** The row that names the columns, among the first; found out if absent. */
  readonly headerRow?: number | undefined;
  readonly columns?: ColumnChoices | undefined;
  /** Cells as the owner has corrected them, by row and column. */
  readonly fixes?: ReadonlyMap<number, ReadonlyMap<number, string>> | undefined;
  /** Rows that the owner does not want. */
  readonly leaveOut?: ReadonlySet<number> | undefined;
  readonly maxRows?: number | undefined;
  readonly workbookLimits?: WorkbookLimits | undefined;
  /** What reading may take; without a bound if absent. */
  readonly effort?: Effort | undefined;
}

/** A sheet whose columns are known. */
export interface ClientSheet {
  readonly format: SheetFormat;
  readonly headerRow: number;
  readonly header: SheetHeader;
  /** The rows below the header, as corrected. */
  readonly rows: AsyncIterable<SheetRow>;
  readonly questions: readonly SheetQuestion[];
  /** Complete when the rows have been read. */
  readonly remarks: () => readonly SheetRemark[];
  readonly share: () => number;
  readonly delimiter: string | undefined;
  readonly effort: Effort;
}

/** Opens a sheet of either kind and finds the row that names its columns. */
export async function openClientSheet(file: FileHandle, options: OpenOptions): Promise<ClientSheet> {
  const { effort = unboundedEffort() } = options;
  const format = recognizeSheet(await readHead(file, RECOGNIZED_BY_BYTES));
  const sheet =
    format === "workbook"
      ? await openWorkbook(file, options.sheet, effort, options.workbookLimits)
      : await openTextSheet(file, options, effort);
  const rows = sheet.rows[Symbol.asyncIterator]();
  const first: SheetRow[] = [];
  await takeMore(first, rows, MAX_TITLE_ROWS);
  if (first.length === 0) throw refuse({ code: "sheet_empty", params: {} });
  try {
    const index = chooseHeader(first, options.headerRow);
    await takeMore(first, rows, index + 1 + SAMPLED_ROWS);
    const { header, questions, remarks } = readHeader(
      first[index]?.cells ?? [],
      options.ignore,
      options.columns,
      first.slice(index + 1).map(({ cells }) => cells),
    );
    const headerRow = first[index]?.row ?? 0;
    const above: SheetRemark[] = index > 0 ? [{ code: "rows_above_header", params: { count: index } }] : [];
    return {
      format: sheet.format,
      headerRow,
      header,
      rows: continued(first.slice(index + 1), rows, options, () => sheet.problem?.(headerRow, header)),
      // Without a name nothing else is worth asking.
      questions: questions.some(({ code }) => code === "name_column_missing") ? [NAME_MISSING] : questions,
      remarks: () => [...sheet.remarks(header), ...above, ...remarks],
      share: sheet.share,
      delimiter: sheet.delimiter,
      effort,
    };
  } catch (error) {
    await rows.return?.();
    throw error;
  }
}

/** By how many rows it is seen what a column holds. */
const SAMPLED_ROWS = 50;

async function takeMore(taken: SheetRow[], rows: AsyncIterator<SheetRow>, count: number): Promise<void> {
  while (taken.length < count) {
    const next = await rows.next();
    if (next.done) return;
    taken.push(next.value);
  }
}

const NAME_MISSING: SheetQuestion = { code: "name_column_missing", params: {} };

/** The row that the owner named, or the one that looks most like it. */
function chooseHeader(first: readonly SheetRow[], named: number | undefined): number {
  const chosen = first.findIndex(({ row }) => row === named);
  if (chosen >= 0) return chosen;
  const cells = first.map((row) => row.cells);
  return findHeader(cells)?.index ?? guessHeader(cells);
}

async function* continued(
  first: readonly SheetRow[],
  rest: AsyncIterator<SheetRow>,
  { fixes, leaveOut, maxRows }: OpenOptions,
  findProblem: () => SheetQuestion | undefined,
): AsyncGenerator<SheetRow> {
  let rows = 0;
  const isWanted = ({ row }: SheetRow) => {
    if (maxRows !== undefined && ++rows > maxRows)
      throw refuse({ code: "rows_too_many", params: { max: maxRows } });
    return !leaveOut?.has(row);
  };
  const corrected = (row: SheetRow) => {
    const cells = fixes?.get(row.row);
    return cells ? withFixes(row, cells) : row;
  };
  try {
    for (const row of first) if (isWanted(row)) yield corrected(row);
    for (let next = await rest.next(); !next.done; next = await rest.next())
      if (isWanted(next.value)) yield corrected(next.value);
    const problem = findProblem();
    if (problem) throw new SheetRefused([problem]);
  } finally {
    await rest.return?.();
  }
}

/** A cell that was corrected has a value that can be read. */
function withFixes({ row, cells, faults }: SheetRow, fixes: ReadonlyMap<number, string>): SheetRow {
  const fixed = [...cells];
  for (const [column, value] of fixes) {
    while (fixed.length < column) fixed.push("");
    fixed[column] = value;
  }
  const left = faults?.filter(({ index }) => index === undefined || !fixes.has(index)) ?? [];
  return { row, cells: fixed, ...(left.length > 0 && { faults: left }) };
}
