import { setImmediate as nextTurn } from "node:timers/promises";
import { MS_PER_DAY, parseInstant } from "../dates.ts";
import type { Database } from "../db/database.ts";
import type { Fault } from "../errors.ts";
import { writeAgenda } from "./agenda.ts";
import type { CompiledSchedule } from "./expand.ts";
import { type CalendarWindow, readCalendar, type ScheduleRow } from "./queries.ts";
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

/** Reads calendars; rules that were compiled for one request are there for the next. */
export class CalendarReader {
  readonly #db: Database;
  readonly #compiled = new Map<string, CompiledSchedule>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** The window's list envelope as JSON, piece by piece; `opening` stands before its first member. */
  async *write(organizationId: string, window: CalendarWindow, opening: string): AsyncGenerator<Buffer> {
    const rows = await readCalendar(this.#db, organizationId, window);
    let total = 0;
    yield Buffer.from(`${opening}"data":[`);
    for (const { bytes, count } of writeAgenda(rows, window, (row) => this.#compile(row))) {
      if (count === 0) continue;
      // Each session comes with a comma before it; the first has nothing to be parted from.
      yield total === 0 ? bytes.subarray(1) : bytes;
      total += count;
      // Waiting for the socket to drain alone would not let other requests in.
      await nextTurn();
    }
    yield Buffer.from(`],"total":${total}}`);
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
