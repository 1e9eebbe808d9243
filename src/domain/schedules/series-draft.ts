import { dateOfWallClock, formatWallClock, MS_PER_DAY, parseWallClock } from "../../core/dates.ts";
import { Effort } from "../../core/effort.ts";
import { invalid } from "../../core/errors.ts";
import type { Fault } from "../../core/faults.ts";
import { type CompiledSchedule, eachSlot, listSlots, type Slot } from "../recurrence/expand.ts";
import { withEnd } from "../recurrence/rule.ts";
import { planSchedule } from "../recurrence/schedule.ts";
import {
  countBefore,
  hasSlotBefore,
  isEqualList,
  isNameOf,
  type OpenSeries,
  onceADate,
  openSeries,
  type SessionSeries,
  slotsOn,
  textOfSlot,
  uniqueSorted,
  untilAt,
  walkRule,
  wallOf,
} from "../recurrence/series.ts";
import { wallToInstant, type Zone } from "../recurrence/zones.ts";

/** What a series becomes from a slot on, by what is changed: its rule, its dates and its content. */

/** Members that are left out stay; null takes away. */
export interface SeriesChanges {
  readonly serviceTypeId?: string | undefined;
  readonly locationId?: string | undefined;
  readonly resourceIds?: readonly string[] | null | undefined;
  /** The new wall clock of the slot from which on the series changes. */
  readonly start?: string | undefined;
  readonly durationMinutes?: number | undefined;
  readonly rrule?: string | null | undefined;
  readonly exdates?: readonly string[] | null | undefined;
  readonly rdates?: readonly string[] | null | undefined;
  readonly capacity?: number | undefined;
}

export interface SeriesEdit {
  readonly from: Slot;
  readonly changes: SeriesChanges;
  /** What becomes of booked sessions that no slot is left for; undefined: that has not been decided. */
  readonly booked?: "keep" | "cancel" | undefined;
  readonly now: number;
  /** The zones of locations: of the series before and after, and of its sessions. */
  readonly zoneOf: (locationId: string) => Zone;
}

interface DraftSeries {
  /** From the slot on. */
  readonly series: SessionSeries;
  /** Whether its slots are others than before. */
  readonly hasOtherTimes: boolean;
}

/** The series from the slot on, or what is wrong with the changes. */
export function draftSeries(
  before: OpenSeries,
  edit: SeriesEdit,
): DraftSeries | { readonly faults: Fault[] } {
  const { series, zone } = before;
  const { from, changes, now, zoneOf } = edit;
  const { rrule: oldRule, ...rest } = series;
  const content = {
    ...rest,
    serviceTypeId: changes.serviceTypeId ?? series.serviceTypeId,
    locationId: changes.locationId ?? series.locationId,
    resourceIds:
      changes.resourceIds === undefined ? series.resourceIds : uniqueSorted(changes.resourceIds ?? []),
    durationMinutes: changes.durationMinutes ?? series.durationMinutes,
    capacity: changes.capacity ?? series.capacity,
  };
  const isStartNew = changes.start !== undefined && changes.start !== formatWallClock(from.wallMs);
  const isRuleNew = changes.rrule !== undefined && (changes.rrule ?? undefined) !== oldRule;
  const hasOtherPattern = isStartNew || isRuleNew;
  const faults: Fault[] = [];
  const given = {
    exdates: givenDates(before, edit, "exdates", faults),
    rdates: givenDates(before, edit, "rdates", faults),
  };
  const isInPlace = !hasSlotBefore(before, from.instantMs);
  const drafted =
    isInPlace && !hasOtherPattern
      ? { ...content, ...(oldRule !== undefined && { rrule: oldRule }) }
      : continued(before, edit, content, isRuleNew, given);
  const startMs = parseWallClock(changes.start ?? "");
  const newZone = zoneOf(content.locationId);
  const beginsAt = wallToInstant(newZone, hasOtherPattern ? (startMs ?? from.wallMs) : from.wallMs);
  if (beginsAt <= now) {
    const location = changes.start === undefined && newZone !== zone ? "locationId" : "start";
    faults.push({ location, code: "in_the_past" });
  }
  if (changes.start !== undefined && startMs === undefined)
    faults.push({ location: "start", code: "local_date_time_invalid" });
  if (faults.length > 0) return { faults };
  const dates = {
    ...(given.exdates && { exdates: given.exdates }),
    ...(given.rdates && { rdates: given.rdates }),
  };
  const ending = isRuleNew ? {} : sameEnd(before, drafted, newZone);
  return { series: { ...drafted, ...ending, ...dates }, hasOtherTimes: hasOtherPattern };
}

