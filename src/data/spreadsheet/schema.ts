import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Body, Id, Int32, Line, OneOf, Text } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import {
  CHOSEN_COLUMNS,
  DATE_ORDERS,
  DELIMITER_NAMES,
  ENCODINGS,
  GARBLED_TEXTS,
  SHORT_NUMBERS,
  SHORT_YEARS,
} from "./values.ts";

const Row = (description: string) => Int32(description, 1);
const Column = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 16_383, format: "int32", description });

/** What somebody says about a sheet: answers to questions, and corrections. */
const answers = {
  encoding: Type.Optional(OneOf(ENCODINGS, { description: "How a text file is written." })),
  delimiter: Type.Optional(
    OneOf(DELIMITER_NAMES, { description: "What divides the columns of a text file." }),
  ),
  worksheet: Type.Optional(Line(200, { description: "Which sheet of a workbook, by its name." })),
  headerRow: Type.Optional(Row("The row that names the columns, among the first 20.")),
  columns: Type.Optional(
    Type.Array(
      Type.Object(
        {
          column: Column("Its place, from 0."),
          as: OneOf([...CHOSEN_COLUMNS, "none"], { description: "What it is; `none` leaves it out." }),
        },
        { additionalProperties: false },
      ),
      { maxItems: 500, description: "Columns that mean something else than their names say." },
    ),
  ),
  dates: Type.Optional(OneOf(DATE_ORDERS, { description: "Which comes first in dates, day or month." })),
  shortYears: Type.Optional(
    OneOf(SHORT_YEARS, {
      description:
        "What becomes of years of two digits: `recent` is the latest year that is not to come, `notes` keeps the date in the notes.",
    }),
  ),
  garbled: Type.Optional(
    OneOf(GARBLED_TEXTS, {
      description: "What becomes of letters that were read in the wrong encoding, such as `JoÃ£o`.",
    }),
  ),
  shortNumbers: Type.Optional(
    OneOf(SHORT_NUMBERS, {
      description:
        "What becomes of postal codes and documents that have fewer digits than the others: `zeros` puts zeros in front.",
    }),
  ),
  strict: Type.Optional(
    Type.Boolean({
      description:
        "Whether any cell that cannot be read keeps its row out. If not, a person comes in without an e-mail, phone, " +
        "birthdate, document or address that cannot be read, and the text of the cell goes into the notes.",
    }),
  ),
  locationId: Type.Optional(Id("The location of rows that name none.")),
  fixes: Type.Optional(
    Type.Array(
      Type.Object(
        {
          row: Row("As the spreadsheet counts, from 1."),
          column: Column("Its place, from 0."),
          value: Text(20_000, { description: "What the cell is to be; empty for nothing." }),
        },
        { additionalProperties: false },
      ),
      { maxItems: 2_000, description: "Corrected cells." },
    ),
  ),
  leaveOut: Type.Optional(
    Type.Array(Row("A row."), { maxItems: 10_000, description: "Rows that are not to be imported." }),
  ),
  update: Type.Optional(
    Type.Boolean({
      description:
        "Whether people who are there already take over what the sheet says of them. They stay as they are if not.",
    }),
  ),
};

export const ReadSheet = Type.Object(answers, { additionalProperties: false });

export const ImportClients = Type.Object(
  {
    ...answers,
    skipFaulty: Type.Optional(
      Type.Boolean({ description: "Whether the faulty rows are left out; one refuses the sheet if not." }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: "Carry it out but for the commit, and say what would change." }),
    ),
  },
  { additionalProperties: false },
);

const Message = {
  code: Line(64, { description: "For programs. New ones come." }),
  message: Line(2_000, { description: "For people, in the language of `Accept-Language`." }),
};

const Cells = (description: string) => Type.Array(Type.String(), { description });

const FaultyRows = (description: string) =>
  Type.Array(
    Type.Object({
      row: Row("As the spreadsheet counts."),
      cells: Cells("By column, as corrected so far; those beyond the last name included."),
      isCut: Type.Boolean({
        description:
          "Whether the row is too long to be shown whole. It can be left out or fixed in the file.",
      }),
      faults: Type.Array(
        Type.Object({
          ...Message,
          column: Type.Optional(Column("Absent if it is about the row as a whole.")),
        }),
      ),
    }),
    { description },
  );

