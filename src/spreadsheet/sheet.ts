import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { AppError } from "../core/errors.ts";
import { guessDelimiter } from "./columns.ts";

/** A row as the spreadsheet counts them, the header being row 1. */
export interface SpreadsheetRow {
  readonly row: number;
  readonly cells: readonly string[];
}

/** A spreadsheet is held in memory: its encoding is only known when all of it has been seen. */
const MAX_BYTES = 100 * 1024 * 1024;
const MAX_RECORD_CHARACTERS = 1_000_000;

/** The rows of a CSV file that are not blank, the header first. Encoding and delimiter are found out. */
export async function* readSpreadsheet(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SpreadsheetRow> {
  const text = decode(await gather(chunks));
  const parser = Readable.from([text]).pipe(
    parse({
      delimiter: guessDelimiter(text.split(/\r\n|\n|\r/, 1)[0] ?? ""),
      relax_column_count: true,
      max_record_size: MAX_RECORD_CHARACTERS,
    }),
  );
  let row = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row++;
      if (cells.some((cell) => cell.trim() !== "")) yield { row, cells };
    }
  } catch (error) {
    // The parser quotes the cell it stumbled over, which may be someone's data.
    const { code = "", lines } = error as { code?: string; lines?: number };
    if (!code.startsWith("CSV_")) throw error;
    const reason = code.includes("RECORD_SIZE") ? "a row that does not end" : "a misplaced quote";
    throw new AppError(
      "malformed",
      `The file cannot be read as CSV: line ${lines ?? row + 1} has ${reason}.`,
      {
        cause: error,
      },
    );
  } finally {
    parser.destroy();
  }
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      throw new AppError("invalid", "The spreadsheet is larger than 100 MiB: split it, or import a bundle.");
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** UTF-16 if it says so, UTF-8 if it is valid all through, else what spreadsheets on Windows write. */
function decode(bytes: Buffer): string {
  // A decoder drops the byte order mark, if there is one.
  if (bytes.length >= 2 && bytes.readUInt16LE(0) === 0xfeff) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
