import { formatWallClock, MS_PER_DAY, parseWallClock } from "../../core/dates.ts";
import type { Fault } from "../../core/errors.ts";
import { type CompiledSchedule, compileSchedule, findStartFault, lastSlotWall } from "./expand.ts";
import { parseRule, type Rule } from "./rule.ts";
import { wallBounds, type Zone, zoneOfLocation } from "./zones.ts";

/** When a schedule takes place, as it is stored and exchanged. Wall clocks are texts: `2026-01-05T07:00`. */
export interface ScheduleTexts {
  readonly start: string;
  readonly rrule?: string | undefined;
  readonly exdates?: readonly string[] | undefined;
  readonly rdates?: readonly string[] | undefined;
}

/** What is worked out once, when a schedule is stored; wall clocks. */
export interface ScheduleSpan {
  /** There is no slot before it. */
  readonly firstSlot: string;
  /** There is no slot after it; absent for a schedule without end. */
  readonly lastSlot?: string;
  /** The slot with which the rule's COUNT ends. */
  readonly countedSlot?: string;
}

/** The span of a schedule, or every fault that keeps it from being stored. */
export function planSchedule(texts: ScheduleTexts, zone: Zone): { span?: ScheduleSpan; faults: Fault[] } {
  const faults: Fault[] = [];
  const startMs = readWall(texts.start, "start", faults);
  (texts.exdates ?? []).forEach((text, i) => {
    readWall(text, `exdates[${i}]`, faults);
  });
  const extras = (texts.rdates ?? []).map((text, i) => readWall(text, `rdates[${i}]`, faults));
  const rule = texts.rrule === undefined ? undefined : parseRule(texts.rrule, "rrule", faults);
  if (rule && startMs !== undefined && faults.length === 0) {
    const fault = findStartFault(startMs, rule, zone);
    if (fault) faults.push({ location: "rrule", code: fault });
  }
  if (startMs === undefined || faults.length > 0) return { faults };
  const countedMs = rule && lastSlotWall(startMs, rule);
  if (countedMs === Number.POSITIVE_INFINITY) {
    faults.push({ location: "rrule", code: "rule_count_too_far" });
    return { faults };
  }
  const lastMs = Math.max(rule ? (countedMs ?? untilMs(rule, zone)) : startMs, ...definedOf(extras));
  return {
    faults,
    span: {
      firstSlot: formatWallClock(Math.min(startMs, ...definedOf(extras))),
      ...(lastMs < NO_END_MS && { lastSlot: formatWallClock(lastMs) }),
      ...(countedMs !== undefined && { countedSlot: formatWallClock(countedMs) }),
    },
  };
}

/** A stored schedule made ready to be expanded. */
export function compileTexts(
  texts: ScheduleTexts & { readonly countedSlot?: string | undefined },
  timezone: string,
): CompiledSchedule {
  const zone = zoneOfLocation(timezone);
  const faults: Fault[] = [];
  const wall = (text: string): number => readWall(text, "", faults) ?? Number.NaN;
  const compiled = compileSchedule({
    startWallMs: wall(texts.start),
    rule: texts.rrule === undefined ? undefined : parseRule(texts.rrule, "", faults),
    exceptionWallsMs: (texts.exdates ?? []).map(wall),
    extraWallsMs: (texts.rdates ?? []).map(wall),
    zone,
    lastSlotWallMs: texts.countedSlot === undefined ? undefined : wall(texts.countedSlot),
  });
  if (faults.length > 0) throw new Error("a stored schedule has a rule or wall clock that cannot be read");
  return compiled;
}

/** Wall clocks are written with years of four digits; what ends after them has no end. */
const NO_END_MS = Date.UTC(9999, 11, 31);

/** A wall clock at or after the last slot that UNTIL leaves. */
function untilMs(rule: Rule, zone: Zone): number {
  if (rule.untilDay !== undefined) return (rule.untilDay + 1) * MS_PER_DAY;
  if (rule.untilMs === undefined) return Number.POSITIVE_INFINITY;
  // A day more: the zone's rules may change after the schedule was stored.
  return Math.ceil(wallBounds(zone, rule.untilMs, rule.untilMs + 1).highMs / MS_PER_DAY + 1) * MS_PER_DAY;
}

function readWall(text: string, location: string, faults: Fault[]): number | undefined {
  const wallMs = parseWallClock(text);
  if (wallMs === undefined) faults.push({ location, code: "local_date_time_invalid" });
  return wallMs;
}

function definedOf(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}
