import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { findShown } from "../bookings/desk.ts";
import { moveBookings } from "../bookings/queries.ts";
import { countSeats } from "../bookings/seat-queries.ts";
import { promoteInto, restoreBookingsOf } from "../bookings/session-bookings.ts";
import {
  type ActedSession,
  findActedSession,
  isRecordOpen,
  lockActedSession,
  requireOpenRecord,
  slotSession,
  storeSlot,
} from "../calendar/acted-session.ts";
import { listSlots } from "../calendar/expand.ts";
import { findPlaces } from "../calendar/place-queries.ts";
import { checkPlaces } from "../calendar/places.ts";
import { compileTexts } from "../calendar/schedule.ts";
import { uniqueSorted } from "../calendar/series.ts";
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
import { cancelSessions, refuseBooked } from "../calendar/withdrawing.ts";
import { dateIn, dayStart, wallToInstant, zoneOfLocation } from "../calendar/zones.ts";
import { inOrganization, type OpenOrganization } from "../contracts/open-organization.ts";
import { type Actor, requireLocation } from "../core/actor.ts";
import { instantText } from "../core/clock.ts";
import {
  calendarDateOf,
  dateOfWallClock,
  daysAfter,
  formatWallClock,
  MS_PER_MINUTE,
  parseWallClock,
} from "../core/dates.ts";
import { AppError, invalid, refusal, refuseFaults } from "../core/errors.ts";
import { faultsAt } from "../core/faults.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import { type ChangeCounts, NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { moveVersions } from "../organizations/queries.ts";
import { claimResources, dropClaims, refuseClaimedClass } from "../resources/claims.ts";
import { checkDays } from "./rules.ts";
import type {
  AddSession,
  CancelSession,
  CloseDays,
  EditSession,
  ReinstateSession,
  ReleaseUnnamed,
  StaffSession,
} from "./schema.ts";

/**
 * What the staff does to single sessions: each is one transaction and one audit entry. A session is named by its id or by
 * its slot, which is stored with the first thing that is done to it.
 */

/** A session of no schedule. It may lie in the past for as long as its record would be open. */
export async function addSession(
  db: Database,
  actor: Actor,
  organizationId: string,
  input: Static<typeof AddSession>,
): Promise<Written<StaffSession>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx, now } = open;
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
    await moveVersions(tx, organizationId, ["sessions"]);
    const after = { serviceTypeId, locationId, resourceIds, start, durationMinutes, capacity };
    return finish(open, actor, { action: "addSession", sessionId: id, details: { after } });
  });
}

/**
 * Moves a session, or gives it another length, place, capacity or other resources. Bookings stand and are not checked
 * again; if it takes place at another time or place, they can be cancelled without loss.
 */
export async function editSession(
  db: Database,
  actor: Actor,
  organizationId: string,
  { session: name, changes }: Static<typeof EditSession>,
): Promise<Written<StaffSession>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx, now } = open;
    const session = await findActedSession(open, name);
    requireLocation(actor, session.locationId);
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
    const entry = { action: "editSession" as const, details: { before, after } };
    if (!isChanged) return finishUnchanged(open, actor, session, entry);
    if (session.isNew && !(await storeSlot(open, session))) throw refusal("record_locked");
    const { scheduleId, originalStart } = session;
    await writeSessions(tx, organizationId, [{ ...content, scheduleId, originalStart }]);
    const moved =
      isMoved && session.bookedCount > 0
        ? await moveBookings(tx, organizationId, session.id, { day: dateOfWallClock(content.start), isMoved })
        : 0;
    const edited: ActedSession = {
      ...session,
      ...content,
      zone,
      endAt: content.startAt + content.durationMinutes * MS_PER_MINUTE,
      day: dateOfWallClock(content.start),
    };
    if (isMoved || "durationMinutes" in after || "resourceIds" in after) await takeResources(open, edited);
    const promoted = await promoteInto(open, content.capacity > session.capacity ? [edited] : []);
    await moveVersions(tx, organizationId, ["sessions"]);
    const changed = { ...promoted, sessions: 1, bookings: moved + promoted.bookings };
    return finish(open, actor, { ...entry, sessionId: session.id, changes: changed });
  });
}

