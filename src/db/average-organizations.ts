import type { Database } from "./database.ts";
import { pooled } from "./statements.ts";

const averageStatement = pooled("average_organizations", "select average_organizations() as name");

/**
 * Has the planner take each of very many organizations for a hundredth of a table, so that one that is much larger than
 * most is read by the indexes of its records. Says of how many tables it was not known yet: each is a statement of its own.
 */
export async function averageOrganizations(db: Pick<Database, "query">): Promise<number> {
  for (let tables = 0; ; tables++) {
    const [row] = await db.query<{ name?: string }>(averageStatement);
    if (!row?.name) return tables;
  }
}
