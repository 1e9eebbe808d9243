import type { Command, Flag } from "./command.ts";

/** For spreadsheets only. */
const sheetFlags: Readonly<Record<string, Flag>> = {
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

export const SHEET_FLAGS: readonly string[] = Object.keys(sheetFlags);

export const bundleCommands: readonly Command[] = [
  {
    name: "import",
    summary: "bring in a bundle, or clients from a spreadsheet, whole or not at all (- reads standard input)",
    arguments: ["FILE"],
    ifInterrupted: "Nothing was imported.",
    flags: {
      org: {
        value: "ID",
        help: "put the records there; without it, where the file's organization line says",
      },
      "dry-run": { help: "check everything, write nothing" },
      ...sheetFlags,
    },
    run: async (call) => (await import("./bundle-run.ts")).importFile(call),
  },
  {
    name: "export",
    summary: "write an organization's bundle to standard output",
    ifInterrupted: "The export is not complete.",
    flags: {
      org: { value: "ID", help: "the organization", needed: true },
      out: { value: "FILE", help: "write to this file instead" },
    },
    run: async (call) => (await import("./bundle-run.ts")).exportFile(call),
  },
];