export const SheetAnswer = Body(
  "SheetReading",
  {
    format: Type.Optional(
      Type.Object(
        {
          kind: OneOf(["text", "workbook"]),
          encoding: Type.Optional(OneOf(ENCODINGS)),
          delimiter: Type.Optional(OneOf(DELIMITER_NAMES)),
          worksheet: Type.Optional(Type.String({ description: "The sheet of the workbook that is read." })),
          worksheets: Type.Optional(Cells("All sheets of the workbook.")),
        },
        { description: "How the file is read. Absent if it could not be opened." },
      ),
    ),
    headerRow: Type.Optional(Row("The row that names the columns.")),
    isDownload: Type.Boolean({
      description:
        "Whether it is a download of clients that comes back: its columns are as they were written.",
    }),
    columns: Type.Array(
      Type.Object({
        name: Type.String({ description: "As the sheet names it." }),
        as: Type.Optional(
          OneOf([...CHOSEN_COLUMNS, "id", "idDocument.type"], {
            description: "What it is taken for. Absent if it is left out.",
          }),
        ),
        samples: Cells("What the first rows have in it, shortened."),
      }),
    ),
    questions: Type.Array(
      Type.Object({ ...Message, columns: Cells("The names of the columns that it is about.") }),
      { description: "What has to be answered, or changed in the file, before the rows can be checked." },
    ),
    remarks: Type.Array(Type.Object(Message), { description: "What was decided on the way." }),
    counts: Type.Optional(
      Type.Object(
        {
          rows: Int32("Rows below the names, without those that are left out."),
          fresh: Int32("Clients who would be added."),
          known: Int32("Rows of people who are there already and stay as they are."),
          updating: Int32("Rows of people who are there already and take over what the sheet says."),
          faulty: Int32("Rows with faults, which cannot come in."),
          incomplete: Int32("Rows that come in without a cell that could not be read."),
        },
        { description: "Absent while there is a question." },
      ),
    ),
    faultyRows: FaultyRows("The first 200 rows with faults, as far as an answer has room for them."),
    incompleteRows: FaultyRows(
      "Rows that come in, but without the cells that are named: their texts go into the notes. The first 200, likewise.",
    ),
    locations: Type.Array(Type.Object({ id: Id(), name: Type.String() }), {
      description: "The locations that a row can name.",
    }),
  },
  {
    examples: [
      {
        format: { kind: "text", encoding: "windows-1252", delimiter: ";" },
        headerRow: 1,
        isDownload: false,
        columns: [
          { name: "Nome", as: "contactName", samples: ["Ana Souza"] },
          { name: "CPF", as: "cpf", samples: ["529.982.247-26"] },
        ],
        questions: [],
        remarks: [{ code: "encoding_recognized", message: "The file was read as Windows-1252." }],
        counts: { rows: 1, fresh: 1, known: 0, updating: 0, faulty: 0, incomplete: 1 },
        faultyRows: [],
        incompleteRows: [
          {
            row: 2,
            cells: ["Ana Souza", "529.982.247-26"],
            isCut: false,
            faults: [{ column: 1, code: "cpf_invalid", message: "is not a valid CPF" }],
          },
        ],
        locations: [{ id: EXAMPLE_IDS.location, name: "Centro" }],
      },
    ],
  },
);

export const ImportedClients = Body(
  "ImportClientsAnswer",
  {
    auditId: Type.Optional(Id("The audit entry of the import; absent of a dry run.")),
    dryRun: Type.Optional(Type.Boolean({ description: "True if nothing was written." })),
    result: Type.Object({
      created: Int32("Clients who were added."),
      replaced: Int32("Clients who were there and were changed."),
      unchanged: Int32("Clients who were there and are as the sheet says."),
      known: Int32("Rows of people who are there already and stay as they are."),
      faulty: Int32("Faulty rows that were left out."),
    }),
  },
  {
    examples: [
      {
        auditId: EXAMPLE_IDS.audit,
        result: { created: 214, replaced: 0, unchanged: 0, known: 3, faulty: 0 },
      },
    ],
  },
);

export const UndoImport = Type.Object(
  { importId: Id("The audit entry of the import.") },
  { additionalProperties: false },
);

export const UndoneImport = Body(
  "UndoneImport",
  {
    importId: Id(),
    removed: Int32("Clients whom the import had added, and who are gone."),
    setBack: Int32("Clients whom the import had changed, and who are as before."),
    kept: Int32("Clients who were written or used since, and stay as they are."),
  },
  { examples: [{ importId: EXAMPLE_IDS.audit, removed: 214, setBack: 3, kept: 1 }] },
);
