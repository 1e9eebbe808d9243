import type { Session } from "./schema.ts";

/** What is read of the database for a window, and the window itself. */

/** A schedule that may have slots in the window; its location is open and its service type is offered. */
export interface ScheduleRow {
  readonly id: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly resourceIds?: string[];
  readonly start: string;
  readonly durationMinutes: number;
  readonly capacity: number;
  readonly rrule?: string;
  readonly exdates: string[];
  readonly rdates: string[];
  readonly firstSlot: string;
  readonly lastSlot?: string;
  readonly countedSlot?: string;
  readonly timezone: string;
}

export interface StoredSessionRow {
  readonly id: string;
  readonly startMs: number;
  /** The wall clock of its slot in minutes; absent for a one-off session. */
  readonly slotMinute?: number;
}

/** A stored session that lies in the window, or stands for a slot that may. */
export interface SessionRow extends StoredSessionRow {
  /** All that it shares with sessions that are alike, as JSON: the values of `ALIKE_MEMBERS`. */
  readonly alike: string;
}

/** One of many stored sessions: instead of the text it has the number of its kind. */
export interface NumberedSessionRow extends StoredSessionRow {
  readonly kind: number;
}

/** What sessions of one kind share: all but id, slot and times. */
export interface SessionKindRow {
  readonly kind: number;
  readonly alike: string;
}

type AlikeMember = Exclude<keyof Session, "id" | "originalStart" | "startAt" | "endAt"> | "durationMinutes";

/**
 * The column of every member of a session but id, slot and times, whether it may be absent or not: the compiler asks for each.
 * Thousands of sessions of a schedule differ in nothing else, so the database gives these together, as one text that is
 * read only once for all that are alike.
 */
const ALIKE_COLUMNS: Readonly<Record<AlikeMember, string>> = {
  scheduleId: "schedule_id",
  serviceTypeId: "service_type_id",
  locationId: "location_id",
  resourceIds: "nullif(resource_ids, '{}')",
  capacity: "capacity",
  bookedCount: "booked_count",
  status: "status",
  durationMinutes: "duration_minutes",
};
export const ALIKE_MEMBERS = Object.keys(ALIKE_COLUMNS);
export const alikeColumns = Object.values(ALIKE_COLUMNS).join(", ");
export const alikeText = `json_build_array(${alikeColumns})::text`;

/** A slot that a stored session stands for. */
export interface TakenSlotRow {
  readonly scheduleId: string;
  readonly slotMinute: number;
}

export interface CalendarWindow extends SessionFilter {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the sessions of a window have, if it is given. */
export interface SessionFilter {
  readonly locationId?: string | undefined;
  readonly serviceTypeId?: string | undefined;
  readonly scheduleId?: string | undefined;
  readonly resourceId?: string | undefined;
}
