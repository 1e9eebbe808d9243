import type { Database } from "../../db/database.ts";
import { planSchedule } from "../../domain/recurrence/schedule.ts";
import type { Zone } from "../../domain/recurrence/zones.ts";
import * as queries from "./clock-queries.ts";
import type { Faults } from "./line-faults.ts";
import type { StagedRow } from "./record-tables.ts";
import { spanColumns, startInstant } from "./records.ts";

/** Zones of the organization's locations as they will be, by id. */
type Zones = ReadonlyMap<string, Zone | undefined>;

const BATCH_SCHEDULES = 1_000;

/** Gives schedules whose location came later in the file their spans. */
export async function placeSchedules(tx: Database, zones: Zones, faults: Faults): Promise<void> {
  for (let last = 0; ; ) {
    const unplaced = await queries.listUnplacedSchedules(tx, last, BATCH_SCHEDULES);
    if (unplaced.length === 0) return;
    const rows: StagedRow[] = [];
    for (const schedule of unplaced) {
      last = schedule.line;
      const zone = zones.get(schedule.locationId);
      if (!zone) continue;
      const planned = planSchedule(schedule, zone);
      if (planned.span) rows.push({ line: schedule.line, ...spanColumns(planned.span) });
      faults.addAll(schedule.line, "schedule", planned.faults);
    }
    await queries.storeScheduleSpans(tx, rows);
  }
}

/** Gives sessions whose location came later in the file their instants. */
export async function placeSessions(tx: Database, zones: Zones, faults: Faults): Promise<void> {
  let isAny = false;
  for await (const unplaced of queries.readUnplacedSessions(tx)) {
    const rows: StagedRow[] = [];
    for (const { line, locationId, start } of unplaced) {
      const zone = zones.get(locationId);
      const startAt = zone && startInstant(start, zone);
      if (startAt && "text" in startAt) rows.push({ line, start_at: startAt.text });
      else if (startAt) faults.addAll(line, "session", [startAt.fault]);
    }
    await queries.stageInstants(tx, rows);
    isAny = true;
  }
  if (isAny) await queries.storeSessionInstants(tx);
}
