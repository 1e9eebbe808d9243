import { calendarDateOf, dayNumber, formatWallClock, MS_PER_DAY, parseWallClock } from "../../core/dates.ts";
import type { Fault } from "../../core/faults.ts";
import {
  type CompiledSchedule,
  compileSchedule,
  lastSlotWall,
  listSlots,
  openSlots,
  type Slot,
} from "./expand.ts";
import { parseRule, type Rule, withEnd } from "./rule.ts";
import { compilePattern, HORIZON_MS, RuleWalk } from "./rule-walk.ts";
import { dayStart, wallToInstant, type Zone } from "./zones.ts";

/** What a schedule says: when its sessions take place, where, how long, with whom and for how many. */
export interface SessionSeries {
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly resourceIds: readonly string[];
  readonly start: string;
  readonly durationMinutes: number;
  readonly rrule?: string | undefined;
  readonly exdates: readonly string[];
  readonly rdates: readonly string[];
  readonly capacity: number;
}

/** A series made ready to be asked for its slots. */
export interface OpenSeries {
  readonly series: SessionSeries;
  readonly zone: Zone;
  readonly startMs: number;
  readonly rule: Rule | undefined;
  readonly compiled: CompiledSchedule;
  /** The same without exception dates. */
  readonly unexcepted: CompiledSchedule;
}

/** The series must have been checked. */
export function openSeries(series: SessionSeries, zone: Zone): OpenSeries {
  const faults: Fault[] = [];
  const rule = series.rrule === undefined ? undefined : parseRule(series.rrule, "", faults);
  const startMs = wallOf(series.start);
  const lastSlotWallMs = rule && lastSlotWall(startMs, rule);
  const times = { startWallMs: startMs, rule, extraWallsMs: series.rdates.map(wallOf), zone, lastSlotWallMs };
  const unexcepted = compileSchedule(times);
  const exceptionWallsMs = series.exdates.map(wallOf);
  const compiled =
    exceptionWallsMs.length === 0 ? unexcepted : compileSchedule({ ...times, exceptionWallsMs });
  if (faults.length > 0) throw new Error("a stored schedule has a rule that cannot be read");
  return { series, zone, startMs, rule, compiled, unexcepted };
}

export function wallOf(text: string): number {
  const wallMs = parseWallClock(text);
  if (wallMs === undefined) throw new Error("a stored wall clock cannot be read");
  return wallMs;
}

/** The slots of a date, in order. */
export function slotsOn(schedule: CompiledSchedule, date: string): Slot[] {
  const midnightMs = wallToInstant(schedule.zone, Date.parse(date));
  // A date may be longer or shorter than a day, and one in a gap is read past it.
  return listSlots(schedule, midnightMs - MS_PER_DAY, midnightMs + 2 * MS_PER_DAY).filter(
    ({ wallMs }) => calendarDateOf(wallMs) === date,
  );
}

/** Works out the slots of a date when it is first asked for: many sessions or dates may be of one. */
export function onceADate(slotsOf: (date: string) => readonly Slot[]): (date: string) => readonly Slot[] {
  const known = new Map<string, readonly Slot[]>();
  return (date) => {
    const slots = known.get(date) ?? slotsOf(date);
    known.set(date, slots);
    return slots;
  };
}

/** Whether the series has a slot before an instant. */
export function hasSlotBefore({ compiled, startMs }: OpenSeries, instantMs: number): boolean {
  const firstWallMs = Math.min(startMs, compiled.extras[0] ?? startMs);
  return openSlots(compiled, firstWallMs - 3 * MS_PER_DAY, instantMs).next();
}

/** The local date-times of the rule from a wall clock on, whatever the exceptions. */
export function walkRule({ startMs, rule, compiled }: OpenSeries, fromWallMs: number): RuleWalk | undefined {
  if (!rule) return undefined;
  return new RuleWalk(compilePattern(startMs, rule), fromWallMs, Math.min(compiled.lastWallMs, HORIZON_MS));
}

/** How many local date-times the rule has before a wall clock. */
export function countBefore({ startMs, rule, compiled }: OpenSeries, wallMs: number): number {
  if (!rule) return 0;
  const lastMs = Math.min(compiled.lastWallMs, HORIZON_MS, wallMs - 1);
  return new RuleWalk(compilePattern(startMs, rule), startMs, lastMs).count();
}

/** Where a series is cut: what is kept lies before the instant, and the rule says so by its UNTIL. */
interface Cut {
  readonly instantMs: number;
  readonly until: string;
}

/** Just before a slot: the rule ends one second earlier. */
export function cutBefore(instantMs: number): Cut {
  return { instantMs, until: untilAt(instantMs - 1000) };
}

/** The part of a rule that ends it with an instant. */
export function untilAt(instantMs: number): string {
  return `UNTIL=${new Date(instantMs).toISOString().replace(/[-:]|\.\d+/g, "")}`;
}

/** After a date at the location. */
export function cutAfter(zone: Zone, lastDay: string): Cut {
  const [year, month, day] = lastDay.split("-").map(Number);
  const next = calendarDateOf((dayNumber(year ?? 0, month ?? 0, day ?? 0) + 1) * MS_PER_DAY);
  return { instantMs: dayStart(zone, next), until: `UNTIL=${lastDay.replaceAll("-", "")}` };
}

/** The series with the slots before the cut and no others. At least one of them must be. */
export function endSeries(open: OpenSeries, { instantMs, until }: Cut): SessionSeries {
  const { series, zone, startMs, rule, unexcepted } = open;
  const isKept = (text: string) => wallToInstant(zone, wallOf(text)) < instantMs;
  const [exdates, rdates] = [series.exdates.filter(isKept), series.rdates.filter(isKept)];
  if (wallToInstant(zone, startMs) >= instantMs) {
    // Neither the start nor anything of the rule is left, only dates that were added before it.
    const { rrule: _, ...rest } = series;
    const [start = series.start, ...later] = [...rdates].sort();
    return { ...rest, start, exdates, rdates: later };
  }
  if (!rule) return { ...series, exdates, rdates };
  const ruleAlone: CompiledSchedule = { ...unexcepted, extras: [] };
  const goesOn = openSlots(ruleAlone, instantMs, HORIZON_MS + MS_PER_DAY).next();
  return { ...series, ...(goesOn && { rrule: withEnd(series.rrule ?? "", until) }), exdates, rdates };
}

export function textOfSlot({ wallMs }: Slot): string {
  return formatWallClock(wallMs);
}

/** Whether a wall clock is a name of the slot. */
export function isNameOf({ wallMs, twinWallMs }: Slot, named: number): boolean {
  return wallMs === named || twinWallMs === named;
}

/** Each text once, in order. */
export function uniqueSorted(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

export function isEqualList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, place) => text === other[place]);
}
