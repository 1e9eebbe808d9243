import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { unavailable } from "../../core/errors.ts";
import { isDeadlock, isLockTimeout } from "../../db/statement-errors.ts";
import { ORGANIZATION_TABLES, STAYING_TABLES } from "../backup/organization-tables.ts";
import type { Move } from "./moves.ts";

/**
 * While an organization is moved, each of its tables refuses to be written to where the organization is not: by triggers, so that
 * it holds for every writer, whatever it has read before.
 */

/** What the servers know of moves is written by moves alone. */
const UNGUARDED = new Set(["organization_moves", "organization_departures"]);

const GUARDED = [
  ...ORGANIZATION_TABLES,
  ...Object.keys(STAYING_TABLES)
    .filter((name) => !UNGUARDED.has(name))
    .map((name) => ({ name, column: "organization_id" as const })),
];

/** A trigger waits for whoever writes to the table, and new writers behind it: for a moment, and then it gives way. */
const LOCK_TIMEOUT = "300ms";
const PAUSE_MS = 500;
const TRIES = 120;

function triggerName({ id }: Pick<Move, "id">): string {
  return `move_${id.replaceAll("-", "")}`;
}

/** Puts them on every table that has none yet. */
export async function putGuards(connection: pg.Client, move: Move): Promise<void> {
  const name = triggerName(move);
  const guarded = await findGuarded(connection, name);
  const call = `execute function refuse_absent_organization(${connection.escapeLiteral(move.organizationId)}, ${connection.escapeLiteral(move.id)})`;
  const organization = connection.escapeLiteral(move.organizationId);
  for (const { name: table, column } of GUARDED) {
    if (guarded.has(table)) continue;
    await patiently(connection, table, [
      `create or replace trigger ${name} before insert or update on ${table} for each row when (new.${column} = ${organization}) ${call}`,
      `create or replace trigger ${name}_delete before delete on ${table} for each row when (old.${column} = ${organization}) ${call}`,
    ]);
  }
}

export async function removeGuards(connection: pg.Client, move: Move): Promise<void> {
  const name = triggerName(move);
  for (const table of await findGuarded(connection, name))
    await patiently(connection, table, [
      `drop trigger if exists ${name}_delete on ${table}`,
      `drop trigger if exists ${name} on ${table}`,
    ]);
}

async function findGuarded(connection: pg.Client, name: string): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query<{ table: string }>(
    `select c.relname::text as table from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where t.tgname = $1 and c.relnamespace = current_schema()::regnamespace`,
    [name],
  );
  return new Set(rows.map(({ table }) => table));
}

async function patiently(connection: pg.Client, table: string, statements: readonly string[]): Promise<void> {
  for (let tried = 0; tried < TRIES; tried++) {
    try {
      await connection.query("begin");
      await connection.query("select set_config('lock_timeout', $1, true)", [LOCK_TIMEOUT]);
      await connection.query(`${statements.join("; ")}; commit`);
      return;
    } catch (error) {
      await connection.query("rollback");
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
      await delay(PAUSE_MS);
    }
  }
  throw unavailable(
    `The table ${table} has been written to without a pause for a minute, most likely by an import: run the command again when that has ended.`,
  );
}
