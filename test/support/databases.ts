import pg from "pg";
import { migrate } from "../../src/db/migrate.ts";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import type { Store } from "../../src/process/store.ts";

/** A database of a test's own, beside the one that all share. */
export interface OwnDatabase {
  readonly connection: ConnectionSettings;
  /** As DATABASE_URL has it. */
  readonly url: string;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
}

let made = 0;

/** Makes an empty database. It goes with the server that the test run has: to drop it would flush the disk. */
export async function newDatabase(store: Store, template = "template1"): Promise<OwnDatabase> {
  const name = `own_${process.pid}_${++made}`;
  await once(store.connection, `create database ${name} template ${template}`);
  const connection: ConnectionSettings = { ...store.connection, database: name };
  const { user = "", host = "" } = connection;
  return {
    connection,
    url: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`,
    query: (text, values) => once(connection, text, values),
  };
}

const MIGRATED = "migrated";

/** Makes the database that `newMigratedDatabase` copies. Nobody connects to it afterwards. */
export async function makeMigratedTemplate({ connection }: Store): Promise<void> {
  await once(connection, `create database ${MIGRATED}`);
  await migrate({ ...connection, database: MIGRATED });
}

/** A database of the present schema: a copy, in a test run, as all migrations take ten times as long. */
export async function newMigratedDatabase(store: Store): Promise<OwnDatabase> {
  const own = await newDatabase(store, process.env.ROLLBOOK_TEST_DATA ? MIGRATED : undefined);
  await migrate(own.connection);
  return own;
}

async function once<Row extends object>(
  connection: ConnectionSettings,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
