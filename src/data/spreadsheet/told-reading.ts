import type { Static } from "../../core/fields.ts";
import type { Language } from "../../languages/dictionary.ts";
import type { Words } from "./languages/language.ts";
import { LANGUAGES } from "./languages/languages.ts";
import type { SheetQuestion } from "./languages/problems.ts";
import { wordQuestionOnScreen, wordRemarkOnScreen, wordRowFault } from "./languages/sentences.ts";
import type { FaultyRow, SheetReading } from "./operations.ts";
import { MAX_ROW_FAULTS } from "./rows.ts";
import type { SheetAnswer } from "./schema.ts";

type Answer = Static<typeof SheetAnswer>;

/** What an answer may have, in bytes: somebody reads it on a phone, and to write it down must not hold others up. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_LOCATIONS = 1_000;

/** A reading as it is answered, in the words of a language: as many of its rows as there is room for. */
export function tellReading(reading: SheetReading, language: Language): Answer {
  const words = LANGUAGES[language];
  const answer = tellSheet(reading, words);
  let left = MAX_ANSWER_BYTES - bytesOf(answer);
  const fill = (rows: readonly FaultyRow[], told: Answer["faultyRows"]) => {
    for (const row of rows) {
      const next = tellRow(row, words);
      left -= bytesOf(next) + 1;
      if (left < 0) return;
      told.push(next);
    }
  };
  fill(reading.faultyRows, answer.faultyRows);
  fill(reading.incompleteRows, answer.incompleteRows);
  return answer;
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** All but the rows. */
function tellSheet(reading: SheetReading, words: Words): Answer {
  const { sheet, samples, questions, remarks, counts, locations } = reading;
  const { names = [], columns = [], isDownload = false } = sheet?.header ?? {};
  return {
    ...(sheet && { format: formatOf(sheet.format), headerRow: sheet.headerRow }),
    isDownload,
    columns: names.map((name, i) => {
      const as = columns[i];
      return {
        name,
        // What is asked about, or passed over, is nothing yet.
        ...(as !== undefined && as !== "unclearId" && as !== "reason" && { as }),
        samples: [...(samples[i] ?? [])],
      };
    }),
    questions: questions.map((question) => ({
      code: question.code,
      message: wordQuestionOnScreen(question, words),
      columns: columnsOf(question),
    })),
    remarks: remarks.map((remark) => ({ code: remark.code, message: wordRemarkOnScreen(remark, words) })),
    ...(counts && { counts }),
    faultyRows: [],
    incompleteRows: [],
    locations: locations.slice(0, MAX_LOCATIONS).map(({ id, name }) => ({ id, name })),
  };
}

function tellRow({ row, cells, isCut, faults }: FaultyRow, words: Words): Answer["faultyRows"][number] {
  return {
    row,
    cells: [...cells],
    isCut,
    faults: faults.slice(0, MAX_ROW_FAULTS).map((fault) => ({
      code: fault.code,
      message: wordRowFault(fault, words),
      ...(fault.index !== undefined && fault.index >= 0 && { column: fault.index }),
    })),
  };
}

function formatOf(format: NonNullable<SheetReading["sheet"]>["format"]) {
  if (format.kind === "workbook")
    return { kind: format.kind, worksheet: format.worksheet, worksheets: [...format.worksheets] };
  const { kind, encoding, delimiter } = format;
  return { kind, encoding, ...(delimiter !== undefined && { delimiter }) };
}

function columnsOf({ params }: SheetQuestion): string[] {
  const named = [];
  if ("column" in params) named.push(params.column);
  if ("first" in params) named.push(params.first, params.second);
  return named;
}
