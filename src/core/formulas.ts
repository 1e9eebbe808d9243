/**
 * A spreadsheet program takes a text such as `=1+1` for a formula and runs it. An apostrophe in front makes it a text
 * again. A program that takes another sign for the delimiter than the file has divides texts where that sign stands, or
 * where a line of theirs ends, so that a formula may begin there too: `a;=x` is written `a;'=x`. So that reading can take
 * off exactly what writing has put in, a text that has apostrophes of its own there gets one more: `'=x` is written `''=x`.
 */
const FORMULAS = /(^|[;,|\t\r\n])(?='*[=+\-@＝＋－＠])/g;
const WRITTEN = /(^|[;,|\t\r\n])'(?='*[=+\-@＝＋－＠])/g;
/** A text that begins with white space: some programs pass over it. */
const LED_IN = /^(?='*[\t\r\n])/;
const WRITTEN_LED_IN = /^'(?='*[\t\r\n])/;
/** Most texts have none of the signs. */
const MAY_HAVE_FORMULA = /[=+\-@\t\r\n＝＋－＠]/;
/** Phones begin with a plus sign and are no formulas: `+55 11 98765-4321`, but not `+1+1`. Nor is a sign alone. */
const PHONE = /^(?:[+-]|\+\d[\d ()./-]{3,})$/;

export function escapeFormula(text: string): string {
  if (!MAY_HAVE_FORMULA.test(text) || PHONE.test(text)) return text;
  return text.replace(FORMULAS, "$1'").replace(LED_IN, "'");
}

/** The text that was written as this one. */
export function unescapeFormula(text: string): string {
  if (!text.includes("'")) return text;
  const bare = text.replace(WRITTEN_LED_IN, "").replace(WRITTEN, "$1");
  return escapeFormula(bare) === text ? bare : text;
}
