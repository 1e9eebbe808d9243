import { type Actor, requireLocation } from "../../core/actor.ts";
import { instantText } from "../../core/clock.ts";
import {
  calendarDateOf,
  dateOfWallClock,
  daysAfter,
  formatWallClock,
  MS_PER_MINUTE,
  parseWallClock,
} from "../../core/dates.ts";
import { Effort } from "../../core/effort.ts";
import { AppError, invalid, refusal, refuseFaults } from "../../core/errors.ts";
import { faultsAt } from "../../core/faults.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { type ChangeCounts, NO_CHANGES } from "../../core/written.ts";
import type { Database } from "../../db/database.ts";
import type { EntryContent } from "../audit/queries.ts";
import { findShown } from "../bookings/desk.ts";
import { countSeats } from "../bookings/seat-queries.ts";
import {
  moveBookingsOf,
  promoteInto,
  refuseCheckedIn,
  restoreBookingsOf,
} from "../bookings/session-bookings.ts";
import {
  findSessionToLock,
  isRecordOpen,
  type LockedSession,
  lockSession,
  requireOffered,
  requireOpenRecord,
  slotSession,
  storeSlot,
} from "../calendar/locked-session.ts";
import {
  insertCancelled,
  insertSession,
  type LockedSchedule,
  listTakenOn,
  lockComingSessions,
  type SessionContent,
  shareSchedulesAt,
  writeBookedCount,
  writeReinstated,
  writeSessions,
} from "../calendar/session-queries.ts";
import { eachSlot } from "../recurrence/expand.ts";
import { compileTexts } from "../recurrence/schedule.ts";
import { uniqueSorted } from "../recurrence/series.ts";
import { dateIn, dayStart, wallToInstant, zoneOfLocation } from "../recurrence/zones.ts";
import { claimResources, dropClaims, refuseClaimedClass } from "../resources/claims.ts";
import { exclusiveWrite, type OpenWrite, type Outcome } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { findPlaces } from "./place-queries.ts";
import { checkPlaces } from "./places.ts";
import { checkDays } from "./rules.ts";
import type {
  AddSession,
  CancelSession,
  CloseDays,
  EditSession,
  ReinstatedSession,
  ReinstateSession,
  ReleaseUnnamed,
  StaffSession,
} from "./schema.ts";
import { cancelSessions, refuseBooked } from "./withdrawing.ts";

/**
 * What the staff does to single sessions: each is one transaction and one audit entry. A session is named by its id or by
 * its slot, which is stored with the first thing that is done to it.
 */

/** A session of no schedule. It may lie in the past for as long as its record would be open. */
export const addSession = exclusiveWrite(
  "addSession",
  async (open, input: Static<typeof AddSession>): Promise<Outcome<StaffSession>> => {
    const { tx, now, actor, organizationId } = open;
    const [locationId, serviceTypeId] = [input.locationId.toLowerCase(), input.serviceTypeId.toLowerCase()];
    const resourceIds = uniqueSorted(input.resourceIds ?? []);
    const ids = { locationIds: [locationId], serviceTypeIds: [serviceTypeId], resourceIds };
    const places = await findPlaces(tx, organizationId, ids);
    const faults = checkPlaces({ locationId, serviceTypeId, resourceIds: input.resourceIds }, places);
    const location = places.locations.get(locationId);
    const { start, durationMinutes, capacity } = input;
    const zone = location && zoneOfLocation(location.timezone);
    if (zone && !isRecordOpen({ day: dateOfWallClock(start), zone }, now))
      faults.push({ location: "start", code: "record_would_be_closed" });
    refuseFaults(faultsAt("body", faults));
    if (!zone) throw new Error("a location that is open has a timezone");
    requireLocation(actor, locationId);
    const startAt = wallToInstant(zone, parseWallClock(start) ?? Number.NaN);
    const id = newId(now);
    const session = { id, serviceTypeId, locationId, resourceIds, start, startAt, durationMinutes, capacity };
    await insertSession(tx, organizationId, session);
    const holdsResource = places.serviceTypes.get(serviceTypeId)?.holdsResource ?? false;
    await refuseClaimedClass(open, {
      ...session,
      endAt: startAt + durationMinutes * MS_PER_MINUTE,
      zone,
      holdsResource,
    });
    const after = { serviceTypeId, locationId, resourceIds, start, durationMinutes, capacity };
    return shown(open, id, { details: { after } });
  },
);

/**
 * Moves a session, or gives it another length, place, capacity or other resources. Bookings stand and are not checked
 * again; if it takes place at another time or place, they can be cancelled without loss.
 */
