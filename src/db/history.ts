import type { Database } from "./database.ts";
import { read } from "./statements.ts";

const historyStatement = read("find_history", "select value from facts where name = 'history'");

/** The random id of the database's past: another one after a restore. */
export async function readHistory(db: Pick<Database, "query">): Promise<string> {
  const [row] = await db.query<{ value: string }>(historyStatement);
  return row?.value ?? "";
}
