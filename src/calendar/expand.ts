import { dateOf, dayNumber, daysInMonth, isLeapYear, MS_PER_DAY, weekdayOf } from "../core/dates.ts";
import type { ByDay, Rule } from "./rule.ts";
import { WallReader, wallBounds, wallToInstant, type Zone } from "./zones.ts";

/** When a schedule takes place. Wall clocks are milliseconds counted as if they were UTC. */
export interface ScheduleTimes {
  readonly startWallMs: number;
  /** Absent: it takes place once, and on the extra dates. */
  readonly rule?: Rule | undefined;
  /** Removes the slots of the rule, and extra dates, with that wall clock. */
  readonly exceptionWallsMs?: readonly number[];
  /** Adds slots. The rule's COUNT and UNTIL do not concern them. */
  readonly extraWallsMs?: readonly number[];
  readonly zone: Zone;
  /** What `lastSlotWall` gave when the schedule was stored; without it a rule with COUNT is counted again. */
  readonly lastSlotWallMs?: number | undefined;
}

/** A schedule made ready to be opened for any window. */
export interface CompiledSchedule {
  readonly zone: Zone;
  readonly pattern: Pattern | undefined;
  /** No slot of the rule has a later wall clock. */
  readonly lastWallMs: number;
  /** No slot of the rule has a later instant. */
  readonly untilMs: number;
  readonly exceptions: ReadonlySet<number> | undefined;
  /** Sorted, each once. */
  readonly extras: readonly number[];
}

/** A slot of a schedule; see `SlotCursor` for what each field means. */
export interface Slot {
  readonly instantMs: number;
  readonly wallMs: number;
  readonly twinWallMs?: number;
}

export function compileSchedule(times: ScheduleTimes): CompiledSchedule {
  const { startWallMs, rule, zone } = times;
  const extras = new Set(times.extraWallsMs);
  if (!rule) extras.add(startWallMs);
  const counted = rule && (times.lastSlotWallMs ?? lastSlotWall(startWallMs, rule));
  return {
    zone,
    pattern: rule && compilePattern(startWallMs, rule),
    lastWallMs: Math.min(counted ?? HORIZON_MS, rule ? untilWall(rule, zone) : HORIZON_MS),
    untilMs: rule?.untilMs ?? Number.POSITIVE_INFINITY,
    exceptions: times.exceptionWallsMs?.length ? new Set(times.exceptionWallsMs) : undefined,
    extras: [...extras].sort((a, b) => a - b),
  };
}

/**
 * The slots with an instant in `[fromMs, toMs)`, to be read in order. Opening costs the same however long ago
 * the schedule began.
 */
export function openSlots(schedule: CompiledSchedule, fromMs: number, toMs: number): SlotCursor {
  return new SlotCursor(schedule, fromMs, toMs);
}

/** No day has more slots of the schedule. */
export function mostSlotsPerDay({ pattern, extras }: CompiledSchedule): number {
  let most = 0;
  for (let first = 0, last = 0; last < extras.length; last++) {
    while ((extras[last] ?? 0) - (extras[first] ?? 0) >= MS_PER_DAY) first++;
    most = Math.max(most, last - first + 1);
  }
  return most + (pattern?.times.length ?? 0);
}

/** The slots of a window as a list, where it is short enough to hold. */
export function listSlots(schedule: CompiledSchedule, fromMs: number, toMs: number): Slot[] {
  const cursor = openSlots(schedule, fromMs, toMs);
  const slots: Slot[] = [];
  while (cursor.next()) {
    const { instantMs, wallMs, twinWallMs } = cursor;
    slots.push(twinWallMs === undefined ? { instantMs, wallMs } : { instantMs, wallMs, twinWallMs });
  }
  return slots;
}

/**
 * The wall clock of a rule's COUNT-th slot, or undefined if it has no COUNT. Slots in a gap and slots that an
 * exception date removes are counted. Worked out once, when a schedule is stored: a read then needs no counting
 * from the start. A rule that runs past the year 9999 first gives the end of that year.
 */
export function lastSlotWall(startWallMs: number, rule: Rule): number | undefined {
  if (rule.count === undefined) return undefined;
  const walk = new RuleWalk(compilePattern(startWallMs, rule), startWallMs, HORIZON_MS);
  return Math.min(walk.skip(rule.count - 1), HORIZON_MS);
}

/** Why a start does not fit its rule, in a sentence; undefined if it does. */
export function findStartFault(startWallMs: number, rule: Rule, zone: Zone): string | undefined {
  const walk = new RuleWalk(compilePattern(startWallMs, rule), startWallMs, startWallMs);
  if (walk.next() !== startWallMs) return "The start is not an occurrence of its own rule.";
  const pastDay = rule.untilDay !== undefined && Math.floor(startWallMs / MS_PER_DAY) > rule.untilDay;
  const pastInstant = rule.untilMs !== undefined && wallToInstant(zone, startWallMs) > rule.untilMs;
  return pastDay || pastInstant ? "UNTIL is before the start, so the rule has no occurrence." : undefined;
}

