import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { AppError, conflict, malformed, unavailable } from "../../core/errors.ts";
import { renewHistory } from "../../db/history.ts";
import { migrateWithin, schemaVersion } from "../../db/migrate.ts";
import { openConnection } from "../../db/server-connection.ts";
import type { ConnectionSettings } from "../../db/servers.ts";
import { recordAudit } from "../../domain/audit/queries.ts";
import type { RowCounts } from "./format.ts";
import { type CheckedBackup, requireCounts } from "./read.ts";
import { applySettings, databaseOf } from "./snapshot.ts";
import { backedUp, findTables, identifiers, LEFT_OUT, NOT_DATA, type TableColumns } from "./tables.ts";

/** Tables that no backup has, and whose rows would tell of records that are not there: they refer to those, or answer for them. */
const OF_ANOTHER_PAST: ReadonlySet<string> = new Set(["idempotency_keys", "webhook_attempts"]);

export interface Restored {
  readonly rows: RowCounts;
  /** The schema that the data has now: that of the program. */
  readonly schemaVersion: number;
}

/**
 * Puts a backup into an empty database: the schema of the backup's version, the rows, the migrations since,
 * all in one transaction. Whatever happens on the way, the database stays as empty as it was.
 */
export async function restoreBackup(
  connection: ConnectionSettings,
  backup: CheckedBackup,
  options: { actor: string; signal?: AbortSignal },
): Promise<Restored> {
  if (backup.header.organization)
    throw conflict(
      'This file holds one organization: "rollbook org import --complete" puts it into a server that is in use.',
    );
  const tx = await openConnection(connection, "rollbook restore");
  const hangUp = () => void tx.end().catch(() => {});
  options.signal?.addEventListener("abort", hangUp);
  try {
    const restored = await prepareCommit(tx, connection, backup, options.actor);
    options.signal?.throwIfAborted();
    // From here on the answer is waited for: cut off now, nobody could say whether the data is there.
    options.signal?.removeEventListener("abort", hangUp);
    const { command } = await tx.query("commit");
    if (command !== "COMMIT") throw new Error("the transaction had failed before its commit");
    // Without it the first searches would be planned for empty tables. PostgreSQL does it by itself in time.
    await tx.query("analyze").catch(() => {});
    return restored;
  } finally {
    options.signal?.removeEventListener("abort", hangUp);
    await tx.end().catch(() => {});
  }
}

