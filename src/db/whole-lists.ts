import { type DataClass, Snapshot } from "../core/data-snapshot.ts";
import { selectVersion } from "./data-version.ts";
import type { Database } from "./database.ts";
import { pooled } from "./statements.ts";

/** All records of a list that is returned whole, and how many they are. */
export interface WholeList<Item> {
  readonly data: Item[];
  readonly total: number;
}

/** Reads all of an organization's records of a table, with the version of the data in the same snapshot. */
export function wholeList<Item extends { readonly id: string }>(text: {
  readonly name: string;
  /** The classes of data it reads. */
  readonly reads: readonly DataClass[];
  readonly table: string;
  /** Columns of the record, from a row called `r`. */
  readonly columns: string;
  readonly order: string;
}): (db: Database, organizationId: string) => Promise<Snapshot<WholeList<Item>>> {
  const { name, reads, table, columns, order } = text;
  const statement = pooled(
    name,
    `select v.version, ${columns} from (${selectVersion(reads)}) v
     left join ${table} r on r.organization_id = $1
     order by ${order}`,
  );
  return async (db, organizationId) => {
    // The version stands in every row, and in one without a record if there is none.
    const rows = await db.query<Item & { readonly version: number }>(statement, [organizationId]);
    const data = rows.filter(({ id }) => id !== undefined);
    return new Snapshot({ data, total: data.length }, rows[0]?.version ?? Number.NaN);
  };
}
