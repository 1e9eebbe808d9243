import type pg from "pg";
import type { Database } from "../../db/database.ts";
import { readClock } from "../../db/read-clock.ts";
import type { ConnectionSettings } from "../../db/servers.ts";

/** What values look like as text, and how long a statement may take, whatever the role or the database say. */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  TimeZone: "UTC",
  DateStyle: "ISO, YMD",
  IntervalStyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  // Rows that a policy hides from us are an error, not rows that are not there.
  row_security: "off",
  statement_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  // From PostgreSQL 17 on.
  transaction_timeout: "0",
};

/** Applies the settings until the end of the transaction; those that the server does not have are passed over. */
export async function applySettings(tx: pg.ClientBase): Promise<void> {
  await tx.query(
    `select set_config(name, value, true)
     from unnest($1::text[], $2::text[]) as wanted (name, value)
     where current_setting(name, true) is not null`,
    [Object.keys(SESSION_SETTINGS), Object.values(SESSION_SETTINGS)],
  );
}

/** The transaction that the connection is in, for what takes a `Database`. */
export function databaseOf(client: pg.ClientBase, settings: ConnectionSettings): Database {
  const database: Database = {
    query: async (statement, values = []) => (await client.query(statement.text, [...values])).rows,
    transaction: (work) => work(database),
    snapshot: (work) => work(database),
    now: () => readClock(database.query, settings),
    clockOffsetMs: settings.clockOffsetMs ?? 0,
  };
  return database;
}
