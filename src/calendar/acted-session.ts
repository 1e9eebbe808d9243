import type { OpenOrganization } from "../contracts/open-organization.ts";
import { dateOfWallClock, formatWallClock, MS_PER_MINUTE, parseWallClock } from "../core/dates.ts";
import { refusal } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { recordClosesAt, recordClosesOn } from "./record-days.ts";
import { compileTexts } from "./schedule.ts";
import type { Session, SessionName } from "./schema.ts";
import {
  findScheduleOf,
  findSessionsOfSlots,
  insertSession,
  type LockedSchedule,
  type LockedSession,
  lockSchedule,
  lockSessions,
} from "./session-queries.ts";
import { findSlot } from "./slot-names.ts";
import { type Zone, zoneOfLocation } from "./zones.ts";

/** A session that somebody acts on: it is stored, and its row is locked. */
export interface ActedSession {
  readonly id: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly resourceIds: readonly string[];
  /** The zone of its location. */
  readonly zone: Zone;
  /** On the location's clock. */
  readonly start: string;
  readonly startAt: number;
  readonly endAt: number;
  /** The date of its start on the location's clock. */
  readonly day: string;
  readonly durationMinutes: number;
  readonly capacity: number;
  readonly bookedCount: number;
  readonly status: Session["status"];
  /** The audit entry of its cancellation, if that was made here. */
  readonly cancelledBy?: string;
  /** The seats without a name that the cancellation took away. */
  readonly cancelledUnnamed: number;
  /** Whether its type claims its resources. */
  readonly holdsResource: boolean;
  /**
   * Whether it was only a slot before. Whoever stores it then moves the version of the sessions, as for any other write
   * to them.
   */
  readonly isNew: boolean;
}

/** How often the rows are looked up again if they changed before they were locked. */
const TRIES = 3;

/**
 * The session that is named, which nobody else can change now. A slot that has not been acted on is stored. Its schedule
 * is locked before it, so that the series cannot change underneath. What the calendar does not show is no session.
 */
export async function lockActedSession(open: OpenOrganization, name: SessionName): Promise<ActedSession> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await lockNamed(open, name);
    if (found && (!found.isNew || (await storeSlot(open, found)))) return found;
  }
  throw refusal("record_locked");
}

/**
 * The session that is named, as `lockActedSession` has it, but a slot that is not stored stays so: for operations that
 * may find that there is nothing to do. They call `storeSlot` as soon as there is.
 */
export async function findActedSession(open: SlotSearch, name: SessionName): Promise<ActedSession> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await lockNamed(open, name);
    if (found) return found;
  }
  throw refusal("record_locked");
}

type SlotSearch = Pick<OpenOrganization, "tx" | "organizationId" | "now">;

function lockNamed(open: SlotSearch, name: SessionName): Promise<ActedSession | undefined> {
  return "sessionId" in name ? lockStored(open, name.sessionId) : lockSlot(open, name);
}

/** Stores a slot that is new; its row is then locked. False if somebody else stored it at the same time. */
export function storeSlot({ tx, organizationId }: OpenOrganization, slot: ActedSession): Promise<boolean> {
  return insertSession(tx, organizationId, slot);
}

/** Undefined if it went to another schedule before it was locked. */
async function lockStored(
  { tx, organizationId }: SlotSearch,
  sessionId: string,
): Promise<ActedSession | undefined> {
  const known = await findScheduleOf(tx, organizationId, sessionId);
  if (!known) throw refusal("no_slot");
  if (known.scheduleId !== undefined) await lockSchedule(tx, organizationId, known.scheduleId, "share");
  const [session] = await lockSessions(tx, organizationId, [sessionId]);
  return session && session.scheduleId === known.scheduleId ? toActed(session, false) : undefined;
}

/** A slot that is not stored is new. Undefined if somebody else took it to another schedule at the same time. */
async function lockSlot(
  { tx, organizationId, now }: SlotSearch,
  { scheduleId, originalStart }: { readonly scheduleId: string; readonly originalStart: string },
): Promise<ActedSession | undefined> {
  const schedule = await lockSchedule(tx, organizationId, scheduleId, "share");
  const wallMs = parseWallClock(originalStart);
  if (!schedule || wallMs === undefined) throw refusal("no_slot");
  const slot = schedule.isOffered ? findSlot(compileTexts(schedule, schedule.timezone), wallMs) : undefined;
  const walls = [wallMs, slot?.wallMs, slot?.twinWallMs].filter((wall) => wall !== undefined);
  const texts = walls.map(formatWallClock);
  const stored = await findSessionsOfSlots(tx, organizationId, schedule.id, texts);
  // Both clocks of a gap may have been stored by an import: the one that was named is meant.
  const meant = texts.map((text) => stored.find((session) => session.originalStart === text)).find(Boolean);
  if (meant) {
    const [session] = await lockSessions(tx, organizationId, [meant.id]);
    return session && session.scheduleId === schedule.id ? toActed(session) : undefined;
  }
  if (!slot) throw refusal("no_slot");
  const zone = zoneOfLocation(schedule.timezone);
  const session = slotSession(schedule, slot, newId(now));
  return {
    ...session,
    zone,
    endAt: session.startAt + session.durationMinutes * MS_PER_MINUTE,
    day: dateOfWallClock(session.start),
    bookedCount: 0,
    status: "scheduled",
    cancelledUnnamed: 0,
    holdsResource: schedule.holdsResource,
    isNew: true,
  };
}

/** A slot as it is stored when somebody acts on it. */
export function slotSession(
  schedule: Omit<LockedSchedule, "isOffered" | "timezone" | "holdsResource">,
  { wallMs, instantMs }: { readonly wallMs: number; readonly instantMs: number },
  id: string,
) {
  const start = formatWallClock(wallMs);
  const { serviceTypeId, locationId, resourceIds, durationMinutes, capacity } = schedule;
  return {
    id,
    scheduleId: schedule.id,
    originalStart: start,
    serviceTypeId,
    locationId,
    resourceIds,
    start,
    startAt: instantMs,
    durationMinutes,
    capacity,
  };
}

export function toActed({ timezone, startAt, ...session }: LockedSession, isNew = false): ActedSession {
  const startMs = Date.parse(startAt);
  return {
    ...session,
    zone: zoneOfLocation(timezone),
    startAt: startMs,
    endAt: startMs + session.durationMinutes * MS_PER_MINUTE,
    day: dateOfWallClock(session.start),
    isNew,
  };
}

export function isRecordOpen(session: Pick<ActedSession, "day" | "zone">, now: number): boolean {
  return now < recordClosesAt(session.day, session.zone);
}

/** Refuses what concerns a session whose record is closed. */
export function requireOpenRecord({ now }: OpenOrganization, session: ActedSession): void {
  if (!isRecordOpen(session, now))
    throw refusal("record_closed", { params: { date: recordClosesOn(session.day) } });
}
