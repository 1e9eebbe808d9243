import { MS_PER_DAY } from "../../core/dates.ts";

/**
 * How a number is shown: as a date, as a part of one, as a time of day, as hours that go on beyond 24, or with leading zeros up
 * to so many digits.
 */
export type NumberFormat = DateFormat | { readonly digits: number } | undefined;
type DateFormat = "date" | "day and month" | "month and year" | "year" | "time" | "hours";

/** The formats that need no code in the file and show a whole date, and those that show something else of it. */
const BUILT_IN_DATES = new Set([
  14, 15, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58,
]);
const BUILT_IN_PARTS: ReadonlyMap<number, NumberFormat> = new Map([
  [16, "day and month"],
  [17, "month and year"],
  [18, "time"],
  [19, "time"],
  [20, "time"],
  [21, "time"],
  [45, "time"],
  [46, "hours"],
  [47, "time"],
]);

/** What a number format of a workbook means for us. `code` is `dd/mm/yyyy` or `000\.000\.000\-00`. */
export function readNumberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return BUILT_IN_DATES.has(id) ? "date" : BUILT_IN_PARTS.get(id);
  const [positive = ""] = code.split(";", 1);
  // Quoted and escaped characters stand for themselves; brackets hold hours, colours, languages and conditions.
  const written = positive.replace(/"[^"]*"?|\\.|_.|\*./g, "");
  if (/\[(?:h+|m+|s+)\]/i.test(written)) return "hours";
  const bare = written.replace(/\[[^\]]*\]?/g, "");
  const letters = bare.replace(/general/gi, "");
  if (/[dmyhs]/i.test(letters)) return shownOfDate(letters);
  const zeros = bare.replace(/[-./() ]/g, "");
  return /^0{2,}$/.test(zeros) ? { digits: zeros.length } : undefined;
}

/** What a format such as `d-mmm` or `dd/mm/yyyy hh:mm` shows. A day of the week (`dddd`) is not the day. */
function shownOfDate(letters: string): NumberFormat {
  // An `m` beside hours or seconds stands for minutes.
  const short = letters
    .replace(/am\/pm|a\/p/gi, "")
    .replace(/h+/gi, "h")
    .replace(/m+/gi, "m")
    .replace(/s+/gi, "s");
  const date = short.replace(/h[^a-z]*m|m[^a-z]*s|[hs]/gi, "");
  const hasYear = /[ye]/i.test(date);
  const hasMonth = /m/i.test(date);
  const hasDay = /(?:^|[^d])d{1,2}(?!d)/i.test(date);
  if (hasYear && hasMonth) return hasDay ? "date" : "month and year";
  if (hasYear) return "year";
  return /[dm]/i.test(date) ? "day and month" : "time";
}

/** Beyond this a spreadsheet has forgotten digits. */
const EXACT_DIGITS = 15;

/** A number as its owner sees it: whole numbers without exponent, dates as dates, zeros put back that a format shows. */
export function showNumber(text: string, format: NumberFormat, is1904: boolean): string {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return text;
  if (typeof format === "string") return showDate(value, format, is1904) ?? text;
  if (!Number.isInteger(value)) return String(Number(value.toPrecision(EXACT_DIGITS)));
  if (Math.abs(value) >= 10 ** EXACT_DIGITS) return value.toExponential();
  const digits = String(value);
  return format && value >= 0 ? digits.padStart(format.digits, "0") : digits;
}

/** Days are counted from here, and the 1900 system has a 29 February 1900 that never was: day 60. */
const EPOCH_1900 = Date.UTC(1899, 11, 31);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const MISSING_DAY = 60;
const LAST_DAY = 2_958_465;

function showDate(serial: number, format: DateFormat, is1904: boolean): string | undefined {
  if (format === "hours" || format === "time") return showTime(serial, format);
  if (serial < 0 || serial > LAST_DAY || (!is1904 && Math.floor(serial) === MISSING_DAY)) return undefined;
  const days = !is1904 && serial > MISSING_DAY ? serial - 1 : serial;
  const seconds = Math.round((days * MS_PER_DAY) / 1000);
  return showInstant(new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + seconds * 1000).toISOString(), format);
}

/** As much of `2023-06-05T00:00:00` as the format shows; all of it if that is no date's. */
export function showInstant(instant: string, format: NumberFormat): string {
  const [date = "", time = ""] = instant.split("T");
  const [year, month, day] = date.split("-");
  if (format === "day and month") return `${day}/${month}`;
  if (format === "month and year") return `${month}/${year}`;
  if (format === "year") return year ?? date;
  const clock = time.slice(0, 8);
  return clock === "00:00:00" || clock === "" ? date : `${date} ${clock}`;
}

const DAY_SECONDS = MS_PER_DAY / 1000;

/** `12:00`, or `30:00` where hours go on; the seconds if there are any. */
function showTime(serial: number, format: "hours" | "time"): string | undefined {
  if (serial < 0 || serial > LAST_DAY) return undefined;
  const seconds =
    Math.round(serial * DAY_SECONDS) % (format === "time" ? DAY_SECONDS : Number.POSITIVE_INFINITY);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return (seconds % 60 === 0 ? parts.slice(0, 2) : parts)
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
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
