import { isDeepStrictEqual } from "node:util";
import { type Actor, requireLocation } from "../../core/actor.ts";
import { calendarDateOf, daysAfter, formatWallClock, MS_PER_DAY } from "../../core/dates.ts";
import { type AppError, invalid, refusal, refuseFaults } from "../../core/errors.ts";
import { type Fault, faultsAt } from "../../core/faults.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { NO_CHANGES } from "../../core/written.ts";
import type { Database } from "../../db/database.ts";
import type { EntryContent } from "../audit/queries.ts";
import {
  type LockedSchedule,
  type LockedSessionRow,
  lockComingSessions,
  lockSchedule,
  lockSessionsOf,
} from "../calendar/session-queries.ts";
import { findLocation } from "../locations/queries.ts";
import { openSlots } from "../recurrence/expand.ts";
import { planSchedule } from "../recurrence/schedule.ts";
import {
  cutAfter,
  endSeries,
  type OpenSeries,
  openSeries,
  type SessionSeries,
  uniqueSorted,
} from "../recurrence/series.ts";
import { findSlotAfter } from "../recurrence/slot-names.ts";
import { findZone, wallToInstant, type Zone, zoneOfLocation } from "../recurrence/zones.ts";
import { refuseClaimedSeries } from "../resources/claims.ts";
import { findPlaces } from "../sessions/place-queries.ts";
import { checkPlaces } from "../sessions/places.ts";
import { cancelSessions, refuseBooked } from "../sessions/withdrawing.ts";
import { exclusiveWrite, type OpenWrite, type Outcome } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import type { SeriesSession } from "./carried-sessions.ts";
import { countSessionsOf, findSchedule, insertSchedule, removeSchedule, updateSchedule } from "./queries.ts";
import { checkDecision } from "./rules.ts";
import type {
  AddSchedule,
  DeleteSchedule,
  EditSchedule,
  EndSchedule,
  Schedule,
  SlotQuery,
  Slots,
} from "./schema.ts";
import { chooseFrom, editSeries } from "./series-edit.ts";
import { carryOutEdit } from "./series-writes.ts";
import { previewSlots } from "./slot-preview.ts";

/**
 * What the staff does to schedules. What has begun is never changed: an edit concerns a slot and those after it, and ends
 * the schedule before it if there is any.
 */

/** A new schedule. */
export const addSchedule = exclusiveWrite(
  "addSchedule",
  async (open, input: Static<typeof AddSchedule>): Promise<Outcome<Schedule>> => {
    const { tx, now, actor, organizationId } = open;
    const series = seriesOf(input);
    const { locationId, serviceTypeId, resourceIds } = series;
    const ids = { locationIds: [locationId], serviceTypeIds: [serviceTypeId], resourceIds };
    const places = await findPlaces(tx, organizationId, ids);
    const location = places.locations.get(locationId);
    const zone = location && zoneOfLocation(location.timezone);
    const { span, faults } = zone ? planSchedule(series, zone) : { faults: [] };
    const named = { locationId, serviceTypeId, resourceIds: input.resourceIds };
    refuseFaults(faultsAt("body", [...checkPlaces(named, places), ...faults]));
    if (!zone || !span) throw new Error("a schedule without faults has a span");
    requireLocation(actor, locationId);
    const id = newId(now);
    await insertSchedule(tx, organizationId, { id, series, span });
    const holdsResource = places.serviceTypes.get(serviceTypeId)?.holdsResource ?? false;
    await refuseClaimedSeries(open, { ...series, id, ...openSeries(series, zone), holdsResource });
    return shown(open, id, { subject: id, details: { after: series } });
  },
);

/**
 * Changes a schedule from a slot on, by default the next. If slots lie before it, the schedule ends there and another one
 * takes over. Stored sessions go along with their slots; what was changed by hand stays.
 */
