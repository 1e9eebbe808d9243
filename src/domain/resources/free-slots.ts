import { formatWallClock } from "../../core/dates.ts";
import { unboundedEffort } from "../../core/effort.ts";
import type { Database } from "../../db/database.ts";
import { type CompiledSchedule, eachSlot, type Slot } from "../recurrence/expand.ts";
import { listTakenOf } from "./claim-queries.ts";

/** Slots that are looked up together; most schedules have fewer in the time that is asked for. */
const SLOTS_AT_ONCE = 500;

/** The first slot of a schedule in a stretch of time that no stored session stands for, of those that are wanted. */
export async function findFreeSlot(
  tx: Database,
  organizationId: string,
  { id, compiled }: { readonly id: string; readonly compiled: CompiledSchedule },
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  isWanted: (slot: Slot) => boolean = () => true,
): Promise<Slot | undefined> {
  const effort = unboundedEffort();
  const findFree = async (slots: readonly Slot[]) => {
    const taken = await listTakenOf(tx, organizationId, id, slots.flatMap(namesOf));
    return slots.find((slot) => !namesOf(slot).some((name) => taken.has(name)));
  };
  let some: Slot[] = [];
  for (const slot of eachSlot(compiled, fromMs, toMs)) {
    if (effort.isDue) await effort.pause();
    if (!isWanted(slot)) continue;
    some.push(slot);
    if (some.length < SLOTS_AT_ONCE) continue;
    const free = await findFree(some);
    if (free) return free;
    some = [];
  }
  return some.length > 0 ? findFree(some) : undefined;
}

/** The wall clocks that name a slot. */
function namesOf({ wallMs, twinWallMs }: Slot): string[] {
  return [wallMs, twinWallMs].filter((wall) => wall !== undefined).map(formatWallClock);
}
