/**
 * The forms of short texts, each written once: schemas publish them, and the command line checks flags by them without
 * loading schemas.
 */

// The patterns are published, so they use only what every dialect reads alike: callers validate with ECMAScript
// without the `u` flag, Python's re or Go's regexp, and the first two do not know `\p{Cc}`.

/** No control characters (Unicode Cc): one line of text. */
export const LINE_PATTERN = "^[^\\x00-\\x1f\\x7f-\\x9f]*$";
/** As a line, but tab, line feed and carriage return are allowed. */
export const TEXT_PATTERN = "^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$";
/** As a line, but white space (it separates terms) is allowed: tab, line feed, form feeds, carriage return. */
export const QUERY_PATTERN = "^[^\\x00-\\x08\\x0e-\\x1f\\x7f-\\x9f]*$";
export const CURSOR_PATTERN = "^[A-Za-z0-9_-]*$";
export const CURRENCY_PATTERN = "^[A-Z]{3}$";
/** A length of time such as `90d`, `24h`, `15m` or `30s`; the second one is longer than nothing. */
export const DURATION_PATTERN = "^[0-9]{1,6}[smhd]$";
export const LIFETIME_PATTERN = "^[1-9][0-9]{0,5}[smhd]$";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const compile = (pattern: string) => new RegExp(pattern, "u");
const LINE = compile(LINE_PATTERN);
const CURRENCY = compile(CURRENCY_PATTERN);

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Whether the text is one line without unpaired surrogates, which the published pattern cannot exclude. */
export function isLine(text: string): boolean {
  return text.isWellFormed() && LINE.test(text);
}

// Among the others: zero-width spaces and joiners, marks of direction, fillers of scripts. U+2800 is an empty Braille cell.
const VISIBLE = /[^\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether somebody who reads a text sees anything. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a text has characters that nobody sees, so that it is not what it looks like. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

export function isCurrencyCode(text: string): boolean {
  return CURRENCY.test(text);
}
