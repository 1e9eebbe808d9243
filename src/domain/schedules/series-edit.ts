import { parseWallClock } from "../../core/dates.ts";
import { refusal } from "../../core/errors.ts";
import type { Fault } from "../../core/faults.ts";
import type { Slot } from "../recurrence/expand.ts";
import { planSchedule, type ScheduleSpan } from "../recurrence/schedule.ts";
import {
  cutBefore,
  endSeries,
  hasSlotBefore,
  type OpenSeries,
  type SessionSeries,
} from "../recurrence/series.ts";
import { findSlot, findSlotAfter } from "../recurrence/slot-names.ts";
import type { Zone } from "../recurrence/zones.ts";
import { carrySessions, type SeriesSession, type SessionOutcomes } from "./carried-sessions.ts";
import { draftSeries, isSameContent, type SeriesChanges, type SeriesEdit } from "./series-draft.ts";

/**
 * What becomes of a series that is changed from a slot on: a plan of writes. Nothing before that slot is touched; what
 * stood for a slot stands for the one that takes its place.
 */

export interface PlannedSeries {
  readonly series: SessionSeries;
  readonly span: ScheduleSpan;
}

/** What is written. */
export interface SeriesPlan extends SessionOutcomes {
  /** The series as it ends, if another one takes over; absent if it is edited in place. */
  readonly ended?: PlannedSeries;
  readonly edited: PlannedSeries;
}

/** The slot from which on a series is changed: the one that is named, or the next. It must not have begun. */
export function chooseFrom({ compiled }: OpenSeries, named: string | undefined, now: number): Slot {
  if (named === undefined) {
    const next = findSlotAfter(compiled, now);
    if (!next) throw refusal("schedule_over");
    return next;
  }
  const wallMs = parseWallClock(named);
  const slot = wallMs === undefined ? undefined : findSlot(compiled, wallMs);
  if (!slot) throw refusal("no_slot");
  if (slot.instantMs <= now) throw refusal("session_begun");
  return slot;
}

/** The plan, or what is wrong with the changes; undefined if they change nothing. */
export function editSeries(
  before: OpenSeries,
  sessions: readonly SeriesSession[],
  edit: SeriesEdit,
): SeriesPlan | { readonly faults: readonly Fault[] } | undefined {
  const draft = draftSeries(before, edit);
  if ("faults" in draft) return draft;
  const { series, hasOtherTimes } = draft;
  const isInPlace = !hasSlotBefore(before, edit.from.instantMs);
  if (!hasOtherTimes && isSameContent(before.series, edit.changes)) return undefined;
  const edited = plannedOf(series, edit.zoneOf(series.locationId), edit.changes);
  if ("faults" in edited) return edited;
  const carrying = carrySessions(before, edited.series, sessions, edit, isInPlace);
  if (isInPlace) return { edited, ...carrying };
  const ended = plannedOf(endSeries(before, cutBefore(edit.from.instantMs)), before.zone, {});
  if ("faults" in ended) throw new Error("a series that ends earlier has faults");
  return { ended, edited, ...carrying };
}

function plannedOf(
  series: SessionSeries,
  zone: Zone,
  { rrule }: SeriesChanges,
): PlannedSeries | { readonly faults: readonly Fault[] } {
  const { span, faults } = planSchedule(series, zone);
  if (span) return { series, span };
  // A start that does not fit the rule is at fault if the rule stays.
  const place = (location: string) => (location === "rrule" && rrule === undefined ? "start" : location);
  return { faults: faults.map((fault) => ({ ...fault, location: place(fault.location) })) };
}
