import { setImmediate as nextTurn } from "node:timers/promises";
import { MS_PER_DAY, parseInstant } from "../core/dates.ts";
import type { Fault } from "../core/errors.ts";
import type { SharedDatabase } from "../db/database.ts";
import { type Agenda, type PreparedSchedule, prepareSchedule, writeAgenda } from "./agenda.ts";
import type { CompiledSchedule } from "./expand.ts";
import {
  type CalendarWindow,
  readCalendar,
  readSessions,
  readWholeCalendar,
  type ScheduleRow,
} from "./queries.ts";
import { compileTexts } from "./schedule.ts";
import type { CalendarQuery } from "./schema.ts";

export const MAX_WINDOW_DAYS = 366;

/** The faults of the window as a whole; those of its two ends are found by their schema. */
export function checkWindow({ from, to }: Partial<CalendarQuery>): Fault[] {
  const fromMs = typeof from === "string" ? parseInstant(from) : undefined;
  const toMs = typeof to === "string" ? parseInstant(to) : undefined;
  if (fromMs === undefined || toMs === undefined) return [];
  if (toMs <= fromMs) return [{ location: "query.to", message: "must be after from" }];
  if (toMs - fromMs > MAX_WINDOW_DAYS * MS_PER_DAY) {
    return [{ location: "query.to", message: `must be at most ${MAX_WINDOW_DAYS} days after from` }];
  }
  return [];
}

export function readWindow(query: CalendarQuery): CalendarWindow {
  return {
    fromMs: parseInstant(query.from) ?? Number.NaN,
    toMs: parseInstant(query.to) ?? Number.NaN,
    locationId: query.locationId,
    serviceTypeId: query.serviceTypeId,
  };
}

/** Whose calendar is read, and the version of the catalog that the gate has just seen. */
interface Reader {
  readonly organizationId: string;
  readonly catalogVersion: number;
}

/** The schedules of an organization at one version of its catalog; absent if there are too many to keep. */
interface CachedSchedules {
  readonly version: number;
  readonly schedules?: readonly PreparedSchedule[];
}

/**
 * Reads calendars. The schedules of an organization are kept ready; of a window only the stored sessions are then
 * read, together with the version of the catalog in the same snapshot. If that is not the version of the schedules,
 * they are read again: what is written is always of one snapshot.
 */
export class CalendarReader {
  readonly #db: SharedDatabase;
  readonly #cached = new Map<string, CachedSchedules>();
  #keptSchedules = 0;
  readonly #compiled = new Map<string, CompiledSchedule>();

  constructor(db: SharedDatabase) {
    this.#db = db;
  }

  /** The window's list envelope as JSON, piece by piece; `opening` stands before its first member. */
  async *write(reader: Reader, window: CalendarWindow, opening: string): AsyncGenerator<Buffer> {
    const agenda = await this.#read(reader, window);
    let total = 0;
    yield Buffer.from(`${opening}"data":[`);
    for (const { bytes, count } of writeAgenda(agenda, window)) {
      if (count === 0) continue;
      // Each session comes with a comma before it; the first has nothing to be parted from.
      yield total === 0 ? bytes.subarray(1) : bytes;
      total += count;
      // Waiting for the socket to drain alone would not let other requests in.
      await nextTurn();
    }
    yield Buffer.from(`],"total":${total}}`);
  }

  async #read({ organizationId, catalogVersion }: Reader, window: CalendarWindow): Promise<Agenda> {
    const db = this.#db.for(organizationId);
    const kept = this.#cached.get(organizationId);
    if (kept && !kept.schedules) {
      const { schedules, sessions } = await readCalendar(db, organizationId, window);
      return { schedules: this.#prepare(schedules), sessions };
    }
    if (kept?.schedules && kept.version === catalogVersion) {
      const { version, sessions } = await readSessions(db, organizationId, window);
      if (version === kept.version) return { schedules: kept.schedules, sessions };
    }
    const whole = await readWholeCalendar(db, organizationId, window, MAX_KEPT_OF_ONE + 1);
    if (whole.schedules.length > MAX_KEPT_OF_ONE) {
      this.#store(organizationId, { version: whole.version });
      return this.#read({ organizationId, catalogVersion }, window);
    }
    const schedules = this.#prepare(whole.schedules);
    this.#store(organizationId, { version: whole.version, schedules });
    return { schedules, sessions: whole.sessions };
  }

  /** Of the organizations that are kept, the one that was kept first makes room. */
  #store(organizationId: string, kept: CachedSchedules): void {
    this.#forget(organizationId);
    this.#cached.set(organizationId, kept);
    this.#keptSchedules += weight(kept);
    for (const oldest of this.#cached.keys()) {
      if (this.#keptSchedules <= MAX_KEPT) return;
      this.#forget(oldest);
    }
  }

  #forget(organizationId: string): void {
    const kept = this.#cached.get(organizationId);
    if (!kept) return;
    this.#keptSchedules -= weight(kept);
    this.#cached.delete(organizationId);
  }

  #prepare(rows: readonly ScheduleRow[]): PreparedSchedule[] {
    return rows.map((row) => prepareSchedule(row, this.#compile(row)));
  }

  /** By content, not by id: whatever stands in the row is what is expanded. */
  #compile(row: ScheduleRow): CompiledSchedule {
    const { start, rrule = "", exdates, rdates, countedSlot = "", timezone } = row;
    const content = [timezone, start, rrule, exdates.join(), rdates.join(), countedSlot].join("|");
    const known = this.#compiled.get(content);
    if (known) return known;
    if (this.#compiled.size >= MAX_COMPILED) this.#compiled.clear();
    const compiled = compileTexts(row, timezone);
    this.#compiled.set(content, compiled);
    return compiled;
  }
}

const MAX_COMPILED = 20_000;
const MAX_KEPT = 10_000;
/** An organization with more schedules than this is asked for those of the window alone. */
const MAX_KEPT_OF_ONE = 2_000;

/** An organization counts as well: it may have no schedules. */
function weight({ schedules }: CachedSchedules): number {
  return 1 + (schedules?.length ?? 0);
}
