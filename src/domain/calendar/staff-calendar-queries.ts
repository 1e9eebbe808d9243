import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { timestampText } from "../../db/timestamps.ts";
import type { CalendarWindow } from "./calendar-rows.ts";

const waitingStatement = pooled(
  "count_waiting_in_window",
  `select w.session_id as "sessionId", count(*) as count
   from waiting w join sessions s on s.organization_id = $1 and s.id = w.session_id
   where w.organization_id = $1 and w.left_at is null and s.status = 'scheduled'
     and s.start_at >= $2 and s.start_at < $3 and s.start_at > $4
   group by w.session_id`,
);

/** How many people wait for each session of a window. With the start of a session its line is over. */
export async function countWaiting(
  db: Database,
  organizationId: string,
  { fromMs, toMs }: CalendarWindow,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const values = [organizationId, timestampText(fromMs), timestampText(toMs), instantText(now)];
  const rows = await db.query<{ sessionId: string; count: number }>(waitingStatement, values);
  return new Map(rows.map(({ sessionId, count }) => [sessionId, count]));
}

const resourcesStatement = pooled(
  "list_resource_names",
  "select id, name from resources where organization_id = $1",
);

export async function listResourceNames(
  db: Database,
  organizationId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(resourcesStatement, [organizationId]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