/** The session as it is to be; refuses what the changes refer to if it is not there or not in use. */
async function changedSession(
  { tx, organizationId }: OpenOrganization,
  actor: Actor,
  session: ActedSession,
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
async function takeResources(open: OpenOrganization, session: ActedSession): Promise<void> {
  await dropClaims(open.tx, open.organizationId, [session.id]);
  if (session.bookedCount > 0) await claimResources(open, session);
  await refuseClaimedClass(open, session);
}

const MEMBERS = ["start", "durationMinutes", "locationId", "resourceIds", "capacity"] as const;

/** What is another, before and after. */
function differences(before: ActedSession, after: Pick<ActedSession, (typeof MEMBERS)[number]>) {
  const changed = MEMBERS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (session: typeof after) => Object.fromEntries(changed.map((name) => [name, session[name]]));
  return { before: pick(before), after: pick(after) };
}

/** Cancels a session and everything that is booked in it; draws are returned whatever the hour. */
export async function cancelSession(
  db: Database,
  actor: Actor,
  organizationId: string,
  { session: name, reason }: Static<typeof CancelSession>,
): Promise<Written<StaffSession>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx, now } = open;
    const session = await lockActedSession(open, name);
    requireLocation(actor, session.locationId);
    const entry = { action: "cancelSession" as const, sessionId: session.id, reason };
    if (session.status === "cancelled") return finish(open, actor, { ...entry, details: {} });
    const checkedIn = (await countSeats(tx, organizationId, session.id)).checkedIn;
    if (checkedIn > 0) throw refusal("checked_in", { params: { count: checkedIn } });
    requireOpenRecord(open, session);
    const auditId = newId(now);
    const changes = await cancelSessions(open, [session], auditId);
    await moveVersions(tx, organizationId, ["sessions"]);
    const { bookedCount } = session;
    return finish(open, actor, { ...entry, auditId, details: { before: { bookedCount } }, changes });
  });
}

/** Undoes a cancellation: the bookings that it ended are back, and so are the seats without a name. */
export async function reinstateSession(
  db: Database,
  actor: Actor,
  organizationId: string,
  { session: name, reason }: Static<typeof ReinstateSession>,
): Promise<Written<StaffSession>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx } = open;
    const session = await findActedSession(open, name);
    requireLocation(actor, session.locationId);
    const entry = { action: "reinstateSession" as const, sessionId: session.id, reason };
    if (session.status === "scheduled")
      return finishUnchanged(open, actor, session, { ...entry, details: {} });
    requireOpenRecord(open, session);
    const { cancelledBy, cancelledUnnamed } = session;
    // The seats first: who is booked has one.
    await writeReinstated(tx, organizationId, session.id, cancelledUnnamed);
    const restored =
      cancelledBy === undefined ? NO_CHANGES : await restoreBookingsOf(open, session, cancelledBy);
    const bookedCount = cancelledUnnamed + restored.bookings;
    await writeBookedCount(tx, organizationId, session.id, bookedCount);
    await takeResources(open, { ...session, status: "scheduled", bookedCount });
    await moveVersions(tx, organizationId, ["sessions"]);
    const changes = { ...restored, sessions: 1 };
    return finish(open, actor, { ...entry, details: { after: { bookedCount } }, changes });
  });
}

