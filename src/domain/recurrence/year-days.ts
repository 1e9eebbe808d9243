import { dateOf, dayNumber, daysInMonth, isLeapYear, weekdayOf } from "../../core/dates.ts";
import type { ByDay, Rule } from "./rule.ts";

/**
 * The days that BYMONTH, BYMONTHDAY and BYDAY leave, or those that the start implies. They depend on nothing but
 * whether a year is a leap year and on which weekday it begins: 14 kinds of year, each worked out when first met
 * as 12 sets of days, the bit `1 << day` standing for a day of the month.
 */
export class YearDays {
  readonly #byDay: Rule["byDay"];
  readonly #byMonthDay: Rule["byMonthDay"];
  readonly #byMonth: Rule["byMonth"];
  /** An ordinal counts within the month with MONTHLY or with BYMONTH, otherwise within the year. */
  readonly #ordinalInMonth: boolean;
  readonly #kinds: (Int32Array | undefined)[] = [];

  constructor(rule: Rule, startDay: number) {
    const start = dateOf(startDay);
    const dated = rule.frequency === "MONTHLY" || rule.frequency === "YEARLY";
    const bare = !rule.byDay && !rule.byMonthDay;
    this.#byDay = rule.byDay;
    this.#byMonthDay = dated && bare ? [start.day] : rule.byMonthDay;
    this.#byMonth = rule.frequency === "YEARLY" && bare ? (rule.byMonth ?? [start.month]) : rule.byMonth;
    this.#ordinalInMonth = rule.frequency === "MONTHLY" || rule.byMonth !== undefined;
  }

  has(dayNumber: number): boolean {
    const { year, month, day } = dateOf(dayNumber);
    return (this.inMonth(year, month) & (1 << day)) !== 0;
  }

  inMonth(year: number, month: number): number {
    const kind = (isLeapYear(year) ? 7 : 0) + weekdayOf(dayNumber(year, 1, 1));
    const months = this.#kinds[kind] ?? this.#workOut(year);
    this.#kinds[kind] = months;
    return months[month] ?? 0;
  }

  addMonth(year: number, month: number, days: number[]): void {
    let left = this.inMonth(year, month);
    if (left === 0) return;
    const before = dayNumber(year, month, 1) - 1;
    while (left !== 0) {
      const lowest = left & -left;
      days.push(before + 31 - Math.clz32(lowest));
      left ^= lowest;
    }
  }

  #workOut(year: number): Int32Array {
    const months = new Int32Array(13);
    for (const month of this.#byMonth ?? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
      const length = daysInMonth(year, month);
      let days = -1;
      if (this.#byMonthDay) days &= daysOfMonth(this.#byMonthDay, length);
      if (this.#byDay) days &= this.#weekdaysOf(this.#byDay, year, month, length);
      months[month] = days & (2 ** (length + 1) - 2);
    }
    return months;
  }

  #weekdaysOf(byDay: readonly ByDay[], year: number, month: number, length: number): number {
    const monthFirst = dayNumber(year, month, 1);
    const first = this.#ordinalInMonth ? monthFirst : dayNumber(year, 1, 1);
    const size = this.#ordinalInMonth ? length : isLeapYear(year) ? 366 : 365;
    let days = 0;
    for (const { weekday, ordinal } of byDay) {
      if (ordinal === 0) {
        for (let day = 1 + daysUntil(weekday, monthFirst); day <= length; day += 7) days |= 1 << day;
      } else {
        const earliest = first + daysUntil(weekday, first);
        const latest = earliest + Math.floor((first + size - 1 - earliest) / 7) * 7;
        const number = ordinal > 0 ? earliest + (ordinal - 1) * 7 : latest + (ordinal + 1) * 7;
        const day = number - monthFirst + 1;
        if (day >= 1 && day <= length && number >= first && number < first + size) days |= 1 << day;
      }
    }
    return days;
  }
}

function daysOfMonth(byMonthDay: readonly number[], length: number): number {
  let days = 0;
  for (const number of byMonthDay) {
    const day = number > 0 ? number : length + 1 + number;
    if (day >= 1 && day <= length) days |= 1 << day;
  }
  return days;
}

/** How many days after `day` a weekday first comes, 0 if it is that day's own. */
function daysUntil(weekday: number, day: number): number {
  return (weekday - weekdayOf(day) + 7) % 7;
}
