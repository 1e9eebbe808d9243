import type { Database } from "../src/db/database.ts";

/** The database with the milliseconds that each of its transactions took, in their order. */
export function timed(db: Database, transactions: number[]): Database {
  return {
    query: (statement, values) => db.query(statement, values),
    snapshot: (work) => db.snapshot(work),
    now: () => db.now(),
    clockOffsetMs: db.clockOffsetMs,
    transaction: async (work) => {
      const begun = performance.now();
      const result = await db.transaction(work);
      transactions.push(performance.now() - begun);
      return result;
    },
  };
}
