import { instantText } from "../../core/clock.ts";
import { MS_PER_DAY } from "../../core/dates.ts";
import { SAID_REASON } from "../../db/change-reason.ts";
import type { Database } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { pooled } from "../../db/statements.ts";
import {
  compareClocks,
  findKnownClocks,
  type KnownClocks,
  storeKnownClocks,
} from "../../domain/calendar/known-clocks.ts";
import { isNewerTzdata, type TzdataOptions, takeInTzdata } from "../../domain/calendar/tzdata-work.ts";
import { tzdataVersion, WALL_SLACK_MS } from "../../domain/recurrence/zones.ts";

/**
 * Notes the schedules of the zones whose clocks are others by newer time-zone data: their sessions have no rows that a
 * trigger could see move. Returns how many they were.
 */
export function noteMovedSchedules(db: Database, options: TzdataOptions = {}): Promise<number> {
  const { version = tzdataVersion() } = options;
  const part = (tx: Database, after?: string) => notePart(tx, version, after);
  return takeInTzdata(db, { fact: "tzdata of schedules", part }, options);
}

const CLOCKS = "known clocks";
/** How long ago a session was that is still told of. */
const PAST_MS = 366 * MS_PER_DAY + WALL_SLACK_MS;
const PART_ROWS = 1_000;
const START = "00000000-0000-0000-0000-000000000000 00000000-0000-0000-0000-000000000000";

async function notePart(
  tx: Database,
  version: string,
  after?: string,
): Promise<{ moved: number; next?: string | undefined }> {
  const known = await findKnownClocks(tx, CLOCKS);
  const clocks = known && after !== undefined ? known : await clocksOf(tx, version, known);
  const rows = clocks.moved.length > 0 ? await noteSchedules(tx, clocks.moved, after) : [];
  const last = rows.length === PART_ROWS ? rows.at(-1) : undefined;
  await storeKnownClocks(tx, CLOCKS, last ? clocks : { ...clocks, moved: [] });
  return { moved: rows.length, next: last && `${last.organizationId} ${last.id}` };
}

async function clocksOf(tx: Database, version: string, known?: KnownClocks): Promise<KnownClocks> {
  const clocks = await compareClocks(known);
  if (known) return clocks;
  // Data was taken in by a release that kept no digests, or none was: then nobody has read a calendar yet.
  const [before] = await tx.query<{ value: string }>(findVersion);
  return before && isNewerTzdata(version, before.value) ? clocks : { ...clocks, moved: [] };
}

const findVersion = pooled("find_tzdata_version", "select value from facts where name = 'tzdata'");

interface NotedSchedule {
  readonly organizationId: string;
  readonly id: string;
}

// Locked, so that none is noted after it was deleted. The versions move with the notes, as what was answered and kept may have been made
// of the number that the feed gave the schedule before.
const noteStatement = pooled(
  "note_moved_schedules",
  `with moved as (
     select s.organization_id, s.id
     from schedules s join locations l on l.organization_id = s.organization_id and l.id = s.location_id
     where (s.organization_id, s.id) > ($1::uuid, $2::uuid) and l.timezone = any ($3::text[])
       and ${isHere("s.organization_id")}
       and (s.last_slot is null
         or s.last_slot + s.duration_minutes * interval '1 minute' >= $4::timestamptz at time zone 'UTC')
     order by s.organization_id, s.id limit $5 for key share of s
   ), noted as (
     insert into change_log (organization_id, kind, record_id, type, reason)
     select organization_id, 'schedule', id::text, 'updated', ${SAID_REASON} from moved order by organization_id, id
   )
   select organization_id as "organizationId", id from moved order by organization_id, id`,
);

async function noteSchedules(
  tx: Database,
  zones: readonly string[],
  after = START,
): Promise<NotedSchedule[]> {
  const [organizationId, id] = after.split(" ");
  const since = instantText((await tx.now()) - PAST_MS);
  return tx.query<NotedSchedule>(noteStatement, [organizationId, id, zones, since, PART_ROWS]);
}
