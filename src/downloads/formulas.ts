/**
 * A spreadsheet program takes a text such as `=1+1` for a formula and runs it. An apostrophe in front makes it a text
 * again. So that reading can take off exactly what writing has put in front, a text that begins with apostrophes of its
 * own gets one more: `=x` is written `'=x`, and `'=x` is written `''=x`.
 */
const LOOKS_LIKE_FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** Phones begin with a plus sign and are no formulas. */
const PHONE = /^[\d +\-()./]*$/;

export function escapeFormula(text: string): string {
  return LOOKS_LIKE_FORMULA.test(text) && !PHONE.test(text) ? `'${text}` : text;
}

/** The text that was written as this one. */
export function unescapeFormula(text: string): string {
  if (!text.startsWith("'")) return text;
  const bare = text.slice(1);
  return escapeFormula(bare) === text ? bare : text;
}