export const editSchedule = exclusiveWrite(
  "editSchedule",
  async (
    open,
    { scheduleId, from, changes, keepBooked = false, cancelBooked = false }: Static<typeof EditSchedule>,
  ): Promise<Outcome<Schedule>> => {
    refuseFaults(checkDecision({ keepBooked, cancelBooked }));
    const { tx, now, actor, organizationId } = open;
    const schedule = await lockKnown(open, actor, scheduleId);
    const wanted = {
      ...changes,
      locationId: changes.locationId?.toLowerCase(),
      serviceTypeId: changes.serviceTypeId?.toLowerCase(),
    };
    const before = openSeries(seriesOf(schedule), zoneOfLocation(schedule.timezone));
    const edit = await placesOf(open, schedule, wanted);
    refuseFaults(edit.faults);
    if (wanted.locationId !== undefined) requireLocation(actor, wanted.locationId);
    if (!schedule.isOffered) throw from === undefined ? refusal("schedule_over") : refusal("no_slot");
    const slot = chooseFrom(before, from, now);
    const fromDay = calendarDateOf(slot.wallMs);
    const stored = await lockSessionsOf(tx, organizationId, schedule.id, fromDay);
    const zones = zonesOf(edit.timezones, stored);
    const plan = editSeries(before, stored.map(toSeriesSession), {
      from: slot,
      changes: wanted,
      booked: keepBooked ? "keep" : cancelBooked ? "cancel" : undefined,
      now,
      zoneOf: zones,
    });
    if (!plan) return shown(open, schedule.id, { subject: schedule.id });
    if ("faults" in plan) throw invalid(faultsAt("body.changes", plan.faults));
    const touched = new Set([...plan.carried, ...plan.undecided].map(({ id }) => id));
    for (const id of [...plan.cancelled, ...plan.detached]) touched.add(id);
    requirePlacesOf(
      actor,
      stored.filter(({ id }) => touched.has(id)),
    );
    refuseBooked(plan.undecided);
    const id = plan.ended ? newId(now) : schedule.id;
    const changed = await carryOutEdit(open, schedule, plan, { id, stored });
    // Another capacity alone asks no more of a resource.
    const { capacity: _, ...others } = wanted;
    if (Object.values(others).some((value) => value !== undefined)) {
      const { series } = plan.edited;
      const { compiled } = openSeries(series, zones(series.locationId));
      await refuseClaimedSeries(open, { ...series, id, compiled, holdsResource: edit.holdsResource });
    }
    const details = {
      from: formatWallClock(slot.wallMs),
      ...(plan.ended && { continuedBy: id }),
      ...differences(before.series, plan.edited.series),
      sessions: changed.sessions,
      kept: plan.kept.length,
    };
    return shown(open, id, { subject: schedule.id, details }, changed);
  },
);

/** What the changes refer to, and what is wrong with that. */
async function placesOf(
  { tx, organizationId }: OpenOrganization,
  schedule: LockedSchedule,
  wanted: {
    readonly locationId?: string | undefined;
    readonly serviceTypeId?: string | undefined;
    readonly resourceIds?: readonly string[] | null | undefined;
  },
) {
  const { locationId = schedule.locationId, serviceTypeId = schedule.serviceTypeId } = wanted;
  const places = await findPlaces(tx, organizationId, {
    locationIds: [locationId, schedule.locationId],
    serviceTypeIds: [serviceTypeId],
    resourceIds: wanted.resourceIds ?? [],
  });
  const isSame = (member: "locationId" | "serviceTypeId") => wanted[member] === schedule[member];
  const named = {
    locationId: isSame("locationId") ? undefined : wanted.locationId,
    serviceTypeId: isSame("serviceTypeId") ? undefined : wanted.serviceTypeId,
    resourceIds: wanted.resourceIds,
  };
  return {
    faults: faultsAt("body.changes", checkPlaces(named, places, schedule.resourceIds)),
    holdsResource: places.serviceTypes.get(serviceTypeId)?.holdsResource ?? false,
    timezones: new Map([...places.locations].map(([id, { timezone }]) => [id, timezone])),
  };
}

/** The zones of the locations that the series and its sessions have or get. */
function zonesOf(
  known: ReadonlyMap<string, string>,
  stored: readonly LockedSessionRow[],
): (locationId: string) => Zone {
  const timezones = new Map([
    ...known,
    ...stored.map(({ locationId, timezone }) => [locationId, timezone] as const),
  ]);
  return (locationId) => zoneOfLocation(timezones.get(locationId) ?? "");
}

function toSeriesSession(session: LockedSessionRow): SeriesSession {
  const { originalStart = "", startAt } = session;
  return { ...session, originalStart, startAt: Date.parse(startAt) };
}

/** Ends a schedule with a day. Sessions after it are cancelled; if people are booked, only when that is said. */
export const endSchedule = exclusiveWrite(
  "endSchedule",
  async (
    open,
    { scheduleId, lastDay, cancelBooked = false }: Static<typeof EndSchedule>,
  ): Promise<Outcome<Schedule>> => {
    const { tx, now, today, actor, organizationId } = open;
    const schedule = await lockKnown(open, actor, scheduleId);
    const before = openSeries(seriesOf(schedule), zoneOfLocation(schedule.timezone));
    const faults: Fault[] = [];
    if (lastDay < today) faults.push({ location: "lastDay", code: "in_the_past" });
    else if (lastDay < firstDayOf(before))
      faults.push({ location: "lastDay", code: "before_member", params: { member: "start" } });
    refuseFaults(faultsAt("body", faults));
    if (!schedule.isOffered || !findSlotAfter(before.compiled, now)) throw refusal("schedule_over");
    const series = endSeries(before, cutAfter(before.zone, lastDay));
    const days = { firstDay: daysAfter(lastDay, 1) };
    const sessions = await lockComingSessions(tx, organizationId, now, { scheduleId: schedule.id }, days);
    requirePlacesOf(actor, sessions);
    if (!cancelBooked) refuseBooked(sessions);
    const isSame = isDeepStrictEqual(series, before.series);
    const { span } = planSchedule(series, before.zone);
    if (!span) throw new Error("a series that ends earlier has faults");
    if (!isSame) await updateSchedule(tx, organizationId, { id: schedule.id, series, span });
    const changes = await cancelSessions(open, sessions);
    const details = { lastDay, ...differences(before.series, series), sessions: sessions.length };
    return shown(open, schedule.id, { subject: schedule.id, details }, changes);
  },
);