/** The series as it goes on from the slot: with the rest of COUNT or the same UNTIL, and the dates of its side. */
function continued(
  before: OpenSeries,
  { from, changes }: SeriesEdit,
  content: Omit<SessionSeries, "rrule">,
  isRuleNew: boolean,
  given: { readonly rdates?: readonly string[] | undefined },
): SessionSeries {
  const { series, zone, rule } = before;
  const fromText = formatWallClock(from.wallMs);
  const nextOfRule = walkRule(before, from.wallMs)?.next() ?? Number.POSITIVE_INFINITY;
  const goesOn = rule !== undefined && nextOfRule < Number.POSITIVE_INFINITY;
  const rrule = isRuleNew ? (changes.rrule ?? undefined) : goesOn ? restOf(before, nextOfRule) : undefined;
  // A slot on an extra date has no rule of its own: the rule goes on with its next date.
  const start = changes.start ?? (isRuleNew || !goesOn ? fromText : formatWallClock(nextOfRule));
  const isAhead = (text: string) => wallToInstant(zone, wallOf(text)) >= from.instantMs;
  const isReplaced = (text: string) => text === start || (changes.start !== undefined && text === fromText);
  const rdates = series.rdates.filter((text) => isAhead(text) && !isReplaced(text));
  const exdates = series.exdates.filter(isAhead);
  const next: SessionSeries = { ...content, start, ...(rrule !== undefined && { rrule }), rdates, exdates };
  const isSamePattern = !isRuleNew && (changes.start === undefined || changes.start === fromText);
  if (isSamePattern) return given.rdates ? next : correctedAtGap(before, next, from);
  return { ...next, exdates: moveExceptions(before, next, from) };
}

/** A rule that ends with its COUNT goes on with what is left of it. */
function restOf(before: OpenSeries, fromWallMs: number): string {
  const { series, rule } = before;
  const text = series.rrule ?? "";
  return rule?.count === undefined
    ? text
    : withEnd(text, `COUNT=${rule.count - countBefore(before, fromWallMs)}`);
}

/**
 * UNTIL as an instant names the last slot by its time, so at another time of day the rule would lose its last slot, or gain
 * one. It goes on to the same slot of the same date instead.
 *
 * Mondays at 07:00 in São Paulo, UNTIL=20261214T100000Z, now at 07:30: UNTIL=20261214T103000Z.
 */
function sameEnd(before: OpenSeries, next: SessionSeries, zone: Zone): Pick<SessionSeries, "rrule"> {
  const { rrule } = next;
  const last = before.rule?.untilMs === undefined ? undefined : lastOfRule(before);
  if (rrule === undefined || !last || !planSchedule(next, zone).span) return {};
  const date = dateOfWallClock(textOfSlot(last));
  const place = slotsOn(ruleAlone(before), date).findIndex(({ instantMs }) => instantMs === last.instantMs);
  const ofDate = slotsOn(ruleAlone(openSeries({ ...next, rrule: endless(rrule) }, zone)), date);
  const target = ofDate[place] ?? ofDate.at(-1);
  // On other days of the week than before, the same instant is as good an end as any.
  if (!target || lastOfRule(openSeries(next, zone))?.instantMs === target.instantMs) return {};
  return { rrule: withEnd(rrule, untilAt(target.instantMs)) };
}

/** A rule that ends with an instant without that end. */
function endless(rrule: string): string {
  return /UNTIL=\d{8}T/i.test(rrule) ? withEnd(rrule, "UNTIL=99991231T235959Z") : rrule;
}

function ruleAlone({ unexcepted }: OpenSeries): CompiledSchedule {
  return { ...unexcepted, extras: [] };
}

/** The last slot of a rule that ends with an instant, whatever the exceptions. */
function lastOfRule(series: OpenSeries): Slot | undefined {
  const untilMs = series.rule?.untilMs ?? 0;
  // Looked for from the end, because a rule may have begun long ago.
  for (let days = 7; ; days *= 8) {
    const fromMs = untilMs - days * MS_PER_DAY;
    let last: Slot | undefined;
    for (const slot of eachSlot(ruleAlone(series), fromMs, untilMs + 1)) last = slot;
    if (last || fromMs < series.startMs - MS_PER_DAY) return last;
  }
}

/**
 * In a gap the order of clocks is not that of instants: 02:30 comes after 03:00 there. A series that is cut in between
 * begins with a clock, while what belongs to it is decided by instants; so what differs is added or taken out by date.
 */
