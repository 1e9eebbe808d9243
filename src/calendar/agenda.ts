import { MS_PER_DAY } from "../core/dates.ts";
import { type CompiledSchedule, openSlots, type SlotCursor } from "./expand.ts";
import type { CalendarWindow, ScheduleRow, SessionRow } from "./queries.ts";
import { parseWallClock } from "./rule.ts";

/** The sessions of one slice of a window, as JSON texts with a comma before each, and how many they are. */
export interface Slice {
  /** To be read before the next slice is asked for, which is written into the same memory. */
  readonly bytes: Buffer;
  readonly count: number;
}

/** A schedule made ready to be written for any window. */
export interface PreparedSchedule extends SessionTexts {
  readonly firstSlotMs: number;
  readonly lastSlotMs: number;
  readonly compiled: CompiledSchedule;
}

/** What a window's sessions are made of. */
export interface Agenda {
  /** More of them may be given than have slots in the window or pass its filters. */
  readonly schedules: readonly PreparedSchedule[];
  readonly sessions: readonly SessionRow[];
}

/**
 * The sessions of a window in order, slice by slice, so that neither the memory nor the event loop is ever held
 * by a whole year: stored sessions at their current time, and the slots that no stored session stands for.
 */
export function* writeAgenda(agenda: Agenda, window: CalendarWindow): Generator<Slice> {
  const sources = orderSources(agenda, window);
  const { fromMs, toMs } = window;
  const page = new Page();
  let lengthMs = FIRST_SLICE_MS;
  for (let startMs = fromMs; startMs < toMs; ) {
    const endMs = Math.min(startMs + lengthMs, toMs);
    const slice = writeSlice(sources, startMs, endMs, page);
    yield slice;
    startMs = endMs;
    if (slice.count > SLICE_SESSIONS) lengthMs = Math.max(lengthMs / 2, MIN_SLICE_MS);
    else if (slice.count < SLICE_SESSIONS / 4) lengthMs = Math.min(lengthMs * 2, MAX_SLICE_MS);
  }
}

/** Small enough to be written in a few milliseconds, large enough to be worth a turn of the event loop. */
const SLICE_SESSIONS = 2_000;
const FIRST_SLICE_MS = 2 * MS_PER_DAY;
const MIN_SLICE_MS = 3_600_000;
const MAX_SLICE_MS = 64 * MS_PER_DAY;

/** The text around the times of sessions that differ in nothing else, and by what they are ordered. */
interface SessionTexts {
  readonly locationId: string;
  readonly serviceTypeId: string;
  /** Empty if absent, so that an absent one is first. */
  readonly scheduleId: string;
  readonly id: string;
  /** What stands before the start, and after the end. */
  readonly opening: Buffer;
  readonly closing: Buffer;
  readonly durationMs: number;
}

/** What sessions come from: a schedule, or one stored session. */
interface Source extends SessionTexts {
  /** A schedule's slots; a stored session has `startMs` instead. */
  readonly slots?: SlotCursor;
  /** Wall clocks of the slots that stored sessions stand for. */
  readonly taken?: ReadonlySet<number> | undefined;
  readonly startMs?: number;
}

interface Sources {
  /** In the order in which sessions of one instant stand. */
  readonly all: readonly Source[];
  readonly schedules: readonly number[];
  /** Stored sessions by their start, and how far they have been written. */
  readonly stored: readonly number[];
  written: number;
}

function orderSources({ schedules, sessions }: Agenda, window: CalendarWindow): Sources {
  const taken = takenSlots(sessions);
  const all = [
    ...schedules
      .filter((schedule) => mayHaveSlots(schedule, window))
      .map((schedule) => scheduleSource(schedule, window, taken.get(schedule.scheduleId))),
    ...sessions.map(sessionSource).filter((source) => belongs(source, window)),
  ].sort(compareSources);
  const indexes = all.map((_, index) => index);
  return {
    all,
    schedules: indexes.filter((index) => all[index]?.slots !== undefined),
    stored: indexes
      .filter((index) => all[index]?.startMs !== undefined)
      .sort((a, b) => (all[a]?.startMs ?? 0) - (all[b]?.startMs ?? 0)),
    written: 0,
  };
}

/** No zone is further than this from UTC, and a slot in a gap adds at most a day (Apia skipped one). */
export const WALL_SLACK_MS = 3 * MS_PER_DAY;

function mayHaveSlots(schedule: PreparedSchedule, window: CalendarWindow): boolean {
  return (
    schedule.firstSlotMs < window.toMs + WALL_SLACK_MS &&
    schedule.lastSlotMs >= window.fromMs - WALL_SLACK_MS &&
    passes(schedule, window)
  );
}

/** A stored session shows by what it is now, wherever its slot lies. */
function belongs(source: Source, window: CalendarWindow): boolean {
  const { startMs = Number.NaN } = source;
  return startMs >= window.fromMs && startMs < window.toMs && passes(source, window);
}

function passes({ locationId, serviceTypeId }: SessionTexts, window: CalendarWindow): boolean {
  return (
    (window.locationId === undefined || window.locationId === locationId) &&
    (window.serviceTypeId === undefined || window.serviceTypeId === serviceTypeId)
  );
}

function takenSlots(sessions: readonly SessionRow[]): Map<string, Set<number>> {
  const taken = new Map<string, Set<number>>();
  for (const { scheduleId, originalStart } of sessions) {
    const wallMs = originalStart === undefined ? undefined : parseWallClock(originalStart);
    if (scheduleId === undefined || wallMs === undefined) continue;
    const slots = taken.get(scheduleId) ?? new Set();
    taken.set(scheduleId, slots.add(wallMs));
  }
  return taken;
}

