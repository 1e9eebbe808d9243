import { instantText } from "../../core/clock.ts";
import { formatWallClock, MS_PER_DAY, MS_PER_MINUTE } from "../../core/dates.ts";
import type { Fault } from "../../core/errors.ts";
import { openSlots } from "../recurrence/expand.ts";
import { compileTexts, planSchedule, type ScheduleTexts } from "../recurrence/schedule.ts";
import { instantToWall, type Zone } from "../recurrence/zones.ts";
import type { Slots } from "./schema.ts";

/** Nobody plans further ahead: a rule that hardly ever holds is not followed for ever. */
const MOST_MS = 50 * 366 * MS_PER_DAY;

/** The first slots of a schedule after an instant, or every fault that would keep it from being stored. */
export function previewSlots(
  texts: ScheduleTexts,
  zone: Zone,
  { after, most, durationMinutes }: { after: number; most: number; durationMinutes: number | undefined },
): { slots?: Omit<Slots, "$schema">; faults: readonly Fault[] } {
  const { span, faults } = planSchedule(texts, zone);
  if (!span) return { faults };
  const compiled = compileTexts({ ...texts, countedSlot: span.countedSlot }, zone.name);
  const cursor = openSlots(compiled, after, after + MOST_MS);
  const data: Slots["data"] = [];
  let hasMore = cursor.next();
  for (; hasMore && data.length < most; hasMore = cursor.next()) {
    const { instantMs, wallMs } = cursor;
    const shownMs = instantToWall(zone, instantMs);
    const endMs = durationMinutes === undefined ? undefined : instantMs + durationMinutes * MS_PER_MINUTE;
    data.push({
      originalStart: formatWallClock(wallMs),
      localStart: formatWallClock(shownMs),
      ...(endMs !== undefined && { localEnd: formatWallClock(instantToWall(zone, endMs)) }),
      startAt: instantText(instantMs),
      offset: offsetText(shownMs - instantMs),
      ...(shownMs !== wallMs
        ? { clockChange: "skipped" as const }
        : isRepeated(zone, instantMs, wallMs) && { clockChange: "repeated" as const }),
    });
  }
  return { faults, slots: { timezone: zone.name, data, hasMore } };
}

/** Whether the clocks show the same again later: they go back within a day after. */
function isRepeated(zone: Zone, instantMs: number, wallMs: number): boolean {
  const nextDayMs = instantMs + MS_PER_DAY;
  const laterMs = wallMs - (instantToWall(zone, nextDayMs) - nextDayMs);
  return laterMs > instantMs && instantToWall(zone, laterMs) === wallMs;
}

/** `-03:00`; offsets of before 1900 have seconds, which are left out. */
function offsetText(offsetMs: number): string {
  const minutes = Math.trunc(Math.abs(offsetMs) / MS_PER_MINUTE);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
