import type { Static } from "../core/fields.ts";
import type { Language } from "../languages/dictionary.ts";
import { LANGUAGES } from "./languages/languages.ts";
import { wordQuestionOnScreen, wordRemarkOnScreen, wordRowFault } from "./languages/sentences.ts";
import type { SheetReading } from "./operations.ts";
import type { SheetQuestion } from "./problems.ts";
import type { SheetAnswer } from "./schema.ts";

/** A reading as it is answered, in the words of a language. */
export function tellReading(reading: SheetReading, language: Language): Static<typeof SheetAnswer> {
  const words = LANGUAGES[language];
  const { sheet, samples, questions, remarks, counts, faultyRows, locations } = reading;
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
    faultyRows: faultyRows.map(({ row, cells, isCut, faults }) => ({
      row,
      cells: [...cells],
      isCut,
      faults: faults.map((fault) => ({
        code: fault.code,
        message: wordRowFault(fault, words),
        ...(fault.index !== undefined && fault.index >= 0 && { column: fault.index }),
      })),
    })),
    locations: locations.map(({ id, name }) => ({ id, name })),
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
