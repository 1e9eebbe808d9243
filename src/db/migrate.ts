import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { AppError, notFound } from "../core/errors.ts";
import { explainRefusedStatement } from "./connection-errors.ts";
import { openConnection } from "./server-connection.ts";
import type { ConnectionSettings } from "./servers.ts";
import { isDeadlock, isLockTimeout } from "./statement-errors.ts";

const FOLDER = new URL("migrations/", import.meta.url);
/** Any number does, as long as every version of the program takes the same. */
const MIGRATION_LOCK = 7_265_120_411;

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
}

export interface AppliedMigration extends Migration {
  readonly seconds: number;
}

export interface MigrateOptions {
  readonly upTo?: number;
  /** Told in sentences which migration is applied, how long it took, and what it waits for. */
  readonly log?: ((sentence: string) => void) | undefined;
}

/**
 * Brings the database to this program's schema and returns what was applied. Each migration commits together
 * with its own record, under one lock, so any number of processes may start at once and a kill half-way
 * leaves the version before or the version after.
 *
 * A migration that waits for a table keeps everybody waiting who comes after it. So it waits for a moment only, gives
 * back what it has, and tries again until whoever uses the table has ended.
 */
export async function migrate(
  settings: ConnectionSettings,
  { upTo, log = () => {} }: MigrateOptions = {},
): Promise<AppliedMigration[]> {
  return withConnection(settings, "rollbook migrate", async (connection) => {
    const applied: AppliedMigration[] = [];
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      try {
        const next = await applyNext(connection, upTo, log);
        if (next === undefined) return applied;
        applied.push(next);
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
        log(
          `A migration waits for a table that is in use; trying again. ${await describeOldest(connection)}`,
        );
        await delay(pauseMs);
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
    }
  });
}

/** What `migrate` would apply. Nothing is written. */
export async function pendingMigrations(settings: ConnectionSettings): Promise<Migration[]> {
  return withConnection(settings, "rollbook migrate", (connection) => findPending(connection));
}

/** The schema that the database has; 0 if it has nothing of Rollbook. */
export async function findSchemaVersion(settings: ConnectionSettings): Promise<number> {
  return withConnection(settings, "rollbook start", schemaVersion);
}

/**
 * For whatever does not migrate: refuses a database of another schema than the program's, and says what to do. With
 * `create`, one that has nothing of Rollbook yet is set up. `dataDir` is where the built-in database is.
 */
export async function requireSchema(
  settings: ConnectionSettings,
  { create = false, dataDir }: { readonly create?: boolean; readonly dataDir?: string | undefined } = {},
): Promise<void> {
  const isThere = await withConnection(settings, "rollbook start", async (connection) => {
    const current = await schemaVersion(connection);
    const [next] = current === 0 ? [] : await findPending(connection);
    if (next) throw olderSchema(current, await latestVersion());
    if (current === 0 && !create) {
      const place =
        dataDir === undefined
          ? `The database ${connection.database} of DATABASE_URL has no data of Rollbook: set DATABASE_URL to the one that has.`
          : `The database in ${dataDir} has no data of Rollbook yet: set DATA_DIR to the directory that has.`;
      throw notFound(
        `${place} "rollbook serve", "rollbook migrate" and "rollbook org create" set a new one up.`,
      );
    }
    return current > 0;
  });
  if (!isThere) await migrate(settings);
}

async function withConnection<Result>(
  settings: ConnectionSettings,
  applicationName: string,
  work: (connection: pg.Client) => Promise<Result>,
): Promise<Result> {
  const connection = await openConnection(settings, applicationName);
  try {
    return await work(connection);
  } catch (error) {
    throw explained(error, settings);
  } finally {
    await connection.end();
  }
}

/** How long a migration waits for a table. A write of the server waits for a second before it is refused. */
const LOCK_TIMEOUT_MS = 300;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 4_000;

async function applyNext(
  connection: pg.ClientBase,
  upTo: number | undefined,
  log: (sentence: string) => void,
): Promise<AppliedMigration | undefined> {
  // Whatever the role has set: a migration takes as long as it takes, and other processes wait for it.
  await connection.query("begin; set local statement_timeout = 0; set local lock_timeout = 0");
  try {
    // Held by the transaction, not by the session: behind a pooler the session is not ours.
    await connection.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    const begunAt = performance.now();
    const [next] = await findPending(connection, upTo);
    if (next) {
      await connection.query("select set_config('lock_timeout', $1, true)", [String(LOCK_TIMEOUT_MS)]);
      await apply(connection, next);
    }
    await connection.query("commit");
    if (next === undefined) return undefined;
    const seconds = Number(((performance.now() - begunAt) / 1000).toFixed(2));
    log(`Migrated the database to schema version ${next.version} (${next.name}) in ${seconds} s.`);
    return { ...next, seconds };
  } catch (error) {
    await connection.query("rollback").catch(() => {});
    throw error;
  }
}

