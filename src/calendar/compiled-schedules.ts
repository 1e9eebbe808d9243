import type { CompiledSchedule } from "./expand.ts";
import { compileTexts, type ScheduleTexts } from "./schedule.ts";

/** What a schedule is compiled from. */
interface CompilableSchedule extends ScheduleTexts {
  readonly exdates: readonly string[];
  readonly rdates: readonly string[];
  readonly countedSlot?: string | undefined;
  readonly timezone: string;
}

const MAX_COMPILED = 20_000;

/** Schedules that were compiled before. By content, not by id: whatever stands in the row is what is expanded. */
export class CompiledSchedules {
  readonly #known = new Map<string, CompiledSchedule>();

  of(row: CompilableSchedule): CompiledSchedule {
    const { start, rrule = "", exdates, rdates, countedSlot = "", timezone } = row;
    const content = [timezone, start, rrule, exdates.join(), rdates.join(), countedSlot].join("|");
    const known = this.#known.get(content);
    if (known) return known;
    if (this.#known.size >= MAX_COMPILED) this.#known.clear();
    const compiled = compileTexts(row, timezone);
    this.#known.set(content, compiled);
    return compiled;
  }
}