/** Cancels every session of a location on some days that has not begun, slots included. */
export async function closeDays(
  db: Database,
  actor: Actor,
  organizationId: string,
  input: Static<typeof CloseDays>,
): Promise<Written<ChangeCounts>> {
  refuseFaults(checkDays(input));
  return inOrganization(db, organizationId, async (open) => {
    const { tx, now } = open;
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
    const auditId = newId(now);
    await insertCancelled(tx, organizationId, slots, auditId);
    const cancelled = await cancelSessions(open, stored, auditId);
    const changes = { ...cancelled, sessions: stored.length + slots.length };
    if (changes.sessions > 0) await moveVersions(tx, organizationId, ["sessions"]);
    await recordAudit(tx, actor.name, {
      id: auditId,
      action: "closeDays",
      organizationId,
      subject: locationId,
      reason,
      details: { firstDay, lastDay, ...changes },
    });
    return { auditId, result: changes, changes };
  });
}

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
  return schedules.flatMap((schedule) => {
    if (!schedule.isOffered) return [];
    const compiled = compileTexts(schedule, schedule.timezone);
    const [fromMs, toMs] = [
      dayStart(compiled.zone, days.firstDay),
      dayStart(compiled.zone, daysAfter(days.lastDay, 1)),
    ];
    const isFree = (wallMs: number | undefined) =>
      wallMs === undefined || !taken.has(schedule.id + formatWallClock(wallMs));
    return listSlots(compiled, Math.max(fromMs, now + 1), toMs)
      .filter(({ wallMs, twinWallMs }) => isFree(wallMs) && isFree(twinWallMs))
      .filter(({ wallMs }) => calendarDateOf(wallMs) <= days.lastDay)
      .map((slot) => slotSession(schedule, slot, newId(now)));
  });
}

/** Frees seats that have no name, such as an import brings. */
export async function releaseUnnamed(
  db: Database,
  actor: Actor,
  organizationId: string,
  { sessionId, seats }: Static<typeof ReleaseUnnamed>,
): Promise<Written<StaffSession>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx } = open;
    const session = await lockActedSession(open, { sessionId });
    requireLocation(actor, session.locationId);
    const named = (await countSeats(tx, organizationId, session.id)).named;
    if (seats > session.bookedCount - named) throw refusal("no_unnamed");
    const bookedCount = session.bookedCount - seats;
    await writeBookedCount(tx, organizationId, session.id, bookedCount);
    if (bookedCount === 0) await dropClaims(tx, organizationId, [session.id]);
    const promoted = await promoteInto(open, [{ ...session, bookedCount }]);
    await moveVersions(tx, organizationId, ["sessions"]);
    return finish(open, actor, {
      action: "releaseUnnamed",
      sessionId: session.id,
      details: { before: session.bookedCount, after: bookedCount },
      changes: { ...promoted, sessions: 1 },
    });
  });
}

/** What is recorded of an operation on a session. */
interface SessionEntry {
  readonly action: AuditAction;
  readonly sessionId: string;
  /** Made before, if something refers to it. */
  readonly auditId?: string;
  readonly reason?: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly changes?: Partial<ChangeCounts>;
}

async function finish(
  { tx, organizationId }: OpenOrganization,
  actor: Actor,
  { action, sessionId, auditId: id, reason, details, changes }: SessionEntry,
): Promise<Written<StaffSession>> {
  const auditId = await recordAudit(tx, actor.name, {
    ...(id !== undefined && { id }),
    action,
    organizationId,
    subject: sessionId,
    sessionId,
    reason,
    details,
  });
  const { session } = await findShown({ db: tx, organizationId }, { sessionId });
  return { auditId, result: session, changes: { ...NO_CHANGES, ...changes } };
}

/** Records that there was nothing to do. A slot that is not stored stays so, and is recorded under its schedule. */
async function finishUnchanged(
  open: OpenOrganization,
  actor: Actor,
  session: ActedSession,
  entry: Pick<SessionEntry, "action" | "reason" | "details">,
): Promise<Written<StaffSession>> {
  if (!session.isNew) return finish(open, actor, { ...entry, sessionId: session.id });
  const { tx, organizationId } = open;
  const { scheduleId, originalStart } = session;
  const auditId = await recordAudit(tx, actor.name, {
    action: entry.action,
    organizationId,
    ...(scheduleId !== undefined && { subject: scheduleId }),
    reason: entry.reason,
    details: { ...entry.details, originalStart },
  });
  return { auditId, result: shownSession(session), changes: NO_CHANGES };
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

/** A slot that is not stored, as the calendar shows it: without an id. */
function shownSession(session: ActedSession): StaffSession {
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