/**
 * Each session is a number while the slice is sorted: its offset within the slice, then its source's place. Both
 * fit exactly into a double (a slice of 64 days has less than 2^33 milliseconds, and sources are far below 2^20).
 */
function writeSlice(sources: Sources, startMs: number, endMs: number, page: Page): Slice {
  const { all, schedules, stored } = sources;
  const keys: number[] = [];
  for (const place of schedules) {
    const { slots, taken } = all[place] as Source;
    while (slots?.next(endMs)) {
      if (
        taken &&
        (taken.has(slots.wallMs) || (slots.twinWallMs !== undefined && taken.has(slots.twinWallMs)))
      )
        continue;
      keys.push((slots.instantMs - startMs) * PLACES + place);
    }
  }
  for (; sources.written < stored.length; sources.written++) {
    const place = stored[sources.written] as number;
    const at = all[place]?.startMs as number;
    if (at >= endMs) break;
    keys.push((at - startMs) * PLACES + place);
  }
  return writeSessions(Float64Array.from(keys).sort(), all, startMs, page);
}

/** Bytes are copied into one buffer of the right size: several times as fast as putting texts together. */
function writeSessions(sorted: Float64Array, all: readonly Source[], startMs: number, page: Page): Slice {
  let size = 0;
  for (let i = 0; i < sorted.length; i++) {
    const key = sorted[i] as number;
    const { opening, closing } = all[key - Math.floor(key / PLACES) * PLACES] as Source;
    size += opening.length + closing.length + TIMES_LENGTH;
  }
  const bytes = page.ofSize(size);
  let end = 0;
  for (let i = 0; i < sorted.length; i++) {
    const key = sorted[i] as number;
    const offsetMs = Math.floor(key / PLACES);
    const { opening, closing, durationMs } = all[key - offsetMs * PLACES] as Source;
    const at = startMs + offsetMs;
    bytes.set(opening, end);
    end = writeInstant(bytes, end + opening.length, at);
    bytes.set(BETWEEN, end);
    end = writeInstant(bytes, end + BETWEEN.length, at + durationMs);
    bytes.set(closing, end);
    end += closing.length;
  }
  return { bytes: bytes.subarray(0, end), count: sorted.length };
}

/** Memory for one slice after the other. */
class Page {
  #bytes = Buffer.alloc(0);

  ofSize(size: number): Buffer {
    if (this.#bytes.length < size) this.#bytes = Buffer.allocUnsafe(size + (size >> 2));
    return this.#bytes;
  }
}

const BETWEEN = Buffer.from('","endAt":"');
/** Two instants and what is between them; one of the year 10000 is three characters longer. */
const TIMES_LENGTH = 2 * 27 + BETWEEN.length;

const PLACES = 2 ** 20;

export function prepareSchedule(row: ScheduleRow, compiled: CompiledSchedule): PreparedSchedule {
  return {
    locationId: row.locationId,
    serviceTypeId: row.serviceTypeId,
    scheduleId: row.id,
    id: "",
    opening: Buffer.from(`,{"scheduleId":"${row.id}",${placeText(row)},"startAt":"`),
    closing: Buffer.from(`","capacity":${row.capacity},"bookedCount":0,"status":"scheduled"}`),
    durationMs: row.durationMinutes * 60_000,
    firstSlotMs: parseWallClock(row.firstSlot) ?? Number.NEGATIVE_INFINITY,
    lastSlotMs: parseWallClock(row.lastSlot ?? "") ?? Number.POSITIVE_INFINITY,
    compiled,
  };
}

function scheduleSource(
  schedule: PreparedSchedule,
  window: CalendarWindow,
  taken: ReadonlySet<number> | undefined,
): Source {
  const { locationId, serviceTypeId, scheduleId, id, opening, closing, durationMs, compiled } = schedule;
  const slots = openSlots(compiled, window.fromMs, window.toMs);
  return { locationId, serviceTypeId, scheduleId, id, opening, closing, durationMs, slots, taken };
}

function sessionSource(row: SessionRow): Source {
  const schedule = row.scheduleId === undefined ? "" : `"scheduleId":"${row.scheduleId}",`;
  return {
    locationId: row.locationId,
    serviceTypeId: row.serviceTypeId,
    scheduleId: row.scheduleId ?? "",
    id: row.id,
    opening: Buffer.from(`,{"id":"${row.id}",${schedule}${placeText(row)},"startAt":"`),
    closing: Buffer.from(
      `","capacity":${row.capacity},"bookedCount":${row.bookedCount},"status":"${row.status}"}`,
    ),
    durationMs: row.durationMinutes * 60_000,
    startMs: Date.parse(row.startAt),
  };
}

function placeText(row: ScheduleRow | SessionRow): string {
  const resources = row.resourceIds.length === 0 ? "" : `,"resourceIds":${JSON.stringify(row.resourceIds)}`;
  return `"serviceTypeId":"${row.serviceTypeId}","locationId":"${row.locationId}"${resources}`;
}

function compareSources(a: Source, b: Source): number {
  return (
    compare(a.locationId, b.locationId) ||
    compare(a.serviceTypeId, b.serviceTypeId) ||
    compare(a.scheduleId, b.scheduleId) ||
    compare(a.id, b.id)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

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
export function writeInstant(bytes: Buffer, start: number, ms: number): number {
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
