import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";
import { AppError, notFound } from "../core/errors.ts";
import { explainRefusedStatement } from "./connection-errors.ts";
import { openConnection } from "./server-connection.ts";
import type { ConnectionSettings } from "./servers.ts";

const FOLDER = new URL("migrations/", import.meta.url);
/** Any number does, as long as every version of the program takes the same. */
const MIGRATION_LOCK = 7_265_120_411;

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
}

export interface MigrateOptions {
  readonly upTo?: number;
  /** False: a database without our schema is refused, because it may not be the one that was meant. */
  readonly create?: boolean;
}

/**
 * Brings the database to this program's schema and returns what was applied. Each migration commits together
 * with its own record, under one lock, so any number of processes may start at once and a kill half-way
 * leaves the version before or the version after.
 */
export async function migrate(
  settings: ConnectionSettings,
  options: MigrateOptions = {},
): Promise<Migration[]> {
  const connection = await openConnection(settings, "rollbook migrate");
  const applied: Migration[] = [];
  try {
    if (options.create === false) await requireSchema(connection);
    for (;;) {
      await connection.query("begin");
      try {
        // Held by the transaction, not by the session: behind a pooler the session is not ours.
        await connection.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
        const [next] = await findPending(connection, options.upTo);
        if (next) await apply(connection, next);
        await connection.query("commit");
        if (next === undefined) return applied;
        applied.push(next);
      } catch (error) {
        await connection.query("rollback").catch(() => {});
        throw error;
      }
    }
  } catch (error) {
    throw explained(error, settings);
  } finally {
    await connection.end();
  }
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

/** The schema that the database has; it must have the table of migrations. */
export async function schemaVersion(connection: pg.ClientBase): Promise<number> {
  const { rows } = await connection.query<{ version: number | null }>(
    "select max(version) as version from schema_migrations",
  );
  return rows[0]?.version ?? 0;
}

async function requireSchema(connection: pg.ClientBase): Promise<void> {
  const { rows } = await connection.query<{ database: string; table: string | null }>(
    "select current_database() as database, to_regclass('schema_migrations')::text as table",
  );
  if (rows[0]?.table) return;
  throw notFound(
    `The database ${rows[0]?.database} of DATABASE_URL has no data of Rollbook: set DATABASE_URL to the one that has. "rollbook serve", "rollbook migrate" and "rollbook org create" set a new one up.`,
  );
}

async function findPending(connection: pg.ClientBase, upTo = Number.POSITIVE_INFINITY): Promise<Migration[]> {
  await requireServer(connection);
  await connection.query(`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`);
  const migrations = await listMigrations();
  const latest = migrations.at(-1)?.version ?? 0;
  const current = await schemaVersion(connection);
  if (current > latest) {
    throw new AppError(
      "unavailable",
      `The database has schema version ${current}, but this program knows versions up to ${latest}: run a newer rollbook.`,
    );
  }
  return migrations.filter(({ version }) => version > current && version <= upTo);
}

async function apply(tx: pg.ClientBase, migration: Migration): Promise<void> {
  const { version, name, text } = migration;
  try {
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