/** The date of the first slot, or of the start if there is none. */
function firstDayOf(series: OpenSeries): string {
  const first = findSlotAfter(series.compiled, beforeSlotsOf(series));
  return calendarDateOf(first?.wallMs ?? series.startMs);
}

/** An instant before all slots of a series. */
function beforeSlotsOf({ compiled, startMs }: OpenSeries): number {
  const firstWallMs = Math.min(startMs, compiled.extras[0] ?? startMs);
  return wallToInstant(compiled.zone, firstWallMs) - MS_PER_DAY;
}

/** Deletes a schedule of which nothing has begun and nothing is stored. */
export const deleteSchedule = exclusiveWrite(
  "deleteSchedule",
  async (open, { scheduleId }: Static<typeof DeleteSchedule>): Promise<Outcome<{ readonly id: string }>> => {
    const { tx, now, actor, organizationId } = open;
    const schedule = await lockKnown(open, actor, scheduleId);
    const before = openSeries(seriesOf(schedule), zoneOfLocation(schedule.timezone));
    const begun = openSlots(before.compiled, beforeSlotsOf(before), now + 1);
    let count = await countSessionsOf(tx, organizationId, schedule.id);
    while (count === 0 && begun.next()) count++;
    if (count > 0) throw refusal("in_use", { params: { uses: [{ kind: "sessions", count }] } });
    await removeSchedule(tx, organizationId, schedule.id);
    return {
      result: { id: schedule.id },
      entry: {
        subject: schedule.id,
        details: { before: before.series },
      },
    };
  },
);

/** The next slots that a schedule would have. Nothing is stored. */
export async function readSlots(
  db: Database,
  {
    organizationId,
    timezone,
    now,
  }: { readonly organizationId: string; readonly timezone: string; readonly now: number },
  query: SlotQuery,
): Promise<Omit<Slots, "$schema">> {
  const { locationId, start, rrule, exdates, rdates, durationMinutes, limit } = query;
  const location = locationId === undefined ? undefined : await findLocation(db, organizationId, locationId);
  if (locationId !== undefined && !location)
    throw invalid([{ location: "query.locationId", code: "location_unknown" }]);
  const zone = findZone(location?.timezone ?? query.timezone ?? timezone);
  if (!zone) throw invalid([{ location: "query.timezone", code: "time_zone_unknown" }]);
  const texts = { start, rrule, exdates: splitDates(exdates), rdates: splitDates(rdates) };
  const { slots, faults } = previewSlots(texts, zone, { after: now, most: limit, durationMinutes });
  if (!slots) throw invalid(faultsAt("query", faults));
  return slots;
}

function splitDates(text = ""): string[] {
  return text === "" ? [] : text.split(",");
}

async function lockKnown(
  { tx, organizationId }: OpenOrganization,
  actor: Actor,
  scheduleId: string,
): Promise<LockedSchedule> {
  const schedule = await lockSchedule(tx, organizationId, scheduleId, "change");
  if (!schedule) throw unknownSchedule();
  requireLocation(actor, schedule.locationId);
  return schedule;
}

/** Sessions of a series may have been moved to where others work. */
function requirePlacesOf(actor: Actor, sessions: readonly LockedSessionRow[]): void {
  for (const { locationId } of sessions) requireLocation(actor, locationId);
}

export function unknownSchedule(): AppError {
  return refusal("no_schedule");
}

/** What a schedule says: lists in order, each entry once. */
function seriesOf(given: Static<typeof AddSchedule> | LockedSchedule): SessionSeries {
  const { rrule, start, durationMinutes, capacity } = given;
  return {
    serviceTypeId: given.serviceTypeId.toLowerCase(),
    locationId: given.locationId.toLowerCase(),
    resourceIds: uniqueSorted(given.resourceIds ?? []),
    start,
    durationMinutes,
    ...(rrule !== undefined && { rrule }),
    exdates: uniqueSorted(given.exdates ?? []),
    rdates: uniqueSorted(given.rdates ?? []),
    capacity,
  };
}

/** What is another, before and after. */
function differences(before: SessionSeries, after: SessionSeries): Record<string, unknown> {
  const members = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof SessionSeries>;
  const changed = [...members].filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const pick = (series: SessionSeries) => Object.fromEntries(changed.map((name) => [name, series[name]]));
  return { before: pick(before), after: pick(after) };
}

/** What was done, with a schedule as it is now. */
async function shown(
  { tx, organizationId }: OpenWrite,
  id: string,
  entry: EntryContent,
  changes = NO_CHANGES,
): Promise<Outcome<Schedule>> {
  const result = await findSchedule(tx, organizationId, id);
  if (!result) throw new Error("a schedule that was written is not there");
  return { result, changes, entry };
}