function correctedAtGap(before: OpenSeries, next: SessionSeries, { instantMs }: Slot): SessionSeries {
  const list = ({ compiled }: OpenSeries, fromMs: number) =>
    listSlots(compiled, fromMs, instantMs + 2 * MS_PER_DAY);
  const expected = list(before, instantMs);
  const found = list(openSeries(next, before.zone), instantMs - 2 * MS_PER_DAY);
  const notIn = (slots: readonly Slot[]) => {
    const instants = new Set(slots.map((slot) => slot.instantMs));
    return (slot: Slot) => !instants.has(slot.instantMs);
  };
  const missing = expected.filter(notIn(found)).map(textOfSlot);
  const surplus = found.filter(notIn(expected)).map(textOfSlot);
  if (missing.length + surplus.length === 0) return next;
  return {
    ...next,
    rdates: uniqueSorted([...next.rdates, ...missing]),
    exdates: uniqueSorted([...next.exdates, ...surplus]),
  };
}

/** The slots of days with exception dates that are looked at in one edit: it takes some ten milliseconds. */
const MOST_MOVED_SLOTS = 10_000;

/** Exception dates move with their slots: the k-th of a date is the k-th of that date afterwards. */
function moveExceptions(before: OpenSeries, next: SessionSeries, from: Slot): string[] {
  // Without a check: what is wrong with the series is found afterwards.
  const { span } = planSchedule({ ...next, exdates: [] }, before.zone);
  if (!span || next.exdates.length === 0) return [];
  const after = openSeries(
    { ...next, ...(next.rrule && { rrule: endless(next.rrule) }), exdates: [] },
    before.zone,
  );
  const effort = new Effort(MOST_MOVED_SLOTS, () =>
    invalid([{ location: "body.changes.exdates", code: "too_many_to_move" }]),
  );
  const slotsOf = (schedule: CompiledSchedule) =>
    onceADate((date) => {
      const slots = slotsOn(schedule, date);
      effort.spend(2 + slots.length);
      return slots;
    });
  const [oldSlots, newSlots] = [slotsOf(before.unexcepted), slotsOf(after.compiled)];
  const moved = next.exdates.flatMap((text) => {
    const date = dateOfWallClock(text);
    const old = oldSlots(date).filter(({ instantMs }) => instantMs >= from.instantMs);
    const place = old.findIndex((slot) => isNameOf(slot, wallOf(text)));
    const slot = place < 0 ? undefined : newSlots(date)[place];
    return slot ? [textOfSlot(slot)] : [];
  });
  return uniqueSorted(moved);
}

/**
 * Dates that were given, for the series from the slot on. Those before it are let through if they were there already: who
 * adds one sends the whole list.
 */
function givenDates(
  { series, zone }: OpenSeries,
  { from, changes, zoneOf }: SeriesEdit,
  member: "exdates" | "rdates",
  faults: Fault[],
): string[] | undefined {
  const dates = changes[member];
  if (dates === undefined) return undefined;
  const newZone = changes.locationId === undefined ? zone : zoneOf(changes.locationId);
  const beginMs = Math.min(
    from.instantMs,
    wallToInstant(newZone, parseWallClock(changes.start ?? "") ?? from.wallMs),
  );
  const kept: string[] = [];
  for (const [index, text] of (dates ?? []).entries()) {
    const wallMs = parseWallClock(text);
    const location = `${member}[${index}]`;
    if (wallMs === undefined) faults.push({ location, code: "local_date_time_invalid" });
    else if (wallToInstant(newZone, wallMs) >= beginMs) kept.push(text);
    else if (!series[member].includes(text))
      faults.push({ location, code: "before_member", params: { member: "from" } });
  }
  return uniqueSorted(kept);
}

/** Whether the changes leave everything but start and rule as it is. */
export function isSameContent(series: SessionSeries, changes: SeriesChanges): boolean {
  const isSame = <Value>(value: Value | null | undefined, old: Value) => value === undefined || value === old;
  const isSameList = (list: readonly string[] | null | undefined, old: readonly string[]) =>
    list === undefined || isEqualList(uniqueSorted(list ?? []), uniqueSorted(old));
  return (
    isSame(changes.serviceTypeId, series.serviceTypeId) &&
    isSame(changes.locationId, series.locationId) &&
    isSame(changes.durationMinutes, series.durationMinutes) &&
    isSame(changes.capacity, series.capacity) &&
    isSameList(changes.resourceIds, series.resourceIds) &&
    isSameList(changes.exdates, series.exdates) &&
    isSameList(changes.rdates, series.rdates)
  );
}