/** Who most likely holds the table: PostgreSQL does not say it of a wait that is over. */
async function describeOldest(connection: pg.ClientBase): Promise<string> {
  const { rows } = await connection.query<{ pid: number; name: string; seconds: number }>(
    `select pid, coalesce(nullif(application_name, ''), usename, '') as name,
       extract(epoch from clock_timestamp() - xact_start)::integer as seconds
     from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
     order by xact_start limit 1`,
  );
  const [oldest] = rows;
  if (!oldest) return "";
  return `The oldest transaction is that of process ${oldest.pid} of PostgreSQL (${oldest.name}), for ${oldest.seconds} s.`;
}

/** As `migrate`, but in a transaction of the caller's and under the same lock, which is held until its end. */
export async function migrateWithin(tx: pg.ClientBase, upTo?: number): Promise<Migration[]> {
  await tx.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  const pending = await findPending(tx, upTo);
  for (const migration of pending) await apply(tx, migration);
  return pending;
}

/** A refusal that the operator can do something about, in one sentence; any other error as it is. */
function explained(error: unknown, settings: ConnectionSettings): unknown {
  const sentence = explainRefusedStatement(error, settings);
  return sentence === undefined ? error : new AppError("unavailable", sentence, { cause: error });
}

/** The migrations of this program, in order. */
export async function listMigrations(): Promise<Migration[]> {
  const files = (await readdir(FOLDER)).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => ({
      version: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      text: await readFile(new URL(file, FOLDER), "utf8"),
    })),
  );
}

/** The newest schema that this program knows. */
export async function latestVersion(): Promise<number> {
  return (await listMigrations()).at(-1)?.version ?? 0;
}

/** The schema that the database has; 0 if it has nothing of Rollbook. */
export async function schemaVersion(connection: pg.ClientBase): Promise<number> {
  const { rows: found } = await connection.query(
    "select from pg_class where relname = 'schema_migrations' and relnamespace = current_schema()::regnamespace",
  );
  if (found.length === 0) return 0;
  const { rows } = await connection.query<{ version: number | null }>(
    "select max(version) as version from schema_migrations",
  );
  return rows[0]?.version ?? 0;
}

export function newerSchema(current: number, latest: number): AppError {
  return new AppError(
    "unavailable",
    `The database has schema version ${current}, but this program knows versions up to ${latest}: run a newer rollbook.`,
  );
}

function olderSchema(current: number, latest: number): AppError {
  return new AppError(
    "unavailable",
    `The database has schema version ${current}, and this program needs version ${latest}: run "rollbook migrate" first, or "rollbook serve", which does it too.`,
  );
}

async function findPending(connection: pg.ClientBase, upTo = Number.POSITIVE_INFINITY): Promise<Migration[]> {
  await requireServer(connection);
  const current = await schemaVersion(connection);
  const latest = await latestVersion();
  if (current > latest) throw newerSchema(current, latest);
  return (await listMigrations()).filter(({ version }) => version > current && version <= upTo);
}

/** The table that says which migrations were applied: it comes with the first. */
const RECORD_TABLE = `
  create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    applied_at timestamptz not null default now()
  )`;

async function apply(tx: pg.ClientBase, migration: Migration): Promise<void> {
  const { version, name, text } = migration;
  try {
    if (version === 1) await tx.query(RECORD_TABLE);
    await tx.query(text);
    await tx.query("insert into schema_migrations (version, name) values ($1, $2)", [version, name]);
  } catch (cause) {
    throw new AppError(
      "unavailable",
      `Migration ${version} (${name}) failed: ${cause instanceof Error ? cause.message : "of an unknown cause"}.`,
      {
        cause,
      },
    );
  }
}

async function requireServer(connection: pg.ClientBase): Promise<void> {
  const { rows } = await connection.query<{ number: string; encoding: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_encoding') as encoding",
  );
  const major = Math.floor(Number(rows[0]?.number) / 10_000);
  if (major < 15)
    throw new AppError("unavailable", `PostgreSQL 15 or newer is needed; this server is version ${major}.`);
  if (rows[0]?.encoding !== "UTF8") {
    throw new AppError(
      "unavailable",
      "The database must be encoded in UTF8: create it with encoding 'UTF8'.",
    );
  }
}
