import type { Database } from "../../db/database.ts";
import { pooled, type Statement } from "../../db/statements.ts";
import { beginDeletion, recordDeletedRows } from "../../domain/organizations/deletion-queries.ts";
import { dropNotes, setTriggersAside } from "./organization-rows.ts";
import { ORGANIZATION_TABLES, type OrganizationTable, STAYING_TABLES } from "./organization-tables.ts";
import { identifiers } from "./tables.ts";

// Bound twice: to find the rows by an index, and so that each row is of the organization, whatever was found.
const deleteStatement = ({ name, column }: OrganizationTable): Statement =>
  pooled(
    `delete_rows_of_${name}`,
    `delete from ${identifiers([name])} t where t.${column} = $1
       and t.ctid = any (array(select r.ctid from ${identifiers([name])} r where r.${column} = $1 limit $2))
     returning 1 as gone`,
  );

/** What refers to others goes before them, and the organization itself goes last. */
const PARTS: readonly { readonly name: string; readonly statement: Statement }[] = [
  ...Object.keys(STAYING_TABLES).map((name): OrganizationTable => ({ name, column: "organization_id" })),
  ...ORGANIZATION_TABLES.toReversed(),
].map((table) => ({ name: table.name, statement: deleteStatement(table) }));

// All keys of an organization share one that bears its id.
const rateStatement = pooled(
  "delete_rates_of_organization",
  "delete from key_rates where key_id in (select id from keys where organization_id = $1 union all select $1::uuid)",
);

/**
 * Deletes a part of what an organization has, once its time of grace is over: at most so many rows in one transaction, with
 * their count in the evidence. Returns the table to go on from, for tables that were emptied take time to look through;
 * undefined if nothing is left, or another process is at it. Whoever begins again with 0 goes on, after any kill.
 */
export async function deleteOrganizationPart(
  db: Database,
  organizationId: string,
  { from, rowsAtOnce }: { readonly from: number; readonly rowsAtOnce: number },
): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    const now = await tx.now();
    if (!(await beginDeletion(tx, organizationId, now))) return undefined;
    await setTriggersAside(tx, organizationId);
    if (from === 0) await tx.query(rateStatement, [organizationId]);
    const rows: Record<string, number> = {};
    let left = rowsAtOnce;
    let place = from;
    for (const { name, statement } of PARTS.slice(from)) {
      const { length } = await tx.query(statement, [organizationId, left]);
      left -= length;
      if (length > 0) rows[name] = length;
      if (left === 0) break;
      place++;
    }
    // What triggers have noted of the rows that went: nobody is told.
    await dropNotes(tx, organizationId);
    // Something may have been written behind a part that did not begin with the first table.
    const isDone = left > 0 && from === 0;
    await recordDeletedRows(tx, organizationId, rows, isDone ? now : undefined);
    if (isDone) return undefined;
    return left > 0 ? 0 : place;
  });
}

/** Removes what a process has written of an organization that was gone already, such as counts that it had in memory. */
export async function deleteRemains(tx: Database, organizationId: string): Promise<void> {
  for (const { statement } of PARTS) await tx.query(statement, [organizationId, null]);
}
