import { randomBytes } from "node:crypto";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { instantText } from "../../core/clock.ts";
import { conflict, unavailable } from "../../core/errors.ts";
import { type Archive, hasArchived } from "../../db/archive/archive-files.ts";
import { isAlive } from "../../db/embedded/postmaster.ts";
import { recoverCluster, removeAbandonedRecoveries } from "../../db/embedded/recovery.ts";
import { openConnection } from "../../db/server-connection.ts";
import type { ConnectionSettings } from "../../db/servers.ts";
import type { RowCounts } from "./format.ts";
import { databaseOf } from "./snapshot.ts";
import { backedUp, findTables, identifiers } from "./tables.ts";

export interface DrillOptions {
  /** The database that is used; it goes on meanwhile. */
  readonly connection: ConnectionSettings;
  readonly archive: Archive;
  readonly identity?: string | undefined;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal;
}

const FOLDER = "rollbook-drill-";
/** How often it is tried to pause writes; each try keeps them waiting for 300 ms at most. */
const ATTEMPTS = 20;
const BETWEEN_MS = 250;
const ARCHIVED_WITHIN_MS = 120_000;
const POLL_MS = 200;

/**
 * Restores the database of this moment from the archive into a temporary folder, and compares how many rows each table has
 * there and here. Throws if one differs.
 */
export async function drill(options: DrillOptions): Promise<{ at: string; rows: RowCounts }> {
  const { archive, log, signal } = options;
  log("Counting rows.");
  const { name, segment, at, counts } = await countAtNamedPlace(options.connection);
  log("Waiting until this moment is in the archive.");
  await waitForSegment(archive, segment, signal);
  await removeAbandonedDrills();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
  let restored: RowCounts = {};
  try {
    await recoverCluster({
      dataDir: join(folder, "data"),
      archive,
      target: { kind: "point", name },
      identity: options.identity,
      log,
      signal,
      finish: async (connection) => {
        restored = await withConnection(connection, countTables);
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const tables = [...new Set([...Object.keys(counts), ...Object.keys(restored)])];
  const differing = tables.filter((table) => counts[table] !== restored[table]);
  if (differing.length > 0)
    throw conflict(
      `The archive ${archive.path} does not bring back what is here: ${differing
        .map((table) => `${table} has ${counts[table] ?? 0} rows here and ${restored[table] ?? 0} there`)
        .join(", ")}.`,
    );
  return { at, rows: counts };
}

/** What killed drills left: a copy of everything, and maybe a PostgreSQL at work on it. Those of others are theirs. */
async function removeAbandonedDrills(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const maker = name.startsWith(FOLDER) ? Number.parseInt(name.slice(FOLDER.length), 10) : Number.NaN;
    if (!(maker > 0) || isAlive(maker)) continue;
    const folder = join(tmpdir(), name);
    // Anybody may make a folder there, and lead by a link in it to a PostgreSQL that is in use.
    const found = await lstat(folder).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue;
    await removeAbandonedRecoveries(join(folder, "data"))
      .then(() => rm(folder, { recursive: true, force: true }))
      .catch(() => {});
  }
}

/** The rows of each table exactly at a place of the log: nobody writes while the snapshot is taken and the place is named. */
async function countAtNamedPlace(
  settings: ConnectionSettings,
): Promise<{ name: string; segment: string; at: string; counts: RowCounts }> {
  const name = `rollbook-drill-${randomBytes(6).toString("hex")}`;
  return withConnection(settings, (reader) =>
    withConnection(settings, (locker) =>
      withConnection({ ...settings, user: "postgres" }, async (owner) => {
        await reader.query("begin isolation level repeatable read read only");
        const tables = backedUp(await findTables(locker)).map((table) => table.name);
        await pauseWrites(locker, tables);
        let segment: string | undefined;
        try {
          await reader.query("select pg_current_snapshot()");
          const { rows } = await owner.query<{ segment: string }>(
            "select pg_walfile_name(pg_create_restore_point($1)) as segment",
            [name],
          );
          segment = rows[0]?.segment;
        } finally {
          await locker.query("rollback");
        }
        await owner.query("select pg_switch_wal()");
        const at = instantText(await databaseOf(reader, settings).now());
        return { name, at, segment: segment ?? "", counts: await countTables(reader) };
      }),
    ),
  );
}

async function pauseWrites(locker: pg.ClientBase, tables: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await locker.query("begin; set local lock_timeout = '300ms'");
    try {
      await locker.query(`lock table ${identifiers(tables)} in share mode`);
      return;
    } catch (error) {
      await locker.query("rollback");
      if (attempt >= ATTEMPTS)
        throw unavailable("Writes could not be paused for a moment to count rows: try again later.", error);
      await delay(BETWEEN_MS);
    }
  }
}

async function countTables(connection: pg.ClientBase): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  for (const { name } of backedUp(await findTables(connection))) {
    const { rows } = await connection.query<{ rows: string }>(
      `select count(*) as rows from ${identifiers([name])}`,
    );
    counts[name] = Number(rows[0]?.rows);
  }
  return counts;
}

async function waitForSegment(archive: Archive, segment: string, signal: AbortSignal): Promise<void> {
  for (let waited = 0; !(await hasArchived(archive.path, segment)); waited += POLL_MS) {
    if (waited > ARCHIVED_WITHIN_MS)
      throw unavailable(
        `The log of this moment did not come into the archive ${archive.path} within two minutes: postgres.log in the data directory says why.`,
      );
    await delay(POLL_MS, undefined, { signal });
  }
}

async function withConnection<Result>(
  settings: ConnectionSettings,
  work: (connection: pg.Client) => Promise<Result>,
): Promise<Result> {
  const connection = await openConnection(settings, "rollbook drill");
  try {
    return await work(connection);
  } finally {
    await connection.end().catch(() => {});
  }
}