/**
 * Reads the slots of a window in the order of their instants, and never goes further than asked: a caller that
 * writes a window in slices keeps one cursor per schedule and calls `next(endOfSlice)` until it gives false.
 *
 * A wall clock in a spring gap is read with the offset before the gap, so it shares its instant with the clock
 * that really shows then (02:30 and 03:30 in New York). If the schedule has a slot at both, they are one session:
 * the cursor stops there once, `wallMs` being the clock that exists and `twinWallMs` the one in the gap. A caller
 * must look for stored sessions under both. More than two never meet.
 */
export class SlotCursor {
  instantMs = Number.NaN;
  /** The slot's own wall clock, by which stored sessions are tied to it. */
  wallMs = Number.NaN;
  twinWallMs: number | undefined;

  readonly #schedule: CompiledSchedule;
  readonly #reader: WallReader;
  readonly #walk: RuleWalk | undefined;
  readonly #fromMs: number;
  readonly #toMs: number;
  readonly #highWallMs: number;
  #ruleWallMs = Number.POSITIVE_INFINITY;
  #extraWallMs = Number.POSITIVE_INFINITY;
  #extraIndex = 0;
  /** The first slot, by wall clock, that was not yet given nor set aside. */
  #headWallMs = Number.POSITIVE_INFINITY;
  #headInstantMs = Number.POSITIVE_INFINITY;
  #headInGap = false;
  /** Wall clocks and instants of slots in a gap, whose instants fall among those of later wall clocks. */
  #gapSlots: Slot[] = [];

  constructor(schedule: CompiledSchedule, fromMs: number, toMs: number) {
    const { lowMs, highMs } = wallBounds(schedule.zone, fromMs, toMs);
    this.#schedule = schedule;
    this.#reader = new WallReader(schedule.zone);
    this.#fromMs = fromMs;
    this.#toMs = toMs;
    this.#highWallMs = highMs;
    if (schedule.pattern) {
      this.#walk = new RuleWalk(schedule.pattern, lowMs, Math.min(highMs, schedule.lastWallMs));
      this.#ruleWallMs = this.#walk.next();
    }
    this.#extraIndex = firstAtOrAfter(schedule.extras, lowMs);
    this.#extraWallMs = schedule.extras[this.#extraIndex] ?? Number.POSITIVE_INFINITY;
    this.#pull();
  }

