import { type Database, pooled, type Statement } from "../db/database.ts";
import { type StagedKind, stagingTable, TABLES, type Table, WRITE_ORDER } from "./record-tables.ts";

/** The statements for one kind of record. */
function statementsFor(kind: StagedKind) {
  const table = TABLES[kind];
  const { name, counter } = table;
  const source = stagingTable(kind);
  const columns = Object.keys(table.columns);
  const given = (column: string) =>
    table.kept.includes(column) ? `coalesce(s.${column}, c.${column})` : `s.${column}`;
  const changed = `join import_changed h on h.kind = '${kind}' and h.id = s.id`;
  const differs = [
    `(${columns.map((column) => `c.${column}`).join(", ")}) is distinct from (${columns.map(given).join(", ")})`,
    ...table.times.map((time) => `s.${time} <> c.${time}`),
    ...table.listsDiffer,
  ];
  const sets = [
    ...columns.map((column) => `${column} = ${given(column)}`),
    ...table.times.map((time) =>
      time === "created_at"
        ? "created_at = coalesce(s.created_at, c.created_at)"
        : // Moves even if the clock has not.
          "updated_at = coalesce(s.updated_at, greatest(now(), c.updated_at + interval '1 millisecond'))",
    ),
  ];
  const made = [
    ...columns.map((column) =>
      table.kept.includes(column) ? `coalesce(s.${column}, 'active')` : `s.${column}`,
    ),
    ...table.times.map((time) =>
      time === "created_at"
        ? table.times.length > 1
          ? "coalesce(s.created_at, s.updated_at, now())"
          : "coalesce(s.created_at, now())"
        : "coalesce(s.updated_at, greatest(now(), s.created_at))",
    ),
  ];
  const addChildren = (child: Table["children"][number], which: string) => `
    insert into ${child.table} (organization_id, ${child.owner}, ${child.columns})
    select $1, s.id, ${child.values} from ${source} s ${which} ${child.from}`;
  const statement = (verb: string, text: string): Statement => pooled(`import_${verb}_${name}`, text);

  return {
    /**
     * Rows that a change will be written to, locked, so that what is counted is what is there. In the order of
     * their ids, as everybody locks them, so that nobody waits crosswise.
     */
    lockChanged: statement(
      "lock",
      `with changed as (
         insert into import_changed (kind, id, old_status)
         select '${kind}', c.id, ${counter ? "c.status" : "null"}
         from ${source} s join ${name} c on c.organization_id = $1 and c.id = s.id
         where ${differs.join(" or ")}
         order by c.id
         for update of c
         returning 1
       )
       select count(*) as count from changed`,
    ),
    clearExchanged:
      table.exchanged.length === 0
        ? undefined
        : statement(
            "clear",
            `update ${name} c set ${table.exchanged.map((column) => `${column} = null`).join(", ")}
             from ${source} s ${changed}
             where c.organization_id = $1 and c.id = s.id
               and (${table.exchanged.map((column) => `c.${column}`).join(", ")})
                 is distinct from (${table.exchanged.map((column) => `s.${column}`).join(", ")})`,
          ),
    replace: statement(
      "replace",
      `update ${name} c set ${sets.join(", ")}
       from ${source} s ${changed}
       where c.organization_id = $1 and c.id = s.id`,
    ),
    removeChildren: table.children.map((child) =>
      statement(
        `remove_${child.table}`,
        `delete from ${child.table} m using import_changed h
         where h.kind = '${kind}' and m.organization_id = $1 and m.${child.owner} = h.id`,
      ),
    ),
    replaceChildren: table.children.map((child) =>
      statement(`replace_${child.table}`, addChildren(child, changed)),
    ),
    /** After this only new records are staged. */
    dropExisting: statement(
      "existing",
      `with existing as (
         delete from ${source} s using ${name} c where c.organization_id = $1 and c.id = s.id
         returning s.id
       )
       select count(*) as count from existing`,
    ),
    insert: statement(
      "insert",
      `insert into ${name} (organization_id, id, ${[...columns, ...table.times].join(", ")})
       select $1, s.id, ${made.join(", ")} from ${source} s`,
    ),
    /**
     * What the planner knows of the table, gathered before the commit, so that nothing can fail after it; and before
     * rows are written that refer to these. Vacuumed in the midst of a transaction, a table that was empty
     * is taken for empty still, and each foreign key is then checked by reading all of it. This puts it right, and
     * its lock keeps the next vacuum away until the commit; one that runs gives way to it.
     */
    analyzeStored: statement("analyze_stored", `analyze ${name}`),
    insertChildren: table.children.map((child) => statement(`insert_${child.table}`, addChildren(child, ""))),
    /** How many more records of each status there are now. */
    countStatuses:
      counter === undefined
        ? undefined
        : statement(
            "count",
            `select status, sum(n) as count from (
               select ${table.kept.includes("status") ? "coalesce(s.status, 'active')" : "s.status"} as status, 1 as n
               from ${source} s
               union all
               select h.old_status, -1 from import_changed h where h.kind = '${kind}'
               union all
               select c.status, 1 from import_changed h
               join ${name} c on c.organization_id = $1 and c.id = h.id where h.kind = '${kind}'
             ) moves group by status`,
          ),
  };
}

export const STATEMENTS = Object.fromEntries(
  WRITE_ORDER.map((kind) => [kind, statementsFor(kind)]),
) as Readonly<Record<StagedKind, ReturnType<typeof statementsFor>>>;

const lockStatement = pooled(
  "import_lock_organization",
  "select pg_advisory_xact_lock(hashtextextended('rollbook import ' || $1::uuid, 0))::text",
);

/** One import at a time into an organization: of two with the same ids, the second replaces what the first made. */
export async function lockImports(tx: Database, organizationId: string): Promise<void> {
  await tx.query(lockStatement, [organizationId]);
}

const COUNTER_COLUMNS = [
  "clients_active",
  "clients_archived",
  "contracts_active",
  "contracts_paused",
  "contracts_cancelled",
  "contracts_expired",
  "plans_active",
  "plans_archived",
  "service_types_active",
  "service_types_archived",
];
const moveCountersStatement = pooled(
  "import_move_counters",
  `update organization_counters set
     catalog_version = catalog_version + 1, clients_version = clients_version + 1,
     ${COUNTER_COLUMNS.map((column, index) => `${column} = ${column} + $${index + 3}`).join(", ")}
   where organization_id = $1 and slot = $2`,
);

/** Adds to the totals and moves both versions. `moves` is keyed by column. */
export async function moveCounters(
  tx: Database,
  organizationId: string,
  slot: number,
  moves: ReadonlyMap<string, number>,
): Promise<void> {
  await tx.query(moveCountersStatement, [
    organizationId,
    slot,
    ...COUNTER_COLUMNS.map((column) => moves.get(column) ?? 0),
  ]);
}

export const savepoint = pooled("import_savepoint", "savepoint import_write");
export const rollbackToSavepoint = pooled("import_rollback", "rollback to savepoint import_write");
