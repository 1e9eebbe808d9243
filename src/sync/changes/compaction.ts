import { instantText } from "../../core/clock.ts";
import { MS_PER_DAY } from "../../core/dates.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";

/** How many entries one statement looks at. */
const PART = 5_000;

// The last entry of a record stays: so the feed lists every record there is, and no cursor grows too old.
const compactStatement = pooled(
  "compact_changes",
  `with part as materialized (
     select sequence, kind, record_id, at from changes
     where organization_id = $1 and sequence > $2 order by sequence limit $4
   ), removed as (
     delete from changes c using part p
     where c.organization_id = $1 and c.sequence = p.sequence and p.at < $3::timestamptz and exists (
       select from changes l
       where l.organization_id = $1 and l.kind = p.kind and l.record_id = p.record_id and l.sequence > p.sequence
     )
     returning 1
   )
   select (select max(sequence) from part) as last,
     coalesce((select bool_or(at < $3::timestamptz) from part), false) as "hasOld",
     (select count(*) from removed) as removed`,
);

export interface Compaction {
  /** How long every single change can be seen. */
  readonly keptDays: number;
  readonly isStopped: () => boolean;
}

/** Removes the entries of an organization that are old and superseded by a later one, and says how many they were. */
export async function compactChanges(
  db: SharedDatabase,
  organizationId: string,
  { keptDays, isStopped }: Compaction,
): Promise<number> {
  const own = db.for(organizationId);
  const before = instantText((await own.now()) - keptDays * MS_PER_DAY);
  let total = 0;
  for (let after = 0; !isStopped(); ) {
    const [part] = await own.query<{ last?: number; hasOld: boolean; removed: number }>(compactStatement, [
      organizationId,
      after,
      before,
      PART,
    ]);
    total += part?.removed ?? 0;
    // Numbers rise with time, but for transactions that took long.
    if (part?.last === undefined || !part.hasOld) break;
    after = part.last;
  }
  return total;
}

const leftStatement = pooled(
  "count_dead_changes",
  `select n_dead_tup > 5000 as "isLarge" from pg_stat_user_tables where relid = 'change_log'::regclass`,
);
// Unless autovacuum or another process is at it. The emptied pages are used again by the next import.
const clearStatement = pooled("", "vacuum (skip_locked, truncate false) change_log");

/**
 * Clears the log of what has got its number. A reader who asks whether there is more passes over the remains: with 100,000 of
 * them a page takes twice as long, and autovacuum comes by once a minute.
 */
export async function clearLog(db: Pick<Database, "query">): Promise<boolean> {
  const [left] = await db.query<{ isLarge: boolean }>(leftStatement);
  if (!left?.isLarge) return false;
  await db.query(clearStatement);
  return true;
}
