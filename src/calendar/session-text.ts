import { MS_PER_DAY, MS_PER_MINUTE } from "../core/dates.ts";
import { compileTemplate } from "../core/render.ts";
import type { SessionFilter } from "./calendar-rows.ts";
import { Session } from "./schema.ts";

/**
 * The text of sessions that differ only in id, slot and time, and by what they are ordered. It is written by the schema:
 * what a session has and the schema names is in the text, in the schema's order.
 */
export interface SessionTemplate {
  readonly locationId: string;
  readonly serviceTypeId: string;
  /** Empty if absent, so that an absent one is first. */
  readonly scheduleId: string;
  readonly resourceIds: readonly string[];
  readonly durationMs: number;
  readonly session: TimelessSession;
  /** Before the id; absent for sessions that have none. */
  readonly head: Buffer | undefined;
  /** Before the slot; absent for sessions of no schedule. */
  readonly slotHead: Buffer | undefined;
  /** Before the start, between start and end, and after the end. */
  readonly opening: Buffer;
  readonly between: Buffer;
  readonly closing: Buffer;
  /** No session of this template is longer, in bytes. */
  readonly mostBytes: number;
}

/** A session without its slot and times. */
export type TimelessSession = { readonly [Name in keyof Timeless]: Timeless[Name] | undefined };
type Timeless = Omit<Session, "originalStart" | "startAt" | "endAt">;

const writeAround = compileTemplate(Session, ["id", "originalStart", "startAt", "endAt"]);

/** With a comma before each session, since sessions follow one another. */
export function sessionTemplate(session: TimelessSession, durationMinutes: number): SessionTemplate {
  const { id, locationId = "", serviceTypeId = "", scheduleId = "", resourceIds = [] } = session;
  const originalStart = scheduleId === "" ? undefined : "";
  const pieces = writeAround({ ...session, originalStart, startAt: "", endAt: "" });
  const texts = pieces.map((piece, index) => Buffer.from(index === 0 ? `,${piece}` : piece));
  const heads = texts.slice(0, -3);
  const [opening, between, closing] = texts.slice(-3);
  if (!opening || !between || !closing) throw new Error("a session has two times, start and end");
  return {
    locationId,
    serviceTypeId,
    scheduleId,
    resourceIds,
    durationMs: durationMinutes * MS_PER_MINUTE,
    session,
    head: id === undefined ? undefined : heads.shift(),
    slotHead: originalStart === undefined ? undefined : heads.shift(),
    opening,
    between,
    closing,
    mostBytes: texts.reduce(
      (sum, { length }) => sum + length,
      ID_LENGTH + MOST_WALL_CLOCK_LENGTH + 2 * MOST_INSTANT_LENGTH,
    ),
  };
}

/** Whether sessions of this template have what is asked for. */
export function passes(
  template: SessionTemplate,
  { locationId, serviceTypeId, scheduleId, resourceId }: SessionFilter,
): boolean {
  return (
    (locationId === undefined || locationId === template.locationId) &&
    (serviceTypeId === undefined || serviceTypeId === template.serviceTypeId) &&
    (scheduleId === undefined || scheduleId === template.scheduleId) &&
    (resourceId === undefined || template.resourceIds.includes(resourceId))
  );
}

/** The order of sessions that start at one instant; the id, an absent one first, decides what is equal here. */
export function compareTemplates(a: SessionTemplate, b: SessionTemplate): number {
  return (
    compare(a.locationId, b.locationId) ||
    compare(a.serviceTypeId, b.serviceTypeId) ||
    compare(a.scheduleId, b.scheduleId)
  );
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Writes a session and returns where it ends. Bytes are copied: several times as fast as putting texts together.
 * `slotMs` is the wall clock of its slot, if it has one.
 */
export function writeSession(
  bytes: Buffer,
  start: number,
  template: SessionTemplate,
  startMs: number,
  slotMs: number,
  id = "",
): number {
  const { head, slotHead, opening, between, closing } = template;
  let end = start;
  if (head) {
    bytes.set(head, end);
    end += head.length;
    end += bytes.write(id, end, "latin1");
  }
  if (slotHead) {
    bytes.set(slotHead, end);
    end = writeTime(bytes, end + slotHead.length, slotMs, WALL_MINUTE_LENGTH);
  }
  bytes.set(opening, end);
  end = writeTime(bytes, end + opening.length, startMs, MINUTE_LENGTH);
  bytes.set(between, end);
  end = writeTime(bytes, end + between.length, startMs + template.durationMs, MINUTE_LENGTH);
  bytes.set(closing, end);
  return end + closing.length;
}

const ID_LENGTH = 36;
/** One of the year 10000 has a sign and two digits more than others. */
const MOST_INSTANT_LENGTH = 27;
const MOST_WALL_CLOCK_LENGTH = 19;

/** `T09:30:00.000Z` for each minute of the day, one after the other. */
const MINUTES = Buffer.from(
  Array.from({ length: 1440 }, (_, minute) => {
    const two = (value: number) => String(value).padStart(2, "0");
    return `T${two(Math.floor(minute / 60))}:${two(minute % 60)}:00.000Z`;
  }).join(""),
);
const MINUTE_LENGTH = 14;
/** `T09:30`: how much of it a wall clock has. */
const WALL_MINUTE_LENGTH = 6;
const DATE_LENGTH = 10;

// The dates last written, each at the place that its day gives it: nearly every time is of the same day as one of those
// before, but a slot's wall clock and its instant are often of two days in turn.
const KNOWN_DATES = 4;
const knownDates = Buffer.alloc(KNOWN_DATES * DATE_LENGTH);
const knownDays = new Float64Array(KNOWN_DATES).fill(Number.NaN);

/**
 * Writes an instant as the wire has it, `2026-11-15T09:30:00.000Z`, or a wall clock, `2026-11-15T09:30`, and returns where
 * it ends. `length` is how much of the time of day is written.
 */
function writeTime(bytes: Buffer, start: number, ms: number, length: number): number {
  const day = Math.floor(ms / MS_PER_DAY);
  const minute = (ms - day * MS_PER_DAY) / MS_PER_MINUTE;
  // Seconds occur where clocks once differed by them, and years of five digits after the last of four.
  if (!Number.isInteger(minute) || day < FIRST_DAY || day > LAST_DAY) {
    const text = new Date(ms).toISOString();
    return start + bytes.write(text.slice(0, text.length - MINUTE_LENGTH + length), start, "latin1");
  }
  const place = day & (KNOWN_DATES - 1);
  const date = place * DATE_LENGTH;
  if (day !== knownDays[place]) {
    knownDates.write(new Date(day * MS_PER_DAY).toISOString().slice(0, DATE_LENGTH), date, "latin1");
    knownDays[place] = day;
  }
  for (let i = 0; i < DATE_LENGTH; i++) bytes[start + i] = knownDates[date + i] as number;
  const time = start + DATE_LENGTH;
  const from = minute * MINUTE_LENGTH;
  for (let i = 0; i < length; i++) bytes[time + i] = MINUTES[from + i] as number;
  return time + length;
}

const FIRST_DAY = 0 - 719_162;
const LAST_DAY = 2_932_896;
