import { parseWallClock } from "../core/dates.ts";
import { movedVersions } from "../db/data-version.ts";
import type { Database } from "../db/database.ts";
import { pooled, read } from "../db/statements.ts";
import { findZone, tzdataVersion, wallToInstant } from "./zones.ts";

/**
 * Stored sessions are tied to wall clocks; their instants follow from the time-zone data. When a release with newer
 * data starts, the instants are computed again, once, whichever process is first. Sessions keep their ids and their
 * slots, so none is doubled or lost. A release with older data than the database has seen leaves them as they are:
 * while two releases share a database, each start of the older one would undo what the newer one has set right.
 */
export async function refreshInstants(db: Database, version = tzdataVersion()): Promise<number> {
  const [current] = await db.query<{ value: string }>(findVersion);
  if (!isNewerTzdata(version, current?.value)) return 0;
  return db.transaction(async (tx) => {
    await tx.query(lockVersion, [version]);
    const [latest] = await tx.query<{ value: string }>(findVersion);
    if (!isNewerTzdata(version, latest?.value)) return 0;
    let moved = 0;
    for (let after: PagePosition = START; ; ) {
      const rows = await tx.query<SessionClock>(listClocks, [after.organizationId, after.id, PAGE_ROWS]);
      const last = rows.at(-1);
      if (!last) break;
      after = last;
      moved += await storeInstants(tx, rows);
    }
    await tx.query(storeVersion, [version]);
    return moved;
  });
}

/**
 * Whether a release of the IANA database is newer than the one that the instants were computed with: 2026a < 2026b <
 * 2026z < 2026za < 2027a. What is stored and is no such name (nothing as yet) is older than any.
 */
export function isNewerTzdata(version: string, stored = ""): boolean {
  return !TZDATA_VERSION.test(stored) || version > stored;
}

/** Four digits and letters that only ever grow longer after z, so that names compare as texts. */
const TZDATA_VERSION = /^\d{4}[a-z]{1,3}$/;

interface PagePosition {
  readonly organizationId: string;
  readonly id: string;
}

interface SessionClock extends PagePosition {
  readonly start: string;
  readonly startAt: string;
  readonly timezone: string;
}

const PAGE_ROWS = 5_000;
const START: PagePosition = {
  organizationId: "00000000-0000-0000-0000-000000000000",
  id: "00000000-0000-0000-0000-000000000000",
};

const findVersion = read("find_tzdata_version", "select value from facts where name = 'tzdata'");

// A row to lock: without one, two processes that start at once would both compute.
const lockVersion = pooled(
  "lock_tzdata_version",
  `insert into facts (name, value) values ('tzdata', '') on conflict (name) do update set value = facts.value
   returning $1::text`,
);

const storeVersion = pooled("store_tzdata_version", "update facts set value = $1 where name = 'tzdata'");

const listClocks = pooled(
  "list_session_clocks",
  `select s.organization_id as "organizationId", s.id, s.start, s.start_at as "startAt", l.timezone
   from sessions s join locations l on l.organization_id = s.organization_id and l.id = s.location_id
   where (s.organization_id, s.id) > ($1, $2) order by s.organization_id, s.id limit $3`,
);

const updateInstants = pooled(
  "update_session_instants",
  `with moved as (
     update sessions s set start_at = m.start_at
     from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as m (organization_id, id, start_at)
     where s.organization_id = m.organization_id and s.id = m.id
     returning s.organization_id
   ), versions as (
     update organization_counters set ${movedVersions(["sessions"])}
     where organization_id in (select organization_id from moved) and slot = 0
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
