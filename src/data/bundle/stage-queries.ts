import type { Database } from "../../db/database.ts";
import { pooled, type Statement } from "../../db/statements.ts";
import { type StagedKind, type StagedRow, stagingTable, TABLES, WRITE_ORDER } from "./record-tables.ts";

/** The temporary tables of an import, and how rows get into them. */

function statementsFor(kind: StagedKind): { create: Statement; stage: Statement; analyze: Statement } {
  const { name, columns, times, lists, idType = "uuid" } = TABLES[kind];
  const source = stagingTable(kind);
  const shape = [
    "line integer",
    `id ${idType}`,
    ...Object.entries(columns).map(([column, type]) => `${column} ${type}`),
    ...times.map((time) => `${time} timestamptz`),
    ...Object.entries(lists).map(([column, type]) => `${column} ${type}`),
  ].join(", ");
  return {
    create: pooled(`import_create_${name}`, `create temporary table ${source} (${shape}) on commit drop`),
    stage: pooled(
      `import_stage_${name}`,
      `insert into ${source} select * from json_to_recordset($1) as r(${shape})`,
    ),
    // Of one column: how many rows there are is what joins are planned by.
    analyze: pooled(`import_analyze_${name}`, `analyze ${source} (id)`),
  };
}

const STATEMENTS = Object.fromEntries(WRITE_ORDER.map((kind) => [kind, statementsFor(kind)])) as Readonly<
  Record<StagedKind, ReturnType<typeof statementsFor>>
>;

const settings = [
  // Sorts and joins of a million ids; beyond this they go to disk.
  pooled("import_work_mem", "set local work_mem = '48MB'"),
  pooled("import_jit", "set local jit = off"),
  pooled(
    "import_create_instants",
    "create temporary table import_instants (line integer, start_at timestamptz) on commit drop",
  ),
  pooled(
    "import_create_days",
    "create temporary table import_days (day date primary key, begins_at timestamptz) on commit drop",
  ),
];

const patienceStatement = pooled(
  "import_patience",
  "select set_config('statement_timeout', $1, true) as patience",
);

/** Gives each statement of the transaction this long, where a server would give it less. */
export async function setPatience(tx: Database, milliseconds: number): Promise<void> {
  await tx.query(patienceStatement, [String(milliseconds)]);
}

export async function createStaging(tx: Database): Promise<void> {
  // Sent together: one round trip.
  await Promise.all(
    [...settings, ...WRITE_ORDER.map((kind) => STATEMENTS[kind].create)].map((s) => tx.query(s)),
  );
}

export async function stageRows(tx: Database, kind: StagedKind, rows: readonly StagedRow[]): Promise<void> {
  await tx.query(STATEMENTS[kind].stage, [JSON.stringify(rows)]);
}

const unstageStatement = pooled(
  "import_unstage_clients",
  "delete from import_clients where id = any($1::uuid[])",
);

/** Stages clients once more, in the place of what they were. */
export async function restageClients(
  tx: Database,
  ids: readonly string[],
  rows: readonly StagedRow[],
): Promise<void> {
  await tx.query(unstageStatement, [ids]);
  await stageRows(tx, "client", rows);
}

/** Tells PostgreSQL's planner how many rows are staged. */
export async function analyzeStaged(tx: Database, kind: StagedKind): Promise<void> {
  await tx.query(STATEMENTS[kind].analyze);
}
