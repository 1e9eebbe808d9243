import { dateOf, dayNumber, daysInMonth, MS_PER_DAY, MS_PER_MINUTE, weekdayOf } from "../../core/dates.ts";
import type { Effort } from "../../core/effort.ts";
import type { Rule } from "./rule.ts";
import { YearDays } from "./year-days.ts";

/** Beyond the last minute of the year 9999 no schedule produces anything: a fruitless rule ends there. */
export const HORIZON_MS = dayNumber(10_000, 1, 1) * MS_PER_DAY - MS_PER_MINUTE;

/**
 * A rule tied to its start. Its periods are days, weeks, months or years, each known by one whole number, its
 * unit: the day number, that of the week's first day, the month counted from year 0, the year.
 */
export interface Pattern {
  readonly frequency: Rule["frequency"];
  readonly startWallMs: number;
  readonly firstUnit: number;
  /** From one period to the next, in units. */
  readonly step: number;
  /** The times of a day, in milliseconds from midnight, ascending. */
  readonly times: readonly number[];
  readonly setPositions: SetPositions | undefined;
  readonly weekStart: number;
  /** WEEKLY: days from the start of the week, ascending. */
  readonly weekOffsets: readonly number[];
  /** Whether the days of a DAILY or WEEKLY period have to be looked up in the year's days at all. */
  readonly limited: boolean;
  readonly days: YearDays;
  /** From one slot to the next where that never varies, as for most schedules; 0 where it does. */
  readonly strideMs: number;
}

export function compilePattern(startWallMs: number, rule: Rule): Pattern {
  const { frequency, interval, weekStart } = rule;
  const startDay = Math.floor(startWallMs / MS_PER_DAY);
  const startMinute = Math.floor((startWallMs - startDay * MS_PER_DAY) / MS_PER_MINUTE);
  const hours = rule.byHour ?? [Math.floor(startMinute / 60)];
  const minutes = rule.byMinute ?? [startMinute % 60];
  const weekdays = rule.byDay?.map((entry) => entry.weekday) ?? [weekdayOf(startDay)];
  const step = frequency === "WEEKLY" ? interval * 7 : interval;
  const times = hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * MS_PER_MINUTE));
  const weekOffsets = [...new Set(weekdays.map((day) => (day - weekStart + 7) % 7))].sort((a, b) => a - b);
  const limited = Boolean(rule.byMonth || (frequency === "DAILY" && (rule.byDay || rule.byMonthDay)));
  const oneDay = frequency === "DAILY" || (frequency === "WEEKLY" && weekOffsets.length === 1);
  const even = oneDay && !limited && times.length === 1 && !rule.bySetPos;
  return {
    frequency,
    startWallMs,
    firstUnit: unitOf(frequency, weekStart, startDay),
    step,
    times,
    setPositions: rule.bySetPos && new SetPositions(rule.bySetPos),
    weekStart,
    weekOffsets,
    limited,
    days: new YearDays(rule, startDay),
    strideMs: even ? step * MS_PER_DAY : 0,
  };
}

/** Walks the wall clocks of a pattern within `[fromWallMs, toWallMs]`, upwards, going straight to the first. */
export class RuleWalk {
  readonly #pattern: Pattern;
  readonly #fromWallMs: number;
  readonly #toWallMs: number;
  /** The period to load next. */
  #unit: number;
  /** The days of the loaded period, ascending. */
  readonly #days: number[] = [];
  /** With BYSETPOS: the places it chooses among the wall clocks of the loaded period, ascending. */
  #chosen: readonly number[] = [];
  /** How many wall clocks the loaded period gives, and which of them comes next. */
  #size = 0;
  #index = 0;
  #isUsedUp = false;
  /** With a stride no period has to be looked at: this wall clock comes next. */
  #evenWallMs = Number.NaN;

