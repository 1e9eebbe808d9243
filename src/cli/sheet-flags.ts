import type { Flag } from "./command.ts";

/** The flags of `rollbook import` that are for spreadsheets only. */
export const SHEET_FLAGS: Readonly<Record<string, Flag>> = {
  update: { help: "spreadsheet: replace what the sheet says of people who are there already" },
  "skip-faulty": { help: "spreadsheet: import the good rows, write the others to FILE.rejected.csv" },
  rejected: { value: "PATH", help: "spreadsheet: write faulty rows there instead" },
  location: { value: "NAME", help: "spreadsheet: the location of rows that name none" },
  ignore: { value: "COLUMNS", help: "spreadsheet: columns to leave out, with commas between" },
  sheet: { value: "NAME", help: "spreadsheet: the sheet of a workbook (default: the first)" },
  dates: { value: "ORDER", help: "spreadsheet: dmy or mdy, if dates do not show it" },
  "short-years": {
    value: "HOW",
    help: "spreadsheet: recent reads 90 as 1990; notes keeps such dates in the notes",
  },
  "short-numbers": {
    value: "HOW",
    help: "spreadsheet: zeros in front of postal codes and documents that lost them, or keep",
  },
  garbled: { value: "HOW", help: "spreadsheet: repair letters such as those of JoÃ£o, or keep them" },
  strict: { help: "spreadsheet: a cell that cannot be read keeps its row out, whatever it is" },
  delimiter: { value: "SIGN", help: 'spreadsheet: what divides columns: "," ";" "|" tab or none' },
  encoding: { value: "NAME", help: "spreadsheet: utf-8, utf-16le, utf-16be, windows-1252 or macintosh" },
  lang: { value: "LANGUAGE", help: "spreadsheet: pt-BR, es or en for what is said (default: the locale's)" },
};
