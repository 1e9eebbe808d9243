import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, type Info, type Options, parse } from "csv-parse";
import type { Effort } from "../../core/effort.ts";
import { findHeader, MAX_COLUMNS, MAX_TITLE_ROWS, type SheetHeader } from "./columns.ts";
import { decodeText, findEncoding } from "./encoding.ts";
import { refuse, type SheetQuestion, type SheetRemark } from "./languages/problems.ts";
import { MAX_ROW_CHARACTERS, type SheetRow } from "./rows.ts";
import { readChunks } from "./source.ts";
import { DELIMITER_NAMES, type DelimiterName, type Encoding } from "./values.ts";

const DELIMITERS: Readonly<Record<DelimiterName, string>> = {
  ",": ",",
  ";": ";",
  tab: "\t",
  "|": "|",
  none: "\0",
};

export interface TextOptions {
  readonly encoding?: Encoding | undefined;
  readonly delimiter?: DelimiterName | undefined;
}

/** A sheet of any kind, opened: its rows from the top, blank ones left out. */
export interface OpenSheet {
  readonly rows: AsyncIterable<SheetRow>;
  /** Complete when the rows have been read. */
  readonly remarks: (header: SheetHeader) => readonly SheetRemark[];
  /** What only shows when all rows have been read, and refuses them. */
  readonly problem?: (headerRow: number, header: SheetHeader) => SheetQuestion | undefined;
  /** How much of it has been read, from 0 to 1. */
  readonly share: () => number;
  /** What divides the columns, if it is a text. */
  readonly delimiter?: string;
  readonly format: SheetFormat;
}

/** How a file was read. */
export type SheetFormat =
  | { readonly kind: "text"; readonly encoding: Encoding; readonly delimiter: DelimiterName | undefined }
  | { readonly kind: "workbook"; readonly worksheet: string; readonly worksheets: readonly string[] };

/** The parser takes all of a piece in one turn of the event loop: 16 KiB of empty lines took it 11 ms. */
const PARSED_BYTES = 1024;
/** What the parser takes for each row, blank or not, beside its bytes and cells. */
const ROW_STEPS = 16;
/** What it takes for a row that has another number of cells than the first: it makes an error of each, and drops it. */
const ODD_ROW_STEPS = 100;
const BYTES_IN_A_STEP = 16;
const CELLS_IN_A_STEP = 4;
/** Enough for the names of the columns and the rows above them. */
const HEAD_CHARACTERS = 64 * 1024;
/** A decoded text cannot have it, so that nothing is divided by it. */
const UNDIVIDED = DELIMITERS.none;

/** Opens a text sheet. Encoding and delimiter are found out with certainty, or asked for. */
export async function openTextSheet(
  file: FileHandle,
  options: TextOptions,
  effort: Effort,
): Promise<OpenSheet> {
  const { size } = await file.stat();
  if (size === 0) throw refuse({ code: "sheet_empty", params: {} });
  const { encoding, remark } = await findEncoding(file, options.encoding, effort);
  const { announced, head, skipped } = takeAnnouncement(await readHeadText(file, encoding));
  const delimiter =
    options.delimiter === undefined
      ? (announced ?? (await findDelimiter(head, effort)))
      : DELIMITERS[options.delimiter];
  let bytes = 0;
  const text = decodeText(
    readChunks(file, (read) => {
      bytes = read;
    }),
    encoding,
  );
  const isSingleColumn = options.delimiter === undefined && delimiter === UNDIVIDED;
  return {
    rows: readRecords(dropCharacters(text, skipped), {
      delimiter,
      isSingleColumn,
      linesAbove: skipped > 0 ? 1 : 0,
      effort,
    }),
    remarks: () => (remark ? [remark] : []),
    share: () => bytes / size,
    delimiter,
    format: { kind: "text", encoding, delimiter: nameOfDelimiter(delimiter) },
  };
}

function nameOfDelimiter(delimiter: string): DelimiterName | undefined {
  return DELIMITER_NAMES.find((name) => DELIMITERS[name] === delimiter);
}

interface RecordOptions {
  readonly delimiter: string;
  readonly isSingleColumn: boolean;
  /** Lines that were taken away before the first row. */
  readonly linesAbove: number;
  readonly effort: Effort;
}

