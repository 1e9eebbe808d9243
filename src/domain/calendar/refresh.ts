import { parseWallClock } from "../../core/dates.ts";
import type { Database } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { pooled } from "../../db/statements.ts";
import { findZone, wallToInstant } from "../recurrence/zones.ts";
import { type TzdataOptions, takeInTzdata } from "./tzdata-work.ts";

/**
 * Stored sessions are tied to wall clocks; their instants follow from the time-zone data, and are computed again when it
 * is newer. Sessions keep their ids and their slots, so none is doubled or lost.
 */
export function refreshInstants(db: Database, options?: TzdataOptions): Promise<number> {
  return takeInTzdata(db, { fact: "tzdata", part: refreshPart }, options);
}

async function refreshPart(
  tx: Database,
  after = START,
): Promise<{ moved: number; next?: string | undefined }> {
  const [organizationId, id] = after.split(" ");
  const rows = await tx.query<SessionClock>(listClocks, [organizationId, id, PART_ROWS]);
  const last = rows.length === PART_ROWS ? rows.at(-1) : undefined;
  return { moved: await storeInstants(tx, rows), next: last && `${last.organizationId} ${last.id}` };
}

interface SessionClock {
  readonly organizationId: string;
  readonly id: string;
  readonly start: string;
  readonly startAt: string;
  readonly timezone: string;
}

/** Few enough that nobody who books one of them notices. */
const PART_ROWS = 1_000;
const START = "00000000-0000-0000-0000-000000000000 00000000-0000-0000-0000-000000000000";

const listClocks = pooled(
  "list_session_clocks",
  `select s.organization_id as "organizationId", s.id, s.start, s.start_at as "startAt", l.timezone
   from sessions s join locations l on l.organization_id = s.organization_id and l.id = s.location_id
   where (s.organization_id, s.id) > ($1, $2) and ${isHere("s.organization_id")}
   order by s.organization_id, s.id limit $3`,
);

const updateInstants = pooled(
  "update_session_instants",
  `with moved as (
     update sessions s set start_at = m.start_at
     from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as m (organization_id, id, start_at)
     where s.organization_id = m.organization_id and s.id = m.id
     returning s.organization_id
   )
   select count(*) as count from moved`,
);

async function storeInstants(tx: Database, rows: readonly SessionClock[]): Promise<number> {
  const moved = rows.flatMap((row) => {
    const startAt = instantOf(row);
    return startAt === row.startAt ? [] : [{ ...row, startAt }];
  });
  if (moved.length === 0) return 0;
  await tx.query(updateInstants, [
    moved.map(({ organizationId }) => organizationId),
    moved.map(({ id }) => id),
    moved.map(({ startAt }) => startAt),
  ]);
  return moved.length;
}

function instantOf({ start, startAt, timezone }: SessionClock): string {
  const zone = findZone(timezone);
  const wallMs = parseWallClock(start);
  // A zone that the new data no longer knows: the instant that was right so far is the best there is.
  return zone && wallMs !== undefined ? new Date(wallToInstant(zone, wallMs)).toISOString() : startAt;
}
