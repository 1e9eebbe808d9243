import type { Database } from "../../db/database.ts";
import { zoneOf } from "../../domain/due-changes/due-changes.ts";
import { dayStart } from "../../domain/recurrence/zones.ts";
import { listDaysAfterTerms, stageDays } from "./clock-queries.ts";

/**
 * Stages when the days begin on which the contracts of the file end by themselves, by the clocks of the organization as it
 * will be. There are few such days, however many contracts there are.
 */
export async function stageContractDays(tx: Database, timezone: string): Promise<void> {
  const zone = zoneOf(timezone);
  const days = await listDaysAfterTerms(tx);
  await stageDays(
    tx,
    days.map((day) => ({ day, begins_at: new Date(dayStart(zone, day)).toISOString() })),
  );
}
