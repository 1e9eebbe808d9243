import { MS_PER_DAY } from "../core/dates.ts";
import { compileTemplate } from "../core/render.ts";
import { Session } from "./schema.ts";

/**
 * The text of sessions that differ only in id and time, and by what they are ordered. It is written by the schema:
 * what a session has and the schema names is in the text, in the schema's order.
 */
export interface SessionTemplate {
  readonly locationId: string;
  readonly serviceTypeId: string;
  /** Empty if absent, so that an absent one is first. */
  readonly scheduleId: string;
  readonly durationMs: number;
  /** Before the id; absent for sessions that have none. */
  readonly head: Buffer | undefined;
  /** Before the start, between start and end, and after the end. */
  readonly opening: Buffer;
  readonly between: Buffer;
  readonly closing: Buffer;
  /** No session of this template is longer, in bytes. */
  readonly mostBytes: number;
}

/** A session without its times. */
export type TimelessSession = { readonly [Name in keyof Timeless]: Timeless[Name] | undefined };
type Timeless = Omit<Session, "startAt" | "endAt">;

const writeAround = compileTemplate(Session, ["id", "startAt", "endAt"]);

/** With a comma before each session, since sessions follow one another. */
export function sessionTemplate(session: TimelessSession, durationMinutes: number): SessionTemplate {
  const { locationId = "", serviceTypeId = "", scheduleId = "" } = session;
  const pieces = writeAround({ ...session, startAt: "", endAt: "" });
  const texts = pieces.map((piece, index) => Buffer.from(index === 0 ? `,${piece}` : piece));
  const [opening, between, closing] = texts.slice(-3);
  if (!opening || !between || !closing) throw new Error("a session has two times, start and end");
  return {
    locationId,
    serviceTypeId,
    scheduleId,
    durationMs: durationMinutes * 60_000,
    head: texts.length > 3 ? texts[0] : undefined,
    opening,
    between,
    closing,
    mostBytes: texts.reduce((sum, { length }) => sum + length, ID_LENGTH + 2 * MOST_INSTANT_LENGTH),
  };
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

/** Writes a session and returns where it ends. Bytes are copied: several times as fast as putting texts together. */
export function writeSession(
  bytes: Buffer,
  start: number,
  template: SessionTemplate,
  startMs: number,
  id = "",
): number {
  const { head, opening, between, closing } = template;
  let end = start;
  if (head) {
    bytes.set(head, end);
    end += head.length;
    end += bytes.write(id, end, "latin1");
  }
  bytes.set(opening, end);
  end = writeInstant(bytes, end + opening.length, startMs);
  bytes.set(between, end);
  end = writeInstant(bytes, end + between.length, startMs + template.durationMs);
  bytes.set(closing, end);
  return end + closing.length;
}

const ID_LENGTH = 36;
/** One of the year 10000 has a sign and two digits more than others. */
const MOST_INSTANT_LENGTH = 27;

/** `T09:30:00.000Z` for each minute of the day, one after the other. */
const MINUTES = Buffer.from(
  Array.from({ length: 1440 }, (_, minute) => {
    const two = (value: number) => String(value).padStart(2, "0");
    return `T${two(Math.floor(minute / 60))}:${two(minute % 60)}:00.000Z`;
  }).join(""),
);
const MINUTE_LENGTH = 14;
const DATE_LENGTH = 10;

// The date last written: nearly every instant is of the same day as the one before.
const knownDate = Buffer.alloc(DATE_LENGTH);
let knownDay = Number.NaN;

/** Writes an instant as the wire has it, `2026-11-15T09:30:00.000Z`, and returns where it ends. */
function writeInstant(bytes: Buffer, start: number, ms: number): number {
  const day = Math.floor(ms / MS_PER_DAY);
  const minute = (ms - day * MS_PER_DAY) / 60_000;
  // Seconds occur where clocks once differed by them, and years of five digits after the last of four.
  if (!Number.isInteger(minute) || day < FIRST_DAY || day > LAST_DAY) {
    return start + bytes.write(new Date(ms).toISOString(), start, "latin1");
  }
  if (day !== knownDay) {
    knownDate.write(new Date(day * MS_PER_DAY).toISOString().slice(0, DATE_LENGTH), "latin1");
    knownDay = day;
  }
  for (let i = 0; i < DATE_LENGTH; i++) bytes[start + i] = knownDate[i] as number;
  const time = start + DATE_LENGTH;
  const from = minute * MINUTE_LENGTH;
  for (let i = 0; i < MINUTE_LENGTH; i++) bytes[time + i] = MINUTES[from + i] as number;
  return time + MINUTE_LENGTH;
}

const FIRST_DAY = 0 - 719_162;
const LAST_DAY = 2_932_896;
