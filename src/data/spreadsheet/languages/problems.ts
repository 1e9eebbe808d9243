/**
 * What an owner must know about a sheet, as codes with their numbers and names. The words are made at the edge,
 * one file a language. No value of a cell is ever among the parameters, except the names of
 * locations, which must be seen to be fixed.
 */

import { fold } from "../../../core/search.ts";

type Nothing = Readonly<Record<string, never>>;

/** What can be wrong with one row; the others may still be good. */
export interface RowFaults {
  readonly required: Nothing;
  readonly too_long: { readonly max: number };
  readonly characters_invalid: Nothing;
  readonly email_invalid: Nothing;
  readonly cpf_invalid: Nothing;
  readonly date_invalid: Nothing;
  readonly date_number: Nothing;
  readonly year_two_digits: Nothing;
  readonly birthdate_out_of_range: { readonly min: string };
  readonly number_shortened: Nothing;
  readonly status_unknown: Nothing;
  readonly location_required: Nothing;
  readonly location_unknown: { readonly name: string };
  readonly location_ambiguous: { readonly name: string };
  readonly document_invalid: Nothing;
  readonly document_repeated: Nothing;
  readonly id_invalid: Nothing;
  readonly id_repeated: Nothing;
  readonly client_erased: Nothing;
  readonly phone_invalid: Nothing;
  readonly letters_lost: Nothing;
  readonly cells_beyond_header: Nothing;
  readonly formula_failed: Nothing;
  readonly formula_without_value: Nothing;
  readonly invalid: Nothing;
}

/** What stands in the way of the whole sheet: its owner has to change the file, or to say more. */
export interface SheetQuestions {
  readonly organization_missing: Nothing;
  readonly sheet_empty: Nothing;
  readonly not_text: Nothing;
  readonly old_excel: Nothing;
  readonly open_document: Nothing;
  readonly web_page: Nothing;
  readonly archive: Nothing;
  readonly encoding_mixed: { readonly line: number };
  readonly encoding_unclear: { readonly line: number };
  readonly encoding_wrong: { readonly encoding: string };
  readonly quote_misplaced: { readonly line: number };
  readonly row_endless: { readonly row: number };
  readonly row_too_long: { readonly row: number; readonly max: number };
  readonly sheet_too_large: Nothing;
  readonly delimiter_unclear: Nothing;
  readonly single_column_divided: { readonly row: number };
  readonly name_column_missing: Nothing;
  readonly columns_too_many: { readonly max: number };
  readonly rows_too_many: { readonly max: number };
  readonly columns_same: { readonly first: string; readonly second: string };
  readonly documents_two: { readonly first: string; readonly second: string };
  readonly id_column_unclear: { readonly column: string };
  readonly download_garbled: { readonly row: number; readonly column: string };
  readonly download_columns_changed: { readonly missing: readonly string[] };
  readonly ignored_column_unknown: { readonly column: string };
  readonly letters_garbled: { readonly row: number; readonly column: string };
  readonly state_or_status: { readonly row?: number; readonly column: string };
  readonly status_empty: { readonly row: number; readonly column: string };
  readonly numbers_short: { readonly row: number; readonly column: string; readonly digits: number };
  readonly years_two_digits: { readonly row: number; readonly column: string };
  readonly dates_month_first: { readonly row: number; readonly column: string };
  readonly locations_missing: { readonly organizationId: string };
  readonly location_column_missing: { readonly known: readonly string[] };
  readonly location_flag_unknown: { readonly known: readonly string[] };
  readonly workbook_damaged: Nothing;
  readonly workbook_too_large: Nothing;
  readonly worksheet_unknown: { readonly known: readonly string[] };
  readonly cells_merged: { readonly range: string; readonly count: number };
}

/** Which rows: how many, and the first of them. */
export interface RowsTold {
  readonly count: number;
  readonly rows: readonly number[];
}

