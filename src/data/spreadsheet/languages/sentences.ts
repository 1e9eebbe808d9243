import type { Words } from "./language.ts";
import type { FaultGroup, RowFault, SheetQuestion, SheetRemark } from "./problems.ts";

// A dictionary has for each code a function of that code's own parameters. A lookup by a code that is only known at
// run time loses the tie between the two, which the types of faults, questions and remarks have already checked.
type Sentence<Coded extends { readonly params: unknown }> = (params: Coded["params"]) => string;

/** What is wrong with a cell or a row. */
export function wordRowFault(fault: RowFault, words: Words): string {
  return (words.faults[fault.code] as Sentence<RowFault>)(fault.params);
}

export function wordQuestion(question: SheetQuestion, words: Words): string {
  return (words.questions[question.code] as Sentence<SheetQuestion>)(question.params);
}

export function wordRemark(remark: SheetRemark, words: Words): string {
  return (words.remarks[remark.code] as Sentence<SheetRemark>)(remark.params);
}

/** A question as a screen asks it, where it can be answered. */
export function wordQuestionOnScreen(question: SheetQuestion, words: Words): string {
  const sentence =
    (words.onScreen.questions as Partial<Words["questions"]>)[question.code] ??
    words.questions[question.code];
  return (sentence as Sentence<SheetQuestion>)(question.params);
}

export function wordRemarkOnScreen(remark: SheetRemark, words: Words): string {
  const sentence =
    (words.onScreen.remarks as Partial<Words["remarks"]>)[remark.code] ?? words.remarks[remark.code];
  return (sentence as Sentence<SheetRemark>)(remark.params);
}

/** Where a group of equal faults is, and what it is. */
export function wordGroup(group: FaultGroup, words: Words): { location: string; message: string } {
  const { rows, count, column, fault } = group;
  return { location: words.place(rows, count - rows.length, column), message: wordRowFault(fault, words) };
}

/** As the first words of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
