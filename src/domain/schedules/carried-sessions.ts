import { dateOfWallClock } from "../../core/dates.ts";
import type { Session } from "../calendar/schema.ts";
import type { Slot } from "../recurrence/expand.ts";
import {
  isEqualList,
  isNameOf,
  type OpenSeries,
  onceADate,
  openSeries,
  type SessionSeries,
  slotsOn,
  textOfSlot,
  uniqueSorted,
  wallOf,
} from "../recurrence/series.ts";
import { wallToInstant } from "../recurrence/zones.ts";
import type { SeriesEdit } from "./series-draft.ts";

/** What becomes of the stored sessions of a series that is edited. */

/** A stored session of the series, for a slot on or after the date of the change. */
export interface SeriesSession {
  readonly id: string;
  readonly originalStart: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly resourceIds: readonly string[];
  readonly start: string;
  readonly startAt: number;
  readonly durationMinutes: number;
  readonly capacity: number;
  readonly bookedCount: number;
  readonly status: Session["status"];
}

/** A session as it is from now on, tied to a slot of the edited series. */
export interface CarriedSession extends SeriesSession {
  /** Whether it takes place at another time or place than before. */
  readonly isMoved: boolean;
}

/** What is done to each of them. */
export interface SessionOutcomes {
  readonly carried: readonly CarriedSession[];
  /** Sessions that stand for no slot any more: another one has the name of theirs. They take place all the same. */
  readonly detached: readonly string[];
  /** Sessions without a slot, to be cancelled. */
  readonly cancelled: readonly string[];
  /** Booked sessions without a slot, which stay as they are. */
  readonly kept: readonly string[];
  /** Booked sessions without a slot, of which nobody said what becomes of them. */
  readonly undecided: readonly SeriesSession[];
}

/** The k-th slot of a date gives its session to the k-th of that date afterwards. */
export function carrySessions(
  before: OpenSeries,
  edited: SessionSeries,
  sessions: readonly SeriesSession[],
  edit: SeriesEdit,
  isInPlace: boolean,
): SessionOutcomes {
  const { from, now, booked } = edit;
  const afterwards = openSeries(edited, edit.zoneOf(edited.locationId));
  const carried = new Map<string, CarriedSession>();
  const left: SeriesSession[] = [];
  const names = new Set<string>();
  const oldSlots = onceADate((date) =>
    slotsOn(before.compiled, date).filter(({ instantMs }) => instantMs >= from.instantMs),
  );
  const newSlots = onceADate((date) => slotsOn(afterwards.compiled, date));
  for (const session of sessions) {
    const wallMs = wallOf(session.originalStart);
    const date = dateOfWallClock(session.originalStart);
    const old = oldSlots(date);
    const place = old.findIndex((slot) => isNameOf(slot, wallMs));
    // It stood for no slot that changes, so that nothing becomes of it.
    if (place < 0) continue;
    const slot = newSlots(date)[place];
    if (!slot) left.push(session);
    else if (!names.has(textOfSlot(slot))) {
      names.add(textOfSlot(slot));
      carried.set(session.id, carry(session, slot, before.series, edited, edit));
    }
  }
  const open = left.filter(({ status, startAt }) => status === "scheduled" && startAt > now);
  const [seated, empty] = [
    open.filter(({ bookedCount }) => bookedCount > 0),
    open.filter(({ bookedCount }) => bookedCount === 0),
  ];
  const ids = (list: readonly SeriesSession[]) => list.map(({ id }) => id);
  const isOutnamed = ({ id, originalStart }: SeriesSession) => !carried.has(id) && names.has(originalStart);
  const changed = sessions.flatMap((session) => {
    const after = carried.get(session.id);
    return !after || (isInPlace && isSameSession(session, after)) ? [] : [after];
  });
  return {
    carried: changed,
    detached: isInPlace ? ids(sessions.filter(isOutnamed)) : [],
    cancelled: [...ids(empty), ...(booked === "cancel" ? ids(seated) : [])],
    kept: booked === "keep" ? ids(seated) : [],
    undecided: booked === undefined ? seated : [],
  };
}

/** Each member follows the series if it was still the series' own; what was changed by hand stays. */
function carry(
  session: SeriesSession,
  slot: Slot,
  old: SessionSeries,
  edited: SessionSeries,
  { now, zoneOf }: SeriesEdit,
): CarriedSession {
  const originalStart = textOfSlot(slot);
  if (session.startAt <= now) return { ...session, originalStart, isMoved: false };
  const isOwnStart = session.start === session.originalStart;
  const follow = <Value>(value: Value, before: Value, after: Value) => (value === before ? after : value);
  const locationId = follow(session.locationId, old.locationId, edited.locationId);
  const start = isOwnStart ? originalStart : session.start;
  const isSamePlace = start === session.start && locationId === session.locationId;
  const startAt = isSamePlace ? session.startAt : wallToInstant(zoneOf(locationId), wallOf(start));
  return {
    ...session,
    originalStart,
    serviceTypeId: follow(session.serviceTypeId, old.serviceTypeId, edited.serviceTypeId),
    locationId,
    resourceIds: isEqualList(uniqueSorted(session.resourceIds), uniqueSorted(old.resourceIds))
      ? edited.resourceIds
      : session.resourceIds,
    start,
    startAt,
    durationMinutes: follow(session.durationMinutes, old.durationMinutes, edited.durationMinutes),
    capacity:
      session.capacity === old.capacity && edited.capacity !== old.capacity
        ? Math.max(edited.capacity, session.bookedCount)
        : session.capacity,
    isMoved: startAt !== session.startAt || locationId !== session.locationId,
  };
}

function isSameSession(session: SeriesSession, carried: CarriedSession): boolean {
  const { resourceIds, ...members } = session;
  return (
    isEqualList(resourceIds, carried.resourceIds) &&
    (Object.keys(members) as (keyof typeof members)[]).every((name) => members[name] === carried[name])
  );
}
