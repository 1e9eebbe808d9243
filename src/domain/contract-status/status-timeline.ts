import { afterDays, calendarDateOf, MS_PER_DAY } from "../../core/dates.ts";
import { dayStart, instantToWall, type Zone } from "../recurrence/zones.ts";
import type { ContractStatus } from "./values.ts";

/**
 * The status of a contract changes by itself when its days come. It is stored, together with the instant of its next
 * change, and brought up to date before anybody looks (due-changes.ts). What it is on a day follows from its dates alone;
 * the instants are the beginnings of days in the organization's timezone.
 */
export interface StatusTimeline {
  readonly status: ContractStatus;
  /** The inclusive last day. */
  readonly endDate?: string | undefined;
  readonly cancelledAt?: string | undefined;
  readonly pauses: readonly Pause[];
}

export interface Pause {
  readonly id: string;
  readonly firstDay: string;
  /** Inclusive; absent while it is open. */
  readonly lastDay?: string | undefined;
  /** Whether its days are added to the term: at once, or for an open one when it ends. */
  readonly extendsTerm: boolean;
}

/** The status on a day. What is over stays so for good. */
export function statusOn(timeline: StatusTimeline, day: string): ContractStatus {
  return isOver(timeline.status) ? timeline.status : statusByDates(timeline, day);
}

export function isOver(status: ContractStatus): status is "cancelled" | "expired" {
  return status === "cancelled" || status === "expired";
}

/** The status that the dates give a contract on a day, as if nothing had been decided before. */
export function statusByDates(
  { endDate, cancelledAt, pauses }: Omit<StatusTimeline, "status">,
  day: string,
): ContractStatus {
  if (isEndUnknown(pauses, day)) return "paused";
  if (endDate !== undefined && endDate < day) return cancelledAt === undefined ? "expired" : "cancelled";
  return pauses.some((pause) => covers(pause, day)) ? "paused" : "active";
}

/** Whether an open pause that extends the term has begun: until it ends, nobody can say when the term does. */
export function isEndUnknown(pauses: readonly Pause[], day: string): boolean {
  return pauses.some(
    ({ firstDay, lastDay, extendsTerm }) => extendsTerm && lastDay === undefined && firstDay <= day,
  );
}

function covers({ firstDay, lastDay }: Pause, day: string): boolean {
  return firstDay <= day && (lastDay === undefined || day <= lastDay);
}

/**
 * As `statusOn`, for a contract that somebody writes to. One that was imported as paused, without saying since when, has
 * nothing in its dates that could end the pause: it stays paused until somebody ends it or its term is over.
 */
export function statusKept(timeline: StatusTimeline, day: string): ContractStatus {
  const status = statusOn(timeline, day);
  return isPausedByImport(timeline) && status === "active" ? "paused" : status;
}

export function isPausedByImport({ status, pauses }: StatusTimeline): boolean {
  return status === "paused" && pauses.length === 0;
}

/** The days on which the status may change, in order. */
function changeDays({ endDate, pauses }: Pick<StatusTimeline, "endDate" | "pauses">): string[] {
  const days = new Set<string>();
  const addDayAfter = (day: string | undefined) => {
    const next = day === undefined ? undefined : afterDays(day, 1);
    if (next !== undefined) days.add(next);
  };
  addDayAfter(endDate);
  for (const { firstDay, lastDay } of pauses) {
    days.add(firstDay);
    addDayAfter(lastDay);
  }
  return [...days].sort();
}

/** The earliest instant after now at which the status may change; absent if it never will by itself. */
export function nextChangeAt(timeline: StatusTimeline, zone: Zone, now: number): number | undefined {
  if (isOver(timeline.status)) return undefined;
  const today = calendarDateOf(instantToWall(zone, now));
  const { endDate, ...endless } = timeline;
  const days = changeDays(isEndUnknown(timeline.pauses, today) ? endless : timeline);
  return days.map((day) => dayStart(zone, day)).find((instant) => instant > now);
}

/** A contract after the changes that were due. */
export interface AdvancedTimeline {
  readonly status: ContractStatus;
  /** When the status changed last; absent if it is the one it was. */
  readonly changedAt?: number | undefined;
  readonly nextChangeAt?: number | undefined;
}

/**
 * Carries out the changes from one instant to another, both included, one after the other: the result is the same
 * whether or not anybody asked in between.
 *
 * Paused from 12-01 to 12-05, asked for on 12-09: `active` as before, changed last at the beginning of 12-06.
 */
export function advanceTimeline(
  timeline: StatusTimeline,
  zone: Zone,
  from: number,
  now: number,
): AdvancedTimeline {
  let { status } = timeline;
  let changedAt: number | undefined;
  for (const day of changeDays(timeline)) {
    const instant = dayStart(zone, day);
    if (instant > now) break;
    if (instant < from) continue;
    const next = statusOn({ ...timeline, status }, day);
    if (next === status) continue;
    status = next;
    changedAt = instant;
  }
  return { status, changedAt, nextChangeAt: nextChangeAt({ ...timeline, status }, zone, now) };
}

/** No two zones, and no two readings of one zone, are further apart. */
const FURTHEST_MS = 2 * MS_PER_DAY;

/**
 * Settles by other clocks than those that the next change was computed by: the organization has another timezone, or
 * the time-zone data is newer. Days that were still to come and have begun by the new clocks are carried out now; days
 * that had passed by the old ones are not looked at again.
 */
export function advanceByOtherClocks(
  timeline: StatusTimeline,
  zone: Zone,
  expectedAt: number | undefined,
  now: number,
): AdvancedTimeline {
  if (expectedAt === undefined)
    return { status: timeline.status, nextChangeAt: nextChangeAt(timeline, zone, now) };
  const distance = (instant: number) => Math.abs(instant - expectedAt);
  const nearest = changeDays(timeline)
    .map((day) => dayStart(zone, day))
    .reduce(
      (best, instant) => (distance(instant) < distance(best) ? instant : best),
      Number.POSITIVE_INFINITY,
    );
  const advanced = advanceTimeline(
    timeline,
    zone,
    distance(nearest) <= FURTHEST_MS ? nearest : expectedAt,
    now,
  );
  return { ...advanced, changedAt: advanced.changedAt === undefined ? undefined : now };
}
