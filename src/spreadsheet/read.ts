import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { AppError } from "../errors.ts";
import { guessDelimiter } from "./columns.ts";

/** A row of the file: its cells, and the line of the file it begins at. */
export interface SpreadsheetRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const MAX_RECORD_CHARACTERS = 1_000_000;

/** The rows of a CSV file, the header first. Encoding and delimiter are found out; memory stays flat. */
export async function* readSpreadsheet(path: string): AsyncGenerator<SpreadsheetRow> {
  const encoding = await findEncoding(path);
  const decoded = decode(path, encoding);
  const first = await decoded.next();
  const start = first.done ? "" : first.value;
  const parser = Readable.from(joined(start, decoded)).pipe(
    parse({
      delimiter: guessDelimiter(start.split(/\r\n|\n|\r/, 1)[0] ?? ""),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_RECORD_CHARACTERS,
    }),
  );
  try {
    for await (const { info, record } of parser as AsyncIterable<{
      info: { lines: number };
      record: string[];
    }>) {
      // Counted by the parser when it has read the row, whose quoted cells may hold line breaks.
      const breaks = record.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
      yield { line: info.lines - breaks, cells: record };
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError("malformed", `The file cannot be read as CSV: ${reason}.`, { cause: error });
  } finally {
    parser.destroy();
  }
}

/** UTF-16 if it says so, UTF-8 if it is valid all through, else what spreadsheets on Windows write. */
async function findEncoding(path: string): Promise<string> {
  const file = await open(path).catch((cause: unknown) => {
    throw new AppError("not_found", `The file ${path} cannot be opened.`, { cause });
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    if (bytesRead === 2 && buffer.readUInt16LE(0) === 0xfeff) return "utf-16le";
  } finally {
    await file.close();
  }
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of createReadStream(path)) utf8.decode(chunk as Buffer, { stream: true });
    utf8.decode();
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

async function* decode(path: string, encoding: string): AsyncGenerator<string> {
  // Drops the byte order mark, if there is one.
  const decoder = new TextDecoder(encoding);
  for await (const chunk of createReadStream(path)) {
    const text = decoder.decode(chunk as Buffer, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

async function* joined(start: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield start;
  yield* rest;
}