export const editSession = exclusiveWrite(
  "editSession",
  async (open, { session: name, changes }: Static<typeof EditSession>): Promise<Outcome<StaffSession>> => {
    const { tx, now, actor, organizationId } = open;
    const session = await findSessionToLock(open, actor, name);
    const { content, zone } = await changedSession(open, actor, session, changes);
    const isTimed =
      changes.start !== undefined ||
      changes.durationMinutes !== undefined ||
      changes.locationId !== undefined;
    if (isTimed && session.startAt <= now) throw refusal("session_begun");
    requireOpenRecord(open, session);
    if (session.status === "cancelled") throw refusal("session_cancelled");
    const isMoved = content.startAt !== session.startAt || content.locationId !== session.locationId;
    if (isMoved && content.startAt <= now)
      throw invalid([{ location: "body.changes.start", code: "in_the_past" }]);
    if (content.capacity !== session.capacity && content.capacity < session.bookedCount)
      throw refusal("below_seats", { params: { count: session.bookedCount } });
    const { before, after } = differences(session, content);
    const isChanged = Object.keys(after).length > 0;
    const entry = { details: { before, after } };
    if (!isChanged) return unchanged(open, session, entry);
    if (session.isNew && !(await storeSlot(open, session))) throw refusal("record_locked");
    const { scheduleId, originalStart } = session;
    await writeSessions(tx, organizationId, [{ ...content, scheduleId, originalStart }]);
    const moved = await moveBookingsOf(open, isMoved ? [content] : []);
    const edited: LockedSession = {
      ...session,
      ...content,
      zone,
      endAt: content.startAt + content.durationMinutes * MS_PER_MINUTE,
      day: dateOfWallClock(content.start),
    };
    if (isMoved || "durationMinutes" in after || "resourceIds" in after) await takeResources(open, edited);
    const promoted = await promoteInto(open, content.capacity > session.capacity ? [edited] : []);
    const changed = { ...promoted, sessions: 1, bookings: moved + promoted.bookings };
    return shown(open, session.id, entry, changed);
  },
);

/** The session as it is to be; refuses what the changes refer to if it is not there or not in use. */
async function changedSession(
  { tx, organizationId }: OpenOrganization,
  actor: Actor,
  session: LockedSession,
  changes: Static<typeof EditSession>["changes"],
) {
  const locationId = changes.locationId?.toLowerCase() ?? session.locationId;
  const resourceIds =
    changes.resourceIds === undefined ? session.resourceIds : uniqueSorted(changes.resourceIds ?? []);
  const places = await findPlaces(tx, organizationId, {
    locationIds: [locationId],
    serviceTypeIds: [],
    resourceIds,
  });
  const isElsewhere = locationId !== session.locationId;
  const named = { locationId: isElsewhere ? locationId : undefined, resourceIds: changes.resourceIds };
  refuseFaults(faultsAt("body.changes", checkPlaces(named, places, session.resourceIds)));
  requireLocation(actor, locationId);
  const zone = isElsewhere ? zoneOfLocation(places.locations.get(locationId)?.timezone ?? "") : session.zone;
  const { start = session.start } = changes;
  const isSameClock = start === session.start && !isElsewhere;
  const content = {
    id: session.id,
    serviceTypeId: session.serviceTypeId,
    locationId,
    resourceIds,
    start,
    startAt: isSameClock ? session.startAt : wallToInstant(zone, parseWallClock(start) ?? Number.NaN),
    durationMinutes: changes.durationMinutes ?? session.durationMinutes,
    capacity: changes.capacity ?? session.capacity,
  };
  return { content, zone };
}

/** Claims the resources of a session as it is now, or asks whether a class may have them. */
async function takeResources(open: OpenOrganization, session: LockedSession): Promise<void> {
  await dropClaims(open.tx, open.organizationId, [session.id]);
  if (session.bookedCount > 0) await claimResources(open, session);
  await refuseClaimedClass(open, session);
}

const MEMBERS = ["start", "durationMinutes", "locationId", "resourceIds", "capacity"] as const;

/** What is another, before and after. */
function differences(before: LockedSession, after: Pick<LockedSession, (typeof MEMBERS)[number]>) {
  const changed = MEMBERS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (session: typeof after) => Object.fromEntries(changed.map((name) => [name, session[name]]));
  return { before: pick(before), after: pick(after) };
}

/** Cancels a session and everything that is booked in it; draws are returned whatever the hour. */
export const cancelSession = exclusiveWrite(
  "cancelSession",
  async (open, { session: name, reason }: Static<typeof CancelSession>): Promise<Outcome<StaffSession>> => {
    const session = await lockSession(open, open.actor, name);
    if (session.status === "cancelled") return shown(open, session.id, { reason });
    await refuseCheckedIn(open, [session.id]);
    requireOpenRecord(open, session);
    const changes = await cancelSessions(open, [session]);
    const { bookedCount } = session;
    return shown(open, session.id, { reason, details: { before: { bookedCount } } }, changes);
  },
);

