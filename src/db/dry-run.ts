import type { Database, SharedDatabase } from "./database.ts";

/** Thrown to end a transaction without its commit. */
class WorkDone<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super("a dry run is not committed");
    this.result = result;
  }
}

/** A database in which nothing stays: each statement, and each transaction, is carried out whole and rolled back. */
export function keepingNothing(db: SharedDatabase): SharedDatabase {
  return {
    // Short reads alone.
    query: (statement, values) => db.query(statement, values),
    clockOffsetMs: db.clockOffsetMs,
    for: (organizationId, times) => rolledBack(db.for(organizationId, times)),
  };
}

function rolledBack(db: Database): Database {
  return {
    query: (statement, values) => undone(db, (tx) => tx.query(statement, values)),
    transaction: (work) => undone(db, work),
    snapshot: (work) => db.snapshot(work),
    now: () => db.now(),
    clockOffsetMs: db.clockOffsetMs,
  };
}

/** Carries a transaction out whole, and rolls it back. */
export async function undone<Result>(db: Database, work: (tx: Database) => Promise<Result>): Promise<Result> {
  try {
    return await db.transaction(async (tx) => {
      throw new WorkDone(await work(tx));
    });
  } catch (error) {
    if (error instanceof WorkDone) return error.result as Result;
    throw error;
  }
}
