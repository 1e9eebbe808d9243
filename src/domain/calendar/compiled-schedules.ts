import type { CompiledSchedule } from "../recurrence/expand.ts";
import { compileTexts, type ScheduleTexts } from "../recurrence/schedule.ts";

/** What a schedule is compiled from. */
interface CompilableSchedule extends ScheduleTexts {
  readonly exdates: readonly string[];
  readonly rdates: readonly string[];
  readonly countedSlot?: string | undefined;
  readonly timezone: string;
}

const MAX_COMPILED = 20_000;

/**
 * Schedules that were compiled before. By content, not by id: whatever stands in the row is what is expanded. When there
 * are too many, the one that was used longest ago goes: a server that has some more than fit compiles some more.
 */
export class CompiledSchedules {
  /** In the order of their last use. */
  readonly #known = new Map<string, CompiledSchedule>();
  readonly #max: number;

  constructor(max = MAX_COMPILED) {
    this.#max = max;
  }

  of(row: CompilableSchedule): CompiledSchedule {
    const { start, rrule = "", exdates, rdates, countedSlot = "", timezone } = row;
    const content = [timezone, start, rrule, exdates.join(), rdates.join(), countedSlot].join("|");
    const known = this.#known.get(content);
    if (known) this.#known.delete(content);
    const compiled = known ?? compileTexts(row, timezone);
    this.#known.set(content, compiled);
    if (this.#known.size > this.#max) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return compiled;
  }
}
