import { MS_PER_DAY, MS_PER_MINUTE, parseWallClock } from "../../core/dates.ts";
import { type CompiledSchedule, mostSlotsPerDay, openSlots, type SlotCursor } from "../recurrence/expand.ts";
import { WALL_SLACK_MS } from "../recurrence/zones.ts";
import type { CalendarWindow, ScheduleRow } from "./calendar-rows.ts";
import {
  allocate,
  compareTemplates,
  mostBytesOf,
  passes,
  type SessionTemplate,
  sessionTemplate,
  type TimelessSession,
  writeSession,
} from "./session-text.ts";
import { SlotKeys } from "./slot-keys.ts";
import type { StoredSessions, TakenSlots } from "./stored-sessions.ts";

/** A piece of the work on a window that is short enough for one turn of the event loop. */
export interface Slice {
  /**
   * Sessions as JSON texts with a comma before each. To be read before the next slice is asked for, which is written
   * into the same memory.
   */
  readonly bytes: Buffer;
  /** How many sessions they are; 0 if there are none to send yet. */
  readonly count: number;
}

/** A schedule made ready to be written for any window. */
export interface PreparedSchedule {
  readonly template: SessionTemplate;
  readonly firstSlotMs: number;
  readonly lastSlotMs: number;
  readonly slotsPerDay: number;
  readonly compiled: CompiledSchedule;
}

/** What a window's sessions are made of. */
export interface Agenda {
  /**
   * In order of location, service type and id. More of them may be given than have slots in the window or pass its
   * filters.
   */
  readonly schedules: readonly PreparedSchedule[];
  /** Those that lie in the window and pass its filters. */
  readonly stored: StoredSessions;
  readonly taken: TakenSlots;
}

/** The sessions of a window in order, as JSON. */
export function* writeAgenda(agenda: Agenda, window: CalendarWindow): Generator<Slice> {
  const page = new SlicePage();
  let count = 0;
  for (const more of walkAgenda(agenda, window, page)) {
    count += more;
    if (page.length < PAGE_BYTES) yield UNFINISHED;
    else {
      yield { bytes: page.take(), count };
      count = 0;
    }
  }
  yield { bytes: page.take(), count };
}

/** Each write to a socket costs as much as some hundred sessions. */
const PAGE_BYTES = 1 << 15;
const UNFINISHED: Slice = { bytes: Buffer.alloc(0), count: 0 };

/** Takes sessions one after the other. */
export interface SessionSink {
  /** `slotMs` is the wall clock of the session's slot, if it has one. */
  add(template: SessionTemplate, startMs: number, slotMs: number, id: string | undefined): void;
}

/**
 * The sessions of a window in order: stored sessions at their current time, and the slots that no stored session
 * stands for. They come piece by piece, so that neither the memory nor the event loop is ever held by a whole year,
 * however much is stored. Tells after each piece how many sessions it had; 0 if the work has only been prepared.
 */
export function* walkAgenda(
  { schedules, stored, taken }: Agenda,
  window: CalendarWindow,
  sink: SessionSink,
): Generator<number> {
  const open: OpenSchedule[] = [];
  for (const [index, schedule] of schedules.entries()) {
    if (index % SCHEDULES_A_PIECE === 0) yield 0;
    if (mayHaveSlots(schedule, window)) open.push(openSchedule(schedule, window, taken));
  }
  const keys = new SlotKeys(open.length);
  const merge = new Merge(open, stored, keys);
  const mostMs = longestSlice(open, keys);
  let lengthMs = Math.min(FIRST_SLICE_MS, mostMs);
  for (let startMs = window.fromMs; startMs < window.toMs; ) {
    const endMs = Math.min(startMs + lengthMs, window.toMs);
    const found: number[] = [];
    for (const [place, schedule] of open.entries()) {
      if (place % SCHEDULES_A_PIECE === 0) yield 0;
      while (nextFreeSlot(schedule, endMs)) {
        found.push(keys.of(schedule.slots.instantMs - startMs, place));
        schedule.walls.add(schedule.slots.wallMs);
        if (found.length % SLOTS_A_PIECE === 0) yield 0;
      }
    }
    merge.begin(startMs, endMs, new Float64Array(found).sort());
    for (let count = merge.next(sink); count > 0; count = merge.next(sink)) yield count;
    startMs = endMs;
    lengthMs = nextLength(lengthMs, mostMs, found.length);
  }
}