  constructor(pattern: Pattern, fromWallMs: number, toWallMs: number) {
    this.#pattern = pattern;
    this.#fromWallMs = Math.max(fromWallMs, pattern.startWallMs);
    this.#toWallMs = Math.min(toWallMs, HORIZON_MS);
    const { frequency, weekStart, firstUnit, step, strideMs } = pattern;
    const unit = unitOf(frequency, weekStart, Math.floor(this.#fromWallMs / MS_PER_DAY));
    this.#unit = firstUnit + Math.ceil((unit - firstUnit) / step) * step;
    // A walk that is over before it begins has no first wall clock.
    if (strideMs > 0) this.#evenWallMs = this.#load() ? this.#wallAt(0) : Number.POSITIVE_INFINITY;
  }

  /** The next wall clock, or Infinity after the last. */
  next(): number {
    const { strideMs } = this.#pattern;
    let wallMs: number;
    if (strideMs > 0) {
      wallMs = this.#evenWallMs;
      this.#evenWallMs += strideMs;
    } else {
      if (this.#index === this.#size && !this.#load()) return Number.POSITIVE_INFINITY;
      wallMs = this.#wallAt(this.#index++);
    }
    return wallMs <= this.#toWallMs ? wallMs : Number.POSITIVE_INFINITY;
  }

  /**
   * The wall clock that follows after `count` others; Infinity if there is none, undefined if the effort is used up
   * before. Whole periods are counted at once.
   */
  skip(count: number, effort: Effort): number | undefined {
    if (this.#pattern.strideMs > 0) {
      this.#evenWallMs += count * this.#pattern.strideMs;
      return this.next();
    }
    let left = count;
    while (left >= this.#size - this.#index) {
      left -= this.#size - this.#index;
      if (!this.#load(effort)) return this.#isUsedUp ? undefined : Number.POSITIVE_INFINITY;
    }
    this.#index += left;
    return this.next();
  }

  /** How many wall clocks are left. Whole periods are counted at once. */
  count(): number {
    const { strideMs } = this.#pattern;
    if (strideMs > 0) return Math.max(Math.floor((this.#toWallMs - this.#evenWallMs) / strideMs) + 1, 0);
    let count = 0;
    do {
      const isLast = this.#size > 0 && this.#wallAt(this.#size - 1) > this.#toWallMs;
      count += (isLast ? this.#indexOf(this.#toWallMs + 1) : this.#size) - this.#index;
      this.#index = this.#size;
    } while (this.#load());
    return count;
  }

  /** Loads the next period that has wall clocks within the walk; false when the walk is over. */
  #load(effort?: Effort): boolean {
    const { frequency, step, times, setPositions } = this.#pattern;
    for (;;) {
      const unit = this.#unit;
      if (firstDayOf(frequency, unit) * MS_PER_DAY > this.#toWallMs) return false;
      this.#unit = unit + step;
      this.#days.length = 0;
      this.#collectDays(unit);
      if (effort && !effort.trySpend(1 + (this.#days.length >> 3))) {
        this.#isUsedUp = true;
        return false;
      }
      this.#size = this.#days.length * times.length;
      if (setPositions) {
        this.#chosen = setPositions.among(this.#size);
        this.#size = this.#chosen.length;
      }
      // Past what the first period has before the walk begins; every later period begins at 0.
      this.#index = this.#indexOf(this.#fromWallMs);
      if (this.#index < this.#size) return true;
    }
  }

  /** The place of the first wall clock of the loaded period that is not before this one. */
  #indexOf(leastWallMs: number): number {
    if (this.#size === 0 || this.#wallAt(0) >= leastWallMs) return 0;
    let low = 1;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#wallAt(middle) < leastWallMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #wallAt(index: number): number {
    const { times, setPositions } = this.#pattern;
    const place = setPositions ? (this.#chosen[index] ?? 0) : index;
    const day = Math.floor(place / times.length);
    return (this.#days[day] ?? 0) * MS_PER_DAY + (times[place - day * times.length] ?? 0);
  }

  #collectDays(unit: number): void {
    const { frequency, limited, weekOffsets, days } = this.#pattern;
    if (frequency === "DAILY") {
      if (!limited || days.has(unit)) this.#days.push(unit);
      else this.#leapMonth(unit);
    } else if (frequency === "WEEKLY") {
      for (const offset of weekOffsets) {
        if (!limited || days.has(unit + offset)) this.#days.push(unit + offset);
      }
    } else if (frequency === "MONTHLY") {
      days.addMonth(Math.floor(unit / 12), (unit % 12) + 1, this.#days);
    } else {
      for (let month = 1; month <= 12; month++) days.addMonth(unit, month, this.#days);
    }
  }

  /** Where a day's whole month has nothing, goes on with the first period after that month. */
  #leapMonth(day: number): void {
    const { step, days } = this.#pattern;
    const { year, month, day: dayOfMonth } = dateOf(day);
    if (days.inMonth(year, month) !== 0) return;
    const nextMonth = day - dayOfMonth + 1 + daysInMonth(year, month);
    this.#unit = day + Math.ceil((nextMonth - day) / step) * step;
  }
}

/** BYSETPOS. It counts through the whole period, also through what lies before the start. */
class SetPositions {
  readonly #positions: readonly number[];
  /** Periods come in few sizes: of days there is one, of months there are four. */
  readonly #bySize = new Map<number, readonly number[]>();

  constructor(positions: readonly number[]) {
    this.#positions = positions;
  }

  /** The places that are chosen among so many, ascending. */
  among(size: number): readonly number[] {
    const known = this.#bySize.get(size);
    if (known) return known;
    const places = this.#positions.map((position) => (position > 0 ? position - 1 : size + position));
    const chosen = [...new Set(places)].filter((place) => place >= 0 && place < size).sort((a, b) => a - b);
    this.#bySize.set(size, chosen);
    return chosen;
  }
}

/** The unit of the period that holds a day. */
function unitOf(frequency: Rule["frequency"], weekStart: number, day: number): number {
  if (frequency === "DAILY") return day;
  if (frequency === "WEEKLY") return day - ((weekdayOf(day) - weekStart + 7) % 7);
  const { year, month } = dateOf(day);
  return frequency === "MONTHLY" ? year * 12 + month - 1 : year;
}

function firstDayOf(frequency: Rule["frequency"], unit: number): number {
  if (frequency === "MONTHLY") return dayNumber(Math.floor(unit / 12), (unit % 12) + 1, 1);
  return frequency === "YEARLY" ? dayNumber(unit, 1, 1) : unit;
}
