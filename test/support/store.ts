import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { openStore, type Store } from "../../src/process/store.ts";
import { newMigratedDatabase } from "./databases.ts";

/**
 * Every server that a test starts asks for it: it is looked up once a process. Not a promise of it: what a file declares after
 * it has waited for another file's promise, `node:test` takes for that file's.
 */
let sharedSecret: string | undefined;

/** The PostgreSQL that the whole test run shares, or one of this file's own when it is run alone. */
export async function openTestStore(): Promise<Store> {
  const shared = process.env.ROLLBOOK_TEST_DATA;
  const dataDir = shared ?? (await mkdtemp(join(tmpdir(), "rollbook-test-")));
  const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  // A test run has migrated it before the first file.
  if (!shared) await migrate(store.connection);
  return {
    ...store,
    async keySecret() {
      const secret = (shared && sharedSecret) || (await store.keySecret());
      if (shared) sharedSecret = secret;
      return secret;
    },
    async close() {
      await store.close();
      if (!shared) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * A database to itself in that PostgreSQL: for a file that looks at what else is at work in its database, or changes what
 * all organizations in it share. Other files run at the same time.
 */
export async function openIsolatedStore(): Promise<Store> {
  const store = await openTestStore();
  const { connection } = await newMigratedDatabase(store);
  return { ...store, connection, open: (options) => openDatabase({ connection, ...options }) };
}
