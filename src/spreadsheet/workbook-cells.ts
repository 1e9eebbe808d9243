import { MS_PER_DAY } from "../core/dates.ts";

/** How a number is shown: as a date, or with leading zeros up to so many digits. */
export type NumberFormat = "date" | { readonly digits: number } | undefined;

/** The formats that need no code in the file and show a date. */
const BUILT_IN_DATES = new Set([
  14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51, 52, 53, 54,
  55, 56, 57, 58,
]);

/** What a number format of a workbook means for us. `code` is `dd/mm/yyyy` or `000\.000\.000\-00`. */
export function readNumberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return BUILT_IN_DATES.has(id) ? "date" : undefined;
  const [positive = ""] = code.split(";", 1);
  // Quoted and escaped characters stand for themselves; brackets hold colours, languages and conditions.
  const bare = positive.replace(/"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]?/g, "");
  if (/[dmyhs]/i.test(bare.replace(/general/gi, ""))) return "date";
  const zeros = bare.replace(/[-./() ]/g, "");
  return /^0{2,}$/.test(zeros) ? { digits: zeros.length } : undefined;
}

/** Beyond this a spreadsheet has forgotten digits. */
const EXACT_DIGITS = 15;

/** A number as its owner sees it: whole numbers without exponent, dates as dates, zeros put back that a format shows. */
export function showNumber(text: string, format: NumberFormat, is1904: boolean): string {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return text;
  if (format === "date") return showDate(value, is1904) ?? text;
  if (!Number.isInteger(value)) return String(value);
  if (Math.abs(value) >= 10 ** EXACT_DIGITS) return value.toExponential();
  const digits = String(value);
  return format && value >= 0 ? digits.padStart(format.digits, "0") : digits;
}

/** Days are counted from here, and the 1900 system has a 29 February 1900 that never was: day 60. */
const EPOCH_1900 = Date.UTC(1899, 11, 31);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const MISSING_DAY = 60;
const LAST_DAY = 2_958_465;

function showDate(serial: number, is1904: boolean): string | undefined {
  if (serial < 0 || serial > LAST_DAY || (!is1904 && Math.floor(serial) === MISSING_DAY)) return undefined;
  const days = !is1904 && serial > MISSING_DAY ? serial - 1 : serial;
  const seconds = Math.round((days * MS_PER_DAY) / 1000);
  const [date = "", time = ""] = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + seconds * 1000)
    .toISOString()
    .split("T");
  const clock = time.slice(0, 8);
  return clock === "00:00:00" ? date : `${date} ${clock}`;
}

/** The place of a cell from `AB12`: column 27, row 12. */
export function readReference(reference: string): { column: number; row: number } | undefined {
  const match = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference);
  if (!match) return undefined;
  let column = 0;
  for (const letter of match[1] ?? "") column = column * 26 + letter.charCodeAt(0) - 64;
  return { column: column - 1, row: Number(match[2]) };
}

/** `_x000D_` is how a workbook writes a character that XML cannot. */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
