import type { DateOrder } from "./values.ts";

export interface DateReading {
  /** `1990-04-23`; that there is such a day is for the rule of birthdates. */
  readonly date?: string;
  readonly fault?: "year_two_digits" | "date_number" | "date_invalid";
  /** The order that the digits prove: 23 is not a month. */
  readonly shows?: DateOrder | "either";
}

/**
 * What a date cell says. ISO dates mean one thing; those with slashes need the order of day and month. With `today` a year
 * of two digits is the latest that is not to come: on 2026-11-18 `90` is 1990, `26` is 2026 or, from 19/11/26 on, 1926.
 */
export function readDate(cell: string, order: DateOrder, today?: string): DateReading {
  // The time of day that exports add to a birthday.
  const text = cell.replace(/[ T]00:00(?::00(?:\.0{1,6})?)?Z?$/, "");
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(text);
  if (iso) return { date: join(iso[1], iso[2], iso[3]) };
  const match = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text);
  if (!match) return { fault: /^\d+(?:[.,]\d+)?$/.test(text) ? "date_number" : "date_invalid" };
  const [, first = "", , second = "", year = ""] = match;
  const shows =
    Number(first) > 12 && Number(second) <= 12
      ? "dmy"
      : Number(second) > 12 && Number(first) <= 12
        ? "mdy"
        : "either";
  const proof = Number(first) === Number(second) ? {} : { shows: shows as DateOrder | "either" };
  const [month, day] = order === "dmy" ? [second, first] : [first, second];
  if (year.length === 4) return { date: join(year, month, day), ...proof };
  if (today === undefined) return { fault: "year_two_digits", ...proof };
  const century = Number(today.slice(0, 2));
  const recent = join(`${century}${year}`, month, day);
  return { date: recent <= today ? recent : join(`${century - 1}${year}`, month, day), ...proof };
}

function join(year = "", month = "", day = ""): string {
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}
