import { LISTED_NAMES, type Words } from "./language.ts";
import { capitalized, wordGroup } from "./sentences.ts";

const number = (value: number) => value.toLocaleString("en-US");
const count = (value: number, one: string, several: string) =>
  `${number(value)} ${value === 1 ? one : several}`;
const listed = (names: readonly string[]) => {
  const all = names.slice(0, LISTED_NAMES).join(", ");
  return names.length > LISTED_NAMES ? `${all} and ${number(names.length - LISTED_NAMES)} more` : all;
};
const quoted = (names: readonly string[]) => listed(names.map((name) => `"${name}"`));
const RECOGNIZED = {
  contactPhone: "a phone",
  contactEmail: "an e-mail",
  cpf: "a CPF",
  status: "the status",
} as const;

export const english: Words = {
  faults: {
    required: () => "is needed and is empty",
    too_long: ({ max }) => `must have at most ${max} characters`,
    characters_invalid: () => "has line breaks or control characters",
    email_invalid: () => "is not an e-mail address",
    cpf_invalid: () => "is not a valid CPF",
    date_invalid: () => "is not a date; write DD/MM/YYYY or YYYY-MM-DD",
    date_number: () => "is a number, not a date; format the column as a date and save again",
    year_two_digits: () => "has a year of two digits, as in 01/02/90; write four",
    birthdate_out_of_range: ({ min }) => `must be from ${min} to today`,
    number_shortened: () =>
      "was shortened by the spreadsheet, as in 5.29982E+10; format the column as text and enter it again",
    status_unknown: () => "must be active or archived",
    location_required: () => "names no location",
    location_unknown: ({ name }) => `"${name}" is not a location of the organization`,
    location_ambiguous: ({ name }) => `"${name}" is the name of several locations; write the location's id`,
    document_invalid: () => "is not the number of an id document",
    document_repeated: () => "is the id document of a row above too",
    id_invalid: () => "is not the id of a client; leave it empty for a new one",
    id_repeated: () => "is the id of a row above too",
    client_erased: () => "is the id of a client who was erased",
    phone_invalid: () => "is not a phone number",
    letters_lost: () => "has letters that are lost, as in Jo\ufffdo; write the text again",
    cells_beyond_header: () => "has values in columns without a name; name the columns or empty the cells",
    formula_failed: () => "has a formula that failed",
    formula_without_value: () =>
      "has a formula that was never computed; open the file, save it, and try again",
    invalid: () => "is not valid",
  },
  questions: {
    organization_missing: () => "A spreadsheet names no organization: say which with --org ID.",
    sheet_empty: () => "The sheet is empty: a row must name the columns.",
    not_text: () => "The file is neither a spreadsheet nor a bundle: save the sheet as .xlsx or CSV.",
    old_excel: () =>
      "The file is a workbook of the old kind (.xls), or has a password: save it as .xlsx without a password, or as CSV.",
    open_document: () => "The file is an OpenDocument sheet (.ods): save it as .xlsx or CSV.",
    web_page: () =>
      "The file is a web page or XML, whatever its name says: open it in a spreadsheet and save it as .xlsx.",
    archive: () => "The file is an archive without a workbook in it: unpack it first.",
    encoding_mixed: ({ line }) =>
      `Line ${line} has a character that is not UTF-8, and other lines are UTF-8: fix that line, or say --encoding.`,
    encoding_unclear: ({ line }) =>
      `Line ${line} has a character whose encoding is not certain: save the file as UTF-8, or say --encoding windows-1252 or macintosh.`,
    encoding_wrong: ({ encoding }) => `The file is not ${encoding}, as --encoding says.`,
    quote_misplaced: ({ line }) =>
      `Line ${line} has a quotation mark in the wrong place: remove it, or put the cell in quotation marks and double the one inside.`,
    row_endless: ({ row }) => `Row ${row} does not end: a quotation mark is probably not closed.`,
    row_too_long: ({ row, max }) =>
      `Row ${row} has more than ${number(max)} characters: a quotation mark is probably not closed, or a cell holds a whole document.`,
    sheet_too_large: () =>
      "The file takes too long to be read: remove empty rows, other sheets and columns that are not about the clients, or divide it.",
    delimiter_unclear: () =>
      'What divides the columns is not certain: say --delimiter ",", --delimiter ";" or --delimiter tab.',
    single_column_divided: ({ row }) =>
      `The first row names one column, but row ${row} looks divided into several: say --delimiter none if it is one column, name the others if not.`,
    columns_too_many: ({ max }) =>
      `The row that names the columns has more than ${max}: remove those that are not about the clients.`,
    rows_too_many: ({ max }) => `The sheet has more than ${number(max)} rows.`,
    name_column_missing: () => "No column is the client's name: call one of them Name.",
    columns_same: ({ first, second }) =>
      first === second
        ? `Two columns are called "${first}": give one of them another name.`
        : `The columns "${first}" and "${second}" mean the same: leave one out, with --ignore "${second}" for example.`,
    documents_two: ({ first, second }) =>
      `A client has one id document, and the columns "${first}" and "${second}" are two: leave one out, with --ignore "${second}" for example.`,
    id_column_unclear: ({ column }) =>
      `The column "${column}" may be a number of your list or an id document: call it Document if it is one, else say --ignore "${column}".`,
    download_garbled: ({ row, column }) =>
      `Row ${row} has letters in "${column}" that the spreadsheet read in the wrong encoding, such as JoÃ£o for João: download the file again, open it as UTF-8 (or ask for csv=excel) and repeat the changes.`,
    download_columns_changed: ({ missing }) =>
      `The file is a download of clients whose columns were changed, so its rows cannot be matched with the clients: keep exactly its columns, in their order and under their names${missing.length > 0 ? ` (missing: ${quoted(missing)})` : ""}.`,
    ignored_column_unknown: ({ column }) => `There is no column "${column}", which --ignore names.`,
    letters_garbled: ({ row, column }) =>
      `Row ${row} has letters in "${column}" that were read in the wrong encoding, such as JoÃ£o for João: say --garbled repair to put such letters right, --garbled keep to take them as they are.`,
    state_or_status: ({ row, column }) =>
      `The column "${column}"${row === undefined ? "" : ` in row ${row}`} says who is active, and elsewhere it may be a part of the address: call it Status, or take those words out and call it UF.`,
    status_empty: ({ row, column }) =>
      `Row ${row} has nothing in "${column}", where other rows say yes: write yes or no in every row, or leave the column out with --ignore "${column}".`,
    numbers_short: ({ row, column, digits }) =>
      `Row ${row} has a number in "${column}" that is shorter than the others, which have ${digits} digits: say --short-numbers zeros if the spreadsheet dropped zeros in front, --short-numbers keep if not.`,
    years_two_digits: ({ row, column }) =>
      `Row ${row} has a year of two digits in "${column}": say --short-years recent to read 90 as 1990 and 05 as 2005 in all rows, --short-years notes to keep such dates in the notes.`,
    dates_month_first: ({ row, column }) =>
      `Row ${row} has a date in "${column}" that has no such month if the day comes first: say --dates mdy if the month comes first, --dates dmy if that row is wrong.`,
    locations_missing: ({ organizationId }) =>
      `The organization has no location yet; create one first: rollbook location create --org ${organizationId} --name NAME`,
    location_column_missing: ({ known }) =>
      `The organization has several locations, so a column Location is needed, or --location NAME for all rows. There are: ${listed(known)}.`,
    location_flag_unknown: ({ known }) => `--location is not a location. There are: ${listed(known)}.`,
    workbook_damaged: () => "The workbook is damaged: open it in a spreadsheet and save it again.",
    workbook_too_large: () => "The workbook is too large to be read: save the sheet as CSV.",
    worksheet_unknown: ({ known }) => `The workbook has no such sheet. There are: ${listed(known)}.`,
    cells_merged: ({ range, count: areas }) =>
      `Cells are merged over several rows (${range}${areas > 1 ? ` and ${areas - 1} more` : ""}), so that rows below the first have no value: unmerge them and fill them in.`,
  },
  remarks: {
    column_left_out: ({ columns }) => `Columns that are not known were left out: ${quoted(columns)}.`,
    column_recognized: ({ column, as }) =>
      `The column "${column}" was taken for ${RECOGNIZED[as]} by what it holds.`,
    notes_joined: ({ columns }) => `The notes are put together from ${quoted(columns)}.`,
    zeros_restored: ({ count: rows }) =>
      `${count(rows, "row", "rows")} had a postal code or document that had lost its leading zeros; they were put back.`,
    cells_failed: ({ count: cells }) =>
      `${count(cells, "cell shows", "cells show")} an error such as #N/A or ######## and ${cells === 1 ? "was" : "were"} taken as empty.`,
    cells_set_aside: ({ group }) => {
      const { location, message } = wordGroup(group, english);
      return `${capitalized(location)}: ${message}. The ${group.count === 1 ? "person comes" : "people come"} in without it; what the cell says is kept in the notes.`;
    },
    rows_no_people: ({ count: all, rows }) =>
      `Left out because they are no people (sums, repeated column names, lines without data): ${english.place(rows, all - rows.length, undefined)}.`,
    rows_equal: ({ count: all, rows }) =>
      `Left out because they repeat a row above: ${english.place(rows, all - rows.length, undefined)}.`,
    names_equal: ({ count: all, rows }) =>
      `The same name as above with nothing to tell the people apart, taken as another person: ${english.place(rows, all - rows.length, undefined)}.`,
    names_kept: ({ count: all, rows }) =>
      `A part of the name is empty and the rest is not in the stored name, which was kept: ${english.place(rows, all - rows.length, undefined)}.`,
    rows_unmarked: ({ count: all, rows }) =>
      `Taken as archived because they have no mark where others do: ${english.place(rows, all - rows.length, undefined)}.`,
    rows_above_header: ({ count: rows }) =>
      `${count(rows, "row above the names of the columns was", "rows above the names of the columns were")} left out.`,
    encoding_recognized: ({ encoding }) => `The file was read as ${encoding}.`,
    phones_several: ({ columns }) =>
      `A client has one phone: the first that is filled in of ${quoted(columns)}. Others are kept in the notes.`,
    address_joined: ({ columns }) => `The address is put together from ${quoted(columns)}.`,
    names_joined: ({ columns }) => `The name is put together from ${quoted(columns)}.`,
    cpf_zeros_restored: ({ count: rows }) =>
      `${count(rows, "CPF", "CPFs")} had lost leading zeros; the check digits confirm those that were put back.`,
    numbers_ignored: ({ count: rows }) =>
      `${count(rows, "row has", "rows have")} numbers where a text with a leading zero or plus sign is stored; the stored texts were kept.`,
    dates_read_day_first: () =>
      "Dates were read as day/month/year; if the month comes first, say --dates mdy.",
    worksheet_chosen: ({ name, others }) =>
      `Read the sheet "${name}". The others can be read with --sheet: ${quoted(others)}.`,
    columns_hidden: ({ columns }) => `Hidden columns were read too: ${quoted(columns)}.`,
    rows_hidden: ({ count: rows }) => `${count(rows, "hidden row was", "hidden rows were")} read too.`,
    clients_known: ({ count: rows, by }) =>
      `${count(rows, "client is", "clients are")} there already, by the ${by === "id" ? "id" : "id document"}, and ${rows === 1 ? "was" : "were"} left as is; --update replaces what the sheet names.`,
  },
  onScreen: {
    questions: {
      not_text: () => "The file is not a spreadsheet: save the sheet as .xlsx or CSV.",
      encoding_mixed: ({ line }) =>
        `Line ${line} has a character that is not UTF-8, and other lines are UTF-8. Fix that line in the file, or choose how the whole file is written.`,
      encoding_unclear: ({ line }) =>
        `Line ${line} has a character whose encoding is not certain. Choose the one in which the names look right.`,
      encoding_wrong: ({ encoding }) => `The file is not ${encoding}. Choose another encoding.`,
      delimiter_unclear: () => "What divides the columns is not certain. Choose it.",
      single_column_divided: ({ row }) =>
        `The first row names one column, but row ${row} looks divided into several. Choose what divides the columns, or that there is one column.`,
      name_column_missing: () => "Choose the column that has the client's name.",
      columns_same: ({ first, second }) =>
        `The columns "${first}" and "${second}" mean the same. Leave one of them out.`,
      documents_two: ({ first, second }) =>
        `A client has one id document, and the columns "${first}" and "${second}" are two. Leave one of them out.`,
      id_column_unclear: ({ column }) =>
        `The column "${column}" may be a number of your list or an id document. Choose which.`,
      ignored_column_unknown: ({ column }) => `There is no column "${column}".`,
      letters_garbled: ({ row, column }) =>
        `Row ${row} has letters in "${column}" that were read in the wrong encoding, such as JoÃ£o for João. Choose what becomes of such letters in the whole file.`,
      state_or_status: ({ row, column }) =>
        `The column "${column}"${row === undefined ? "" : ` in row ${row}`} says who is active, and elsewhere it may be a part of the address. Choose what it is.`,
      status_empty: ({ row, column }) =>
        `Row ${row} has nothing in "${column}", where other rows say yes. Write yes or no in every row of the file, or leave the column out.`,
      numbers_short: ({ row, column, digits }) =>
        `Row ${row} has a number in "${column}" that is shorter than the others, which have ${digits} digits. Spreadsheets drop zeros in front. Choose what becomes of such numbers.`,
      years_two_digits: ({ row, column }) =>
        `Row ${row} has a year of two digits in "${column}". Choose how such years are read in the whole file.`,
      dates_month_first: ({ row, column }) =>
        `Row ${row} has a date in "${column}" that has no such month if the day comes first. Choose which comes first in all dates.`,
      organization_missing: () => "The sheet goes to no organization.",
      locations_missing: () => "There is no location yet. Add the first one, then come back.",
      location_column_missing: () =>
        "There are several locations, and no column names one. Choose the location of all clients in this sheet, or the column that names it.",
      location_flag_unknown: () => "The location that was chosen is not there any more. Choose another.",
      rows_too_many: ({ max }) =>
        `The sheet has more than ${number(max)} rows. Divide it, or have it imported with the command line, which takes any number.`,
    },
    remarks: {
      dates_read_day_first: () => "Dates are read as day/month/year.",
      worksheet_chosen: ({ name, others }) =>
        `The sheet "${name}" is read. There are others: ${quoted(others)}.`,
      clients_known: ({ count: rows, by }) =>
        `${count(rows, "client is", "clients are")} there already, by the ${by === "id" ? "id" : "id document"}, and ${rows === 1 ? "stays" : "stay"} as is.`,
    },
  },
  refused: (rows) =>
    `${count(rows, "row has", "rows have")} faults; nothing was imported. --skip-faulty imports the others.`,
  nothingImported: "Nothing was imported.",
  place: (rows, more, column) => {
    const listed = `${rows.length + more === 1 ? "row" : "rows"} ${rows.join(", ")}${more > 0 ? ` and ${number(more)} more` : ""}`;
    return column === undefined ? listed : `${listed}, column "${column}"`;
  },
  knownLocations: (names) => `The locations are: ${listed(names)}.`,
  done: ({ created, replaced, unchanged, dryRun }) =>
    `${dryRun ? "A dry run, nothing was written: " : ""}${count(created, "client", "clients")} created, ${number(replaced)} replaced, ${number(unchanged)} unchanged.`,
  rejected: (rows, path) =>
    `${count(rows, "faulty row is", "faulty rows are")} in ${path}, each with the reason. Fix and import that file.`,
  rejectedFileExists: (path) =>
    `${path} is there already, with rows of an earlier import: import it, move it away, or name another with --rejected.`,
  wouldReject: (rows) => `${count(rows, "faulty row", "faulty rows")} would be rejected.`,
  reading: "Reading",
  checking: "Checking",
  writing: "Writing",
  rows: "rows",
  reasonColumn: "Reason rejected",
};