/** What is done before the caller is asked again: each takes well under a millisecond on a machine of today. */
const SESSIONS_A_PIECE = 100;
const SCHEDULES_A_PIECE = 50;
const SLOTS_A_PIECE = 500;

/** Slots are sorted in slices of time of about this many; a slice may have ten times as many where they crowd. */
const SLICE_SLOTS = 2_000;
const MOST_SLOTS = 10 * SLICE_SLOTS;
const FIRST_SLICE_MS = 2 * MS_PER_DAY;
/** No rule repeats more often than this. */
const MIN_SLICE_MS = 60_000;
const MAX_SLICE_MS = 64 * MS_PER_DAY;

interface OpenSchedule {
  readonly schedule: PreparedSchedule;
  readonly slots: SlotCursor;
  /** Minutes of the wall clocks of the slots that stored sessions stand for. */
  readonly taken: ReadonlySet<number> | undefined;
  /** The wall clocks of the slots of the slice that are not yet written, in the order of their instants. */
  readonly walls: WallClocks;
}

/** Wall clocks that are taken out in the order in which they were put in. */
class WallClocks {
  readonly #waiting: number[] = [];
  #next = 0;

  add(wallMs: number): void {
    this.#waiting.push(wallMs);
  }

  take(): number {
    const wallMs = this.#waiting[this.#next++] ?? Number.NaN;
    if (this.#next === this.#waiting.length) {
      this.#waiting.length = 0;
      this.#next = 0;
    }
    return wallMs;
  }
}

function openSchedule(schedule: PreparedSchedule, window: CalendarWindow, taken: TakenSlots): OpenSchedule {
  const slots = openSlots(schedule.compiled, window.fromMs, window.toMs);
  return { schedule, slots, taken: taken.of(schedule.template.scheduleId), walls: new WallClocks() };
}

function mayHaveSlots(
  { firstSlotMs, lastSlotMs, template }: PreparedSchedule,
  window: CalendarWindow,
): boolean {
  return (
    firstSlotMs < window.toMs + WALL_SLACK_MS &&
    lastSlotMs >= window.fromMs - WALL_SLACK_MS &&
    passes(template, window)
  );
}

function longestSlice(open: readonly OpenSchedule[], keys: SlotKeys): number {
  const perDay = open.reduce((sum, { schedule }) => sum + schedule.slotsPerDay, 0);
  const crowdedMs = Math.floor((MOST_SLOTS / Math.max(perDay, 1)) * MS_PER_DAY);
  return Math.min(Math.max(crowdedMs, MIN_SLICE_MS), MAX_SLICE_MS, keys.longestMs);
}

/** Whole milliseconds, as all instants are. */
function nextLength(lengthMs: number, mostMs: number, slots: number): number {
  if (slots > SLICE_SLOTS) return Math.max(Math.floor(lengthMs / 2), MIN_SLICE_MS);
  return slots < SLICE_SLOTS / 4 ? Math.min(lengthMs * 2, mostMs) : lengthMs;
}

/** Goes on to the next slot before an instant that no stored session stands for; false if there is none. */
function nextFreeSlot({ slots, taken }: OpenSchedule, endMs: number): boolean {
  while (slots.next(endMs)) {
    const { wallMs, twinWallMs } = slots;
    if (
      !taken?.has(wallMs / MS_PER_MINUTE) &&
      !(twinWallMs !== undefined && taken?.has(twinWallMs / MS_PER_MINUTE))
    )
      return true;
  }
  return false;
}