  /** Moves to the next slot before `untilMs`; false when there is none, and the cursor can be asked again. */
  next(untilMs = Number.POSITIVE_INFINITY): boolean {
    while (this.#headInGap) {
      this.#gapSlots.push({ wallMs: this.#headWallMs, instantMs: this.#headInstantMs });
      this.#pull();
    }
    const gapSlot = this.#gapSlots[0];
    if (gapSlot && gapSlot.instantMs <= this.#headInstantMs) {
      if (gapSlot.instantMs >= untilMs) return false;
      this.#gapSlots.shift();
      const twins = gapSlot.instantMs === this.#headInstantMs;
      this.instantMs = gapSlot.instantMs;
      this.wallMs = twins ? this.#headWallMs : gapSlot.wallMs;
      this.twinWallMs = twins ? gapSlot.wallMs : undefined;
      if (twins) this.#pull();
      return true;
    }
    if (this.#headInstantMs >= untilMs) return false;
    this.instantMs = this.#headInstantMs;
    this.wallMs = this.#headWallMs;
    this.twinWallMs = undefined;
    this.#pull();
    return true;
  }

  /** Finds the next slot by wall clock: of the rule or an extra date, not excepted, in the window. */
  #pull(): void {
    const { exceptions, untilMs } = this.#schedule;
    for (;;) {
      const wallMs = Math.min(this.#ruleWallMs, this.#extraWallMs);
      if (wallMs >= this.#highWallMs) break;
      const extra = wallMs === this.#extraWallMs;
      if (extra) this.#extraWallMs = this.#schedule.extras[++this.#extraIndex] ?? Number.POSITIVE_INFINITY;
      if (wallMs === this.#ruleWallMs) this.#ruleWallMs = this.#walk?.next() ?? Number.POSITIVE_INFINITY;
      if (exceptions?.has(wallMs)) continue;
      const instantMs = this.#reader.read(wallMs);
      if (instantMs < this.#fromMs || instantMs >= this.#toMs || (instantMs > untilMs && !extra)) continue;
      this.#headWallMs = wallMs;
      this.#headInstantMs = instantMs;
      this.#headInGap = this.#reader.inGap;
      return;
    }
    this.#headWallMs = Number.POSITIVE_INFINITY;
    this.#headInstantMs = Number.POSITIVE_INFINITY;
    this.#headInGap = false;
  }
}

/** Beyond the last minute of the year 9999 no schedule produces anything: a fruitless rule ends there. */
const HORIZON_MS = dayNumber(10_000, 1, 1) * MS_PER_DAY - 60_000;

/**
 * A wall clock after which UNTIL leaves nothing, so that a schedule which ended long ago costs nothing to read.
 * As an instant UNTIL is still compared with each slot's own: around a change of offset the orders differ.
 */
function untilWall({ untilDay, untilMs }: Rule, zone: Zone): number {
  if (untilDay !== undefined) return (untilDay + 1) * MS_PER_DAY - 1;
  return untilMs === undefined ? HORIZON_MS : wallBounds(zone, untilMs, untilMs + 1).highMs;
}

/**
 * A rule tied to its start. Its periods are days, weeks, months or years, each known by one whole number, its
 * unit: the day number, that of the week's first day, the month counted from year 0, the year.
 */
interface Pattern {
  readonly frequency: Rule["frequency"];
  readonly startWallMs: number;
  readonly firstUnit: number;
  /** From one period to the next, in units. */
  readonly step: number;
  /** The times of a day, in milliseconds from midnight, ascending. */
  readonly times: readonly number[];
  readonly setPositions: readonly number[] | undefined;
  readonly weekStart: number;
  /** WEEKLY: days from the start of the week, ascending. */
  readonly weekOffsets: readonly number[];
  /** Whether the days of a DAILY or WEEKLY period have to be looked up in the year's days at all. */
  readonly limited: boolean;
  readonly days: YearDays;
  /** From one slot to the next where that never varies, as for most schedules; 0 where it does. */
  readonly strideMs: number;
}

function compilePattern(startWallMs: number, rule: Rule): Pattern {
  const { frequency, interval, weekStart } = rule;
  const startDay = Math.floor(startWallMs / MS_PER_DAY);
  const startMinute = Math.floor((startWallMs - startDay * MS_PER_DAY) / 60_000);
  const hours = rule.byHour ?? [Math.floor(startMinute / 60)];
  const minutes = rule.byMinute ?? [startMinute % 60];
  const weekdays = rule.byDay?.map((entry) => entry.weekday) ?? [weekdayOf(startDay)];
  const step = frequency === "WEEKLY" ? interval * 7 : interval;
  const times = hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * 60_000));
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
    setPositions: rule.bySetPos,
    weekStart,
    weekOffsets,
    limited,
    days: new YearDays(rule, startDay),
    strideMs: even ? step * MS_PER_DAY : 0,
  };
}

/** Walks the wall clocks of a pattern within `[fromWallMs, toWallMs]`, upwards, going straight to the first. */
class RuleWalk {
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

  /** The wall clock that follows after `count` others, or Infinity. Whole periods are counted at once. */
  skip(count: number): number {
    if (this.#pattern.strideMs > 0) {
      this.#evenWallMs += count * this.#pattern.strideMs;
      return this.next();
    }
    let left = count;
    while (left >= this.#size - this.#index) {
      left -= this.#size - this.#index;
      if (!this.#load()) return Number.POSITIVE_INFINITY;
    }
    this.#index += left;
    return this.next();
  }

  /** Loads the next period that has wall clocks within the walk; false when the walk is over. */
  #load(): boolean {
    const { frequency, step, times, setPositions } = this.#pattern;
    for (;;) {
      const unit = this.#unit;
      if (firstDayOf(frequency, unit) * MS_PER_DAY > this.#toWallMs) return false;
      this.#unit = unit + step;
      this.#days.length = 0;
      this.#collectDays(unit);
      this.#size = this.#days.length * times.length;
      if (setPositions) {
        this.#chosen = choosePlaces(setPositions, this.#size);
        this.#size = this.#chosen.length;
      }
      this.#index = this.#firstIndex();
      if (this.#index < this.#size) return true;
    }
  }

  /** Past what the first period has before the walk begins; every later period begins at 0. */
  #firstIndex(): number {
    if (this.#size === 0 || this.#wallAt(0) >= this.#fromWallMs) return 0;
    let low = 1;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#wallAt(middle) < this.#fromWallMs) low = middle + 1;
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

/** BYSETPOS counts through the whole period, also through what lies before the start. */
function choosePlaces(positions: readonly number[], size: number): readonly number[] {
  const places = positions.map((position) => (position > 0 ? position - 1 : size + position));
  return [...new Set(places)].filter((place) => place >= 0 && place < size).sort((a, b) => a - b);
}

/**
 * The days that BYMONTH, BYMONTHDAY and BYDAY leave, or those that the start implies. They depend on nothing but
 * whether a year is a leap year and on which weekday it begins: 14 kinds of year, each worked out when first met
 * as 12 sets of days, the bit `1 << day` standing for a day of the month.
 */
class YearDays {
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

/** The index of the first value of an ascending list that is not below `least`, or its length. */
function firstAtOrAfter(sorted: readonly number[], least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
