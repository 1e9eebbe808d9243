import type pg from "pg";
import { conflict } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { findTzdataState } from "../../domain/calendar/tzdata-work.ts";
import { findSecretCheck } from "../../domain/keys/queries.ts";
import { findDeletion } from "../../domain/organizations/deletion-queries.ts";
import { findElsewhere, findOrganization } from "../../domain/organizations/queries.ts";
import { operatorsElsewhere, unknownOrganization } from "../../domain/organizations/rules.ts";
import type { ExportedOrganization } from "./format.ts";
import { ORGANIZATION_TABLES } from "./organization-tables.ts";
import { identifiers, type TableColumns } from "./tables.ts";

/**
 * What is of the server in a row of an organization, and what stands for it in a file. Changes without a number come before
 * all that the other server will note, and are of none of its transactions. A head of no timeline begins one of its own
 * there, so that cursors of numbers that both servers have given are told apart. An organization begins a life.
 */
const OF_THE_SERVER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  change_log: {
    id: "row_number() over (order by id) - count(*) over () - 1",
    xact: "'0'::xid8",
  },
  change_heads: {
    timeline: "''",
    past: "coalesce(past, (select value from facts where name = 'history'))",
  },
  organizations: { moving: "null", life: "null" },
};

export async function describeOrganization(
  tx: Database,
  { id, publicUrl }: { readonly id: string; readonly publicUrl?: string | undefined },
): Promise<ExportedOrganization> {
  const organization = await findOrganization(tx, id);
  if (!organization) throw unknownOrganization();
  const elsewhere = await findElsewhere(tx, id);
  if (elsewhere !== undefined) throw operatorsElsewhere(id, elsewhere);
  if ((await findDeletion(tx, id))?.begunAt)
    throw conflict(
      "The organization is being deleted, and some of its rows are gone: a backup from before has all of them.",
    );
  const { name, status } = organization;
  const secretCheck = await findSecretCheck(tx);
  const tzdata = await findTzdataState(tx);
  return { id, name, status, tzdata, ...(secretCheck && { secretCheck }), ...(publicUrl && { publicUrl }) };
}

/** Those of the tables that have rows of organizations to take along, in their order. */
export function ofOrganization(tables: readonly TableColumns[]): TableColumns[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return ORGANIZATION_TABLES.flatMap(({ name }) => byName.get(name) ?? []);
}

/** What COPY is given for each table: the rows of one organization by their key, which is the same order on every server. */
export async function organizationSources(
  client: pg.ClientBase,
  tables: readonly TableColumns[],
  organizationId: string,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; keys: string[] }>(
    `select c.relname::text as name, array_agg(
       format('%I', a.attname) || case t.typcategory when 'S' then ' collate "C"' else '' end order by k.place
     ) as keys
     from pg_index x
     join pg_class c on c.oid = x.indrelid and c.relnamespace = current_schema()::regnamespace
     cross join unnest(x.indkey::int2[]) with ordinality k (number, place)
     join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
     join pg_type t on t.oid = a.atttypid
     where x.indisprimary and c.relname = any ($1)
     group by 1`,
    [tables.map(({ name }) => name)],
  );
  const keysOf = new Map(rows.map(({ name, keys }) => [name, keys.join(", ")]));
  const columnOf = new Map(ORGANIZATION_TABLES.map(({ name, column }) => [name, column]));
  const id = client.escapeLiteral(organizationId);
  return new Map(
    tables.map(({ name, columns }) => {
      const written = columns.map((column) => OF_THE_SERVER[name]?.[column] ?? identifiers([column]));
      const bound = `${identifiers([columnOf.get(name) ?? ""])} = ${id}`;
      return [
        name,
        `(select ${written.join(", ")} from ${identifiers([name])} where ${bound} order by ${keysOf.get(name)})`,
      ];
    }),
  );
}

// Every version of the organization's data counts as moved already, and the one of the staff is not moved.
const setAsideStatement = pooled(
  "set_triggers_aside",
  `select set_config('rollbook.copied', $1::uuid::text, true), set_config('rollbook.moved', (
     select string_agg($1::uuid || ' ' || k.kind || ' ', '') from unnest(array['catalog', 'client', 'contract', 'session']) k (kind)
   ), true)`,
);

/** For the transaction: what it writes of an organization is nobody's news. What triggers note is left to `dropNotes`. */
export async function setTriggersAside(tx: Database, organizationId: string): Promise<void> {
  await tx.query(setAsideStatement, [organizationId]);
}

const dropNotesStatement = pooled("drop_notes", "delete from change_log where organization_id = $1");

/** Removes the changes of an organization that have no number yet. */
export async function dropNotes(tx: Database, organizationId: string): Promise<void> {
  await tx.query(dropNotesStatement, [organizationId]);
}
