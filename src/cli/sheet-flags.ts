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
  delimiter: { value: "SIGN", help: 'spreadsheet: what divides columns: "," ";" "|" tab or none' },
  encoding: { value: "NAME", help: "spreadsheet: utf-8, utf-16le, utf-16be, windows-1252 or macintosh" },
  lang: { value: "LANGUAGE", help: "spreadsheet: pt-BR, es or en for what is said (default: the locale's)" },
};
