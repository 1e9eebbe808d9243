import { createHash } from "node:crypto";
import type { Database, ShortReads } from "./database.ts";
import { pooled, read } from "./statements.ts";

/** PostgreSQL's timeline: another one after each promotion. */
export const TIMELINE = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)";

/**
 * An expression that names the past of the data of an organization `o`. Versions count changes, so after a restore, on a
 * standby that missed the last commits before it was promoted, or when an organization comes back to a server that had it
 * before, they repeat with other data: whatever is made of a version must be made of this too.
 *
 * It is a random id, which `restore` makes again, PostgreSQL's timeline, and the organization's life here. The timeline is taken
 * from the name of the WAL file, because `pg_control_checkpoint()` tells the old one until the first checkpoint after a
 * promotion has ended. A life that a move brings has the id of the move from its first moment on.
 */
export const HISTORY = `(
  select f.value || '/' || ${TIMELINE} from facts f where f.name = 'history'
) || coalesce('/' || coalesce(o.moving, o.life), '')`;
/** The first part by itself; of a feed's head `h`, that of the server which it came from. */
export const RESTORE_ID = "coalesce(h.past, (select f.value from facts f where f.name = 'history'))";

/** The header of `/readyz` that has the name of the database. */
export const DATABASE_HEADER = "rollbook-database";

const nameStatement = read("find_history", "select value as history from facts where name = 'history'");

/** What tells a database from any other, wherever it is reached and whoever leads its cluster, and tells nothing else. */
export async function nameDatabase(db: Pick<ShortReads, "query">): Promise<string> {
  const [row] = await db.query<{ history: string }>(nameStatement);
  return createHash("sha256").update(`database ${row?.history}`).digest("hex").slice(0, 32);
}

const renewStatement = pooled(
  "renew_history",
  `insert into facts (name, value) values ('history', gen_random_uuid()::text)
   on conflict (name) do update set value = excluded.value`,
);

// The feed goes on above all that was numbered before the backup was made and since, so that nothing which is made of its
// numbers runs backwards.
const raiseStatement = pooled(
  "raise_change_sequences",
  `update change_heads set sequence = sequence + 1000000, restored_sequence = sequence + 1000000, past = null`,
);

// Rows that are copied in do not move the sequence of their ids, and those of an imported organization have ids below 0.
const raiseLogStatement = pooled(
  "raise_change_log_ids",
  `select setval(pg_get_serial_sequence('change_log', 'id'), (select greatest(max(id), 0) + 1 from change_log))`,
);

/** To be called when the data is replaced by other data. */
export async function renewHistory(tx: Database): Promise<void> {
  await tx.query(renewStatement);
  await tx.query(raiseStatement);
  await tx.query(raiseLogStatement);
}
