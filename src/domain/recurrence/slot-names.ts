import { MS_PER_DAY } from "../../core/dates.ts";
import { type CompiledSchedule, listSlots, openSlots, type Slot } from "./expand.ts";
import { HORIZON_MS } from "./rule-walk.ts";
import { wallToInstant } from "./zones.ts";

/**
 * The slot that a wall clock names, if the schedule has it. In a gap two clocks can share an instant and so one slot:
 * either names it.
 */
export function findSlot(schedule: CompiledSchedule, wallMs: number): Slot | undefined {
  const instantMs = wallToInstant(schedule.zone, wallMs);
  return listSlots(schedule, instantMs, instantMs + 1).find(
    (slot) => slot.wallMs === wallMs || slot.twinWallMs === wallMs,
  );
}

/** The first slot after an instant, if there is one. */
export function findSlotAfter(schedule: CompiledSchedule, instantMs: number): Slot | undefined {
  const cursor = openSlots(schedule, instantMs + 1, HORIZON_MS + MS_PER_DAY);
  if (!cursor.next()) return undefined;
  const { wallMs, twinWallMs } = cursor;
  return { instantMs: cursor.instantMs, wallMs, ...(twinWallMs !== undefined && { twinWallMs }) };
}
