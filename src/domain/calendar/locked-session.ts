import { type Actor, requireSession } from "../../core/actor.ts";
import { dateOfWallClock, formatWallClock, MS_PER_MINUTE, parseWallClock } from "../../core/dates.ts";
import { refusal } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { recordClosesAt, recordClosesOn } from "../recurrence/record-days.ts";
import { compileTexts } from "../recurrence/schedule.ts";
import { findSlot } from "../recurrence/slot-names.ts";
import { type Zone, zoneOfLocation } from "../recurrence/zones.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import type { Session, SessionName } from "./schema.ts";
import {
  findSessionsOfSlots,
  insertSession,
  type LockedSchedule,
  type LockedSessionRow,
  lockSchedule,
  lockSessions,
  lockSessionWithSchedule,
} from "./session-queries.ts";

/** A session that somebody acts on: it is stored, and its row is locked. */
export interface LockedSession {
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
  /** Whether its location is open and its service type is offered. */
  readonly isOffered: boolean;
  /** Whether its type claims its resources. */
  readonly holdsResource: boolean;
  /** Whether it was only a slot before. */
  readonly isNew: boolean;
}

/** How often the rows are looked up again if they changed before they were locked. */
const TRIES = 3;

/**
 * The session that is named, which nobody else can change now. A slot that has not been acted on is stored. Its schedule
 * is locked before it, so that the series cannot change underneath. What the calendar does not show is no session, and who
 * does not work at its place is refused: nobody acts on a session without being asked that.
 */
export async function lockSession(
  open: OpenOrganization,
  actor: Actor,
  name: SessionName,
): Promise<LockedSession> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await lockNamed(open, actor, name);
    if (found && (!found.isNew || (await storeSlot(open, found)))) return found;
  }
  throw refusal("record_locked");
}

/**
 * The session that is named, as `lockSession` has it, but a slot that is not stored stays so: for operations that
 * may find that there is nothing to do. They call `storeSlot` as soon as there is.
 */
export async function findSessionToLock(
  open: SlotSearch,
  actor: Actor,
  name: SessionName,
): Promise<LockedSession> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await lockNamed(open, actor, name);
    if (found) return found;
  }
  throw refusal("record_locked");
}

type SlotSearch = Pick<OpenOrganization, "tx" | "organizationId" | "now">;

async function lockNamed(
  open: SlotSearch,
  actor: Actor,
  name: SessionName,
): Promise<LockedSession | undefined> {
  const found = await ("sessionId" in name ? lockStored(open, name.sessionId) : lockSlot(open, name));
  if (found) requireSession(actor, found);
  return found;
}

/** Stores a slot that is new; its row is then locked. False if somebody else stored it at the same time. */
export function storeSlot({ tx, organizationId }: OpenOrganization, slot: LockedSession): Promise<boolean> {
  return insertSession(tx, organizationId, slot);
}

/** Undefined if it went to another schedule before it was locked. */
async function lockStored(
  { tx, organizationId }: SlotSearch,
  sessionId: string,
): Promise<LockedSession | undefined> {
  const found = await lockSessionWithSchedule(tx, organizationId, sessionId);
  if (!found) throw refusal("no_slot");
  const { heldScheduleId, ...session } = found;
  return session.scheduleId === heldScheduleId ? toLockedSession(session) : undefined;
}

/** A slot that is not stored is new. Undefined if somebody else took it to another schedule at the same time. */
async function lockSlot(
  { tx, organizationId, now }: SlotSearch,
  { scheduleId, originalStart }: { readonly scheduleId: string; readonly originalStart: string },
): Promise<LockedSession | undefined> {
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
    return session && session.scheduleId === schedule.id ? toLockedSession(session) : undefined;
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
    isOffered: schedule.isOffered,
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

export function toLockedSession(
  { timezone, startAt, ...session }: LockedSessionRow,
  isNew = false,
): LockedSession {
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

export function isRecordOpen(session: Pick<LockedSession, "day" | "zone">, now: number): boolean {
  return now < recordClosesAt(session.day, session.zone);
}

/** Refuses to bring something back at a place that is closed, or for a service that is offered no more. */
export function requireOffered({ isOffered }: LockedSession): void {
  if (!isOffered) throw refusal("place_closed");
}

/** Refuses what concerns a session whose record is closed. */
export function requireOpenRecord({ now }: OpenOrganization, session: LockedSession): void {
  if (!isRecordOpen(session, now))
    throw refusal("record_closed", { params: { date: recordClosesOn(session.day) } });
}