async function prepareCommit(
  tx: pg.Client,
  connection: ConnectionSettings,
  backup: CheckedBackup,
  actor: string,
): Promise<Restored> {
  try {
    await tx.query("begin isolation level read committed read write");
    await applySettings(tx);
    await prepareSchema(tx, backup.header.schemaVersion);
    await checkTables(tx, backup.header.tables);
    const rebuild = await setIndexesAside(tx, backup.header.tables);
    await switchTriggers(tx, backup.header.tables, "disable");
    const rows = await loadTables(tx, backup);
    await switchTriggers(tx, backup.header.tables, "enable");
    for (const statement of rebuild) await tx.query(statement);
    await migrateWithin(tx);
    const database = databaseOf(tx, connection);
    await renewHistory(database);
    const details = auditDetails(backup, rows);
    await recordAudit(database, actor, { action: "restore", details });
    return { rows, schemaVersion: await schemaVersion(tx) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw unavailable(`Nothing was restored: ${reason.replace(/\.$/, "")}.`, error);
  }
}

/** Leaves empty tables at the wanted version; those of a database that has got further are made again. */
async function prepareSchema(tx: pg.Client, wanted: number): Promise<void> {
  // Applies nothing, but takes the lock and refuses a schema that this program does not know.
  await migrateWithin(tx, 0);
  const current = await schemaVersion(tx);
  const present = await findTables(tx);
  const ours = backedUp(present).map(({ name }) => name);
  if (current === 0 && ours.length > 0) {
    throw conflict(
      `The database is used by another program: it has tables of its own named ${ours.join(", ")}.`,
    );
  }
  if (ours.length > 0) {
    await tx.query(`lock table ${identifiers(ours)} in access exclusive mode`);
    await requireEmpty(tx, ours);
  }
  if (current > wanted) {
    const leftOut = present.map(({ name }) => name).filter((name) => LEFT_OUT.includes(name));
    await tx.query(`drop table ${identifiers([...ours, ...leftOut])}`);
  }
  await migrateWithin(tx, wanted);
  // Empty but for notes of the server's own; and of a table that is emptied in this very transaction
  // PostgreSQL knows that nobody else can see the rows to come.
  const made = await findTables(tx);
  const ofAnotherPast = made.map(({ name }) => name).filter((name) => OF_ANOTHER_PAST.has(name));
  await tx.query(`truncate ${identifiers([...backedUp(made).map(({ name }) => name), ...ofAnotherPast])}`);
}

async function requireEmpty(tx: pg.Client, names: readonly string[]): Promise<void> {
  const data = names.filter((name) => !NOT_DATA.has(name));
  const checks = data.map(
    (name, index) => `select $${index + 1}::text as name where exists (select from ${identifiers([name])})`,
  );
  const { rows } = await tx.query<{ name: string }>(checks.join(" union all "), data);
  if (rows.length > 0) {
    throw conflict(
      `The database is not empty (it has rows in ${rows.map(({ name }) => name).join(", ")}): restore into a new one. Nothing was changed.`,
    );
  }
}

/** Nothing of the file is left out, and nothing of the schema is left without its rows. */
async function checkTables(tx: pg.Client, held: readonly TableColumns[]): Promise<void> {
  const present = await findTables(tx);
  const columnsOf = new Map(present.map(({ name, columns }) => [name, columns]));
  const fits = held.every(({ name, columns }) =>
    columns.every((column) => columnsOf.get(name)?.includes(column)),
  );
  const complete = backedUp(present).every(({ name }) => held.some((table) => table.name === name));
  if (!fits || !complete) throw malformed("The backup's tables are not those of its schema version.");
}

/**
 * Drops foreign keys and indexes, which cost several times as much as the rows when they are maintained row by row,
 * and returns the statements that make them again. One by which a table is known elsewhere is no such index when it is made again.
 */
async function setIndexesAside(tx: pg.Client, tables: readonly TableColumns[]): Promise<string[]> {
  const { rows } = await tx.query<{ drop: string; make: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname,
                   pg_get_constraintdef(oid)) as make,
            2 as turn
     from pg_constraint
     where contype = 'f' and conrelid = any ($1::regclass[])
     union all
     select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 1
     from pg_index
     where indrelid = any ($1::regclass[]) and not indisreplident
       and not exists (select from pg_constraint where conindid = indexrelid)
     order by turn`,
    [tables.map(({ name }) => identifiers([name]))],
  );
  for (const { drop } of rows.toReversed()) await tx.query(drop);
  return rows.map(({ make }) => make);
}

/** What triggers would note of the rows is in the backup itself. */
async function switchTriggers(
  tx: pg.Client,
  tables: readonly TableColumns[],
  verb: "enable" | "disable",
): Promise<void> {
  for (const { name } of tables) await tx.query(`alter table ${identifiers([name])} ${verb} trigger user`);
}

async function loadTables(tx: pg.Client, backup: CheckedBackup): Promise<RowCounts> {
  const loaded: Record<string, number> = {};
  const written = await backup.readTables(async ({ name, columns }, rows) => {
    const copy = tx.query(
      copyFrom(`copy ${identifiers([name])} (${identifiers(columns)}) from stdin with (freeze)`),
    );
    await pipeline(rows, copy);
    loaded[name] = copy.rowCount;
  });
  requireCounts(loaded, written);
  return loaded;
}

function auditDetails({ header, sha256 }: CheckedBackup, rows: RowCounts): Record<string, unknown> {
  const { createdAt, programVersion, schemaVersion: version } = header;
  return { backupCreatedAt: createdAt, programVersion, schemaVersion: version, sha256, rows };
}
