/** What a text file may be written in. */
export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252", "macintosh"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** What may divide the columns of a text file. */
export const DELIMITER_NAMES = [",", ";", "tab", "|", "none"] as const;
export type DelimiterName = (typeof DELIMITER_NAMES)[number];

/** Which comes first in a date with slashes: the day or the month. */
export const DATE_ORDERS = ["dmy", "mdy"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** What becomes of years of two digits: the latest year that is not to come, or a line of the notes. */
export const SHORT_YEARS = ["recent", "notes"] as const;
export type ShortYears = (typeof SHORT_YEARS)[number];

/** What becomes of letters such as those of `JoÃ£o`. */
export const GARBLED_TEXTS = ["repair", "keep"] as const;
export type GarbledTexts = (typeof GARBLED_TEXTS)[number];

/** What becomes of numbers that are shorter than the others of their column. */
export const SHORT_NUMBERS = ["zeros", "keep"] as const;
export type ShortNumbers = (typeof SHORT_NUMBERS)[number];

/** What an owner can say that a column is. */
export const CHOSEN_COLUMNS = [
  "contactName",
  "fullName",
  "firstName",
  "lastName",
  "contactEmail",
  "mobilePhone",
  "contactPhone",
  "birthdate",
  "cpf",
  "document",
  "location",
  "status",
  "notes",
  "address.line1",
  "address.line2",
  "address.city",
  "address.state",
  "address.postalCode",
  "address.country",
] as const;
export type ChosenColumn = (typeof CHOSEN_COLUMNS)[number];
