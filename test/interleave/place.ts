import type { OpenDatabase } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { startPostgres } from "../support/postgres.ts";

export interface InterleavedPlace {
  readonly db: OpenDatabase;
  close(): Promise<void>;
}

/** A PostgreSQL in which nobody else works: it finds a deadlock at once, and nothing has to outlive it. */
export async function openPlace(): Promise<InterleavedPlace> {
  const settings = "-c deadlock_timeout=20ms -c fsync=off -c synchronous_commit=off -c autovacuum=off";
  const postgres = await startPostgres({ settings });
  const db = openDatabase({
    connection: postgres.connection,
    applicationName: "rollbook interleave",
    // Four operations, each of which may have two, and who looks for locks.
    poolSize: 16,
  });
  return {
    db,
    async close() {
      await db.close();
      await postgres.remove();
    },
  };
}
