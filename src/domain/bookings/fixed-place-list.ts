import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { type FixedPlaceRow, listFixedPlaceRows } from "./fixed-place-queries.ts";
import { type FixedPlaces, WEEKDAYS } from "./schema.ts";

/** The fixed places of a client that have visits to come, the next ones first. */
export async function readFixedPlaces(
  db: Database,
  organizationId: string,
  clientId: string,
  now: number,
): Promise<FixedPlaces> {
  const rows = await listFixedPlaceRows(db, organizationId, clientId, instantText(now));
  const rowsOf = new Map<string, FixedPlaceRow[]>();
  for (const row of rows) rowsOf.set(row.id, [...(rowsOf.get(row.id) ?? []), row]);
  const data = [...rowsOf].map(([id, own]): FixedPlaces["data"][number] => {
    const [first, last] = [own.map(({ firstDay }) => firstDay), own.map(({ lastDay }) => lastDay)];
    return {
      id,
      firstDay: first.sort()[0] ?? "",
      lastDay: last.sort().at(-1) ?? "",
      visits: own.reduce((sum, { visits }) => sum + visits, 0),
      places: own
        .sort((one, other) => one.isoWeekday - other.isoWeekday || (one.time < other.time ? -1 : 1))
        .map(({ scheduleId, isoWeekday, time, serviceTypeName, locationName, timezone }) => ({
          ...(scheduleId !== undefined && { scheduleId }),
          weekday: WEEKDAYS[isoWeekday - 1] ?? "monday",
          time,
          serviceTypeName,
          locationName,
          timezone,
        })),
    };
  });
  return { data };
}