/**
 * Undoes a cancellation: the seats without a name are back, and as many of the bookings that it ended as the capacity of
 * now has room for. Nothing comes back at a place that is closed.
 */
export const reinstateSession = exclusiveWrite(
  "reinstateSession",
  async (
    open,
    { session: name, reason }: Static<typeof ReinstateSession>,
  ): Promise<Outcome<ReinstatedSession>> => {
    const { tx, actor, organizationId } = open;
    const session = await findSessionToLock(open, actor, name);
    if (session.status === "scheduled") return unchanged(open, session, { reason });
    requireOpenRecord(open, session);
    requireOffered(session);
    const { cancelledBy, capacity } = session;
    // Before the bookings: who is booked has a seat.
    const unnamed = Math.min(session.cancelledUnnamed, capacity);
    await writeReinstated(tx, organizationId, session.id, unnamed);
    const { returning, ...restored } =
      cancelledBy === undefined
        ? { ...NO_CHANGES, returning: [] }
        : await restoreBookingsOf(open, session, { auditId: cancelledBy, seats: capacity - unnamed });
    const bookedCount = unnamed + restored.bookings;
    await writeBookedCount(tx, organizationId, session.id, bookedCount);
    await takeResources(open, { ...session, status: "scheduled", bookedCount });
    const changes = { ...restored, sessions: 1 };
    const done = await shown(open, session.id, { reason, details: { after: { bookedCount } } }, changes);
    const bookings = returning.map(({ booking: { id, clientId }, outcome }) => ({
      bookingId: id,
      clientId,
      outcome,
    }));
    return { ...done, result: { ...done.result, bookings } };
  },
);

/** Cancels every session of a location on some days that has not begun, slots included. */
export const closeDays = exclusiveWrite(
  "closeDays",
  async (open, input: Static<typeof CloseDays>): Promise<Outcome<ChangeCounts>> => {
    refuseFaults(checkDays(input));
    const { tx, now, actor, organizationId, auditId } = open;
    const { firstDay, lastDay, reason, cancelBooked = false } = input;
    const locationId = input.locationId.toLowerCase();
    const ids = { locationIds: [locationId], serviceTypeIds: [], resourceIds: [] };
    const location = (await findPlaces(tx, organizationId, ids)).locations.get(locationId);
    const today = dateIn(location?.timezone ?? open.zone.name, now);
    if (firstDay < today) throw invalid([{ location: "body.firstDay", code: "in_the_past" }]);
    if (!location) throw refusal("no_location");
    requireLocation(actor, locationId);
    const days = { firstDay, lastDay };
    const schedules = await shareSchedulesAt(tx, organizationId, locationId, days);
    const stored = await lockComingSessions(tx, organizationId, now, { locationId }, days);
    if (!cancelBooked) refuseBooked(stored);
    const slots = await freeSlots(open, schedules, days);
    await insertCancelled(tx, organizationId, slots, auditId);
    const cancelled = await cancelSessions(open, stored);
    const changes = { ...cancelled, sessions: stored.length + slots.length };
    const details = { firstDay, lastDay, ...changes };
    return { result: changes, changes, entry: { subject: locationId, reason, details } };
  },
);

/** The slots on these days that nobody has acted on and that have not begun, as sessions. */
async function freeSlots(
  { tx, organizationId, now }: OpenOrganization,
  schedules: readonly LockedSchedule[],
  days: { readonly firstDay: string; readonly lastDay: string },
): Promise<SessionContent[]> {
  const ids = schedules.map(({ id }) => id);
  const taken = new Set(
    (await listTakenOn(tx, organizationId, ids, days)).map(
      ({ scheduleId, originalStart }) => scheduleId + originalStart,
    ),
  );
  const effort = new Effort(MOST_CLOSED, () =>
    invalid([{ location: "body.lastDay", code: "too_many_slots", params: { max: MOST_CLOSED } }]),
  );
  const free: SessionContent[] = [];
  for (const schedule of schedules) {
    if (!schedule.isOffered) continue;
    const compiled = compileTexts(schedule, schedule.timezone);
    const [fromMs, toMs] = [
      dayStart(compiled.zone, days.firstDay),
      dayStart(compiled.zone, daysAfter(days.lastDay, 1)),
    ];
    const isFree = (wallMs: number | undefined) =>
      wallMs === undefined || !taken.has(schedule.id + formatWallClock(wallMs));
    for (const slot of eachSlot(compiled, Math.max(fromMs, now + 1), toMs)) {
      effort.spend();
      const { wallMs, twinWallMs } = slot;
      if (isFree(wallMs) && isFree(twinWallMs) && calendarDateOf(wallMs) <= days.lastDay)
        free.push(slotSession(schedule, slot, newId(now)));
      if (effort.isDue) await effort.pause();
    }
  }
  return free;
}

