import type { RowFaults, SheetQuestions, SheetRemarks } from "./problems.ts";

type Sentences<Codes> = { readonly [Code in keyof Codes]: (params: Codes[Code]) => string };

/** How many names a sentence lists. */
export const LISTED_NAMES = 12;

/** What a terminal words by its flags, and a screen by what can be chosen there. */
type AskedByFlag =
  | "not_text"
  | "encoding_mixed"
  | "encoding_unclear"
  | "encoding_wrong"
  | "delimiter_unclear"
  | "single_column_divided"
  | "name_column_missing"
  | "columns_same"
  | "documents_two"
  | "id_column_unclear"
  | "ignored_column_unknown"
  | "letters_garbled"
  | "state_or_status"
  | "status_empty"
  | "numbers_short"
  | "years_two_digits"
  | "dates_month_first"
  | "organization_missing"
  | "locations_missing"
  | "location_column_missing"
  | "location_flag_unknown"
  | "rows_too_many";
type SaidByFlag = "dates_read_day_first" | "worksheet_chosen" | "clients_known";

/** Everything that is said about a sheet, in one language. A sentence that is missing does not compile. */
export interface Words {
  /** What is wrong with a cell; follows where it is and a colon. */
  readonly faults: Sentences<RowFaults>;
  readonly questions: Sentences<SheetQuestions>;
  readonly remarks: Sentences<SheetRemarks>;
  readonly onScreen: {
    readonly questions: Sentences<Pick<SheetQuestions, AskedByFlag>>;
    readonly remarks: Sentences<Pick<SheetRemarks, SaidByFlag>>;
  };
  readonly refused: (rows: number) => string;
  readonly nothingImported: string;
  /** `rows 3, 9 and 211 more, column "CPF"` */
  readonly place: (rows: readonly number[], more: number, column: string | undefined) => string;
  readonly knownLocations: (names: readonly string[]) => string;
  readonly done: (counts: DoneCounts) => string;
  readonly rejected: (rows: number, path: string) => string;
  readonly rejectedFileExists: (path: string) => string;
  readonly wouldReject: (rows: number) => string;
  readonly reading: string;
  readonly checking: string;
  readonly writing: string;
  readonly rows: string;
  /** The heading of the column that says why a row was rejected; `columns.ts` knows it when the file comes back. */
  readonly reasonColumn: string;
}

export interface DoneCounts {
  readonly created: number;
  readonly replaced: number;
  readonly unchanged: number;
  readonly dryRun: boolean;
}