async function* readRecords(
  text: AsyncIterable<string>,
  { delimiter, isSingleColumn, linesAbove, effort }: RecordOptions,
): AsyncGenerator<SheetRow> {
  let row = 0;
  let width: number | undefined;
  const parser = parse({ ...parserOptions(delimiter), raw: isSingleColumn });
  const fed = pipeline(Readable.from(paced(text, effort)), parser);
  // Its failure ends the loop below, which tells of it.
  fed.catch(() => {});
  try {
    for await (const record of parser as AsyncIterable<string[] | RawRecord>) {
      row++;
      const cells = Array.isArray(record) ? record : record.record;
      width ??= cells.length;
      effort.spend(ROW_STEPS + cells.length / CELLS_IN_A_STEP + (cells.length === width ? 0 : ODD_ROW_STEPS));
      if (effort.isDue) await effort.pause();
      const isDivided = !Array.isArray(record) && /^[^"]*[;,\t|]/.test(record.raw);
      if (cells.some((cell) => cell.trim() !== "")) yield { row, cells, ...(isDivided && { isDivided }) };
    }
  } catch (error) {
    throw explainCsvError(error, linesAbove);
  } finally {
    parser.destroy();
  }
}

/** A record with its text as it stands in the file. */
interface RawRecord {
  readonly raw: string;
  readonly record: string[];
}

function parserOptions(delimiter: string): Options {
  return {
    delimiter,
    // All of them, always: if the first row's ending were taken for the only one, a file with mixed endings would
    // lose its rows in one long cell.
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    // What follows stays undivided in the last cell. The parser bounds the characters of cells, not the number of cells: a
    // row of 20 million commas held the event loop for seconds.
    ignore_last_delimiters: MAX_COLUMNS,
    max_record_size: MAX_ROW_CHARACTERS,
  };
}

/** The parser's own words quote the cell that it stumbled over, which may be someone's data. */
function explainCsvError(error: unknown, linesAbove: number): unknown {
  if (!(error instanceof CsvError)) return error;
  // What the parser had counted: the rows that were passed on may be fewer.
  const { records, lines } = error as unknown as Pick<Info, "records" | "lines">;
  const row = records + 1;
  if (error.code === "CSV_MAX_RECORD_SIZE")
    return refuse({ code: "row_too_long", params: { row, max: MAX_ROW_CHARACTERS } });
  return error.code === "CSV_QUOTE_NOT_CLOSED"
    ? refuse({ code: "row_endless", params: { row } })
    : refuse({ code: "quote_misplaced", params: { line: lines + linesAbove } });
}

/**
 * What divides the columns: that with which the names of most columns are known. A name alone is one column. If two
 * do equally well, that with more columns wins; if that does not decide either, it is asked.
 */
async function findDelimiter(head: string, effort: Effort): Promise<string> {
  const candidates: { delimiter: string; known: number; cells: number }[] = [];
  for (const delimiter of [";", ",", "\t", "|"]) {
    const rows = await parseHead(head, delimiter, effort);
    const found = findHeader(rows);
    const cells = found ? (rows[found.index]?.length ?? 0) : 0;
    candidates.push({ delimiter, known: found?.known ?? 0, cells });
    if (effort.isDue) await effort.pause();
  }
  const [best, next] = candidates.toSorted((a, b) => b.known - a.known || b.cells - a.cells);
  if (!best || best.known === 0 || best.cells === 1) return best?.known ? UNDIVIDED : mostFrequent(head);
  if (next && next.known === best.known && next.cells === best.cells)
    throw refuse({ code: "delimiter_unclear", params: {} });
  return best.delimiter;
}

/** No name of a column is known whatever divides them; the sheet will be refused, and should be so by its own columns. */
function mostFrequent(head: string): string {
  const [first = ""] = head.split(/[\r\n]/, 1);
  return [";", ",", "\t", "|"].reduce((best, next) =>
    first.split(next).length > first.split(best).length ? next : best,
  );
}

/** The first rows. The last may be cut off, and a stray quotation mark is not reported yet. */
async function parseHead(head: string, delimiter: string, effort: Effort): Promise<string[][]> {
  const rows: string[][] = [];
  const parser = parse({
    ...parserOptions(delimiter),
    relax_quotes: true,
    skip_empty_lines: true,
    to: MAX_TITLE_ROWS,
    on_record: (cells: string[]) => {
      rows.push(cells);
      return null;
    },
  });
  parser.on("error", () => {});
  for (const piece of piecesOf(head)) {
    if (rows.length >= MAX_TITLE_ROWS) break;
    parser.write(piece);
    if (effort.isDue) await effort.pause();
  }
  parser.write("\n");
  parser.destroy();
  return rows;
}

/** `sep=;`: a line for the spreadsheet program, which does not show it. */
function takeAnnouncement(head: string): { announced?: string; head: string; skipped: number } {
  const match = /^(?:"sep=(.)"|sep=(.))[ \t]*(?:\r\n|\n|\r)/i.exec(head);
  const announced = match?.[1] ?? match?.[2];
  if (!match || announced === undefined) return { head, skipped: 0 };
  return { announced, head: head.slice(match[0].length), skipped: match[0].length };
}

async function readHeadText(file: FileHandle, encoding: Encoding): Promise<string> {
  let head = "";
  for await (const text of decodeText(readChunks(file), encoding)) {
    head += text;
    if (head.length >= HEAD_CHARACTERS) break;
  }
  return head.slice(0, HEAD_CHARACTERS);
}

async function* paced(text: AsyncIterable<string>, effort: Effort): AsyncGenerator<Uint8Array> {
  for await (const chunk of text)
    for (const piece of piecesOf(chunk)) {
      effort.spend(piece.length / BYTES_IN_A_STEP);
      if (effort.isDue) await effort.pause();
      yield piece;
    }
}

/** Pieces that are quickly parsed. Of bytes, because half of a character that UTF-16 writes as a pair is lost as a text. */
function* piecesOf(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PARSED_BYTES) yield bytes.subarray(at, at + PARSED_BYTES);
}

async function* dropCharacters(text: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  let left = count;
  for await (const piece of text) {
    if (piece.length > left) yield left > 0 ? piece.slice(left) : piece;
    left = Math.max(left - piece.length, 0);
  }
}
