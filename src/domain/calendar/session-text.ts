import { MS_PER_DAY, MS_PER_MINUTE } from "../../core/dates.ts";
import { compileTemplate } from "../../core/render.ts";
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
  /** The text around the id, slot and times, which come in this order. */
  readonly pieces: readonly string[];
  /** The same with zeros for them, and where each of them begins; -1 for what its sessions do not have. */
  readonly text: Buffer;
  readonly idAt: number;
  readonly slotAt: number;
  readonly startAt: number;
  readonly endAt: number;
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
  pieces[0] = `,${pieces[0]}`;
  let text = "";
  let gap = 0;
  const leave = (zeros: string) => {
    text += pieces[gap++];
    const at = Buffer.byteLength(text);
    text += zeros;
    return at;
  };
  const idAt = id === undefined ? -1 : leave("0".repeat(ID_LENGTH));
  const slotAt = originalStart === undefined ? -1 : leave(ZERO_TIME.slice(0, WALL_CLOCK_LENGTH));
  const [startAt, endAt] = [leave(ZERO_TIME), leave(ZERO_TIME)];
  return {
    locationId,
    serviceTypeId,
    scheduleId,
    resourceIds,
    durationMs: durationMinutes * MS_PER_MINUTE,
    session,
    pieces,
    text: Buffer.from(text + pieces[gap]),
    idAt,
    slotAt,
    startAt,
    endAt,
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

/** Where sessions are written to. */
export interface Memory {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export function allocate(size: number): Memory {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** No session of the template is longer, in bytes: a year of five digits has a sign and two digits more. */
export function mostBytesOf({ text }: SessionTemplate): number {
  return text.length + 3 * 3;
}

/**
 * Writes a session and returns where it ends. Bytes are copied: several times as fast as putting texts together.
 * `slotMs` is the wall clock of its slot, if it has one.
 */
export function writeSession(
  { bytes, view }: Memory,
  start: number,
  template: SessionTemplate,
  startMs: number,
  slotMs: number,
  id = "",
): number {
  const { text, idAt, slotAt, startAt, endAt, durationMs } = template;
  bytes.set(text, start);
  if (idAt >= 0) bytes.write(id, start + idAt, "latin1");
  const isWritten =
    (slotAt < 0 || writeTime(view, start + slotAt, slotMs)) &&
    writeTime(view, start + startAt, startMs) &&
    writeTime(view, start + endAt, startMs + durationMs);
  return isWritten ? start + text.length : writeLongTimes(bytes, start, template, startMs, slotMs, id);
}

/** The same with times of any length: seconds occur where clocks once differed by them, and years of five digits. */
function writeLongTimes(
  bytes: Buffer,
  start: number,
  { pieces, idAt, slotAt, durationMs }: SessionTemplate,
  startMs: number,
  slotMs: number,
  id: string,
): number {
  const gaps = [
    ...(idAt < 0 ? [] : [id]),
    ...(slotAt < 0 ? [] : [new Date(slotMs).toISOString().slice(0, -":00.000Z".length)]),
    new Date(startMs).toISOString(),
    new Date(startMs + durationMs).toISOString(),
    "",
  ];
  return start + bytes.write(pieces.map((piece, at) => piece + gaps[at]).join(""), start);
}

const ID_LENGTH = 36;
const ZERO_TIME = "0000-00-00T00:00:00.000Z";
const WALL_CLOCK_LENGTH = "0000-00-00T00:00".length;
const TIME_OF_DAY = "0000-00-00T".length;

/** `09:30` for each minute of the day: four letters as a number, and the last one. */
const MINUTES = Array.from({ length: 1440 }, (_, minute) => {
  const two = (value: number) => String(value).padStart(2, "0");
  return Buffer.from(`${two(Math.floor(minute / 60))}:${two(minute % 60)}`);
});
const MINUTE_HEADS = Uint32Array.from(MINUTES, (text) => text.readUint32LE());
const MINUTE_ENDS = Uint8Array.from(MINUTES, (text) => text[4] as number);

// The dates last written, each at the place that its day gives it: nearly every time is of the same day as one of those
// before, but a slot's wall clock and its instant are often of two days in turn. Eight letters as a number, and the last two.
const KNOWN_DATES = 4;
const knownDays = new Float64Array(KNOWN_DATES).fill(Number.NaN);
const knownHeads = new Float64Array(KNOWN_DATES);
const knownEnds = new Uint16Array(KNOWN_DATES);

/** Writes date, hour and minute of a time, `2026-11-15T09:30`, over zeros; false if that is not all of it. */
function writeTime(view: DataView, start: number, ms: number): boolean {
  const day = Math.floor(ms / MS_PER_DAY);
  const minute = (ms - day * MS_PER_DAY) / MS_PER_MINUTE;
  if (!Number.isInteger(minute) || day < FIRST_DAY || day > LAST_DAY) return false;
  const place = day & (KNOWN_DATES - 1);
  if (day !== knownDays[place]) {
    const date = Buffer.from(new Date(day * MS_PER_DAY).toISOString());
    knownHeads[place] = date.readDoubleLE(0);
    knownEnds[place] = date.readUint16LE(8);
    knownDays[place] = day;
  }
  view.setFloat64(start, knownHeads[place] as number, true);
  view.setUint16(start + 8, knownEnds[place] as number, true);
  view.setUint32(start + TIME_OF_DAY, MINUTE_HEADS[minute] as number, true);
  view.setUint8(start + TIME_OF_DAY + 4, MINUTE_ENDS[minute] as number);
  return true;
}

const FIRST_DAY = 0 - 719_162;
const LAST_DAY = 2_932_896;