/** What was decided on the way, for the owner to check. */
export interface SheetRemarks {
  readonly column_left_out: { readonly columns: readonly string[] };
  readonly column_recognized: {
    readonly column: string;
    readonly as: "contactPhone" | "contactEmail" | "cpf" | "status";
  };
  readonly notes_joined: { readonly columns: readonly string[] };
  readonly rows_above_header: { readonly count: number };
  readonly encoding_recognized: { readonly encoding: string };
  readonly phones_several: { readonly columns: readonly string[] };
  readonly address_joined: { readonly columns: readonly string[] };
  readonly names_joined: { readonly columns: readonly string[] };
  readonly cpf_zeros_restored: { readonly count: number };
  readonly zeros_restored: { readonly count: number };
  readonly numbers_ignored: { readonly count: number };
  readonly cells_failed: { readonly count: number };
  readonly cells_set_aside: { readonly group: FaultGroup };
  readonly rows_no_people: RowsTold;
  readonly rows_equal: RowsTold;
  readonly names_equal: RowsTold;
  readonly names_kept: RowsTold;
  readonly rows_unmarked: RowsTold;
  readonly dates_read_day_first: Nothing;
  readonly worksheet_chosen: { readonly name: string; readonly others: readonly string[] };
  readonly columns_hidden: { readonly columns: readonly string[] };
  readonly rows_hidden: { readonly count: number };
  readonly clients_known: { readonly count: number; readonly by: "document" | "id" };
}

type Coded<Codes> = {
  [Code in keyof Codes]: { readonly code: Code; readonly params: Codes[Code] };
}[keyof Codes];

export type RowFault = Coded<RowFaults> & {
  /** Its place in the row; absent if it is about the row as a whole. */
  readonly index?: number;
};
export type SheetQuestion = Coded<SheetQuestions>;
export type SheetRemark = Coded<SheetRemarks>;

/** Rows that have the same fault in the same column. */
export interface FaultGroup {
  readonly fault: RowFault;
  /** The owner's own name for the column. */
  readonly column?: string;
  /** How many rows, and which are the first of them. */
  readonly count: number;
  readonly rows: readonly number[];
}

/** Nothing was imported, for these reasons. */
export class SheetRefused extends Error {
  readonly questions: readonly SheetQuestion[];
  readonly faults: readonly FaultGroup[];
  readonly faultyRows: number;
  /** Shown with faults about locations. */
  readonly knownLocations: readonly string[];

  constructor(
    questions: readonly SheetQuestion[],
    found: Pick<SheetRefused, "faults" | "faultyRows" | "knownLocations"> = {
      faults: [],
      faultyRows: 0,
      knownLocations: [],
    },
  ) {
    super("the sheet was refused");
    this.questions = questions;
    this.faults = found.faults;
    this.faultyRows = found.faultyRows;
    this.knownLocations = found.knownLocations;
  }
}

export function refuse(question: SheetQuestion): SheetRefused {
  return new SheetRefused([question]);
}

const LISTED_ROWS = 5;
/** A column that was taken for another can give every row a group of its own. */
const MAX_GROUPS = 200;

/** Counts rows, and remembers the first of them. */
export class RowCount {
  #count = 0;
  readonly #rows: number[] = [];

  add(row: number): void {
    this.#count++;
    if (this.#rows.length < LISTED_ROWS) this.#rows.push(row);
  }

  /** What is told of them; nothing if there are none. */
  tell(
    code: "rows_no_people" | "rows_equal" | "names_equal" | "names_kept" | "rows_unmarked",
  ): SheetRemark[] {
    return this.#count === 0 ? [] : [{ code, params: { count: this.#count, rows: this.#rows } }];
  }
}

/** Gathers the faults of rows into groups, in the order in which each was first met. */
export class FaultGroups {
  readonly #groups = new Map<string, { fault: RowFault; column?: string; count: number; rows: number[] }>();
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  add(row: number, faults: readonly RowFault[], names: readonly string[]): void {
    this.#rows++;
    for (const fault of faults) {
      // A name is the same in capitals, as it is when locations are looked for.
      const key = `${fault.index} ${fault.code} ${fold(JSON.stringify(fault.params))}`;
      let group = this.#groups.get(key);
      if (!group) {
        if (this.#groups.size >= MAX_GROUPS) continue;
        const column = fault.index === undefined ? undefined : names[fault.index];
        group = { fault, ...(column !== undefined && { column }), count: 0, rows: [] };
        this.#groups.set(key, group);
      }
      group.count++;
      if (group.rows.length < LISTED_ROWS) group.rows.push(row);
    }
  }

  list(): FaultGroup[] {
    return [...this.#groups.values()];
  }
}
