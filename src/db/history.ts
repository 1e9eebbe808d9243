import type { Database } from "./database.ts";
import { pooled } from "./statements.ts";

/**
 * An expression that names the past of the database. Versions count changes, so after a restore, or on a standby that
 * missed the last commits before it was promoted, they repeat with other data: whatever is made of a version must be
 * made of this too.
 *
 * It is a random id, which `restore` makes again, and PostgreSQL's timeline. The timeline is taken from the name of the
 * WAL file, because `pg_control_checkpoint()` tells the old one until the first checkpoint after a promotion has ended.
 */
export const HISTORY = `(
  select f.value || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) from facts f where f.name = 'history'
)`;

const renewStatement = pooled(
  "renew_history",
  `insert into facts (name, value) values ('history', gen_random_uuid()::text)
   on conflict (name) do update set value = excluded.value`,
);

/** To be called when the data is replaced by other data. */
export async function renewHistory(tx: Database): Promise<void> {
  await tx.query(renewStatement);
}