/** Merges the slots of one slice after the other with the stored sessions, both being in order. */
class Merge {
  readonly #open: readonly OpenSchedule[];
  readonly #stored: StoredSessions;
  readonly #keys: SlotKeys;
  #nextStored = 0;
  #startMs = 0;
  #endMs = 0;
  #slots = new Float64Array();
  #nextSlot = 0;

  constructor(open: readonly OpenSchedule[], stored: StoredSessions, keys: SlotKeys) {
    this.#open = open;
    this.#stored = stored;
    this.#keys = keys;
  }

  begin(startMs: number, endMs: number, sortedSlots: Float64Array<ArrayBuffer>): void {
    this.#startMs = startMs;
    this.#endMs = endMs;
    this.#slots = sortedSlots;
    this.#nextSlot = 0;
  }

  /** Hands on the next sessions of the slice and tells how many; none when it is done. */
  next(sink: SessionSink): number {
    let count = 0;
    while (count < SESSIONS_A_PIECE) {
      const storedMs = this.#stored.startMs(this.#nextStored);
      const isSlot = this.#nextSlot < this.#slots.length;
      if (!isSlot && storedMs >= this.#endMs) break;
      const key = isSlot ? (this.#slots[this.#nextSlot] as number) : 0;
      const open = isSlot ? (this.#open[this.#keys.placeOf(key)] as OpenSchedule) : undefined;
      const slot = open?.schedule.template;
      const slotMs = isSlot ? this.#startMs + this.#keys.offsetOf(key) : Number.POSITIVE_INFINITY;
      if (slot && (slotMs < storedMs || (slotMs === storedMs && this.#isBeforeStored(slot)))) {
        sink.add(slot, slotMs, open.walls.take(), undefined);
        this.#nextSlot++;
      } else {
        const at = this.#nextStored++;
        sink.add(this.#stored.template(at), storedMs, this.#stored.slotMs(at), this.#stored.id(at));
      }
      count++;
    }
    return count;
  }

  /** What has no id is first among equals. */
  #isBeforeStored(slot: SessionTemplate): boolean {
    return compareTemplates(slot, this.#stored.template(this.#nextStored)) <= 0;
  }
}

/** Memory for the text of one slice after the other. */
class SlicePage implements SessionSink {
  #memory = allocate(1 << 16);
  #end = 0;

  add(template: SessionTemplate, startMs: number, slotMs: number, id: string | undefined): void {
    this.#makeRoom(mostBytesOf(template));
    this.#end = writeSession(this.#memory, this.#end, template, startMs, slotMs, id);
  }

  get length(): number {
    return this.#end;
  }

  /** What was added since it was last taken; the next session is written over it. */
  take(): Buffer {
    const bytes = this.#memory.bytes.subarray(0, this.#end);
    this.#end = 0;
    return bytes;
  }

  #makeRoom(size: number): void {
    if (this.#end + size <= this.#memory.bytes.length) return;
    const larger = allocate(2 * (this.#end + size));
    this.#memory.bytes.copy(larger.bytes, 0, 0, this.#end);
    this.#memory = larger;
  }
}

/** Every member that a session may have, so that a new one cannot be forgotten: here the compiler asks for it. */
type SlotRecord = Required<{ [Name in keyof TimelessSession]: unknown }> & TimelessSession;

export function prepareSchedule(row: ScheduleRow, compiled: CompiledSchedule): PreparedSchedule {
  const slot: SlotRecord = {
    id: undefined,
    scheduleId: row.id,
    serviceTypeId: row.serviceTypeId,
    locationId: row.locationId,
    resourceIds: row.resourceIds,
    capacity: row.capacity,
    bookedCount: 0,
    status: "scheduled",
  };
  return {
    template: sessionTemplate(slot, row.durationMinutes),
    firstSlotMs: parseWallClock(row.firstSlot) ?? Number.NEGATIVE_INFINITY,
    lastSlotMs: parseWallClock(row.lastSlot ?? "") ?? Number.POSITIVE_INFINITY,
    slotsPerDay: mostSlotsPerDay(compiled),
    compiled,
  };
}
