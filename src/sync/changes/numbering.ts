import type { Database } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { TIMELINE } from "../../db/history.ts";
import { pooled } from "../../db/statements.ts";

/** How many entries one transaction numbers: others who read the feed of the organization wait for it. */
export const MOST_AT_ONCE = 5_000;
/** How many such parts a request numbers before it answers: the others are numbered by those that follow. */
const MOST_PARTS = 4;

interface LockedHead {
  readonly sequence: number;
  readonly isCurrent: boolean;
}

// What is numbered is told to others, so it must be on the disk even where the database does without for other writes.
const lockStatement = pooled(
  "lock_change_head",
  `select h.sequence, h.timeline = ${TIMELINE} as "isCurrent",
     set_config('synchronous_commit', case
       when current_setting('synchronous_commit') = 'remote_apply' then 'remote_apply' else 'on'
     end, true) as flushed
   from change_heads h where h.organization_id = $1 for update`,
);

const lockFreeStatement = pooled(
  "lock_free_change_head",
  `select h.sequence, h.timeline = ${TIMELINE} as "isCurrent",
     set_config('synchronous_commit', case
       when current_setting('synchronous_commit') = 'remote_apply' then 'remote_apply' else 'on'
     end, true) as flushed
   from change_heads h where h.organization_id = $1 for update skip locked`,
);

const RANDOM_MARK = "substring(uuid_send(gen_random_uuid()) for 8)";

// A standby that is promoted has a prefix of what its primary had: up to here the numbers mean the same on both.
const markStatement = pooled(
  "begin_change_timeline",
  `with before as (
     insert into change_timelines (organization_id, mark, last_sequence)
     select organization_id, mark, sequence from change_heads where organization_id = $1
   )
   update change_heads set timeline = ${TIMELINE}, mark = ${RANDOM_MARK} where organization_id = $1`,
);

// A statement of its own: its snapshot lies after the lock, so it sees all that the one who held it has moved. What triggers
// have noted by the clock of PostgreSQL gets the time of the one clock here, whoever has written it. The part is bounded by an id
// and not joined: by statistics of the log as it was, empty, a join of 5,000 rows was planned that took four minutes.
const moveStatement = pooled(
  "number_changes",
  `with moved as (
     delete from change_log
     where organization_id = $1
       and id <= (select max(id) from (select id from change_log where organization_id = $1 order by id limit $3) part)
     returning id, kind, record_id, type, at + $4 * interval '1 millisecond' as at, reason
   ), numbered as (
     insert into changes (organization_id, sequence, kind, record_id, type, at, reason)
     select $1, $2::bigint + row_number() over (order by id), kind, record_id, type, at, reason from moved order by id
   ), counted as (
     select count(*) as count from moved
   )
   update change_heads h set sequence = h.sequence + counted.count
   from counted where h.organization_id = $1 and counted.count > 0
   returning counted.count`,
);

export interface NumberingOptions {
  /** Whether to leave it to whoever is at it already. */
  readonly skipsLocked?: boolean;
}

/**
 * Gives the changes of an organization that are committed and have no number yet the next ones, in the order in which they
 * were noted, and says how many they were. A part of them, if they are many: call it again until it gives less than
 * `isWholePart` asks for.
 *
 * Writers never wait for it, and it never waits for writers. Nothing is skipped, because a number is only given to what is
 * committed, and only above all that were given before: what commits later is numbered later.
 */
export async function numberChanges(
  db: Database,
  organizationId: string,
  { skipsLocked = false }: NumberingOptions = {},
): Promise<number> {
  return db.transaction(async (tx) => {
    const lock = skipsLocked ? lockFreeStatement : lockStatement;
    const [head] = await tx.query<LockedHead>(lock, [organizationId]);
    if (!head) return 0;
    if (!head.isCurrent) await tx.query(markStatement, [organizationId]);
    const [moved] = await tx.query<{ count: number }>(moveStatement, [
      organizationId,
      head.sequence,
      MOST_AT_ONCE,
      db.clockOffsetMs,
    ]);
    return moved?.count ?? 0;
  });
}

/** Whether there may be more to number than `numberChanges` did. */
export function isWholePart(numbered: number): boolean {
  return numbered === MOST_AT_ONCE;
}

const waitingStatement = pooled(
  "list_unnumbered_organizations",
  `with recursive found as (
     (select organization_id from change_log order by organization_id limit 1)
     union all
     select (select l.organization_id from change_log l where l.organization_id > f.organization_id
             order by l.organization_id limit 1)
     from found f where f.organization_id is not null
   )
   select organization_id as id from found where organization_id is not null and ${isHere("organization_id")}`,
);

/** The organizations with changes that have no number yet. */
export async function listUnnumbered(db: Database): Promise<string[]> {
  return (await db.query<{ id: string }>(waitingStatement)).map(({ id }) => id);
}

/** Gives changes of an organization their numbers, as many as one request may; true if there may be more. */
export async function numberSome(db: Database, organizationId: string): Promise<boolean> {
  for (let part = 0; part < MOST_PARTS; part++)
    if (!isWholePart(await numberChanges(db, organizationId))) return false;
  return true;
}

const countStatement = pooled(
  "count_unnumbered_changes",
  "select count(*) as count from change_log where organization_id = $1",
);

/** Gives all that was committed before it is called its number, however much that is. */
export async function numberCommitted(db: Database, organizationId: string): Promise<void> {
  const [waiting] = await db.query<{ count: number }>(countStatement, [organizationId]);
  for (let left = waiting?.count ?? 0; left > 0; ) {
    const numbered = await numberChanges(db, organizationId);
    if (!isWholePart(numbered)) return;
    left -= numbered;
  }
}
