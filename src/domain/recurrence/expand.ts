import { MS_PER_DAY } from "../../core/dates.ts";
import { Effort } from "../../core/effort.ts";
import { MAX_COUNTED_PERIODS } from "../../core/limits.ts";
import type { Rule } from "./rule.ts";
import { compilePattern, HORIZON_MS, type Pattern, RuleWalk } from "./rule-walk.ts";
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

/** The slots of a window one after the other, each worked out when it is asked for. */
export function* eachSlot(schedule: CompiledSchedule, fromMs: number, toMs: number): Generator<Slot> {
  const cursor = openSlots(schedule, fromMs, toMs);
  while (cursor.next()) {
    const { instantMs, wallMs, twinWallMs } = cursor;
    yield twinWallMs === undefined ? { instantMs, wallMs } : { instantMs, wallMs, twinWallMs };
  }
}

/** The slots of a few days as a list: a schedule may have one each minute. */
export function listSlots(schedule: CompiledSchedule, fromMs: number, toMs: number): Slot[] {
  return [...eachSlot(schedule, fromMs, toMs)];
}

/**
 * The wall clock of a rule's COUNT-th slot, or undefined if it has no COUNT. Slots in a gap and slots that an
 * exception date removes are counted. Worked out once, when a schedule is stored: a read then needs no counting
 * from the start. A rule that runs past the year 9999 first gives the end of that year, one whose COUNT is too far away
 * to be counted Infinity.
 */
export function lastSlotWall(startWallMs: number, rule: Rule): number | undefined {
  if (rule.count === undefined) return undefined;
  const walk = new RuleWalk(compilePattern(startWallMs, rule), startWallMs, HORIZON_MS);
  const effort = new Effort(MAX_COUNTED_PERIODS, () => new Error("a rule is not counted so far"));
  const wallMs = walk.skip(rule.count - 1, effort);
  return wallMs === undefined ? Number.POSITIVE_INFINITY : Math.min(wallMs, HORIZON_MS);
}

type StartFault = "rule_start_excluded" | "rule_ends_before_start";

/** Why a start does not fit its rule; undefined if it does. */
export function findStartFault(startWallMs: number, rule: Rule, zone: Zone): StartFault | undefined {
  const walk = new RuleWalk(compilePattern(startWallMs, rule), startWallMs, startWallMs);
  if (walk.next() !== startWallMs) return "rule_start_excluded";
  const pastDay = rule.untilDay !== undefined && Math.floor(startWallMs / MS_PER_DAY) > rule.untilDay;
  const pastInstant = rule.untilMs !== undefined && wallToInstant(zone, startWallMs) > rule.untilMs;
  return pastDay || pastInstant ? "rule_ends_before_start" : undefined;
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

/**
 * A wall clock after which UNTIL leaves nothing, so that a schedule which ended long ago costs nothing to read.
 * As an instant UNTIL is still compared with each slot's own: around a change of offset the orders differ.
 */
function untilWall({ untilDay, untilMs }: Rule, zone: Zone): number {
  if (untilDay !== undefined) return (untilDay + 1) * MS_PER_DAY - 1;
  return untilMs === undefined ? HORIZON_MS : wallBounds(zone, untilMs, untilMs + 1).highMs;
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