/** The slots of one place that are closed at once: a month of a hundred courts with ten slots a day. */
const MOST_CLOSED = 31_000;

/** Frees seats that have no name, such as an import brings. */
export const releaseUnnamed = exclusiveWrite(
  "releaseUnnamed",
  async (open, { sessionId, seats }: Static<typeof ReleaseUnnamed>): Promise<Outcome<StaffSession>> => {
    const { tx, actor, organizationId } = open;
    const session = await lockSession(open, actor, { sessionId });
    const named = (await countSeats(tx, organizationId, session.id)).named;
    if (seats > session.bookedCount - named) throw refusal("no_unnamed");
    const bookedCount = session.bookedCount - seats;
    await writeBookedCount(tx, organizationId, session.id, bookedCount);
    if (bookedCount === 0) await dropClaims(tx, organizationId, [session.id]);
    const promoted = await promoteInto(open, [{ ...session, bookedCount }]);
    const details = { before: session.bookedCount, after: bookedCount };
    return shown(open, session.id, { details }, { ...promoted, sessions: 1 });
  },
);

/** What was done to a session, with the session as it is now. */
async function shown(
  { tx, organizationId }: OpenWrite,
  sessionId: string,
  entry: EntryContent,
  changes: Partial<ChangeCounts> = {},
): Promise<Outcome<StaffSession>> {
  const { session: result } = await findShown({ db: tx, organizationId }, { sessionId });
  return {
    result,
    changes: { ...NO_CHANGES, ...changes },
    entry: { ...entry, subject: sessionId, sessionId },
  };
}

/** There was nothing to do. A slot that is not stored stays so, and is recorded under its schedule. */
async function unchanged(
  open: OpenWrite,
  session: LockedSession,
  entry: EntryContent,
): Promise<Outcome<StaffSession>> {
  if (!session.isNew) return shown(open, session.id, entry);
  const { scheduleId: subject, originalStart } = session;
  const details = { ...entry.details, originalStart };
  return {
    result: shownSession(session),
    entry: { ...entry, ...(subject !== undefined && { subject }), details },
  };
}

/** What a repeated request finds its session by: its id, or the name of a slot that is not stored. */
export function recordedName({ id, scheduleId, originalStart }: StaffSession): string {
  return id ?? `${scheduleId} ${originalStart}`;
}

/** The session as it is now; undefined if it was a slot that is gone. */
export async function readRecorded(
  db: Database,
  organizationId: string,
  recorded: string,
): Promise<StaffSession | undefined> {
  const [id = "", originalStart] = recorded.split(" ");
  const name = originalStart === undefined ? { sessionId: id } : { scheduleId: id, originalStart };
  try {
    return (await findShown({ db, organizationId }, name)).session;
  } catch (error) {
    if (error instanceof AppError && error.detail?.code === "no_slot") return undefined;
    throw error;
  }
}

/** What a repeated request finds a reinstated session by, with who came back then. */
export function recordedReturn({ bookings, ...session }: ReinstatedSession): string {
  return JSON.stringify({ session: recordedName(session), bookings });
}

export async function readRecordedReturn(
  db: Database,
  organizationId: string,
  recorded: string,
): Promise<ReinstatedSession | undefined> {
  // Entries of earlier versions have the name alone.
  const { session, ...rest } = recorded.startsWith("{")
    ? (JSON.parse(recorded) as { session: string } & Pick<ReinstatedSession, "bookings">)
    : { session: recorded };
  const shown = await readRecorded(db, organizationId, session);
  return shown && { ...shown, ...rest };
}

/** A slot that is not stored, as the calendar shows it: without an id. */
function shownSession(session: LockedSession): StaffSession {
  const { scheduleId, originalStart, resourceIds } = session;
  return {
    ...(scheduleId !== undefined && { scheduleId }),
    ...(originalStart !== undefined && { originalStart }),
    serviceTypeId: session.serviceTypeId,
    locationId: session.locationId,
    ...(resourceIds.length > 0 && { resourceIds: [...resourceIds] }),
    startAt: instantText(session.startAt),
    endAt: instantText(session.endAt),
    capacity: session.capacity,
    bookedCount: session.bookedCount,
    status: session.status,
  };
}
